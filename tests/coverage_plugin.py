"""A pytest plugin that measures the coverage of the guarded packages: see `tools/coverage_gate.py`.

`make test` loads it by the variable `PYTEST_PLUGINS`: pytest then imports it before `tests/conftest.py`, which imports
the backend.
"""

import os
import sys

import pytest

from tests.branch_coverage import BranchCoverage
from tools.coverage_gate import GUARDED, REPORT, ROOT

_COVERAGE = BranchCoverage(tuple(ROOT / path for path in GUARDED), ROOT, REPORT)
sys.meta_path.insert(0, _COVERAGE)


def pytest_configure(config: pytest.Config) -> None:
    """Measure this run. A pytest that a test starts is not measured."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ.pop("PYTEST_PLUGINS", None)
    config.pluginmanager.register(_COVERAGE)


def pytest_unconfigure() -> None:
    """Stop measuring modules that are imported later."""
    sys.meta_path.remove(_COVERAGE)
