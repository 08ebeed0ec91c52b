"""Fixtures of the journeys in Firefox and WebKit: the shop of the browser tests, and a new browser for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import ShopServer, demo_data, production_build, server
from tests.engines.browsers import ENGINES, Engine
from tests.engines.visitor import Visitor

__all__ = ["demo_data", "production_build", "server"]

WINDOWS = {"phone": (390, 844), "desktop": (1280, 800)}
PAGE_ERROR = "Frontend Exception"
"""The shop's log has it for each exception that a script of a page does not catch."""
CONSOLE_ERROR = "JavaScript error: http"
"""The console of Firefox has it too, before the page's scripts can catch anything. WebKit's driver has no console."""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return the engine that the test runs in. Skip the test if it is not installed."""
    found = ENGINES[request.param]
    if not found.find():
        pytest.skip(f"install Debian's {found.packages} to run the journeys in {request.param}")
    return found


@pytest.fixture(params=["phone"])
def visitor(
    request: pytest.FixtureRequest, engine: Engine, server: ShopServer, tmp_path: Path
) -> Iterator[Visitor]:
    """Open a window of a new visitor. No script of the shop may fail in it."""
    logged = len(server.log)
    with engine.open(tmp_path) as driver:
        width, height = WINDOWS[request.param]
        driver.set_window_rect(width=width, height=height)
        yield Visitor(driver, server.url)
        assert driver.execute_script("return innerWidth") == width
    console = (tmp_path / "console.log").read_text(errors="replace")
    errors = [line for line in console.splitlines() if CONSOLE_ERROR in line]
    assert [*errors, *(line for line in server.log[logged:].splitlines() if PAGE_ERROR in line)] == []
