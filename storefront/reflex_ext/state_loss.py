"""Handling of pages whose state is lost: Reflex drops a state after an hour without an event, and Redis may lose it.

Reflex would continue with an empty state. It lacks the values that the browser stores, so the next product would be
added to a new cart. Instead, the browser is asked to reconnect, and then to send its events again in order: see
`assets/scripts/reconnecting.js`.

A state is also treated as lost if it was filled before the customer signed in or out. Reflex identifies the state
by the browser tab, and sends the whole state to a new document first. So the next user of the tab would receive the
previous user's data.
"""

from collections.abc import Collection
from typing import Any

import reflex as rx
from reflex.event import Event
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate
from reflex_base.constants import CompileVars
from reflex_base.event.context import EventContext

from backend.core.web.passwords import hash_token
from backend.customers.auth.sessions import COOKIE
from backend.presses.service import current_press_id
from storefront.reflex_ext.event_processor import mark_sent_back
from storefront.reflex_ext.on_demand_states import StatesOnDemand
from storefront.reflex_ext.page_states import send_events
from storefront.reflex_ext.session_cookie import token_in

HYDRATE = f"{rx.State.get_full_name()}.{CompileVars.HYDRATE_AND_LOAD}"


class KnownClientState(StatesOnDemand, rx.State):
    """State of a page that stores whether the browser has sent its stored values (cookies, local storage).

    The office's states are its substates. Every page has this state, but browsers of customers receive none of its
    substates.

    In Redis, each state expires an hour after it was written. This state is written when the page connects, and no
    other state is written earlier. So this state expires first.
    """

    _is_known: bool = False
    _session: str = ""
    """A digest of the customer's session in which the page's state was filled; empty if there is none."""
    _documents: int = 0
    """Number of documents that the page's tab has loaded, including reloads."""


class StateLossMiddleware(Middleware):
    """Middleware that stops events of pages whose state is lost, and makes the browser start over."""

    def __init__(self, public: Collection[type[rx.State]]) -> None:
        """Create the middleware.

        `public` are the states of pages that are the same for all visitors. They are not reset at the end of a
        session.
        """
        self._kept = frozenset({KnownClientState, *public})

    async def preprocess(self, app: rx.App, state: BaseState, event: Event) -> StateUpdate | None:
        """Return None to let the event pass, or an empty update to stop it."""
        if event.name == HYDRATE:
            if await is_lost(state):
                await self._forget(state)
            known = await state.get_state(KnownClientState)
            known._is_known = True  # noqa: SLF001 - no browser can set or read it
            known._session = _session_of(state)  # noqa: SLF001 - as above
            known._documents += bool(event.payload.get("hashes"))  # noqa: SLF001 - a document sends them once
            return None
        if not await is_lost(state):
            return None
        # without `router_data`: headers and cookie are not sent to the browser, which adds its address again
        sent_back = {"name": event.name, "payload": event.payload}
        if press_id := current_press_id():
            sent_back["press"] = press_id
        mark_sent_back()
        await start_over(app, EventContext.get().token, sent_back)
        return StateUpdate()

    async def _forget(self, state: BaseState) -> None:
        """Reset private states: they are from another session, or outlived `KnownClientState` in Redis."""
        for kind in rx.State.get_substates() - self._kept:
            left = await state.get_state(kind)
            if _differs_from_new(left):
                left.reset()


async def is_lost(state: BaseState) -> bool:
    """Return True if this state has not got the browser's stored values, or got them in another session."""
    known = await state.get_state(KnownClientState)
    return not known._is_known or known._session != _session_of(state)  # noqa: SLF001 - as above


def _session_of(state: BaseState) -> str:
    token = token_in(state, COOKIE)
    return hash_token(token) if token else ""


def _differs_from_new(state: BaseState) -> bool:
    """Return True if the state has a value other than its default.

    Only such a state needs a reset. Resetting any other would only make Redis write it again.
    """
    shared = rx.State.get_fields()
    fields = type(state).get_fields()
    return any(getattr(state, name) != fields[name].default_value() for name in fields if name not in shared)


async def document_number(state: BaseState) -> int:
    """Return a number that identifies this page's document among the documents of its browser tab."""
    return (await state.get_state(KnownClientState))._documents  # noqa: SLF001 - as above


async def start_over(app: rx.App, token: str, sent_back: dict[str, Any] | None = None) -> None:
    """Make the browser of a page reconnect, and then send the event `sent_back` again."""
    await send_events(app, token, [start_over_event(sent_back)])


def start_over_event(sent_back: dict[str, Any] | None = None) -> Event:
    """Return the event with which a browser requests its page's state again, because the server has lost it.

    The browser handles it in `scheduleEvent` of `assets/scripts/reconnecting.js`.

    Args:
        sent_back: the event that the server could not run; the browser sends it again afterwards.
    """
    return Event(name="_start_over", payload={"event": sent_back})
