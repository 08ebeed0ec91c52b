"""Answers of the catalogue that are given again for as long as nothing they are made of has changed.

This is no cache by time or tag (spec: Storefront view rules 5): before an answer is given again, the database is asked
whether the catalogue has changed since. A change is in the very next answer of every replica.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.catalog.version import Version, Versions
from backend.edge.conditional import IF_NONE_MATCH, NotModified, is_known

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
    tag: str

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
            # asked for in full: what is sent as unchanged could not be remembered
            whole = {**scope, "headers": [line for line in scope["headers"] if line[0] != IF_NONE_MATCH]}
            listener = _Listener(
                memory=self, key=key, version=version, scope=scope, receive=receive, send=send
            )
            await self._app(whole, receive, listener)
        elif is_known(scope, answer.tag):
            await NotModified(answer.start["headers"])(scope, receive, send)
        else:
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


@dataclass(slots=True, kw_only=True)
class _Listener:
    """Passes an answer on and has it remembered. Its version was read before it was made, so it is never too new."""

    memory: RememberedAnswers
    key: Key
    version: Version
    scope: Scope
    receive: Receive
    send: Send
    _start: Message | None = field(default=None, init=False)

    async def __call__(self, message: Message) -> None:
        start, self._start = self._start, None
        if message["type"] == "http.response.start" and message["status"] == 200:
            self._start = message  # held back: the caller may have the answer already
        elif start is None:
            await self.send(message)
        elif message.get("more_body"):  # in parts: no catalogue answer is, and none is kept
            await self.send(start)
            await self.send(message)
        else:
            await self._answer(start, message)

    async def _answer(self, start: Message, message: Message) -> None:
        kept = {**start, "headers": [*start["headers"]]}
        tag = Headers(raw=kept["headers"]).get("etag", "")
        shows_stock = SHOWS_STOCK in unquote_to_bytes(self.key[1])
        self.memory.remember(self.key, Answer(self.version, shows_stock, kept, message["body"], tag))
        if is_known(self.scope, tag):
            await NotModified(start["headers"])(self.scope, self.receive, self.send)
        else:
            await self.send(start)
            await self.send(message)


def _size(answer: Answer) -> int:
    return len(answer.body) + OVERHEAD
