"""Print the test coverage of the guarded packages in the latest run: `python tools/coverage_gate.py`.

Nearly every branch that decides about money, stock, rate limits or rights has a test: the check fails if a package
of `GUARDED` has less. `tests/coverage_plugin.py` measures it in `make test` and `make test-all`. Only code in the
tests' own processes counts; the servers of browser tests are not measured.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import orjson

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "test-results" / "coverage.json"
GUARDED = {
    "backend/pricing.py": 95.0,
    "backend/payment": 95.0,
    "backend/checkout": 95.0,
    "backend/inventory": 95.0,
    "backend/jobs": 95.0,
    "backend/promotions": 95.0,
    "backend/rate_limit": 95.0,
    "backend/staff": 95.0,
}
"""Minimum percentage of covered branches."""


class FileCoverage(TypedDict):
    """The number of branches of a file, and the lines of those that were not executed."""

    branches: int
    missing: list[int]


@dataclass
class PackageCoverage:
    """The number of branches in a package, and the number of them that were executed."""

    branches: int = 0
    covered_branches: int = 0

    @property
    def branch_percentage(self) -> float:
        """Percentage of covered branches; 100 if there are no branches."""
        return 100 * self.covered_branches / self.branches if self.branches else 100.0

    def add(self, branches: int, missing: int) -> None:
        """Add the branches of a file; `missing` of them were not executed."""
        self.branches += branches
        self.covered_branches += branches - missing


def main() -> None:
    """Print the table; exit with 1 if a package is below its required minimum."""
    shares = sum_by_package(orjson.loads(REPORT.read_bytes()))
    print(f"\n{'covered':32} {'branches':>9}")
    for package in GUARDED:
        share = shares.get(package, PackageCoverage())
        print(f"{package:32} {share.branch_percentage:8.1f}%")
    if below := find_below_minimum(shares):
        print(
            "\nToo few of the branches:",
            ", ".join(f"{package} (least {GUARDED[package]:.0f} %)" for package in below),
        )
        sys.exit(1)


def sum_by_package(report: Mapping[str, FileCoverage]) -> dict[str, PackageCoverage]:
    """Return the coverage of every package, from the report."""
    shares: dict[str, PackageCoverage] = defaultdict(PackageCoverage)
    for file, measured in sorted(report.items()):
        shares["/".join(Path(file).parts[:2])].add(measured["branches"], len(measured["missing"]))
    return dict(shares)


def find_below_minimum(shares: dict[str, PackageCoverage]) -> list[str]:
    """Return the packages with a required minimum that are below it or were not measured."""
    return [
        package
        for package, least in GUARDED.items()
        if package not in shares or shares[package].branch_percentage < least
    ]


if __name__ == "__main__":
    main()
