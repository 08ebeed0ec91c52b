"""Observation of page events: the id of each event in the log, its duration, and its result."""

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
"""Key of an event's payload under which the websocket's guard stores the id of the event's press.

A press is a form submission or a button click of a page.
"""
_failures: ContextVar[list[bool]] = ContextVar("failures of the event at hand")
_returns: ContextVar[list[bool]] = ContextVar("whether the event at hand was sent back to its browser")


def mark_failed() -> None:
    """Mark the current event as failed although it raises no exception, because its browser gets an error message."""
    _failures.get([]).append(True)


def mark_sent_back() -> None:
    """Mark the current event as not handled, because its browser will send it again."""
    _returns.get([]).append(True)


def confirmation_event(press_id: str, *, is_unknown: bool = False) -> Event:
    """Return the event that confirms a press to its browser: see `assets/scripts/presses.js`.

    A press is a form submission or a button click of a page.

    Args:
        press_id: the id that the browser gave the press.
        is_unknown: True if this version of the shop has no event handler for the press.
    """
    return Event(name="_confirmed", payload={"press": press_id, "is_unknown": is_unknown})


class ObservedEvents(BaseStateEventProcessor):
    """Reflex's event processor, with a separate log scope for each event.

    It also confirms a press after its event has run.
    """

    async def _execute_event(
        self, *, entry: EventQueueEntry, registered_handler: RegisteredEventHandler
    ) -> None:
        name = short_name(entry.event.name)
        outcome = "canceled"  # by a later event that supersedes it, or by the shop's shutdown
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
                await entry.ctx.emit_event(confirmation_event(press_id))


def short_name(name: str) -> str:
    """Return an event's name without its state's module: `checkout_state.place_order`."""
    return name.rpartition("____")[2]


def mark_resend(handler: Callable[..., Any], resend: str) -> None:
    """Make browsers resend events of the handler until they are confirmed (see `storefront.state.handlers.Resend`)."""
    actions = {**getattr(handler, EVENT_ACTIONS_MARKER, {}), "press": resend}
    setattr(handler, EVENT_ACTIONS_MARKER, actions)


def current_event_ids() -> tuple[str, str | None]:
    """Return the ids of the current event and of the event that caused it."""
    context = EventContext.get()
    return context.txid, context.parent_txid


def has_running_events(app: rx.App) -> bool:
    """Return True while events of pages are being handled."""
    return bool(app.event_processor._tasks)  # noqa: SLF001 - Reflex has no public name for it


def observe_events() -> None:
    """Observe every event that the app will handle."""
    reflex.app.BaseStateEventProcessor = ObservedEvents  # type: ignore[attr-defined]  # Reflex has no setting for it
