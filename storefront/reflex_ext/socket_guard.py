"""The guard before the websocket: what browsers send is checked before Socket.IO and Reflex act on it, and counted.

Anybody can open a websocket and send any frame. What no page of ours sends costs one short line of the log. A socket
that sends too much, or too much nonsense, is closed, and its client waits before it may open another.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import reflex as rx
from cachetools import TTLCache
from reflex.app import EventNamespace
from reflex.state import StateUpdate
from reflex_base.event.context import EventContext
from reflex_base.registry import RegistrationContext
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.app import current_shop
from backend.core.observability.metrics import WEBSOCKETS
from backend.edge.requests import address_behind
from backend.rate_limit.limiter import PEOPLE, network_of
from storefront.reflex_ext.closed_pages import ClosedPages
from storefront.reflex_ext.event_processor import confirmation, mark_failed
from storefront.reflex_ext.socket_frames import (
    LONGEST_FRAME,
    Refused,
    boot_presses,
    checked_boot,
    checked_event,
    checked_packet,
    connects,
    press_id_of,
)

log = logging.getLogger(__name__)

PLAIN_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The name that a page gives itself: a UUID."""
FORWARDED = b"x-forwarded-for"
MOST_CLIENTS = 50_000
"""Client addresses that are remembered at a time."""
SOCKET = "trompo.socket"
"""Where a websocket's ASGI scope has its `Socket`."""
CLOSED = {"type": "websocket.disconnect", "code": 1008}
"""What ends a websocket: as if the browser had gone. 1008: it broke the rules."""


@dataclass(frozen=True, slots=True)
class Budget:
    """So many at once, and so many more each second."""

    at_once: float
    per_second: float


@dataclass(slots=True)
class Account:
    """What is left of a budget. `clock` gives seconds."""

    budget: Budget
    clock: Callable[[], float] = time.monotonic
    left: float = field(init=False)
    since: float = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.budget.at_once
        self.since = self.clock()

    def spend(self, amount: float = 1) -> bool:
        """Take `amount` off; False when the budget is overdrawn."""
        now = self.clock()
        self.left = min(self.budget.at_once, self.left + (now - self.since) * self.budget.per_second) - amount
        self.since = now
        return self.left >= 0


FRAMES = Budget(at_once=300, per_second=30)
CHARACTERS = Budget(at_once=2 * 1024 * 1024, per_second=64 * 1024)
FAILURES = Budget(at_once=30, per_second=0.5)
CLIENT_FAILURES = Budget(at_once=300, per_second=5)
"""Failures of all sockets of one client address that `PEOPLE` share; the settings say how many do."""
CLIENT_WAITS = 30.0
"""Seconds."""


class Clients:
    """What the sockets of each client address did wrong, and which address has to wait."""

    def __init__(self) -> None:
        self._accounts: TTLCache[str, Account] = TTLCache(MOST_CLIENTS, ttl=600)
        self._waiting: TTLCache[str, bool] = TTLCache(MOST_CLIENTS, ttl=CLIENT_WAITS)

    def must_wait(self, client: str) -> bool:
        """Whether this client may not open a socket now."""
        return client in self._waiting

    def spend(self, client: str, failures: float = 1) -> bool:
        """Count failures of a client; False when it has to wait from now on."""
        account = self._accounts.setdefault(client, Account(_budget_of_clients()))
        if account.spend(failures):
            return True
        self._waiting[client] = True
        return False


@dataclass(slots=True)
class Socket:
    """An open websocket and what it may still send."""

    client: str
    clients: Clients
    frames: Account = field(default_factory=lambda: Account(FRAMES))
    characters: Account = field(default_factory=lambda: Account(CHARACTERS))
    failures: Account = field(default_factory=lambda: Account(FAILURES))
    has_connected: bool = False
    is_closed: bool = False

    def takes(self, frame: str | bytes) -> bool:
        """Count a frame; whether it is let in: the socket is open, and a page could have sent it."""
        if self.is_closed:
            return False
        if not (self.frames.spend() and self.characters.spend(len(frame))):
            self.close("sends too much")
            return False
        try:
            if isinstance(frame, bytes):
                raise Refused("is binary")
            if connects(checked_packet(frame)):
                self._connect_once()
        except Refused as reason:
            self.fail(str(reason))
            return False
        return True

    def fail(self, reason: str) -> None:
        """Count what no page of ours sends. Too much of it closes the socket."""
        if not self.failures.spend():
            self.close(reason)
        elif self.clients.spend(self.client):
            log.info("a frame was refused: it %s", reason)

    def close(self, reason: str) -> None:
        """Let no further frame in: the next one ends the socket."""
        if self.is_closed:
            return
        self.is_closed = True
        log.warning("a websocket was closed: it %s", reason)
        self.clients.spend(self.client, FAILURES.at_once)

    def _connect_once(self) -> None:
        """Refuse a second connect: each would be a page of its own. A page that comes again opens a socket for it.

        Raises:
            Refused: it is the second.
        """
        if self.has_connected:
            raise Refused("connects again")
        self.has_connected = True


class GuardedNamespace(EventNamespace):
    """Reflex's end of the websocket, behind the check of each event."""

    def __init__(self, namespace: str, app: rx.App) -> None:
        super().__init__(namespace, app)
        self._sockets: dict[str, Socket] = {}
        self._closed_pages = ClosedPages(app)
        self._closing: set[asyncio.Task[None]] = set()
        self._is_open = True

    async def on_connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> bool | None:
        """Open the page, unless its client has to wait or does not speak as our pages do (False)."""
        socket: Socket = environ["asgi.scope"][SOCKET]
        if not self._is_open or socket.clients.must_wait(socket.client):
            return False
        self._sockets[sid] = socket
        WEBSOCKETS.set(len(self._sockets))
        try:
            _require_token(environ)
            presses = boot_presses(auth)
            await super().on_connect(sid, environ, checked_boot(auth))
        except Refused as reason:
            self._forget(sid)
            socket.fail(str(reason))
            return False
        except BaseException:
            self._forget(sid)
            raise
        self._closed_pages.opened(self.sid_to_token.get(sid, ""))
        for press in presses:  # in the queue right after the event that brings what the browser has stored
            await self.on_event(sid, press)
        return None

    async def on_event(self, sid: str, data: Any) -> None:
        """Hand an event of ours on to Reflex; drop anything else."""
        socket = self._sockets.get(sid)
        if socket is None:
            return
        try:
            event = checked_event(data)
        except Refused as reason:
            socket.fail(str(reason))
            await self._refuse_press(sid, data)
            return
        await super().on_event(sid, event)

    async def _refuse_press(self, sid: str, data: Any) -> None:
        """Have the browser send a press no more that no handler takes: its page may be of an earlier version."""
        press_id, token = press_id_of(data), self.sid_to_token.get(sid)
        if press_id and token:
            await self.emit_update(StateUpdate(events=[confirmation(press_id, is_unknown=True)]), token)

    def on_disconnect(self, sid: str) -> Any:
        """Forget the socket, and in a while its page."""
        self._forget(sid)
        token = self.sid_to_token.get(sid)
        cleaned = super().on_disconnect(sid)
        if token:
            self._closed_pages.closed(token)
        return cleaned

    async def set_open(self, is_open: bool) -> None:
        """Whether pages may connect. When they may not any more, all are cut off, and try again by themselves."""
        self._is_open = is_open
        if is_open:
            return
        for sid in list(self._sockets):
            await self.disconnect(sid)

    def count_failure(self, token: str) -> None:
        """An event of this page has failed in its handler: that counts against its socket, too."""
        record = self._token_manager.token_to_socket.get(token)
        socket = self._sockets.get(record.sid) if record else None
        if record is None or socket is None or socket.is_closed or socket.failures.spend():
            return
        socket.close("makes events fail")
        closing = asyncio.create_task(self.disconnect(record.sid))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _forget(self, sid: str) -> None:
        self._sockets.pop(sid, None)
        WEBSOCKETS.set(len(self._sockets))


def guard_websocket(app: rx.App) -> None:
    """Put the guard before Reflex's end of the websocket, and in its place."""
    if app.sio is None or app.event_namespace is None:  # an app without any state has no websocket
        return
    guarded = GuardedNamespace(app.event_namespace.namespace, app)
    app._event_namespace = guarded  # noqa: SLF001 - Reflex has no setting for it
    app.sio.register_namespace(guarded)
    app.sio.eio.max_http_buffer_size = LONGEST_FRAME
    clients = Clients()
    for route in app._api.routes if app._api else ():  # noqa: SLF001 - as above
        if isinstance(route, Mount) and route.path == guarded.namespace:
            route.app = with_checked_frames(route.app, clients)


def count_failure() -> None:
    """Count, for the figures and against the socket of its page, that the event at hand has failed.

    Without an event at hand: nothing.
    """
    mark_failed()
    with suppress(LookupError):
        token = EventContext.get().token
        namespace = RegistrationContext.get().app.event_namespace
        if isinstance(namespace, GuardedNamespace):
            namespace.count_failure(token)


def with_checked_frames(app: ASGIApp, clients: Clients) -> ASGIApp:
    """`app`, whose websockets get only frames that our pages could have sent, and not too many."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await app(scope, receive, send)
            return
        _join_forwarded(scope)
        socket = scope[SOCKET] = Socket(_client_of(scope), clients)

        async def receive_checked() -> Message:
            while not socket.is_closed:
                message = await receive()
                if message["type"] != "websocket.receive" or socket.takes(_frame_of(message)):
                    return message
            return CLOSED

        await app(scope, receive_checked, send)

    return guard


def _frame_of(message: Message) -> str | bytes:
    text: str | None = message.get("text")
    binary: bytes | None = message.get("bytes")
    return text if text is not None else binary or b""


def _require_token(environ: Mapping[str, Any]) -> None:
    """Refuse a socket whose page has no plain name.

    Raises:
        Refused: the name is missing, too long or not made of letters, digits, hyphens and underscores.
    """
    token = parse_qs(str(environ.get("QUERY_STRING", ""))).get("token", [""])[0]  # as Reflex reads it
    if not PLAIN_TOKEN.fullmatch(token):
        raise Refused("comes from a page without a name")


def _budget_of_clients() -> Budget:
    people = current_shop().settings.people_per_address / PEOPLE
    at_once = max(CLIENT_FAILURES.at_once * people, FAILURES.at_once)
    return Budget(at_once, max(CLIENT_FAILURES.per_second * people, FAILURES.per_second))


def _join_forwarded(scope: Scope) -> None:
    """Make one `X-Forwarded-For` of several, as they are one list: Reflex would read the last one only."""
    headers = list(scope["headers"])
    lists = [value for name, value in headers if name == FORWARDED]
    if len(lists) > 1:
        others = [(name, value) for name, value in headers if name != FORWARDED]
        scope["headers"] = [*others, (FORWARDED, b", ".join(lists))]


def _client_of(scope: Scope) -> str:
    """What the client is counted by, as the connection and our own proxies tell it: see `network_of`."""
    host = (scope.get("client") or ("",))[0]
    forwarded = [value.decode("latin-1") for name, value in scope["headers"] if name == FORWARDED]
    return network_of(address_behind(host, forwarded, current_shop().settings.trusted_proxies))
