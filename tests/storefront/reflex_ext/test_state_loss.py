"""An event does not run on a state without browser data: it would start a new cart and lose the old one."""

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
    """The server's end of the websocket; it records the updates."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, StateUpdate]] = []

    async def emit_update(self, update: StateUpdate, token: str) -> None:
        """Record the update."""
        self.sent.append((token, update))


class App:
    """A minimal app for these tests."""

    def __init__(self) -> None:
        self.event_namespace = Namespace()


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> App:
    context: Any = type("Context", (), {"token": "ana"})
    monkeypatch.setattr(EventContext, "get", lambda: context)
    return App()


async def test_event_for_a_lost_state_is_returned_to_the_browser_without_being_handled(
    app: Any, shopper: Callable[[], rx.State]
) -> None:
    state = await shopper().get_state(CartState)
    answer = await StateLossMiddleware([]).preprocess(app, state, ADD)
    assert answer == StateUpdate()  # this ends the event
    ((token, update),) = app.event_namespace.sent
    assert token == "ana"
    assert update.events == [start_over_event({"name": ADD.name, "payload": ADD.payload})]
    assert "secret" not in repr(update)


async def test_events_are_handled_after_the_browser_data_arrived(
    app: Any, shopper: Callable[[], rx.State]
) -> None:
    root = shopper()
    assert await is_lost(root)
    assert await StateLossMiddleware([]).preprocess(app, root, Event(name=HYDRATE)) is None
    assert not await is_lost(root)
    assert await StateLossMiddleware([]).preprocess(app, await root.get_state(CartState), ADD) is None
    assert app.event_namespace.sent == []


def test_browser_data_event_matches_the_one_reflex_sends() -> None:
    handler = rx.State.event_handlers[CompileVars.HYDRATE_AND_LOAD]
    assert format_event_handler(handler) == HYDRATE


async def test_update_does_not_contain_the_browser_data_flag(shopper: Callable[[], rx.State]) -> None:
    assert "_is_known" not in repr(shopper().dict())
