"""What is seen of each event of a page while it is handled: its id in the log."""

import reflex.app
from reflex_base.event.processor import BaseStateEventProcessor, EventQueueEntry
from reflex_base.registry import RegisteredEventHandler

from backend.logs import hide_in_log, log_scope


class ObservedEvents(BaseStateEventProcessor):
    """Reflex's handling of events, each inside a scope of the log that names it."""

    async def _execute_event(
        self, *, entry: EventQueueEntry, registered_handler: RegisteredEventHandler
    ) -> None:
        with log_scope(event_id=entry.ctx.txid, event=entry.event.name):
            hide_in_log(entry.event.payload)
            await super()._execute_event(entry=entry, registered_handler=registered_handler)


def observe_events() -> None:
    """Have every event that the app will handle observed."""
    reflex.app.BaseStateEventProcessor = ObservedEvents  # type: ignore[attr-defined]  # Reflex has no setting for it
