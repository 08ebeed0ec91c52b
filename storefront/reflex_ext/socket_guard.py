"""Guard of the websocket: frames are checked and counted before Socket.IO and Reflex process them.

Any client can open a websocket and send any frame. A frame that no page of the shop sends causes only one short log
line. A socket that sends too much, or too many invalid frames, is closed. Its client must wait before it can open
another one.
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
from backend.edge.requests import resolve_client_address
from backend.rate_limit.limiter import DEFAULT_PEOPLE_PER_ADDRESS, network_of
from storefront.reflex_ext.closed_pages import ClosedPages
from storefront.reflex_ext.event_processor import confirmation_event, mark_failed
from storefront.reflex_ext.socket_frames import (
    MAX_FRAME_LENGTH,
    FrameRefused,
    opens_namespace,
    parse_event,
    parse_first_frame,
    parse_packet,
    press_id_of,
    read_first_presses,
)

log = logging.getLogger(__name__)

PLAIN_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Pattern of the client token with which a page identifies itself. Pages of the shop use a UUID."""
FORWARDED = b"x-forwarded-for"
MAX_CLIENTS = 50_000
"""Maximum number of client addresses that are stored at a time."""
SOCKET = "trompo.socket"
"""Key under which the ASGI scope of a websocket contains its `Socket`."""
CLOSED = {"type": "websocket.disconnect", "code": 1008}
"""The message that ends a websocket, as if the browser had gone. 1008: policy violation."""


@dataclass(frozen=True, slots=True)
class Budget:
    """An allowance: `at_once` immediately, and `per_second` more each second."""

    at_once: float
    per_second: float


@dataclass(slots=True)
class Account:
    """The remaining budget of a socket or a client. `clock` returns seconds."""

    budget: Budget
    clock: Callable[[], float] = time.monotonic
    left: float = field(init=False)
    since: float = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.budget.at_once
        self.since = self.clock()

    def spend(self, amount: float = 1) -> bool:
        """Subtract `amount`; return False if the budget is exhausted."""
        now = self.clock()
        self.left = min(self.budget.at_once, self.left + (now - self.since) * self.budget.per_second) - amount
        self.since = now
        return self.left >= 0


FRAMES = Budget(at_once=300, per_second=30)
CHARACTERS = Budget(at_once=2 * 1024 * 1024, per_second=64 * 1024)
FAILURES = Budget(at_once=30, per_second=0.5)
CLIENT_FAILURES = Budget(at_once=300, per_second=5)
"""Budget of failures for all sockets of one client address.

The value is for `DEFAULT_PEOPLE_PER_ADDRESS` people; a setting changes their number.
"""
CLIENT_WAIT_S = 30.0
"""Seconds that a client with too many failures must wait before it may open another socket."""


class Clients:
    """Failures of each client address, and the addresses that must wait."""

    def __init__(self) -> None:
        self._accounts: TTLCache[str, Account] = TTLCache(MAX_CLIENTS, ttl=600)
        self._waiting: TTLCache[str, bool] = TTLCache(MAX_CLIENTS, ttl=CLIENT_WAIT_S)

    def must_wait(self, client: str) -> bool:
        """Return True if this client may not open a socket now."""
        return client in self._waiting

    def spend(self, client: str, failures: float = 1) -> bool:
        """Count failures of a client. Return False if there are too many, so that the client must wait from now on."""
        account = self._accounts.setdefault(client, Account(_budget_of_clients()))
        if account.spend(failures):
            return True
        self._waiting[client] = True
        return False


@dataclass(slots=True)
class Socket:
    """An open websocket and its remaining budgets."""

    client: str
    clients: Clients
    frames: Account = field(default_factory=lambda: Account(FRAMES))
    characters: Account = field(default_factory=lambda: Account(CHARACTERS))
    failures: Account = field(default_factory=lambda: Account(FAILURES))
    has_connected: bool = False
    is_closed: bool = False

    def accept(self, frame: str | bytes) -> bool:
        """Count a frame. Return True if the socket is open and a page of the shop could have sent the frame."""
        if self.is_closed:
            return False
        if not (self.frames.spend() and self.characters.spend(len(frame))):
            self.close("sends too much")
            return False
        try:
            if isinstance(frame, bytes):
                raise FrameRefused("is binary")
            if opens_namespace(parse_packet(frame)):
                self._connect_once()
        except FrameRefused as reason:
            self.fail(str(reason))
            return False
        return True

    def fail(self, reason: str) -> None:
        """Count an invalid frame. Too many close the socket."""
        if not self.failures.spend():
            self.close(reason)
        elif self.clients.spend(self.client):
            log.info("a frame was refused: it %s", reason)

    def close(self, reason: str) -> None:
        """Stop accepting frames. The next frame closes the websocket."""
        if self.is_closed:
            return
        self.is_closed = True
        log.warning("a websocket was closed: it %s", reason)
        self.clients.spend(self.client, FAILURES.at_once)

    def _connect_once(self) -> None:
        """Check that the socket has not connected before: every connect would create another page.

        A page that reconnects opens a new socket.

        Raises:
            FrameRefused: the socket connects a second time.
        """
        if self.has_connected:
            raise FrameRefused("connects again")
        self.has_connected = True


class GuardedNamespace(EventNamespace):
    """Reflex's Socket.IO namespace, which passes only valid events of the shop's pages to Reflex."""

    def __init__(self, namespace: str, app: rx.App) -> None:
        super().__init__(namespace, app)
        self._sockets: dict[str, Socket] = {}
        self._closed_pages = ClosedPages(app)
        self._closing: set[asyncio.Task[None]] = set()
        self._is_open = True

    async def on_connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> bool | None:
        """Open the page. Return False if no page may connect now, the client must wait, or it sent invalid data."""
        socket: Socket = environ["asgi.scope"][SOCKET]
        if not self._is_open or socket.clients.must_wait(socket.client):
            return False
        self._sockets[sid] = socket
        WEBSOCKETS.set(len(self._sockets))
        try:
            require_token(environ)
            presses = read_first_presses(auth)
            await super().on_connect(sid, environ, parse_first_frame(auth))
        except FrameRefused as reason:
            self._forget(sid)
            socket.fail(str(reason))
            return False
        except BaseException:
            self._forget(sid)
            raise
        self._closed_pages.record_opened(self.sid_to_token.get(sid, ""))
        for press in presses:  # in the queue directly after the event with the browser's stored values
            await self.on_event(sid, press)
        return None

    async def on_event(self, sid: str, data: Any) -> None:
        """Pass a valid event to Reflex, and drop an invalid one."""
        socket = self._sockets.get(sid)
        if socket is None:
            return
        try:
            event = parse_event(data)
        except FrameRefused as reason:
            socket.fail(str(reason))
            await self._refuse_press(sid, data)
            return
        await super().on_event(sid, event)

    async def _refuse_press(self, sid: str, data: Any) -> None:
        """Make the browser of an outdated page stop sending a press for which there is no event handler."""
        press_id, token = press_id_of(data), self.sid_to_token.get(sid)
        if press_id and token:
            await self.emit_update(StateUpdate(events=[confirmation_event(press_id, is_unknown=True)]), token)

    def on_disconnect(self, sid: str) -> Any:
        """Remove the socket, and after some time its page."""
        self._forget(sid)
        token = self.sid_to_token.get(sid)
        cleaned = super().on_disconnect(sid)
        if token:
            self._closed_pages.record_closed(token)
        return cleaned

    async def set_open(self, is_open: bool) -> None:
        """Allow or refuse connections of pages. A refusal disconnects all pages, which then try to reconnect."""
        self._is_open = is_open
        if is_open:
            return
        for sid in list(self._sockets):
            await self.disconnect(sid)

    def count_failure(self, token: str) -> None:
        """Count a failure of an event handler against the page's socket. Too many close the socket."""
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
    """Replace Reflex's namespace by `GuardedNamespace`, and check each frame that its websockets receive."""
    if app.sio is None or app.event_namespace is None:  # an app without any state has no websocket
        return
    guarded = GuardedNamespace(app.event_namespace.namespace, app)
    app._event_namespace = guarded  # noqa: SLF001 - Reflex has no setting for it
    app.sio.register_namespace(guarded)
    app.sio.eio.max_http_buffer_size = MAX_FRAME_LENGTH
    clients = Clients()
    for route in app._api.routes if app._api else ():  # noqa: SLF001 - as above
        if isinstance(route, Mount) and route.path == guarded.namespace:
            route.app = with_checked_frames(route.app, clients)


def count_failure() -> None:
    """Count a failure of the current event in the metrics, and for its page's socket.

    Outside an event, do nothing.
    """
    mark_failed()
    with suppress(LookupError):
        token = EventContext.get().token
        namespace = RegistrationContext.get().app.event_namespace
        if isinstance(namespace, GuardedNamespace):
            namespace.count_failure(token)


def with_checked_frames(app: ASGIApp, clients: Clients) -> ASGIApp:
    """Wrap `app` so that its websockets receive only valid frames within their budgets."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await app(scope, receive, send)
            return
        _join_forwarded(scope)
        socket = scope[SOCKET] = Socket(_client_of(scope), clients)

        async def receive_checked() -> Message:
            while not socket.is_closed:
                message = await receive()
                if message["type"] != "websocket.receive" or socket.accept(_frame_of(message)):
                    return message
            return CLOSED

        await app(scope, receive_checked, send)

    return guard


def _frame_of(message: Message) -> str | bytes:
    text: str | None = message.get("text")
    binary: bytes | None = message.get("bytes")
    return text if text is not None else binary or b""


def require_token(environ: Mapping[str, Any]) -> None:
    """Check the client token of a socket's page.

    Raises:
        FrameRefused: the token is missing, too long, or has other characters than letters, digits, hyphens and
            underscores.
    """
    token = parse_qs(str(environ.get("QUERY_STRING", ""))).get("token", [""])[0]  # as Reflex reads it
    if not PLAIN_TOKEN.fullmatch(token):
        raise FrameRefused("comes from a page without a name")


def _budget_of_clients() -> Budget:
    people = current_shop().settings.people_per_address / DEFAULT_PEOPLE_PER_ADDRESS
    at_once = max(CLIENT_FAILURES.at_once * people, FAILURES.at_once)
    return Budget(at_once, max(CLIENT_FAILURES.per_second * people, FAILURES.per_second))


def _join_forwarded(scope: Scope) -> None:
    """Join several `X-Forwarded-For` headers into one, because Reflex would read only one of them."""
    headers = list(scope["headers"])
    lists = [value for name, value in headers if name == FORWARDED]
    if len(lists) > 1:
        others = [(name, value) for name, value in headers if name != FORWARDED]
        scope["headers"] = [*others, (FORWARDED, b", ".join(lists))]


def _client_of(scope: Scope) -> str:
    """Return the key by which the client is counted: see `network_of`.

    It is derived from the connection's address and the headers of trusted proxies.
    """
    host = (scope.get("client") or ("",))[0]
    forwarded = [value.decode("latin-1") for name, value in scope["headers"] if name == FORWARDED]
    return network_of(resolve_client_address(host, forwarded, current_shop().settings.trusted_proxies))
