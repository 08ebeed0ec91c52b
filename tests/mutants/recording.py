"""Recording of the lines that each test executes in the areas, by coverage's dynamic contexts.

A test file is recorded again if it changes, or if a file of the areas changes that its tests execute.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import pytest
from coverage import Coverage

from tests.mutants.areas import ROOT, list_all_files
from tests.mutants.stored_rows import append_row, load_rows
from tests.tracing import trace_outside_greenlets

FILE = ROOT / "test-results" / "mutants" / "recording.jsonl"


@dataclass(frozen=True)
class RecordedTest:
    """The processor time of a test, its outcome, and its executed lines by file."""

    seconds: float
    is_passed: bool
    lines: dict[str, list[int]]


@dataclass
class Recording:
    """The recorded tests by id."""

    tests: dict[str, RecordedTest] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    """Test files whose recording is still valid."""

    @classmethod
    def load(cls) -> "Recording":
        """Return the stored recording without the test files whose digest has changed."""
        found = cls()
        for row in {row["file"]: row for row in load_rows(FILE)}.values():
            tests = {name: RecordedTest(**test) for name, test in row["tests"].items()}
            if row["digest"] == _digest_tests(row["file"], tests.values()):
                found.tests |= tests
                found.files.add(row["file"])
        return found

    def add(self, file: str, tests: dict[str, RecordedTest]) -> None:
        """Store the recorded tests of a file."""
        self.tests |= tests
        self.files.add(file)
        row = {
            "file": file,
            "digest": _digest_tests(file, tests.values()),
            "tests": {name: asdict(test) for name, test in tests.items()},
        }
        append_row(FILE, row)


def digest_files(files: Iterable[str]) -> str:
    """Return a digest of the contents of files; it changes if one of them changes."""
    contents = "\n".join(f"{file} {digest_file(file)}" for file in sorted(files))
    return hashlib.sha256(contents.encode()).hexdigest()[:16]


@cache
def digest_file(file: str) -> str:
    """Return a digest of a file's contents."""
    return hashlib.sha256(read_text(file).encode()).hexdigest()


def read_text(file: str) -> str:
    """Return the text of a file of the project; empty if it does not exist."""
    path = ROOT / file
    return path.read_text("utf-8") if path.exists() else ""


def _digest_tests(file: str, tests: Iterable[RecordedTest]) -> str:
    return digest_files({file, *(name for test in tests for name in test.lines)})


def start_coverage() -> Coverage:
    """Start to measure the lines of the areas in this process."""
    coverage = Coverage(
        data_file=None, include=[str(ROOT / file) for file in list_all_files()], config_file=False
    )
    coverage.set_option("run:concurrency", ["thread"])  # see tests/tracing.py
    coverage.set_option("run:disable_warnings", ["no-data-collected"])
    coverage.start()
    return coverage


def list_lines(coverage: Coverage, context: str = "") -> dict[str, list[int]]:
    """Return, by file, the lines that the test `context` executed; without it, those executed outside tests."""
    data = coverage.get_data()
    data.set_query_context(context)
    measured = {Path(file).relative_to(ROOT).as_posix(): data.lines(file) for file in data.measured_files()}
    return {file: sorted(lines) for file, lines in measured.items() if lines}


def record_tests(
    groups: Sequence[tuple[str, list[pytest.Item]]],
    run: Callable[[pytest.Item, pytest.Item | None], bool],
    send: Callable[[tuple[str, dict[str, RecordedTest]]], None],
) -> None:
    """Run tests and send the recorded tests of each file.

    Args:
        groups: the test files with their tests.
        run: called with a test and the test after it, or None; runs the first and returns True if it passed.
        send: receives each file with its recorded tests.
    """
    order = [item for _file, items in groups for item in items]
    following = dict(zip(order, [*order[1:], None], strict=True))
    for file, items in groups:
        coverage = start_coverage()
        outcomes: dict[str, tuple[float, bool]] = {}
        for item in items:
            coverage.switch_context(item.nodeid)
            start = time.process_time()
            with trace_outside_greenlets():
                is_passed = run(item, following[item])
            outcomes[item.nodeid] = time.process_time() - start, is_passed
        coverage.stop()
        send(
            (
                file,
                {
                    name: RecordedTest(*outcome, list_lines(coverage, name))
                    for name, outcome in outcomes.items()
                },
            )
        )
