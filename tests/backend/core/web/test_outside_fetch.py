"""Nothing is fetched from our own networks, however an address leads there.

| an address | what happens |
|---|---|
| of this machine or a private network, however it is written | refused, nothing is asked |
| whose name means such a place, alone or beside others | refused |
| whose name means another place at the next look | the place that was checked is asked |
| that leads there by a redirect, or to another scheme | refused |
| that leads on for ever, answers for ever, or with too much, or packed | given up |
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any, ClassVar

import pytest

from backend.core.web import outside_fetch
from backend.core.web.outside_fetch import NotFetched, fetch, is_public

MOST = 1000


class Handler(BaseHTTPRequestHandler):
    """Answers by the path; notes the host that was asked for."""

    hosts: ClassVar[list[str]] = []
    leads_to = ""

    def do_GET(self) -> None:
        self.hosts.append(self.headers["host"])
        status, headers, content = {
            "/toy": (200, {}, b"toy"),
            "/most": (200, {}, b"x" * MOST),
            "/more": (200, {}, b"x" * (MOST + 1)),
            "/packed": (200, {"content-encoding": "gzip"}, b"x"),
            "/on": (302, {"location": "/on"}, b""),
            "/to-toy": (301, {"location": "/toy"}, b""),
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
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """A server on this machine."""
    Handler.hosts = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@contextmanager
def names(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> Iterator[list[str]]:
    """Names mean these addresses, one answer after the other. Gives the names that were asked for."""
    asked: list[str] = []
    really = socket.getaddrinfo

    def resolve(host: str, port: int, *options: Any, **more: Any) -> list[Any]:
        if not host[0].isalpha():
            return really(host, port, *options, **more)
        found = answers[min(len(asked), len(answers) - 1)]
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in found]

    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve)
        yield asked


def got(address: str, **options: Any) -> bytes:
    return fetch(address, most_bytes=MOST, within=5.0, **options)


PRIVATE = [
    "127.0.0.1", "127.8.9.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
    "224.0.0.1", "255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "::127.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("ip", PRIVATE)
def test_an_address_of_our_own_is_not_public(ip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_public(ip_address(ip))
    for addresses in ([ip], ["93.184.216.34", ip]):
        with (
            names(monkeypatch, addresses),
            pytest.raises(NotFetched, match="no address of the open internet"),
        ):
            got("https://toys.example/toy")


@pytest.mark.parametrize("ip", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_an_address_of_the_internet_is_public(ip: str) -> None:
    assert is_public(ip_address(ip))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:7f00:1]", "127.1"],
)
def test_this_machine_is_refused_however_it_is_written(host: str, server: str) -> None:
    with pytest.raises(NotFetched):
        got(f"http://{host}:{server.rpartition(':')[2]}/toy")
    assert Handler.hosts == []


def test_what_was_checked_is_asked(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that means another place at a second look changes nothing: there is no second look."""
    port = server.rpartition(":")[2]
    monkeypatch.setattr(outside_fetch, "is_public", lambda ip: str(ip) == "127.0.0.1")
    with names(monkeypatch, ["127.0.0.1"], ["127.0.0.2"]) as asked:
        assert got(f"http://toys.example:{port}/toy") == b"toy"
        assert (asked, Handler.hosts) == (["toys.example"], [f"toys.example:{port}"])
        with pytest.raises(NotFetched, match="open internet"):
            got(f"http://toys.example:{port}/toy")
    with names(monkeypatch, ["127.0.0.1"], ["127.0.0.2"]), pytest.raises(NotFetched, match="open internet"):
        got(f"http://toys.example:{port}/to-toy")  # each redirect is a look of its own


@pytest.mark.parametrize(
    ("leads_to", "says"),
    [
        ("http://192.168.1.1/toy", "open internet"),
        ("http://169.254.169.254/latest/meta-data", "open internet"),
        ("file:///etc/passwd", "no address of the web"),
        ("gopher://127.0.0.1/", "no address of the web"),
        ("//[::1]/toy", "open internet"),
        ("http://[", "does not answer"),
    ],
)
def test_where_a_redirect_leads_is_checked(
    leads_to: str, says: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Handler, "leads_to", leads_to)
    checked = outside_fetch.is_public
    monkeypatch.setattr(outside_fetch, "is_public", lambda ip: str(ip) == "127.0.0.1" or checked(ip))
    with pytest.raises(NotFetched, match=says):
        got(f"http://{server}/away")


def test_what_is_too_much_is_given_up(server: str) -> None:
    def here(path: str) -> bytes:
        return got(f"http://{server}{path}", allow_private=True)

    assert here("/toy") == here("/to-toy") == b"toy"
    assert len(here("/most")) == MOST
    for path, says in (
        ("/more", "larger than"),
        ("/packed", "packed"),
        ("/on", "on and on"),
        ("/none", "answers with 404"),
        ("/empty", "answers with 302"),
    ):
        with pytest.raises(NotFetched, match=says):
            here(path)


def test_what_trickles_is_given_up_in_time() -> None:
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
        with pytest.raises(NotFetched, match="too slow"):
            fetch(address, most_bytes=1 << 40, within=0.2, allow_private=True)
        thread.join(10)
        assert not thread.is_alive()


def test_an_address_that_does_not_answer_gives_way_to_the_next(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with names(monkeypatch, ["::1", "127.0.0.1"]):
        assert got(f"http://toys.example:{server.rpartition(':')[2]}/toy", allow_private=True) == b"toy"


@pytest.mark.parametrize(
    "address", ["https://", "http://", "ftp://toys.example/x", "toys.example", "http://a b/", ""]
)
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(NotFetched):
        got(address)
