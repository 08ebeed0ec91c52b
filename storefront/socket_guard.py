"""What browsers may send over the websocket: checked before Reflex acts on it, and counted.

Anybody can open a websocket and send any frame. What is no event of this shop costs one short line of the log. A socket
that sends too much, or too much nonsense, is closed, and its client waits before it may open another.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import reflex as rx
from cachetools import TTLCache
from reflex.app import EventNamespace
from reflex.utils.format import sanitize_client_log_value
from reflex_base.constants import CompileVars
from reflex_base.event.context import EventContext
from reflex_base.registry import RegistrationContext

from backend.app import current_shop
from backend.edge.requests import address_behind
from backend.metrics import WEBSOCKETS
from backend.rate_limit import PEOPLE, network_of
from storefront.closed_pages import ClosedPages

log = logging.getLogger(__name__)

LONGEST_NAME = 200
LONGEST_ADDRESS = 4096
"""Characters of a path with its query: what a document may have, too."""
MOST_PARAMETERS = 40
SETTER = ".setvar"
"""Reflex gives every state a handler that calls `set_…` of any name; no page of ours sends it."""
DEEPEST = 6
"""Levels of lists and objects in an event's payload."""
PLAIN_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The name that a page gives itself: a UUID."""
FORWARDED = b"x-forwarded-for"
MOST_BYTES_OF_A_FRAME = 256 * 1024
MOST_CLIENTS = 50_000
"""Client addresses that are remembered at a time."""


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


EVENTS = Budget(at_once=300, per_second=30)
BYTES = Budget(at_once=2 * 1024 * 1024, per_second=64 * 1024)
FAILURES = Budget(at_once=30, per_second=0.5)
CLIENT_FAILURES = Budget(at_once=300, per_second=5)
"""Failures of all sockets of one client address that `PEOPLE` share; the settings say how many do."""
CLIENT_WAITS = 30.0
"""Seconds."""


@dataclass(slots=True)
class Socket:
    """An open websocket and what it may still send."""

    client: str
    events: Account = field(default_factory=lambda: Account(EVENTS))
    size: Account = field(default_factory=lambda: Account(BYTES))
    failures: Account = field(default_factory=lambda: Account(FAILURES))


class Refused(Exception):
    """What a frame has that no page of ours sends."""


class GuardedNamespace(EventNamespace):
    """Reflex's end of the websocket, behind a check and a budget."""

    def __init__(self, namespace: str, app: rx.App) -> None:
        super().__init__(namespace, app)
        self._sockets: dict[str, Socket] = {}
        self._clients: TTLCache[str, Account] = TTLCache(MOST_CLIENTS, ttl=600)
        self._waiting: TTLCache[str, bool] = TTLCache(MOST_CLIENTS, ttl=CLIENT_WAITS)
        self._closed_pages = ClosedPages(app)
        self._closing: set[asyncio.Task[None]] = set()
        self._is_open = True

    async def on_connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> bool | None:
        """Open the socket, unless its client has to wait or does not speak as our pages do (False)."""
        _join_forwarded(environ)
        client = _client_of(environ)
        if not self._is_open or client in self._waiting:
            return False
        self._sockets[sid] = Socket(client)
        WEBSOCKETS.set(len(self._sockets))
        try:
            _require_token(environ)
            await super().on_connect(sid, environ, checked_boot(auth))
        except Refused as reason:
            self._forget(sid)
            self._note(client, str(reason))
            return False
        except BaseException:
            self._forget(sid)
            raise
        self._closed_pages.opened(self.sid_to_token.get(sid, ""))
        return None

    async def on_event(self, sid: str, data: Any) -> None:
        """Hand an event of ours on to Reflex; drop anything else."""
        socket = self._sockets.get(sid)
        if socket is None:
            return
        try:
            event, size = checked_event(data)
        except Refused as reason:
            await self._fail(sid, socket, str(reason))
            return
        if not (socket.events.spend() and socket.size.spend(size)):
            await self._close(sid, socket, "sends too much")
            return
        await super().on_event(sid, event)

    async def on_client_error(self, sid: str, data: Any = None) -> None:
        """Hand on what a page says went wrong in it. Reflex bounds how much of that it logs."""
        socket = self._sockets.get(sid)
        if socket is None:
            return
        if not socket.events.spend():
            await self._close(sid, socket, "reports too many errors")
            return
        await super().on_client_error(sid, data)

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
        if record and socket and not socket.failures.spend():
            closing = asyncio.create_task(self._close(record.sid, socket, "makes events fail"))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _forget(self, sid: str) -> Socket | None:
        socket = self._sockets.pop(sid, None)
        WEBSOCKETS.set(len(self._sockets))
        return socket

    async def _fail(self, sid: str, socket: Socket, reason: str) -> None:
        if not socket.failures.spend():
            await self._close(sid, socket, reason)
            return
        self._note(socket.client, reason)

    async def _close(self, sid: str, socket: Socket, reason: str) -> None:
        if self._forget(sid) is None:
            return
        log.warning("a websocket was closed: it %s", reason)
        self._overdraw(socket.client)
        await self.disconnect(sid)

    def _note(self, client: str, reason: str) -> None:
        if self._spend(client):
            log.info("a frame was refused: it %s", reason)

    def _overdraw(self, client: str) -> None:
        self._spend(client, FAILURES.at_once)

    def _spend(self, client: str, failures: float = 1) -> bool:
        """Count failures of a client; False when it has to wait from now on."""
        account = self._clients.setdefault(client, Account(_budget_of_clients()))
        if account.spend(failures):
            return True
        self._waiting[client] = True
        return False


def guard_websocket(app: rx.App) -> None:
    """Put the guard in the place of Reflex's own end of the websocket."""
    if app.sio is None or app.event_namespace is None:  # an app without any state has no websocket
        return
    guarded = GuardedNamespace(app.event_namespace.namespace, app)
    app._event_namespace = guarded  # noqa: SLF001 - Reflex has no setting for it
    app.sio.register_namespace(guarded)
    app.sio.eio.max_http_buffer_size = MOST_BYTES_OF_A_FRAME
    answer = app.backend_exception_handler

    def count_and_answer(exception: Exception) -> Any:
        guarded.count_failure(EventContext.get().token)
        return answer(exception)

    app.backend_exception_handler = count_and_answer


def checked_event(data: Any) -> tuple[dict[str, Any], int]:
    """An event that our pages could have sent, with nothing else in it, and its size in characters.

    Raises:
        Refused: it is none.
    """
    if not isinstance(data, dict):
        raise Refused("is no event")
    name, payload = data.get("name"), data.get("payload", {})
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise Refused("names no event")
    if name not in RegistrationContext.get().event_handlers or name.endswith(SETTER):
        raise Refused(f"names an event that there is not: {sanitize_client_log_value(name, max_length=80)}")
    if not isinstance(payload, dict):
        raise Refused("has a payload that is no object")
    size = len(name) + _size_of(payload)
    event = {"name": name, "payload": payload, "router_data": checked_address(data.get("router_data"))}
    return event, size


def checked_address(router_data: Any) -> dict[str, Any]:
    """Where the browser says that it is: `{pathname, asPath, query}`, nothing else.

    Raises:
        Refused: it is no address within the shop.
    """
    if router_data is None or router_data == {}:
        return {}
    if not isinstance(router_data, dict):
        raise Refused("has an address that is no object")
    checked: dict[str, Any] = {}
    for key in ("pathname", "asPath"):
        if key in router_data:
            checked[key] = _path(router_data[key])
    query = router_data.get("query", {})
    if not isinstance(query, dict) or len(query) > MOST_PARAMETERS:
        raise Refused("has a query that is none")
    # the parts of an address that leads nowhere, as Reflex sends them: nobody reads them
    query = {name: value for name, value in query.items() if name != "splat" or isinstance(value, str)}
    if not all(isinstance(text, str) and len(text) <= LONGEST_ADDRESS for text in (*query, *query.values())):
        raise Refused("has a query that is none")
    if query:
        checked["query"] = dict(query)
    return checked


def checked_boot(auth: Any) -> Any:
    """What a browser sends with its first frame: the page's first event and the shape of its state.

    Raises:
        Refused: the event is none of ours.
    """
    if not isinstance(auth, dict):
        return None
    checked: dict[str, Any] = {}
    if CompileVars.CONNECT_AUTH_EVENT in auth:
        checked[CompileVars.CONNECT_AUTH_EVENT], _ = checked_event(auth[CompileVars.CONNECT_AUTH_EVENT])
    schema = auth.get(CompileVars.CONNECT_AUTH_STATE_SCHEMA)
    if schema is not None:
        if not isinstance(schema, str) or len(schema) > LONGEST_NAME:
            raise Refused("begins with what is no event")
        checked[CompileVars.CONNECT_AUTH_STATE_SCHEMA] = schema
    return checked


def _path(value: Any) -> str:
    if not isinstance(value, str) or not value.startswith("/") or len(value) > LONGEST_ADDRESS:
        raise Refused("has an address that is none of the shop's")
    return value


def _size_of(value: Any, depth: int = 0) -> int:
    """Characters of a JSON value, about.

    Raises:
        Refused: it is deeper than any of ours.
    """
    if depth > DEEPEST:
        raise Refused("has a payload that is too deep")
    match value:
        case str():
            return len(value) + 2
        case dict():
            return sum(len(key) + _size_of(part, depth + 1) for key, part in value.items()) + 2
        case list():
            return sum(_size_of(part, depth + 1) for part in value) + 2
        case _:
            return 8


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


def _join_forwarded(environ: Mapping[str, Any]) -> None:
    """Make one `X-Forwarded-For` of several, as they are one list: Reflex would read the last one only."""
    scope = environ.get("asgi.scope", {})
    headers = list(scope.get("headers", []))
    lists = [value for name, value in headers if name == FORWARDED]
    if len(lists) > 1:
        others = [(name, value) for name, value in headers if name != FORWARDED]
        scope["headers"] = [*others, (FORWARDED, b", ".join(lists))]


def _client_of(environ: Mapping[str, Any]) -> str:
    """What the client is counted by, as the connection and our own proxies tell it: see `network_of`."""
    scope = environ.get("asgi.scope", {})
    host = (scope.get("client") or ("",))[0]
    forwarded = [value.decode("latin-1") for name, value in scope.get("headers", []) if name == FORWARDED]
    return network_of(address_behind(host, forwarded, current_shop().settings.trusted_proxies))
