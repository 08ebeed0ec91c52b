"""A page whose state is gone: it was idle for an hour, or Redis has lost it.

Reflex would go on with an empty state. That knows nothing of what the browser keeps, so the next toy would go into a
new cart, and the one before would be forgotten. Instead the browser is asked to start over, as after a lost
connection, and to send its event once more: see `assets/scripts/reconnecting.js`. It sends several in their order.
"""

from typing import Any

import reflex as rx
from reflex.event import Event
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate
from reflex_base.constants import CompileVars
from reflex_base.event.context import EventContext

HYDRATE = f"{rx.State.get_full_name()}.{CompileVars.HYDRATE_AND_LOAD}"


class ToldState(rx.State):
    """Whether the state has been told what the browser keeps.

    States expire one by one in Redis, an hour after they were written. This one is written when the browser tells, and
    so are the others, then or later: none of them is lost before it is.
    """

    _is_told: bool = False


class AskOnceMore(Middleware):
    """Lets no event act on a state that does not know its browser."""

    async def preprocess(self, app: rx.App, state: BaseState, event: Event) -> StateUpdate | None:
        """Nothing for a state that knows its browser. Else an empty answer, which ends the event here."""
        if event.name == HYDRATE:
            (await state.get_state(ToldState))._is_told = True  # noqa: SLF001 - no browser can set or read it
            return None
        if not await is_lost(state):
            return None
        # the browser fills in where it is: what the server knows of that, headers and cookie, stays here
        await start_over(app, EventContext.get().token, {"name": event.name, "payload": event.payload})
        return StateUpdate()


async def is_lost(state: BaseState) -> bool:
    """Whether this state does not know what its browser keeps."""
    return not (await state.get_state(ToldState))._is_told  # noqa: SLF001 - as above


async def start_over(app: rx.App, token: str, sent_back: dict[str, Any] | None = None) -> None:
    """Ask the browser of a page to tell everything anew, and then to send once more what could not be acted upon."""
    if app.event_namespace is not None:
        await app.event_namespace.emit_update(StateUpdate(events=[start_over_event(sent_back)]), token)


def start_over_event(sent_back: dict[str, Any] | None = None) -> Event:
    """What the browser is sent: see `inTurn` in `assets/scripts/reconnecting.js`."""
    return Event(name="_start_over", payload={"event": sent_back})
