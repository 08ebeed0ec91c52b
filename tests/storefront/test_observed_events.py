"""What an event's handling writes into the log bears its id, and nothing that was typed of a person."""

import logging
from types import SimpleNamespace
from typing import Any

import pytest
import reflex.app
from reflex_base.event.processor import BaseStateEventProcessor

from backend.logs import OneLine
from storefront.observed_events import ObservedEvents, observe_events

ENTRY: Any = SimpleNamespace(
    ctx=SimpleNamespace(txid="0123456789ab"),
    event=SimpleNamespace(name="shop.place", payload={"values": {"first_name": "Zoraida"}, "total": 3}),
)


async def test_an_event_has_a_scope_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    entries: list[str] = []

    async def handle(_processor: object, **_entry: object) -> None:
        made = logging.LogRecord("shop", logging.INFO, "f", 1, "for Zoraida", (), None)
        entries.append(OneLine().format(made))

    monkeypatch.setattr(BaseStateEventProcessor, "_execute_event", handle)
    await ObservedEvents()._execute_event(entry=ENTRY, registered_handler=ENTRY)
    assert entries[0].endswith("for [hidden] [event_id=0123456789ab event=shop.place]")


def test_the_app_takes_our_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflex.app, "BaseStateEventProcessor", BaseStateEventProcessor)
    observe_events()
    assert vars(reflex.app)["BaseStateEventProcessor"] is ObservedEvents
