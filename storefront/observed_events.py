"""What is seen of each event of a page while it is handled: its id in the log, and how long it took."""

from contextvars import ContextVar
from time import perf_counter

import reflex.app
from reflex_base.event.processor import BaseStateEventProcessor, EventQueueEntry
from reflex_base.registry import RegisteredEventHandler

from backend.logs import hide_in_log, log_scope
from backend.metrics import EVENT_SECONDS, EVENTS
from backend.tracing import trace_fields

_failures: ContextVar[list[bool]] = ContextVar("failures of the event at hand")


def mark_failed() -> None:
    """The event at hand has failed, though no exception leaves it: whoever sent it was told."""
    _failures.get([]).append(True)


class ObservedEvents(BaseStateEventProcessor):
    """Reflex's handling of events, each inside a scope of the log that names it."""

    async def _execute_event(
        self, *, entry: EventQueueEntry, registered_handler: RegisteredEventHandler
    ) -> None:
        name = short_name(entry.event.name)
        outcome = "canceled"  # by a later one that supersedes it, or by the shop's end
        failures: list[bool] = []
        marking = _failures.set(failures)
        began = perf_counter()
        try:
            with log_scope(event_id=entry.ctx.txid, event=name, **trace_fields()):
                hide_in_log(entry.event.payload)
                await super()._execute_event(entry=entry, registered_handler=registered_handler)
            outcome = "failed" if failures else "ok"
        except Exception:
            outcome = "failed"
            raise
        finally:
            _failures.reset(marking)
            EVENTS.labels(name, outcome).inc()
            EVENT_SECONDS.labels(name).observe(perf_counter() - began)


def short_name(name: str) -> str:
    """An event's name without its state's module: `checkout_state.place`."""
    return name.rpartition("____")[2]


def observe_events() -> None:
    """Have every event that the app will handle observed."""
    reflex.app.BaseStateEventProcessor = ObservedEvents  # type: ignore[attr-defined]  # Reflex has no setting for it
