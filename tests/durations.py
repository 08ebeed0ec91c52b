"""Recording of each test's duration in `test-results/durations.json`; `make durations` shows the slowest tests.

A duration includes set-up and teardown. The first test of a worker therefore includes the set-up of shared
fixtures.
"""

import os
from collections import defaultdict
from pathlib import Path

import orjson
import pytest

FILE = Path(__file__).parent.parent / "test-results" / "durations.json"
MAX_PRINTED = 50


class Durations:
    """The total seconds of each test of a run."""

    def __init__(self, file: Path) -> None:
        """Start with no tests; the file is written when the run ends."""
        self.file = file
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the duration of one phase of a test: set-up, call or teardown.

        Subtests are part of a phase and are skipped.
        """
        if isinstance(report, pytest.SubtestReport):
            return
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the file, unless no test ran."""
        if self.seconds:
            self.file.parent.mkdir(exist_ok=True)
            self.file.write_bytes(orjson.dumps(self.seconds, option=orjson.OPT_INDENT_2))


def record_durations(config: pytest.Config) -> None:
    """Register the recorder in the process that reports, not in the workers of a parallel run."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Durations(FILE))


def main() -> None:
    """Print the slowest tests of the latest run."""
    seconds: dict[str, float] = orjson.loads(FILE.read_bytes())
    print(f"{len(seconds)} tests, {sum(seconds.values()) / 60:.1f} minutes one after the other; the slowest:")
    for test in sorted(seconds, key=lambda test: -seconds[test])[:MAX_PRINTED]:
        print(f"{seconds[test]:8.2f} s  {test}")


if __name__ == "__main__":
    main()
