"""Pages whose state is lost: Reflex drops it after an hour without an event, and Redis may lose it.

Reflex would go on with an empty state, which does not know what the browser stores: the next product would go into a
new cart. Instead the browser is asked to connect anew, and then to send its events again in their order: see
`assets/scripts/reconnecting.js`.

A state that was filled in another session of the browser is lost as well. A tab keeps its state when somebody signs in
or out, and the first thing that Reflex sends to a document is all of it: whoever comes next would be sent what was
theirs who left.
"""

from collections.abc import Collection
from typing import Any

import reflex as rx
from reflex.event import Event
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate
from reflex_base.constants import CompileVars
from reflex_base.event.context import EventContext

from backend.core.web.passwords import hash_of
from backend.customers.auth.sessions import COOKIE
from backend.presses.service import current_press_id
from storefront.reflex_ext.event_processor import mark_sent_back
from storefront.reflex_ext.on_demand_states import StatesOnDemand
from storefront.reflex_ext.page_states import send_events
from storefront.reflex_ext.session_cookie import token_in

HYDRATE = f"{rx.State.get_full_name()}.{CompileVars.HYDRATE_AND_LOAD}"


class KnownClientState(StatesOnDemand, rx.State):
    """Whether the browser has sent what it stores (cookies, local storage) to this page's state.

    The states of the office lie below it: every page has it, and no browser is told of it: no shopper has them.

    States expire one by one in Redis, an hour after they were written. This one is written when the page connects, and
    no other state earlier: so this one expires first.
    """

    _is_known: bool = False
    _session: str = ""
    """A digest of the customer's session that the page's state was filled in; empty without one."""
    _documents: int = 0
    """How many documents the page's tab has loaded, reloads too."""


class StateLossMiddleware(Middleware):
    """Stops events whose page's state is lost, and asks the browser to start over."""

    def __init__(self, public: Collection[type[rx.State]]) -> None:
        """`public`: the states of pages that show everybody the same. They outlive a session."""
        self._kept = frozenset({KnownClientState, *public})

    async def preprocess(self, app: rx.App, state: BaseState, event: Event) -> StateUpdate | None:
        """None lets the event go on; an empty update ends it here."""
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
        """Forget what an earlier session left, and what outlived `KnownClientState` in Redis."""
        for kind in rx.State.get_substates() - self._kept:
            left = await state.get_state(kind)
            if _holds_something(left):
                left.reset()


async def is_lost(state: BaseState) -> bool:
    """Whether the browser has not sent what it stores to this state, or in another session than its own of now."""
    known = await state.get_state(KnownClientState)
    return not known._is_known or known._session != _session_of(state)  # noqa: SLF001 - as above


def _session_of(state: BaseState) -> str:
    token = token_in(state, COOKIE)
    return hash_of(token) if token else ""


def _holds_something(state: BaseState) -> bool:
    """Whether it differs from a new one. Redis would have to write every state that is reset."""
    shared = rx.State.get_fields()
    fields = type(state).get_fields()
    return any(getattr(state, name) != fields[name].default_value() for name in fields if name not in shared)


async def document_number(state: BaseState) -> int:
    """A number that tells this page's document from the ones that its tab had loaded before."""
    return (await state.get_state(KnownClientState))._documents  # noqa: SLF001 - as above


async def start_over(app: rx.App, token: str, sent_back: dict[str, Any] | None = None) -> None:
    """Ask the browser of a page to connect anew, and then to send the event `sent_back` again."""
    await send_events(app, token, [start_over_event(sent_back)])


def start_over_event(sent_back: dict[str, Any] | None = None) -> Event:
    """The event that the browser is sent: see `inTurn` in `assets/scripts/reconnecting.js`."""
    return Event(name="_start_over", payload={"event": sent_back})
