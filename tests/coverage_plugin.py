"""A pytest plugin that measures the coverage of the guarded packages: see `tools/coverage_gate.py`.

`make test` loads it by the variable `PYTEST_PLUGINS`: pytest then imports it before `tests/conftest.py`, which imports
the backend.
"""

import os

import pytest

from tests.coverage_probes import CoverageProbes
from tools.coverage_gate import GUARDED, REPORT, ROOT

_PROBES = CoverageProbes(tuple(ROOT / path for path in GUARDED), REPORT)


def pytest_configure(config: pytest.Config) -> None:
    """Measure this run. A pytest that a test starts is not measured."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ.pop("PYTEST_PLUGINS", None)
    config.pluginmanager.register(_PROBES)
