"""Closed pages do not accumulate in memory."""

import pytest
import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken

from storefront.reflex_ext.closed_pages import ClosedPages


class App:
    """A minimal app for these tests."""

    def __init__(self) -> None:
        self.state_manager = StateManagerMemory()  # type: ignore[abstract]


@pytest.fixture
def app() -> App:
    return App()


async def open_page(app: App, token: str) -> None:
    async with app.state_manager.modify_state(BaseStateToken(ident=token, cls=rx.State)):
        pass


def pages_of(app: App) -> list[str]:
    return [key.partition("/")[0] for key in app.state_manager.states]


async def test_only_the_most_recently_closed_pages_are_retained(app: App) -> None:
    closed = ClosedPages(app, most=2)  # type: ignore[arg-type]
    for number in range(5):
        await open_page(app, f"page{number}")
        closed.record_closed(f"page{number}")
    assert pages_of(app) == ["page3", "page4"]
    assert len(closed) == 2
    await app.state_manager.close()


async def test_reopened_page_is_retained(app: App) -> None:
    closed = ClosedPages(app, most=1)  # type: ignore[arg-type]
    for number in range(3):
        await open_page(app, f"page{number}")
    closed.record_closed("page0")
    closed.record_opened("page0")
    closed.record_closed("page1")
    closed.record_closed("page2")
    assert pages_of(app) == ["page0", "page2"]
    await app.state_manager.close()


async def test_closed_page_with_a_running_event_is_removed_after_the_event(app: App) -> None:
    closed = ClosedPages(app, most=0)  # type: ignore[arg-type]
    async with app.state_manager.modify_state(BaseStateToken(ident="busy", cls=rx.State)):
        closed.record_closed("busy")
        assert pages_of(app) == ["busy"]
    closed.record_closed("other")
    assert pages_of(app) == []
    await app.state_manager.close()
