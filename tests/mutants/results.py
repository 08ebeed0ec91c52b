"""Results of mutants, stored as JSON lines so that a later run continues."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from tests.mutants.areas import ROOT
from tests.mutants.operators import Mutant
from tests.mutants.recording import digest_files, read_text
from tests.mutants.stored_rows import append_row, load_rows

FILE = ROOT / "test-results" / "mutants" / "results.jsonl"
EQUIVALENT_FILE = Path(__file__).with_name("equivalent.toml")


class Outcome(StrEnum):
    """The outcome of a mutant's run."""

    KILLED = "killed"
    """A test failed."""
    TIMEOUT = "timeout"
    """The tests took much longer than without the mutant, or waited forever."""
    SURVIVED = "survived"
    NO_TEST = "no test"
    """No test executes its lines."""


@dataclass(frozen=True)
class Result:
    """Result of a mutant.

    Attributes:
        test: the test that failed, if any.
        tests: number of tests that were chosen.
        digest: digest of the module, and of the files of the chosen tests if none of them failed.
    """

    id: str
    outcome: Outcome
    test: str
    tests: int
    digest: str

    @property
    def is_killed(self) -> bool:
        """True if the tests noticed the mutant."""
        return self.outcome in (Outcome.KILLED, Outcome.TIMEOUT)


def make_result(mutant: Mutant, outcome: Outcome, test: str, chosen: list[str]) -> Result:
    """Return the result of a mutant whose chosen tests have ended."""
    is_killed = outcome in (Outcome.KILLED, Outcome.TIMEOUT)
    return Result(mutant.id, outcome, test, len(chosen), _digest(mutant, [] if is_killed else chosen))


def is_valid(result: Result, mutant: Mutant, chosen: list[str]) -> bool:
    """Return True if the mutant need not run again.

    The result of a killed mutant is valid until its module changes or the failed test is removed. Any other result is
    valid until the module or the file of a chosen test changes.
    """
    if not result.is_killed:
        return result.digest == _digest(mutant, chosen)
    file, _, name = result.test.partition("::")
    exists = not file or f"def {name.partition('[')[0]}" in read_text(file)
    return exists and result.digest == _digest(mutant, [])


def _digest(mutant: Mutant, chosen: list[str]) -> str:
    return digest_files({mutant.file, *(name.partition("::")[0] for name in chosen)})


def load_results() -> dict[str, Result]:
    """Return the latest stored result of each mutant by id."""
    return {row["id"]: Result(**{**row, "outcome": Outcome(row["outcome"])}) for row in load_rows(FILE)}


def store_result(result: Result) -> None:
    """Add a result to the file."""
    append_row(FILE, asdict(result))


def load_equivalents() -> dict[str, str]:
    """Return, by mutant id, the reason why the mutant behaves like the original code.

    No test can notice these mutants.
    """
    return tomllib.loads(EQUIVALENT_FILE.read_text("utf-8"))


def format_table(
    sample: Mapping[str, Iterable[Mutant]], results: Mapping[str, Result], equivalents: Mapping[str, str]
) -> str:
    """Return the table of the areas: Markdown rows."""
    lines = [
        "| area | mutants | killed | equivalent | survivors | killed of the others |",
        "|---|---|---|---|---|---|",
    ]
    total: Counter[str] = Counter()
    for area, mutants in sample.items():
        counts: Counter[str] = Counter()
        for mutant in mutants:
            result = results.get(mutant.id)
            kind = "equivalent" if mutant.id in equivalents else "survivors"
            counts["killed" if result and result.is_killed else kind if result else "not run"] += 1
        total += counts
        lines.append(_format_row(area, counts))
    return "\n".join([*lines, _format_row("all", total)])


def _format_row(name: str, counts: Counter[str]) -> str:
    others = counts["killed"] + counts["survivors"]
    share = f"{100 * counts['killed'] / others:.1f} %" if others else "–"
    not_run = f" ({counts['not run']} not run)" if counts["not run"] else ""
    return (
        f"| {name} | {counts.total()}{not_run} | {counts['killed']} | {counts['equivalent']} "
        f"| {counts['survivors']} | {share} |"
    )
