"""`tests.failure.fuzz` counts the sockets that the shop closes."""

import random
from typing import Any

import pytest

from tests.attacks.test_frames import build_event
from tests.e2e.conftest import ShopServer
from tests.failure import fuzz


@pytest.mark.parametrize(
    ("event", "closes"), [(None, True), (build_event(), False)], ids=["nonsense", "a page's event"]
)
async def test_every_socket_closed_by_the_shop_is_counted(
    attacked_shop: ShopServer, monkeypatch: pytest.MonkeyPatch, event: Any, closes: bool
) -> None:
    monkeypatch.setattr(fuzz, "build_random_event", lambda *_: event)
    figures = fuzz.Figures()
    known = fuzz.KnownData(routes=[], handlers={}, ids=[], key="", token="")
    await fuzz.send_events(attacked_shop.url, known, 2 * fuzz.EVENTS_PER_SOCKET, random.Random(1), figures)
    assert (figures.events, figures.sockets) == (2 * fuzz.EVENTS_PER_SOCKET, 2)
    assert figures.closed == 2 * closes
    assert not figures.wrong
