"""An event's log entries have its id and no personal data; each event is counted by its outcome."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any

import pytest
import reflex.app
from reflex_base.event import Event
from reflex_base.event.processor import BaseStateEventProcessor

from backend.core.observability.logs import LineFormatter
from backend.core.observability.metrics import REGISTRY
from backend.presses.service import current_press_id
from storefront.reflex_ext.event_processor import (
    PRESS,
    ObservedEvents,
    confirmation_event,
    mark_sent_back,
    observe_events,
)
from storefront.reflex_ext.socket_guard import count_failure

ENTRY: Any = SimpleNamespace(
    ctx=SimpleNamespace(txid="0123456789ab"),
    event=SimpleNamespace(
        name="shop____checkout_state.place", payload={"values": {"first_name": "Zoraida"}, "total": 3}
    ),
)


async def process_event(
    monkeypatch: pytest.MonkeyPatch, handle: Callable[[], Awaitable[None]], entry: Any = ENTRY
) -> None:
    """Process an event whose handler is `handle`."""

    async def execute(_processor: object, **_entry: object) -> None:
        await handle()

    monkeypatch.setattr(BaseStateEventProcessor, "_execute_event", execute)
    await ObservedEvents()._execute_event(entry=entry, registered_handler=entry)


async def test_event_has_its_own_log_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    entries: list[str] = []

    async def handle() -> None:
        made = logging.LogRecord("shop", logging.INFO, "f", 1, "for Zoraida", (), None)
        entries.append(LineFormatter().format(made))

    await process_event(monkeypatch, handle)
    assert entries[0].endswith("for [hidden] [event_id=0123456789ab event=checkout_state.place]")


@pytest.mark.parametrize(
    ("error", "outcome"), [(None, "ok"), (ValueError(), "failed"), (asyncio.CancelledError(), "canceled")]
)
async def test_metric_counts_each_event_under_its_outcome(
    monkeypatch: pytest.MonkeyPatch, error: BaseException | None, outcome: str
) -> None:
    async def handle() -> None:
        if error is not None:
            raise error

    labels = {"event": "checkout_state.place", "outcome": outcome}
    before = REGISTRY.get_sample_value("trompo_events_total", labels) or 0
    with pytest.raises(type(error)) if error else nullcontext():
        await process_event(monkeypatch, handle)
    assert REGISTRY.get_sample_value("trompo_events_total", labels) == before + 1


async def test_event_that_reports_a_failure_counts_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def handle() -> None:
        count_failure()

    labels = {"event": "checkout_state.place", "outcome": "failed"}
    before = REGISTRY.get_sample_value("trompo_events_total", labels) or 0
    await process_event(monkeypatch, handle)
    assert REGISTRY.get_sample_value("trompo_events_total", labels) == before + 1
    count_failure()  # outside of an event


@pytest.mark.parametrize(
    ("outcome", "is_confirmed"),
    [("ok", True), ("failed", True), ("raised", True), ("sent back", False), ("canceled", False)],
)
async def test_button_press_is_confirmed_to_the_browser_after_its_event(
    monkeypatch: pytest.MonkeyPatch, outcome: str, is_confirmed: bool
) -> None:
    press_id = "0123456789abcdef" * 2
    seen: list[str] = []
    emitted: list[Event] = []

    async def handle() -> None:
        seen.append(current_press_id())
        match outcome:
            case "failed":
                count_failure()
            case "sent back":
                mark_sent_back()
            case "raised":
                raise ValueError
            case "canceled":
                raise asyncio.CancelledError

    async def emit(*events: Event) -> None:
        emitted.extend(events)

    entry: Any = SimpleNamespace(
        ctx=SimpleNamespace(txid="0123456789ab", emit_event=emit),
        event=SimpleNamespace(name="shop____cart_state.add", payload={PRESS: press_id}),
    )
    with suppress(ValueError, asyncio.CancelledError):
        await process_event(monkeypatch, handle, entry)
    assert seen == [press_id]
    assert current_press_id() == ""
    assert entry.event.payload == {}
    assert emitted == ([confirmation_event(press_id)] if is_confirmed else [])


def test_reflex_app_uses_our_event_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflex.app, "BaseStateEventProcessor", BaseStateEventProcessor)
    observe_events()
    assert vars(reflex.app)["BaseStateEventProcessor"] is ObservedEvents
