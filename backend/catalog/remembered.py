"""Answers of the catalogue that are given again for as long as nothing they are made of has changed.

This is no cache by time or tag (spec: Storefront view rules 5): before an answer is given again, the database is asked
whether the catalogue has changed since. A change is in the very next answer of every replica.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.catalog.version import Version, Versions

ROOM = 32 * 1024 * 1024
"""How many bytes of answers a process keeps; the ones that were asked for least lately go first."""
LARGEST = ROOM // 16
OVERHEAD = 2_000
"""What keeping an answer takes beside its body, in bytes."""

CATALOGUE = re.compile(r"/store/(?:products|product-categories|collections|regions)(?:/[^/]+)?")
SHOWS_STOCK = b"inventory_quantity"
KEY_HEADER = b"x-publishable-api-key"

Key = tuple[str, bytes, bytes]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the API, and what it was made of."""

    version: Version
    shows_stock: bool
    start: Message
    body: bytes
    etag: bytes

    def holds(self, version: Version) -> bool:
        """Whether it is what the API would answer now."""
        if self.version.catalog != version.catalog:
            return False
        return not self.shows_stock or self.version.stock == version.stock


class RememberedAnswers:
    """The API, with its catalogue's answers remembered by address and publishable key."""

    def __init__(self, app: ASGIApp, versions: Versions, room: int = ROOM) -> None:
        self._app = app
        self._versions = versions
        self._answers: LRUCache[Key, Answer] = LRUCache(room, getsizeof=_size)

    @property
    def held(self) -> int:
        """Bytes that the answers take by now."""
        return int(self._answers.currsize)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from memory, or have the API answer and remember it."""
        if (
            scope["type"] != "http"
            or scope["method"] != "GET"
            or not CATALOGUE.fullmatch(scope["path"])
            or (version := await self._version()) is None
        ):
            await self._app(scope, receive, send)
            return
        headers = dict(
            reversed(scope["headers"])
        )  # of several by one name the first counts, as it does in the API
        key = (scope["path"], scope["query_string"], headers.get(KEY_HEADER, b""))
        answer = self._answers.get(key)
        if answer is None or not answer.holds(version):
            await self._app(scope, receive, _Listener(self, key, version, send))
            return
        if answer.etag in headers.get(b"if-none-match", b""):
            not_modified = {"type": "http.response.start", "status": 304, "headers": [(b"etag", answer.etag)]}
            await send(not_modified)
            await send({"type": "http.response.body", "body": b""})
            return
        # the headers are a list of the answer's own: who sends it may add some
        await send({**answer.start, "headers": [*answer.start["headers"]]})
        await send({"type": "http.response.body", "body": answer.body})

    async def _version(self) -> Version | None:
        """None when the database does not answer: the API says so in its own words."""
        try:
            return await self._versions.now()
        except OSError:
            return None

    def remember(self, key: Key, answer: Answer) -> None:
        """Keep the answer; the room is for the ones that are asked for."""
        if _size(answer) <= min(LARGEST, self._answers.maxsize):
            self._answers[key] = answer


class _Listener:
    """Passes an answer on and has it remembered. Its version was read before it was made, so it is never too new."""

    def __init__(self, memory: RememberedAnswers, key: Key, version: Version, send: Send) -> None:
        self._memory = memory
        self._key = key
        self._version = version
        self._send = send
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = {**message, "headers": [*message["headers"]]} if message["status"] == 200 else None
        elif message.get("more_body"):
            self._start = None  # in parts: no catalogue answer is, and none is kept
        elif self._start is not None:
            shows_stock = SHOWS_STOCK in unquote_to_bytes(self._key[1])
            etag = Headers(raw=self._start["headers"]).get("etag", "").encode()
            answer = Answer(self._version, shows_stock, self._start, message["body"], etag)
            self._memory.remember(self._key, answer)
        await self._send(message)


def _size(answer: Answer) -> int:
    return len(answer.body) + OVERHEAD
