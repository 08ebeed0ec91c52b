"""Each executed branch of the measured modules is reported, from all workers of a run."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from tests.branch_coverage import BranchCoverage, mark_branches

SOURCE = """\
def describe(number):
    if number > 0:
        return "positive"
    return "other"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with the modules `measured_signs` and `measured_unused`, which can be imported."""
    folder = tmp_path / "measured"
    folder.mkdir()
    for name in ("measured_signs", "measured_unused"):
        (folder / f"{name}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("measured_signs", None)


@pytest.fixture
def coverage(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BranchCoverage:
    """Return the coverage of the modules in `folder`."""
    coverage = BranchCoverage((folder,), tmp_path, tmp_path / "results" / "coverage.json")
    monkeypatch.setattr("sys.meta_path", [coverage, *sys.meta_path])
    return coverage


def end_run(coverage: BranchCoverage, **config: Any) -> None:
    """End the run of a controller, or of a worker with `workeroutput`."""
    coverage.pytest_sessionfinish(SimpleNamespace(config=SimpleNamespace(**config)))  # type: ignore[arg-type]


def read_report(tmp_path: Path) -> dict[str, Any]:
    """Return the report that the controller wrote."""
    report: dict[str, Any] = orjson.loads((tmp_path / "results" / "coverage.json").read_bytes())
    return report


def test_branch_that_was_not_executed_is_reported_as_missing(
    coverage: BranchCoverage, tmp_path: Path
) -> None:
    assert import_module("measured_signs").describe(1) == "positive"
    end_run(coverage)
    assert read_report(tmp_path)["measured/measured_signs.py"] == {"branches": 2, "missing": [2]}


def test_module_that_no_test_imports_counts_as_missing(coverage: BranchCoverage) -> None:
    assert coverage.read_report()["measured/measured_unused.py"] == {"branches": 2, "missing": [2, 2]}


def test_controller_merges_the_branches_of_its_workers(coverage: BranchCoverage, tmp_path: Path) -> None:
    describe = import_module("measured_signs").describe
    describe(1)
    output: dict[str, Any] = {}
    end_run(coverage, workeroutput=output)
    assert not (tmp_path / "results").exists()
    describe(0)
    coverage.pytest_testnodedown(SimpleNamespace(workeroutput=output))
    coverage.pytest_testnodedown(SimpleNamespace(workeroutput={}))  # crashed
    end_run(coverage)
    assert read_report(tmp_path)["measured/measured_signs.py"] == {"branches": 2, "missing": []}


def test_workers_without_a_common_branch_are_merged(coverage: BranchCoverage, tmp_path: Path) -> None:
    file = str(tmp_path / "measured" / "measured_signs.py")
    for number in (0, 1):
        coverage.pytest_testnodedown(SimpleNamespace(workeroutput={"branches": {file: [number]}}))
    end_run(coverage)
    assert read_report(tmp_path)["measured/measured_signs.py"]["missing"] == []


@pytest.mark.parametrize(
    ("source", "value", "missing"),
    [
        ("if value:\n    found = 1", 1, [1]),
        ("if value:\n    found = 1\nelif value is None:\n    found = 2\nelse:\n    found = 3", 0, [1, 3]),
        ("for one in value:\n    found = 1", [], [1]),
        ("for one in value:\n    found = 1", [1], []),
        ("for one in value:\n    break", [1], [1]),
        ("while value:\n    value = 0", 1, []),
        ("while True:\n    break", 0, []),
        ("match value:\n    case 1:\n        found = 1\n    case 2:\n        found = 2", 3, [2, 4]),
        ("match value:\n    case 1:\n        found = 1\n    case _:\n        found = 2", 1, [4]),
        ("match value:\n    case 1:\n        found = 1", 1, [1]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import os", 0, []),
        ("if value:\n    if value > 1:\n        found = 1", 1, [1, 2]),
    ],
)
def test_only_executed_branches_of_a_statement_are_marked(
    source: str, value: object, missing: list[int]
) -> None:
    tree, lines = mark_branches(source.encode())
    marks = bytearray(len(lines))
    exec(compile(tree, "source", "exec"), {"value": value, "__executed_branches__": marks})  # type: ignore[call-overload]
    assert [line for mark, line in zip(marks, lines, strict=True) if not mark] == missing
