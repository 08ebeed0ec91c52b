"""Measurement of coverage with probes: a module gets one at each line and branch when it is imported.

A probe costs a function call. Tracing slows down all code of a test.
"""

from pathlib import Path
from typing import Any, Protocol

import orjson
import pytest
import slipcover

NO_REMOVAL = -1
"""Probes stay in the code: removing them would replace the code of functions while tests run."""
OUTPUT_KEY = "coverage"


class Node(Protocol):
    """The worker of a parallel run, as its controller sees it."""

    workeroutput: dict[str, Any]


class CoverageProbes:
    """The probes of this process, and what those of the ended workers have seen."""

    def __init__(self, paths: tuple[Path, ...], file: Path) -> None:
        """Put probes into the modules at these files and folders that are imported from now on.

        Args:
            paths: the measured files and folders.
            file: where the controller writes the report.
        """
        self._file = file
        folders = [str(path) for path in paths if path.is_dir()]
        self._probes = slipcover.Slipcover(
            d_miss_threshold=NO_REMOVAL, branch=True, source=folders, exclude_also=[r"^\s*\.\.\.$"]
        )
        self._imports = slipcover.ImportManager(self._probes, slipcover.FileMatcher(sources=paths))
        self._imports.__enter__()
        self._reports: list[dict[str, Any]] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Node) -> None:
        """Take the report of a worker that has ended. One that crashed has none."""
        if report := getattr(node, "workeroutput", {}).get(OUTPUT_KEY):
            self._reports.append(orjson.loads(report))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the report to the controller; in the controller, write the merged report of the run."""
        report = self.read_report()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[OUTPUT_KEY] = orjson.dumps(report).decode()
            return
        for other in self._reports:
            slipcover.merge_coverage(report, other)
        self._file.parent.mkdir(exist_ok=True)
        self._file.write_bytes(orjson.dumps(report))

    def pytest_unconfigure(self) -> None:
        """Stop to put probes into modules."""
        self._imports.__exit__()

    def read_report(self) -> dict[str, Any]:
        """Return the lines and branches that have been executed, and the others, by file."""
        report: dict[str, Any] = self._probes.get_coverage()
        return report
