"""Stores how long each test took in `test-results/durations.json`; `make durations` shows the slowest.

A duration includes the set-up and the teardown, so the first test of a worker pays for what it shares with the others.
"""

import os
from collections import defaultdict
from pathlib import Path

import orjson
import pytest

FILE = Path(__file__).parent.parent / "test-results" / "durations.json"
SHOWN = 50


class Durations:
    """Adds up the seconds of each test of a run."""

    def __init__(self, file: Path) -> None:
        """Begin without tests; the file is written when the run ends."""
        self.file = file
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test: set-up, call or teardown. A subtest is a part of a phase."""
        if isinstance(report, pytest.SubtestReport):
            return
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the file, unless no test ran."""
        if self.seconds:
            self.file.parent.mkdir(exist_ok=True)
            self.file.write_bytes(orjson.dumps(self.seconds, option=orjson.OPT_INDENT_2))


def record_durations(config: pytest.Config) -> None:
    """Record in the process that reports; the workers of a run in parallel do not."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Durations(FILE))


def main() -> None:
    """Print the slowest tests of the latest run."""
    seconds: dict[str, float] = orjson.loads(FILE.read_bytes())
    print(f"{len(seconds)} tests, {sum(seconds.values()) / 60:.1f} minutes one after the other; the slowest:")
    for test in sorted(seconds, key=lambda test: -seconds[test])[:SHOWN]:
        print(f"{seconds[test]:8.2f} s  {test}")


if __name__ == "__main__":
    main()
