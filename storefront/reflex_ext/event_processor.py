"""What is seen of each event of a page while it is handled: its id in the log, and how long it took."""

from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Any

import reflex as rx
import reflex.app
from reflex_base.event import EVENT_ACTIONS_MARKER, Event
from reflex_base.event.context import EventContext
from reflex_base.event.processor import BaseStateEventProcessor, EventQueueEntry
from reflex_base.registry import RegisteredEventHandler

from backend.core.observability.logs import hide_in_log, log_scope
from backend.core.observability.metrics import EVENT_SECONDS, EVENTS
from backend.core.observability.tracing import trace_fields
from backend.presses.service import Sending, handle_press

PRESS = "__press"
"""The place in an event's payload at which the guard of the websocket puts the id of its press."""
_failures: ContextVar[list[bool]] = ContextVar("failures of the event at hand")
_returns: ContextVar[list[bool]] = ContextVar("whether the event at hand was sent back to its browser")


def mark_failed() -> None:
    """The event at hand has failed, though no exception leaves it: whoever sent it was told."""
    _failures.get([]).append(True)


def mark_sent_back() -> None:
    """Note that the event at hand was not handled: its browser sends it again."""
    _returns.get([]).append(True)


def confirmation(press_id: str, *, is_unknown: bool = False) -> Event:
    """Return the event that tells a browser that its press was answered: see `assets/scripts/presses.js`.

    Args:
        press_id: the id that the browser gave the press.
        is_unknown: True for a press that no handler of this version takes.
    """
    return Event(name="_confirmed", payload={"press": press_id, "is_unknown": is_unknown})


class ObservedEvents(BaseStateEventProcessor):
    """Reflex's handling of events, each inside a scope of the log that names it. Presses are confirmed afterwards."""

    async def _execute_event(
        self, *, entry: EventQueueEntry, registered_handler: RegisteredEventHandler
    ) -> None:
        name = short_name(entry.event.name)
        outcome = "canceled"  # by a later one that supersedes it, or by the shop's end
        failures: list[bool] = []
        returns: list[bool] = []
        markings = _failures.set(failures), _returns.set(returns)
        press_id = entry.event.payload.pop(PRESS, "")
        sending = Sending(entry.event.name, press_id) if press_id else None
        began = perf_counter()
        try:
            with log_scope(event_id=entry.ctx.txid, event=name, **trace_fields()), handle_press(sending):
                hide_in_log(entry.event.payload)
                await super()._execute_event(entry=entry, registered_handler=registered_handler)
            outcome = "failed" if failures else "ok"
        except Exception:
            outcome = "failed"
            raise
        finally:
            _failures.reset(markings[0])
            _returns.reset(markings[1])
            EVENTS.labels(name, outcome).inc()
            EVENT_SECONDS.labels(name).observe(perf_counter() - began)
            if press_id and outcome != "canceled" and not returns:
                await entry.ctx.emit_event(confirmation(press_id))


def short_name(name: str) -> str:
    """An event's name without its state's module: `checkout_state.place`."""
    return name.rpartition("____")[2]


def mark_resend(handler: Callable[..., Any], resend: str) -> None:
    """Have browsers send events of the handler until they are confirmed: see `storefront.state.handlers.Resend`."""
    actions = {**getattr(handler, EVENT_ACTIONS_MARKER, {}), "press": resend}
    setattr(handler, EVENT_ACTIONS_MARKER, actions)


def current_event_ids() -> tuple[str, str | None]:
    """Return the ids of the event at hand and of the event that caused it."""
    context = EventContext.get()
    return context.txid, context.parent_txid


def has_events_under_way(app: rx.App) -> bool:
    """Return True while events of pages are handled."""
    return bool(app.event_processor._tasks)  # noqa: SLF001 - Reflex tells it nowhere else


def observe_events() -> None:
    """Have every event that the app will handle observed."""
    reflex.app.BaseStateEventProcessor = ObservedEvents  # type: ignore[attr-defined]  # Reflex has no setting for it
