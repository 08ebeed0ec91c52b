"""Command `python -m tests.mutants.command`: run a random sample of mutants of each area, and print the table.

A later run continues: it repeats only the mutants whose module or tests have changed. A mutant never changes a file:
it exists only in the processes that run its tests. docs/testing.md has the latest table.
"""

import argparse
import os
import sys

import pytest

from tests.mutants.areas import AREAS
from tests.mutants.results import format_table, load_equivalents, load_results
from tests.mutants.runner import MutantRun
from tests.mutants.selection import choose_sample, list_area

TEST_FOLDERS = ("tests/backend", "tests/storefront", "tests/attacks")
"""Folders of the tests of `make test` that run the shop in their own process."""


def main() -> None:
    """Run the mutants that the options choose, or read their stored results, and print the table."""
    options = _parse_options()
    sample = {
        area: choose_sample(list_area(area), options.seed, options.count) for area in options.areas.split(",")
    }
    if options.table:
        results = load_results()
    else:
        os.environ["PYTEST_XDIST_WORKER"] = "mutants"  # as in a worker: no durations, no printed failures
        run = MutantRun(sample, options.jobs, options.seconds, options.again)
        arguments = ["-n0", "-s", "-p", "no:cacheprovider", "--size", "test", *options.tests.split(",")]
        if status := pytest.main(arguments, plugins=[run]):
            sys.exit(int(status))
        results = run.results
    equivalents = load_equivalents()
    print(format_table(sample, results, equivalents))
    for area, mutants in sample.items():
        for mutant in mutants:
            result = results.get(mutant.id)
            if result and not result.is_killed:
                reason = equivalents.get(mutant.id, "")
                change = f"{mutant.before} → {mutant.after}"
                print(
                    f"{mutant.id} {area} {result.outcome} {mutant.file}:{mutant.line} {mutant.scope}: {change} {reason}"
                )


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.command", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="another seed chooses other mutants")
    parser.add_argument("--count", type=int, default=45, help="mutants of each area")
    parser.add_argument("--areas", default=",".join(AREAS), help="names of areas, with commas")
    parser.add_argument(
        "--tests", default=",".join(TEST_FOLDERS), help="folders or files of tests, with commas"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="processor time of a mutant's tests without it"
    )
    parser.add_argument("--again", action="store_true", help="ignore the stored results")
    parser.add_argument("--table", action="store_true", help="only print the table of the stored results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
