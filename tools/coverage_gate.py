"""Says how much of the guarded packages the last test run covered: `python tools/coverage_gate.py`.

Where money and stock are decided, nearly every branch has a test: a package of `GUARDED` below its share fails the run.
`pytest --cov` measures all packages; `make test` measures only the tests of these (`GUARDING` in `tests/sizes.py`).
Only what runs in the tests' own processes counts; the servers that browser tests start are not measured.
"""

import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
from coverage import Coverage

ROOT = Path(__file__).resolve().parent.parent
GUARDED = {
    "backend/pricing.py": 95.0,
    "backend/payment": 95.0,
    "backend/checkout": 95.0,
    "backend/inventory": 95.0,
    "backend/jobs": 95.0,
}
"""Percent of the branches at the least."""


@dataclass
class Share:
    """How much of a package was run: lines and branches, and how many of them there are."""

    lines: int = 0
    covered_lines: int = 0
    branches: int = 0
    covered_branches: int = 0

    @property
    def of_lines(self) -> float:
        """Percent of the lines; 100 when there is none."""
        return 100 * self.covered_lines / self.lines if self.lines else 100.0

    @property
    def of_branches(self) -> float:
        """Percent of the branches; 100 when there is none."""
        return 100 * self.covered_branches / self.branches if self.branches else 100.0

    def add(self, summary: dict[str, int]) -> None:
        """Count a file too, by its `summary` in coverage's JSON report."""
        self.lines += summary["num_statements"]
        self.covered_lines += summary["covered_lines"]
        self.branches += summary["num_branches"]
        self.covered_branches += summary["covered_branches"]


def main() -> None:
    """Print the table; exit with 1 when a guarded package is below its share."""
    shares = shares_of(_report())
    print(f"\n{'covered':32} {'lines':>8} {'branches':>9}")
    for package in GUARDED:
        share = shares.get(package, Share())
        print(f"{package:32} {share.of_lines:7.1f}% {share.of_branches:8.1f}%")
    if below := too_low(shares):
        print(
            "\nToo few of the branches:",
            ", ".join(f"{package} (least {GUARDED[package]:.0f} %)" for package in below),
        )
        sys.exit(1)


def shares_of(report: dict[str, dict[str, dict[str, dict[str, int]]]]) -> dict[str, Share]:
    """The shares of every package, by coverage's JSON report."""
    shares: dict[str, Share] = defaultdict(Share)
    for file, measured in sorted(report["files"].items()):
        shares["/".join(Path(file).parts[:2])].add(measured["summary"])
    return dict(shares)


def too_low(shares: dict[str, Share]) -> list[str]:
    """The guarded packages that were covered too little, or that nobody measured."""
    return [
        package
        for package, least in GUARDED.items()
        if package not in shares or shares[package].of_branches < least
    ]


def _report() -> dict[str, dict[str, dict[str, dict[str, int]]]]:
    coverage = Coverage(config_file=str(ROOT / "pyproject.toml"), messages=False)
    coverage.load()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "coverage.json"
        coverage.json_report(outfile=str(file))
        report: dict[str, dict[str, dict[str, dict[str, int]]]] = orjson.loads(file.read_bytes())
    return report


if __name__ == "__main__":
    main()
