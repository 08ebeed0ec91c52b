"""Access to the states of open pages from outside their events."""

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager

import reflex as rx
from reflex.istate.manager.token import BaseStateToken
from reflex.state import BaseState, StateUpdate
from reflex_base.event import Event


def modify_page(app: rx.App, token: str, state: type[rx.State]) -> AbstractAsyncContextManager[BaseState]:
    """Lock the states of a page and return its root state. At the end, the changes are sent to the browser.

    Args:
        app: the app.
        token: the page's client token.
        state: a state that will be needed; with Redis, it is read together with the root state.
    """
    return app.modify_state(BaseStateToken(ident=token, cls=state))


async def send_events(app: rx.App, token: str, events: Collection[Event]) -> None:
    """Send events to the browser of a page. If the app has no states, there are no browsers, and nothing is sent."""
    if events and app.event_namespace is not None:
        await app.event_namespace.emit_update(StateUpdate(events=list(events)), token)


def connected_tokens(app: rx.App) -> Callable[[], Collection[str]]:
    """Return a function that returns the client tokens of the connected browsers.

    Raises:
        RuntimeError: the app has no websocket, so it has no open pages.
    """
    namespace = app.event_namespace
    if namespace is None:
        raise RuntimeError("an app without a websocket has no open pages")
    return lambda: namespace.token_to_sid
