"""The guard identifies clients as Reflex does: from a websocket's first request."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import reflex as rx
from reflex_base.event.context import EventContext
from reflex_base.registry import RegistrationContext
from starlette.types import Message, Receive, Scope, Send

from backend.core.config.settings import Settings
from storefront.reflex_ext import socket_guard
from storefront.reflex_ext.socket_frames import PONG, FrameRefused
from storefront.reflex_ext.socket_guard import (
    CLIENT_FAILURES,
    CLOSED,
    FAILURES,
    SOCKET,
    Clients,
    GuardedNamespace,
    Socket,
    count_failure,
    require_token,
    with_checked_frames,
)

NAME = "94fd1906-6e22-436f-8cfa-afd9e692156b"


@pytest.mark.parametrize(
    "query", [f"token={NAME}", f"EIO=4&token={NAME}&transport=websocket", f"tok%65n={NAME}"]
)
def test_valid_client_name_is_accepted(query: str) -> None:
    require_token({"QUERY_STRING": query})


@pytest.mark.parametrize(
    "query",
    [f"tok%65n=a%2Fb&token={NAME}", "token=a%0Ab", "token=", "token=ñ", "token=" + "x" * 65, "EIO=4", ""],
)
def test_invalid_client_name_is_refused(query: str) -> None:
    with pytest.raises(FrameRefused, match="without a name"):
        require_token({"QUERY_STRING": query})


@pytest.fixture
def set_clients(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that sets PEOPLE_PER_ADDRESS of the shop, which is behind proxies."""

    class Open:
        settings = Settings(data_dir=tmp_path)

    def are(number: int) -> None:
        Open.settings = Settings(data_dir=tmp_path, trusted_proxies="10.0.0.0/8", people_per_address=number)

    monkeypatch.setattr(socket_guard, "current_shop", lambda: Open)
    return are


@pytest.mark.parametrize(
    ("connected", "forwarded", "client"),
    [
        ("190.24.1.1", [b"1.2.3.4"], "190.24.1.1"),
        ("10.0.0.1", [b"1.2.3.4, 190.24.1.1"], "190.24.1.1"),
        ("10.0.0.1", [b"1.2.3.4, 190.24.1.1", b"10.0.0.2"], "190.24.1.1"),  # one header per proxy
        ("10.0.0.1", [b"::ffff:190.24.1.1"], "190.24.1.1"),
        ("10.0.0.1", [b"2800:e2:1:2:3::4"], "2800:e2:1:2::/64"),
    ],
)
async def test_client_address_is_the_one_our_proxies_report(
    set_clients: Any, connected: str, forwarded: list[bytes], client: str
) -> None:
    set_clients(1000)
    headers = [(b"host", b"shop.test"), *((b"x-forwarded-for", value) for value in forwarded)]
    scope: dict[str, Any] = {"type": "websocket", "client": (connected, 1), "headers": headers}
    scopes: list[Scope] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        scopes.append(scope)

    unused: Any = None
    await with_checked_frames(app, Clients())(scope, unused, unused)
    (passed,) = scopes
    read_by_reflex = dict(passed["headers"])
    assert read_by_reflex[b"x-forwarded-for"] == b", ".join(forwarded)
    assert passed[SOCKET].client == client


@pytest.mark.parametrize(
    ("number", "share"), [(1000, 1), (5000, 5), (1, FAILURES.at_once / CLIENT_FAILURES.at_once)]
)
def test_failure_limit_of_an_ip_address_grows_with_its_number_of_clients(
    set_clients: Any, number: int, share: float
) -> None:
    set_clients(number)
    clients, limit = Clients(), CLIENT_FAILURES.at_once * share
    assert clients.spend("190.24.1.1", limit)
    assert not clients.spend("190.24.1.2", limit + 1)


async def test_failing_events_close_the_socket_of_their_page(
    set_clients: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clients(1000)
    with RegistrationContext.get().fork():  # the shop may have created its own app
        guard = GuardedNamespace("/_event", rx.App())
        socket = Socket("190.24.1.1", Clients())
        await guard.on_connect("sid", {"asgi.scope": {SOCKET: socket}, "QUERY_STRING": f"token={NAME}"})
    left: list[str] = []
    has_left = asyncio.Event()

    async def leave(sid: str) -> None:
        left.append(sid)
        has_left.set()

    monkeypatch.setattr(guard, "disconnect", leave)
    monkeypatch.setattr(EventContext, "get", lambda: SimpleNamespace(token=NAME))
    here = SimpleNamespace(app=SimpleNamespace(event_namespace=guard))
    monkeypatch.setattr(RegistrationContext, "get", lambda: here)
    for _ in range(int(FAILURES.at_once)):
        count_failure()
    was_closed = socket.is_closed
    for _ in range(3):
        count_failure()
    assert (was_closed, socket.is_closed) == (False, True)
    await asyncio.wait_for(has_left.wait(), 20)
    assert left == ["sid"]


async def test_socket_closed_while_waiting_accepts_no_further_frame(set_clients: Any) -> None:
    set_clients(1000)
    scope: dict[str, Any] = {"type": "websocket", "client": ("190.24.1.1", 1), "headers": []}
    heard: list[Any] = []

    async def receive() -> Message:
        scope[SOCKET].close(
            "makes events fail"
        )  # an event's handler fails while the socket waits for a frame
        return {"type": "websocket.receive", "text": PONG}

    async def send(message: Message) -> None:
        raise AssertionError(message)

    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        heard.append(await receive())

    await with_checked_frames(app, Clients())(scope, receive, send)
    assert heard == [CLOSED]


def test_counting_a_failure_outside_an_event_raises_no_error() -> None:
    count_failure()
