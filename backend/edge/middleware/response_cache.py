"""Cache of catalogue responses, which are valid until the data that they show changes.

This is not a cache by time or tag (spec: Storefront view rules 5): before a response is sent again, the database is
asked whether the catalogue has changed since. So after a change, the next response of every replica shows it.
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
from backend.edge.etags import IF_NONE_MATCH, NotModified, has_current_copy
from backend.edge.middleware.instrumentation import ROUTE

MAX_BYTES = 32 * 1024 * 1024
"""Maximum memory for the responses of a process; the least recently used are removed first."""
MAX_RESPONSE_BYTES = MAX_BYTES // 16
OVERHEAD_BYTES = 2_000
"""Memory of a cached response in addition to its body and key, in bytes."""
BYTES_PER_PRODUCT = 90
"""Memory for each product that a cached response shows, in bytes."""

CATALOGUE = re.compile(
    r"/store/(?:products|product-(?:categories|options|tags|types|variants)|collections|regions)(?:/[^/]+)?"
)
SHOWS_STOCK = b"inventory_quantity"
KEY_HEADER = b"x-publishable-api-key"
SOURCES_KEY = "trompo.made_of"
"""Key in a request's scope for its `ResponseSources`."""

Key = tuple[str, bytes, bytes]


@dataclass(slots=True)
class ResponseSources:
    """The data that a response depends on: all products, unless `declare_products` was called.

    `version` was read before the data, so the data is at least as new as this version.
    """

    version: Version
    products: tuple[str, ...] | None = None
    """Ids of the products it shows, if it depends only on these, on lists and on shared data; else None."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response of the API, its key, and the data that it depends on."""

    key: Key
    sources: ResponseSources
    shows_stock: bool
    start: Message
    body: bytes
    tag: str

    @property
    def size(self) -> int:
        """Size in bytes, including the path and query in the key, whose length the client chooses."""
        key_size = sum(map(len, self.key))
        return (
            key_size + len(self.body) + BYTES_PER_PRODUCT * len(self.sources.products or ()) + OVERHEAD_BYTES
        )

    def is_current(self, version: Version, changes: ProductChanges) -> bool:
        """Return True if the API would give the same response at this version of the catalogue.

        `changes` must contain all changes of products up to the version.
        """
        own_version, products = self.sources.version, self.sources.products
        if self.shows_stock and own_version.stock != version.stock:
            return False
        if own_version.catalog == version.catalog:
            return True
        if products is None or own_version.without_products != version.without_products:
            return False
        return changes.are_unchanged_since(own_version.product_changes, products)


class ResponseCache:
    """Middleware that caches the API's catalogue responses by path, query and publishable key."""

    def __init__(self, app: ASGIApp, probe: VersionProbe, max_bytes: int = MAX_BYTES) -> None:
        self._app = app
        self._probe = probe
        self._responses: LRUCache[Key, CachedResponse] = LRUCache(
            max_bytes, getsizeof=lambda response: response.size
        )

    @property
    def size(self) -> int:
        """Size of the cached responses, in bytes."""
        return int(self._responses.currsize)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the cached response, or let the API respond and cache that response."""
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
        )  # of several headers with one name the first counts, as in the API
        key = (scope["path"], scope["query_string"], headers.get(KEY_HEADER, b""))
        response = self._responses.get(key)
        if response is None or not response.is_current(version, self._probe.product_changes):
            # without If-None-Match, because a 304 could not be cached
            headers_left = [line for line in scope["headers"] if line[0] != IF_NONE_MATCH]
            sources = ResponseSources(version)
            inner_scope = {**scope, "headers": headers_left, SOURCES_KEY: sources}
            recorder = _Recorder(
                cache=self, key=key, sources=sources, scope=scope, receive=receive, send=send
            )
            await self._app(inner_scope, receive, recorder)
        elif has_current_copy(scope, response.tag):
            await NotModified(response.start["headers"])(scope, receive, send)
        else:
            # copy the headers, because the sender may add some
            await send({**response.start, "headers": [*response.start["headers"]]})
            await send({"type": "http.response.body", "body": response.body})

    async def _version(self) -> Version | None:
        """Return the current version of the catalogue; None if the database does not answer: the API reports this."""
        try:
            return await self._probe.read_version()
        except OSError:
            return None

    def store(self, response: CachedResponse) -> None:
        """Cache the response, unless it is too large."""
        if response.size <= min(MAX_RESPONSE_BYTES, self._responses.maxsize):
            self._responses[response.key] = response


@dataclass(slots=True, kw_only=True)
class _Recorder:
    """A send function that sends a response and caches it."""

    cache: ResponseCache
    key: Key
    sources: ResponseSources
    scope: Scope
    receive: Receive
    send: Send
    _start: Message | None = field(default=None, init=False)

    async def __call__(self, message: Message) -> None:
        start, self._start = self._start, None
        if message["type"] == "http.response.start" and message["status"] == 200:
            self._start = message  # not sent yet: the client may have this response already
        elif start is None:
            await self.send(message)
        elif message.get("more_body"):  # in several parts: no catalogue response is, so it is not cached
            await self.send(start)
            await self.send(message)
        else:
            await self._finish(start, message)

    async def _finish(self, start: Message, message: Message) -> None:
        stored = {**start, "headers": [*start["headers"]]}
        tag = Headers(raw=stored["headers"]).get("etag", "")
        shows_stock = SHOWS_STOCK in unquote_to_bytes(self.key[1])
        response = CachedResponse(self.key, self.sources, shows_stock, stored, message["body"], tag)
        self.cache.store(response)
        if has_current_copy(self.scope, tag):
            await NotModified(start["headers"])(self.scope, self.receive, self.send)
        else:
            await self.send(start)
            await self.send(message)


def declare_products(request: Request, products: Sequence[str]) -> None:
    """Declare that only changes of these products, of lists or of shared data can change the response."""
    sources: ResponseSources | None = request.scope.get(SOURCES_KEY)
    if sources is not None:
        sources.products = tuple(products)


def route_template(path: str) -> str:
    """Return the route's path template for a path that `CATALOGUE` matches.

    The template is needed for the metrics, because a cached response never reaches its route.
    """
    store, kind, *ids = path.removeprefix("/").split("/")
    return "/".join(("", store, kind, *("{id}" for _ in ids)))
