"""Calls to URLs that staff entered go only to public addresses, without redirects, and have limits.

| a URL or an answer | outcome |
|---|---|
| http, no host, a user name, a wrong port | refused |
| of this machine or a private network, in any notation or by its name | refused, no request is sent |
| whose host name resolves differently the next time | the call goes to the checked address |
| a redirect | its status is returned, it is not followed |
| an endless, compressed or slow answer | only its beginning is read, or the call fails |
"""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

import httpx
import pytest

from backend.core.errors import OutsideFailure
from backend.core.web import public_addresses
from backend.core.web.outside_post import MAX_URL_LENGTH, NotCallable, OutsideAnswer, resolve_target
from tests.backend.core.web.local_server import serve_locally

MAX_BYTES = 100


class Handler(BaseHTTPRequestHandler):
    """A handler that answers by path and records the calls."""

    calls: ClassVar[list[tuple[str, str, bytes]]] = []

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        self.calls.append((self.headers["host"], self.headers["x-id"], content))
        if self.path == "/slow":
            time.sleep(1)
        status, headers, answer = {
            "/redirect": (302, {"location": "/ok"}, b""),
            "/packed": (200, {"content-encoding": "gzip"}, b"x"),
            "/more": (200, {}, b"x" * 1_000_000),
            "/bytes": (400, {}, b"\xff no"),
        }.get(self.path, (200, {}, b"ok"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """Run a server on this machine; yield its host and port."""
    Handler.calls = []
    with serve_locally(Handler) as address:
        yield address


async def post(url: str, *, timeout_s: float = 5.0) -> OutsideAnswer:
    target = await resolve_target(url, allow_private=True)
    return await target.post(b"{}", {"x-id": "7"}, timeout_s=timeout_s, max_bytes=MAX_BYTES)


async def test_post_returns_the_status_and_the_beginning_of_the_answer(server: str) -> None:
    assert await post(f"http://{server}/ok#part") == OutsideAnswer(200, "ok")
    assert await post(f"http://{server}/more") == OutsideAnswer(200, "x" * MAX_BYTES)
    assert await post(f"http://{server}/packed") == OutsideAnswer(200, "")
    assert await post(f"http://{server}/bytes") == OutsideAnswer(400, "\ufffd no")
    assert Handler.calls[0] == (server, "7", b"{}")


async def test_redirect_is_not_followed(server: str) -> None:
    answer = await post(f"http://{server}/redirect")
    assert (answer.status, answer.is_success) == (302, False)
    assert len(Handler.calls) == 1


async def test_post_to_a_slow_or_missing_server_raises_outside_failure(server: str) -> None:
    with pytest.raises(OutsideFailure, match="no answer"):
        await post(f"http://{server}/slow", timeout_s=0.05)
    with pytest.raises(OutsideFailure, match="no answer"):
        await post("http://127.0.0.1:1/x")


@pytest.mark.parametrize(
    "url",
    [
        "http://erp.example/x",
        "ftp://erp.example/x",
        "//erp.example/x",
        "erp.example",
        "https://",
        "https://user@erp.example/x",
        "https://erp.example:0/x",
        "https://erp.example:70000/x",
        "https://[::1/x",
        "https://a b/x",
        "",
        "https://erp.example/" + "x" * MAX_URL_LENGTH,
    ],
)
async def test_malformed_url_is_refused(url: str) -> None:
    with pytest.raises(NotCallable) as refused:
        await resolve_target(url)
    assert not refused.value.is_private


@pytest.mark.parametrize(
    "host",
    [
        *(
            "127.0.0.1",
            "localhost",
            "[::1]",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "[::ffff:7f00:1]",
            "127.1",
        ),
        *("10.0.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[64:ff9b::a00:1]", "0.0.0.0"),
    ],
)
async def test_private_address_is_refused_in_any_notation(host: str) -> None:
    with pytest.raises(NotCallable):
        await resolve_target(f"https://{host}/x")


async def test_host_name_of_a_url_is_resolved_only_once(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the call goes to the checked address, although the name server would now return another."""
    ip, _colon, port = server.partition(":")
    answers = [ip, "192.0.2.1"]
    resolved: list[str] = []

    def resolve(host: str, *_: Any, **_more: Any) -> list[Any]:
        resolved.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answers[len(resolved) - 1], int(port)))]

    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve)
        patch.setattr(public_addresses, "is_public", lambda found: str(found) == ip)
        target = await resolve_target(f"https://erp.example:{port}/ok")
    assert resolved == ["erp.example"]
    assert [str(found) for found in target.ips] == [ip]
    plain = type(target)(httpx.URL(f"http://erp.example:{port}/ok"), target.ips)
    answer = await plain.post(b"{}", {"x-id": "7"}, timeout_s=5, max_bytes=MAX_BYTES)
    assert answer.status == 200
    assert Handler.calls[0][0] == f"erp.example:{port}"
