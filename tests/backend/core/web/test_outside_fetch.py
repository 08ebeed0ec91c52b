"""Internal addresses are never fetched from, however a URL leads to them.

| a URL | outcome |
|---|---|
| of this machine or a private network, in any notation | refused, no request is sent |
| whose host name has such an address, alone or with others | refused |
| whose host name resolves differently the next time | the request goes to the checked address |
| that redirects there, or to another scheme | refused |
| that redirects or answers endlessly, with too much, or compressed | given up |
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from typing import Any, ClassVar

import pytest

from backend.core.web import public_addresses
from backend.core.web.outside_fetch import FetchError, fetch
from backend.core.web.public_addresses import is_public
from tests.backend.core.web.local_server import serve_locally

MAX_BYTES = 1000


class Handler(BaseHTTPRequestHandler):
    """A handler that answers by path and records the requested hosts."""

    hosts: ClassVar[list[str]] = []
    leads_to = ""

    def do_GET(self) -> None:
        self.hosts.append(self.headers["host"])
        status, headers, content = {
            "/product": (200, {}, b"product"),
            "/most": (200, {}, b"x" * MAX_BYTES),
            "/more": (200, {}, b"x" * (MAX_BYTES + 1)),
            "/packed": (200, {"content-encoding": "gzip"}, b"x"),
            "/on": (302, {"location": "/on"}, b""),
            "/to-product": (301, {"location": "/product"}, b""),
            "/away": (302, {"location": self.leads_to}, b""),
            "/empty": (302, {}, b""),
        }.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.path != "/more":
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """Run a server on this machine; yield its host and port."""
    Handler.hosts = []
    with serve_locally(Handler) as address:
        yield address


@contextmanager
def resolve_to(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> Iterator[list[str]]:
    """Let host names resolve to these addresses, one answer after the other. Yield the list of resolved names."""
    resolved: list[str] = []
    really = socket.getaddrinfo

    def resolve(host: str, port: int, *options: Any, **more: Any) -> list[Any]:
        if not host[0].isalpha():
            return really(host, port, *options, **more)
        found = answers[min(len(resolved), len(answers) - 1)]
        resolved.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in found]

    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve)
        yield resolved


def fetch_limited(address: str, **options: Any) -> bytes:
    return fetch(address, max_bytes=MAX_BYTES, timeout_s=5.0, **options)


PRIVATE = [
    "127.0.0.1", "127.8.9.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
    "224.0.0.1", "255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "::127.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("ip", PRIVATE)
def test_internal_ip_address_is_not_public(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_public(ip_address(ip))
    for addresses in ([ip], ["93.184.216.34", ip]):
        with (
            resolve_to(monkeypatch, addresses),
            pytest.raises(FetchError, match="not a public internet address"),
        ):
            fetch_limited("https://products.example/product")


@pytest.mark.parametrize("ip", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_internet_ip_address_is_public(ip: str) -> None:
    assert is_public(ip_address(ip))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:7f00:1]", "127.1"],
)
def test_url_of_this_machine_is_refused_in_any_notation(host: str, server: str) -> None:
    with pytest.raises(FetchError):
        fetch_limited(f"http://{host}:{server.rpartition(':')[2]}/product")
    assert Handler.hosts == []


def test_request_goes_to_the_ip_address_that_was_checked(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a name is resolved once, so a different second answer has no effect."""
    port = server.rpartition(":")[2]
    monkeypatch.setattr(public_addresses, "is_public", lambda ip: str(ip) == "127.0.0.1")
    with resolve_to(monkeypatch, ["127.0.0.1"], ["127.0.0.2"]) as resolved:
        assert fetch_limited(f"http://products.example:{port}/product") == b"product"
        assert (resolved, Handler.hosts) == (["products.example"], [f"products.example:{port}"])
        with pytest.raises(FetchError, match="public internet"):
            fetch_limited(f"http://products.example:{port}/product")
    with (
        resolve_to(monkeypatch, ["127.0.0.1"], ["127.0.0.2"]),
        pytest.raises(FetchError, match="public internet"),
    ):
        fetch_limited(f"http://products.example:{port}/to-product")  # each redirect is resolved again


@pytest.mark.parametrize(
    ("leads_to", "problem"),
    [
        ("http://192.168.1.1/product", "public internet"),
        ("http://169.254.169.254/latest/meta-data", "public internet"),
        ("file:///etc/passwd", "not a web address"),
        ("gopher://127.0.0.1/", "not a web address"),
        ("//[::1]/product", "public internet"),
        ("http://[", "does not answer"),
    ],
)
def test_redirect_to_a_refused_url_is_not_followed(
    leads_to: str, problem: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Handler, "leads_to", leads_to)
    checked = public_addresses.is_public
    monkeypatch.setattr(public_addresses, "is_public", lambda ip: str(ip) == "127.0.0.1" or checked(ip))
    with pytest.raises(FetchError, match=problem):
        fetch_limited(f"http://{server}/away")


def test_fetching_an_unsuitable_answer_raises_an_error(server: str) -> None:
    def here(path: str) -> bytes:
        return fetch_limited(f"http://{server}{path}", allow_private=True)

    assert here("/product") == here("/to-product") == b"product"
    assert len(here("/most")) == MAX_BYTES
    for path, problem in (
        ("/more", "larger than"),
        ("/packed", "compressed"),
        ("/on", "too many redirects"),
        ("/none", "answers with 404"),
        ("/empty", "answers with 302"),
    ):
        with pytest.raises(FetchError, match=problem):
            here(path)


def test_fetching_from_a_very_slow_server_stops_at_its_time_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def trickle() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                try:
                    while True:
                        connection.sendall(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(FetchError, match="too slow"):
            fetch(address, max_bytes=1 << 40, timeout_s=0.2, allow_private=True)
        thread.join(10)
        assert not thread.is_alive()


def test_next_ip_address_is_tried_if_the_first_does_not_answer(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with resolve_to(monkeypatch, ["::1", "127.0.0.1"]):
        assert (
            fetch_limited(f"http://products.example:{server.rpartition(':')[2]}/product", allow_private=True)
            == b"product"
        )


@pytest.mark.parametrize(
    "address", ["https://", "http://", "ftp://products.example/x", "products.example", "http://a b/", ""]
)
def test_invalid_url_is_refused(address: str) -> None:
    with pytest.raises(FetchError):
        fetch_limited(address)
