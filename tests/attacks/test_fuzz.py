"""What the long run with random events says of sockets: which of them the shop closed."""

import random
from typing import Any

import pytest

from tests.attacks.test_frames import event
from tests.e2e.conftest import ShopServer
from tests.failure import fuzz


@pytest.mark.parametrize(
    ("sent", "closes"), [(None, True), (event(), False)], ids=["nonsense", "what a page sends"]
)
async def test_each_socket_that_the_shop_closes_is_counted(
    attacked: ShopServer, monkeypatch: pytest.MonkeyPatch, sent: Any, closes: bool
) -> None:
    monkeypatch.setattr(fuzz, "_event", lambda *_: sent)
    figures = fuzz.Figures()
    known = fuzz.Known(routes=[], handlers={}, ids=[], key="", token="")
    await fuzz.send_events(attacked.url, known, 2 * fuzz.EVENTS_OF_A_SOCKET, random.Random(1), figures)
    assert (figures.events, figures.sockets) == (2 * fuzz.EVENTS_OF_A_SOCKET, 2)
    assert figures.closed == 2 * closes
    assert not figures.wrong
