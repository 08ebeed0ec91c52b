"""Every event handler, sent nonsense by an open page: nothing loops, the log stays short, and the page goes on."""

from pathlib import Path
from typing import Any

import pytest

from tests.attacks.frames import raw_socket
from tests.attacks.test_frames import event
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
LONGEST_LOG = 30_000
"""Characters for all payloads to one handler: a failure is one traceback, cut."""


def test_the_table_has_every_handler_and_no_other(reachable: dict[str, list[str]]) -> None:
    assert sorted(HANDLERS) == sorted(reachable["handlers"])


def test_the_table_names_callers_there_are() -> None:
    assert set(HANDLERS.values()) == {"anybody", "staff", "refused"}


@pytest.mark.parametrize("name", HANDLERS, ids=lambda name: name.rpartition("____")[2])
async def test_a_handler_takes_nonsense(name: str, attacked: ShopServer) -> None:
    before = len(attacked.log)
    address = f"198.51.100.{sorted(HANDLERS).index(name) % 250 + 1}"  # one alone may not open so many sockets a minute
    async with raw_socket(attacked.url, client=address) as socket:
        assert await socket.load()
        for payload in PAYLOADS:
            await socket.send_event(event(name=name, payload=payload))
        assert await socket.handles_all(), "the socket was closed"
        assert socket.heard < 60
    written = attacked.log[before:]
    assert len(written) < LONGEST_LOG, written[:2000]
