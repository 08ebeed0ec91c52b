"""No event acts on a state that does not know its browser: that would begin a new cart in the place of the old one."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from reflex.event import Event
from reflex.state import StateUpdate
from reflex_base.constants import CompileVars
from reflex_base.event.context import EventContext
from reflex_base.utils.format import format_event_handler

from storefront.reflex_ext.state_loss import HYDRATE, StateLossMiddleware, is_lost, start_over_event
from storefront.state.cart import CartState

ADD = Event(
    name=f"{CartState.get_full_name()}.add",
    payload={"variant_id": "variant_1", "quantity": 1},
    router_data={"headers": {"cookie": "trompo_session=secret"}},
)


class Namespace:
    """The server's end of the websocket; it notes what it is to send."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, StateUpdate]] = []

    async def emit_update(self, update: StateUpdate, token: str) -> None:
        """Note it."""
        self.sent.append((token, update))


class App:
    """As much of an app as is asked for."""

    def __init__(self) -> None:
        self.event_namespace = Namespace()


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> App:
    context: Any = type("Context", (), {"token": "ana"})
    monkeypatch.setattr(EventContext, "get", lambda: context)
    return App()


async def test_an_event_on_a_lost_state_comes_back_after_the_browser_has_told(
    app: Any, shopper: Callable[[], rx.State]
) -> None:
    state = await shopper().get_state(CartState)
    answer = await StateLossMiddleware([]).preprocess(app, state, ADD)
    assert answer == StateUpdate()  # which ends the event
    ((token, update),) = app.event_namespace.sent
    assert token == "ana"
    assert update.events == [start_over_event({"name": ADD.name, "payload": ADD.payload})]
    assert "secret" not in repr(update)


async def test_once_the_browser_has_told_events_go_their_way(
    app: Any, shopper: Callable[[], rx.State]
) -> None:
    root = shopper()
    assert await is_lost(root)
    assert await StateLossMiddleware([]).preprocess(app, root, Event(name=HYDRATE)) is None
    assert not await is_lost(root)
    assert await StateLossMiddleware([]).preprocess(app, await root.get_state(CartState), ADD) is None
    assert app.event_namespace.sent == []


def test_what_is_taken_for_the_browsers_word_is_what_reflex_sends() -> None:
    handler = rx.State.event_handlers[CompileVars.HYDRATE_AND_LOAD]
    assert format_event_handler(handler) == HYDRATE


async def test_no_browser_learns_whether_it_was_told(shopper: Callable[[], rx.State]) -> None:
    assert "_is_known" not in repr(shopper().dict())
