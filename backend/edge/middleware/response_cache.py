"""Responses of the catalogue, cached for as long as nothing they are made of has changed.

This is no cache by time or tag (spec: Storefront view rules 5): before a response is sent again, the database is asked
whether the catalogue has changed since. So a change is in the very next response of every replica.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core.caching.version_probe import ProductChanges, Version, VersionProbe
from backend.edge.etags import IF_NONE_MATCH, NotModified, is_known
from backend.edge.middleware.instrumentation import ROUTE

MAX_BYTES = 32 * 1024 * 1024
"""How much memory the responses of a process may take; the least recently used go first."""
MAX_RESPONSE = MAX_BYTES // 16
OVERHEAD = 2_000
"""What a cached response takes beside its body and what it is known by, in bytes."""
OF_AN_ID = 90
"""What it takes for each product that it shows."""

CATALOGUE = re.compile(
    r"/store/(?:products|product-(?:categories|options|tags|types|variants)|collections|regions)(?:/[^/]+)?"
)
SHOWS_STOCK = b"inventory_quantity"
KEY_HEADER = b"x-publishable-api-key"
MADE_OF = "trompo.made_of"
"""Key in a request's scope: its `MadeOf`."""

Key = tuple[str, bytes, bytes]


@dataclass(slots=True)
class MadeOf:
    """What a response is made of; who makes it may tell.

    Its version was read when the request came, so it is never too new.
    """

    version: Version
    products: tuple[str, ...] | None = None
    """The products it shows, if it is the same until one of them changes, a list, or what products share."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response of the API, the key it is known by, and what it was made of."""

    key: Key
    made_of: MadeOf
    shows_stock: bool
    start: Message
    body: bytes
    tag: str

    @property
    def size(self) -> int:
        """Bytes that it takes; whoever asks decides how long its path and query are."""
        known_by = sum(map(len, self.key))
        return known_by + len(self.body) + OF_AN_ID * len(self.made_of.products or ()) + OVERHEAD

    def is_current(self, version: Version, changes: ProductChanges) -> bool:
        """Whether the API would respond the same at this version, which the changes of products are known of."""
        own, products = self.made_of.version, self.made_of.products
        if self.shows_stock and own.stock != version.stock:
            return False
        if own.catalog == version.catalog:
            return True
        if products is None or own.beside_products != version.beside_products:
            return False
        return changes.none_since(own.product_changes, products)


class ResponseCache:
    """The API, with its catalogue's responses cached by path, query and publishable key."""

    def __init__(self, app: ASGIApp, probe: VersionProbe, max_bytes: int = MAX_BYTES) -> None:
        self._app = app
        self._probe = probe
        self._responses: LRUCache[Key, CachedResponse] = LRUCache(
            max_bytes, getsizeof=lambda response: response.size
        )

    @property
    def size(self) -> int:
        """Bytes that the cached responses take."""
        return int(self._responses.currsize)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the cached response, or have the API respond and cache that."""
        if (
            scope["type"] != "http"
            or scope["method"] != "GET"
            or not CATALOGUE.fullmatch(scope["path"])
            or (version := await self._version()) is None
        ):
            await self._app(scope, receive, send)
            return
        scope[ROUTE] = route_template(scope["path"])
        headers = dict(
            reversed(scope["headers"])
        )  # of several by one name the first counts, as it does in the API
        key = (scope["path"], scope["query_string"], headers.get(KEY_HEADER, b""))
        response = self._responses.get(key)
        if response is None or not response.is_current(version, self._probe.product_changes):
            # the API is asked unconditionally: a 304 could not be cached
            headers_left = [line for line in scope["headers"] if line[0] != IF_NONE_MATCH]
            made_of = MadeOf(version)
            whole = {**scope, "headers": headers_left, MADE_OF: made_of}
            recorder = _Recorder(
                cache=self, key=key, made_of=made_of, scope=scope, receive=receive, send=send
            )
            await self._app(whole, receive, recorder)
        elif is_known(scope, response.tag):
            await NotModified(response.start["headers"])(scope, receive, send)
        else:
            # a copy of the headers: who sends them may add some
            await send({**response.start, "headers": [*response.start["headers"]]})
            await send({"type": "http.response.body", "body": response.body})

    async def _version(self) -> Version | None:
        """None when the database does not answer: then the API reports the error itself."""
        try:
            return await self._probe.now()
        except OSError:
            return None

    def store(self, response: CachedResponse) -> None:
        """Cache the response, unless it is too large."""
        if response.size <= min(MAX_RESPONSE, self._responses.maxsize):
            self._responses[response.key] = response


@dataclass(slots=True, kw_only=True)
class _Recorder:
    """Sends a response and caches it."""

    cache: ResponseCache
    key: Key
    made_of: MadeOf
    scope: Scope
    receive: Receive
    send: Send
    _start: Message | None = field(default=None, init=False)

    async def __call__(self, message: Message) -> None:
        start, self._start = self._start, None
        if message["type"] == "http.response.start" and message["status"] == 200:
            self._start = message  # not sent yet: the caller may have this response already
        elif start is None:
            await self.send(message)
        elif message.get("more_body"):  # in parts: no catalogue response is, and none is cached
            await self.send(start)
            await self.send(message)
        else:
            await self._finish(start, message)

    async def _finish(self, start: Message, message: Message) -> None:
        stored = {**start, "headers": [*start["headers"]]}
        tag = Headers(raw=stored["headers"]).get("etag", "")
        shows_stock = SHOWS_STOCK in unquote_to_bytes(self.key[1])
        response = CachedResponse(self.key, self.made_of, shows_stock, stored, message["body"], tag)
        self.cache.store(response)
        if is_known(self.scope, tag):
            await NotModified(start["headers"])(self.scope, self.receive, self.send)
        else:
            await self.send(start)
            await self.send(message)


def shows_only(request: Request, products: Sequence[str]) -> None:
    """Tell that the response is the same until one of these products changes, a list, or what products share."""
    made_of: MadeOf | None = request.scope.get(MADE_OF)
    if made_of is not None:
        made_of.products = tuple(products)


def route_template(path: str) -> str:
    """The template of a path that `CATALOGUE` matches: what is served from here never comes to its route."""
    store, kind, *one = path.removeprefix("/").split("/")
    return "/".join(("", store, kind, *("{id}" for _ in one)))
