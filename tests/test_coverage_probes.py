"""The probes see the executed lines and branches of the measured modules, in all workers of a run."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from tests.coverage_probes import CoverageProbes

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
def probes(folder: Path, tmp_path: Path) -> Iterator[CoverageProbes]:
    probes = CoverageProbes((folder,), tmp_path / "results" / "coverage.json")
    yield probes
    probes.pytest_unconfigure()


def end_run(probes: CoverageProbes, **config: Any) -> None:
    """End the run of a controller, or of a worker with `workeroutput`."""
    probes.pytest_sessionfinish(SimpleNamespace(config=SimpleNamespace(**config)))  # type: ignore[arg-type]


def test_executed_lines_and_branches_are_reported(probes: CoverageProbes, folder: Path) -> None:
    assert import_module("measured_signs").describe(1) == "positive"
    files = probes.read_report()["files"]
    assert files[str(folder / "measured_signs.py")] == {
        "executed_lines": [1, 2, 3],
        "missing_lines": [4],
        "executed_branches": [(2, 3)],
        "missing_branches": [(2, 4)],
        "summary": {
            "covered_lines": 3,
            "missing_lines": 1,
            "covered_branches": 1,
            "missing_branches": 1,
            "percent_covered": pytest.approx(66.7, abs=0.1),
        },
    }


def test_module_that_no_test_imports_counts_as_missing(probes: CoverageProbes, folder: Path) -> None:
    summary = probes.read_report()["files"][str(folder / "measured_unused.py")]["summary"]
    assert (summary["covered_lines"], summary["missing_lines"], summary["missing_branches"]) == (0, 4, 2)


def test_controller_merges_the_reports_of_its_workers(
    probes: CoverageProbes, folder: Path, tmp_path: Path
) -> None:
    describe = import_module("measured_signs").describe
    describe(1)
    output: dict[str, str] = {}
    end_run(probes, workeroutput=output)
    assert not (tmp_path / "results").exists()
    describe(0)
    probes.pytest_testnodedown(SimpleNamespace(workeroutput=output))
    probes.pytest_testnodedown(SimpleNamespace(workeroutput={}))  # crashed
    end_run(probes)
    merged = orjson.loads((tmp_path / "results" / "coverage.json").read_bytes())
    summary = merged["files"][str(folder / "measured_signs.py")]["summary"]
    assert (summary["covered_lines"], summary["covered_branches"]) == (4, 2)
