"""Every event handler gets nonsense from an open page: nothing loops, the log stays short, the page continues."""

from pathlib import Path
from typing import Any

import pytest

from tests.attacks.frames import raw_socket
from tests.attacks.test_frames import build_event
from tests.e2e.conftest import ShopServer

TABLE = Path(__file__).with_name("handlers.txt")
HANDLERS = dict(
    line.split() for line in TABLE.read_text("utf-8").splitlines() if line and not line.startswith("#")
)
PAYLOADS: tuple[dict[str, Any], ...] = (
    {},
    {"unknown": "x"},
    {"self": None, "state": {"a": 1}},
    {"form_data": {"email": ["a"], "quantity": -1, "city": {"name": None}}},
    dict.fromkeys(("value", "text", "line_id", "variant_id", "order_id", "address_id", "ids"), "\x00💥"),
    dict.fromkeys(("value", "quantity", "page", "vars", "form_data", "ids", "bank"), -(2**63)),
)
MAX_LOG_LENGTH = 30_000
"""Characters for all payloads to one handler: a failure logs one shortened traceback."""


def test_table_lists_exactly_the_event_handlers(shop_surface: dict[str, list[str]]) -> None:
    assert sorted(HANDLERS) == sorted(shop_surface["handlers"])


def test_table_of_handlers_contains_only_known_callers() -> None:
    assert set(HANDLERS.values()) == {"anybody", "staff", "refused"}


@pytest.mark.parametrize("name", HANDLERS, ids=lambda name: name.rpartition("____")[2])
async def test_event_handler_answers_nonsense_without_closing_the_socket(
    name: str, attacked_shop: ShopServer
) -> None:
    before = len(attacked_shop.log)
    address = f"198.51.100.{sorted(HANDLERS).index(name) % 250 + 1}"  # the shop limits sockets per address
    async with raw_socket(attacked_shop.url, client=address) as socket:
        assert await socket.load()
        for payload in PAYLOADS:
            await socket.send_event(build_event(name=name, payload=payload))
        assert await socket.wait_until_handled(), "the socket was closed"
        assert socket.received < 60
    logged = attacked_shop.log[before:]
    assert len(logged) < MAX_LOG_LENGTH, logged[:2000]
