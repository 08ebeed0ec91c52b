"""Memory does not grow with the pages that were closed."""

import pytest
import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken

from storefront.reflex_ext.closed_pages import ClosedPages


class App:
    """As much of an app as is asked for."""

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


async def test_only_the_pages_closed_last_are_kept(app: App) -> None:
    closed = ClosedPages(app, most=2)  # type: ignore[arg-type]
    for number in range(5):
        await open_page(app, f"page{number}")
        closed.closed(f"page{number}")
    assert pages_of(app) == ["page3", "page4"]
    assert len(closed) == 2
    await app.state_manager.close()


async def test_a_page_that_comes_back_is_kept(app: App) -> None:
    closed = ClosedPages(app, most=1)  # type: ignore[arg-type]
    for number in range(3):
        await open_page(app, f"page{number}")
    closed.closed("page0")
    closed.opened("page0")
    closed.closed("page1")
    closed.closed("page2")
    assert pages_of(app) == ["page0", "page2"]
    await app.state_manager.close()


async def test_a_page_an_event_is_at_work_in_goes_later(app: App) -> None:
    closed = ClosedPages(app, most=0)  # type: ignore[arg-type]
    async with app.state_manager.modify_state(BaseStateToken(ident="busy", cls=rx.State)):
        closed.closed("busy")
        assert pages_of(app) == ["busy"]
    closed.closed("other")
    assert pages_of(app) == []
    await app.state_manager.close()
