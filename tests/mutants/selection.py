"""Selection of the mutants of a sample, and of the tests that may notice a mutant."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from tests.mutants.areas import ROOT, list_files
from tests.mutants.operators import Mutant, list_mutants
from tests.mutants.recording import RecordedTest


def list_area(area: str) -> list[Mutant]:
    """Return all mutants of an area."""
    return [
        mutant for file in list_files(area) for mutant in list_mutants(file, (ROOT / file).read_text("utf-8"))
    ]


def choose_sample(mutants: Iterable[Mutant], seed: int, count: int) -> list[Mutant]:
    """Return a random sample of `count` mutants, which depends only on the seed and the mutants' ids.

    A larger sample of the same seed includes the smaller one. A change of the code replaces only the mutants of the
    changed code.
    """
    return sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed}:{mutant.id}".encode()).digest())[:count]


def choose_tests(
    mutant: Mutant, tests: Mapping[str, RecordedTest], import_lines: Mapping[str, list[int]], max_cpu_s: float
) -> list[str]:
    """Return the tests that execute a mutant's lines, the most promising first.

    Code that runs at import has no test of its own: every test that executes the module may notice its change.
    Tests on SQLite run before those on PostgreSQL, tests of the module before those of other modules, and fast
    tests before slow ones.

    Args:
        mutant: the mutant.
        tests: the recorded tests.
        import_lines: lines by file that ran at import.
        max_cpu_s: processor time that the chosen tests may take together on the unchanged code.
    """
    lines = range(mutant.line, mutant.last_line + 1)
    is_imported = runs_at_import(mutant, import_lines)
    found = []
    for name, test in tests.items():
        executed = test.lines.get(mutant.file, [])
        is_suitable = bool(executed) if is_imported else not set(executed).isdisjoint(lines)
        if is_suitable and test.is_passed:
            found.append(name)
    found.sort(
        key=lambda name: ("postgresql" in name, _distance(name, mutant.file), tests[name].seconds, name)
    )
    chosen: list[str] = []
    total = 0.0
    for name in found:
        if total + tests[name].seconds <= max_cpu_s or not chosen:
            total += tests[name].seconds
            chosen.append(name)
    return chosen


def runs_at_import(mutant: Mutant, import_lines: Mapping[str, list[int]]) -> bool:
    """Return True if a mutant's statement runs when its module is imported."""
    lines = range(mutant.line, mutant.last_line + 1)
    return not mutant.scope or not set(import_lines.get(mutant.file, [])).isdisjoint(lines)


def _distance(test: str, file: str) -> int:
    """Return 0 for a test of the module itself, 1 for one of its package, 2 for others."""
    path = PurePath(test.partition("::")[0])
    module = PurePath("tests") / file
    if path.parent != module.parent:
        return 2
    return 0 if path.stem == f"test_{module.stem}" else 1
