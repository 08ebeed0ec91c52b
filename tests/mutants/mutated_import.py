"""A pytest plugin that imports one module with the change of a mutant: `pytest -p tests.mutants.mutated_import`.

The environment names the module and the mutant. The failed test is written to a file.
"""

import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from tests.mutants.areas import ROOT
from tests.mutants.operators import list_mutants, mutate

MUTANT_VARIABLE = "TROMPO_MUTANT"
"""Environment variable: the module's file and the mutant's id, with a colon between them."""
FAILED_TEST_VARIABLE = "TROMPO_MUTANT_FAILED_TEST"
"""Environment variable: the file for the id of the failed test."""


class MutatedLoader(importlib.machinery.SourceFileLoader):
    """Loader of a module with a change. It neither reads nor writes a compiled file."""

    def __init__(self, name: str, path: str, mutant_id: str) -> None:
        super().__init__(name, path)
        self._mutant_id = mutant_id

    def get_code(self, fullname: str) -> CodeType:
        """Return the changed module's code."""
        path = self.get_filename(fullname)
        source = Path(path).read_text("utf-8")
        file = Path(path).relative_to(ROOT).as_posix()
        mutant = next(one for one in list_mutants(file, source) if one.id == self._mutant_id)
        return compile(mutate(source, mutant), path, "exec")


class MutatedFinder(importlib.abc.MetaPathFinder):
    """Finder of the one changed module; every other module is left to the other finders."""

    def __init__(self, file: str, mutant_id: str) -> None:
        self._file = file
        self._mutant_id = mutant_id

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the specification of the changed module."""
        if f"{fullname.replace('.', '/')}.py" != self._file:
            return None
        loader = MutatedLoader(fullname, str(ROOT / self._file), self._mutant_id)
        return importlib.machinery.ModuleSpec(fullname, loader, origin=loader.path, is_package=False)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write the id of a failed test to the file that `FAILED_TEST_VARIABLE` names."""
    if report.failed:
        Path(os.environ[FAILED_TEST_VARIABLE]).write_text(report.nodeid, "utf-8")


if MUTANT_VARIABLE in os.environ:
    sys.meta_path.insert(0, MutatedFinder(*os.environ[MUTANT_VARIABLE].split(":")))
