"""Every page as a finished document: the right status, head and content, before any script runs.

request ─► a file of the build? ─► Reflex
        ─► robots, sitemap
        ─► address ─► page ─► read (its loader) ─► drawn in time? ─► the document
                                                 └─ no ─► the shell, with the same status, head and seed
"""

import logging
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from backend.app import current_shop
from backend.edge.conditional import tag_of
from backend.single_flight import SingleFlight
from storefront.documents import crawlers
from storefront.documents.addresses import Address, is_too_long, page_at, read_address
from storefront.documents.answers import HTML, TEXT, XML, Answer, Body
from storefront.documents.drawing import Drawings
from storefront.documents.files import Files
from storefront.documents.reading import Reading
from storefront.documents.readings import Readings
from storefront.documents.security import FOR_DOCUMENTS, content_policy, inline_scripts
from storefront.documents.seed import carrier_of
from storefront.documents.tags import first_tags, further_tags, with_tags
from storefront.facts import INDEX, NOINDEX
from storefront.pages.routes import Page

log = logging.getLogger(__name__)

SHELL = "__spa-fallback.html"
REFLEX = frozenset({"_event", "_upload", "_health", "_all_routes", "ping"})
"""The first path segments that Reflex keeps for itself."""


class Documents:
    """The pages of a production build, document by document. Whatever is no document goes on to `pages`."""

    def __init__(self, pages: ASGIApp, folder: Path, drawings: Drawings) -> None:
        self._pages = pages
        self._drawings = drawings
        self._files = Files(folder)
        self._shell = (folder / SHELL).read_text("utf-8")
        self._shell_policy = content_policy(current_shop().settings, inline_scripts(self._shell))
        self._readings = Readings()
        self._sitemaps = SingleFlight[str, Body | None]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or self._is_not_ours(scope["path"]):
            await self._pages(scope, receive, send)
            return
        answer = await self._answer(scope)
        await answer(scope, receive, send)

    def _is_not_ours(self, path: str) -> bool:
        return self._files.has(path) or path.removeprefix("/").partition("/")[0] in REFLEX

    async def _answer(self, scope: Scope) -> Answer:
        if (refusal := self._refusal(scope)) is not None:
            return refusal
        if (text := await self._for_crawlers(scope["path"])) is not None:
            return text
        address = read_address(scope)
        page = page_at(address.segments) if address else None
        if address is None or page is None:
            return await self._nowhere()
        if not address.is_canonical:
            return _redirect(308, address.url)
        return await self._page(page, address)

    def _refusal(self, scope: Scope) -> Answer | None:
        """The answer to what no page can answer; None when one may."""
        if scope["method"] not in {"GET", "HEAD"}:
            return _plain(405, "Method Not Allowed", allow="GET, HEAD")
        if is_too_long(scope):
            return _plain(414, "URI Too Long")
        return _plain(404, "Not Found") if self._files.should_have(scope["path"]) else None

    async def _page(self, page: Page, address: Address) -> Answer:
        try:
            reading = await self._readings.page(page, address)
        except Exception:
            log.exception("the page at %s could not be read", address.path)
            return self._without_reading()
        if reading.facts.moved_to:
            return _redirect(reading.facts.status, reading.facts.moved_to)
        return await self._document(reading)

    async def _nowhere(self) -> Answer:
        return await self._document(await self._readings.nowhere())

    async def _document(self, reading: Reading) -> Answer:
        drawn = await self._drawings.drawn(reading)
        if drawn is None:
            return self._shell_of(reading)
        headers = self._headers(drawn.policy, reading.facts.robots)
        return Answer(reading.facts.status, drawn.body, drawn.tag, headers)

    def _shell_of(self, reading: Reading) -> Answer:
        """The document that nobody drew in time. The browser draws it, without asking for anything first."""
        tags = first_tags(reading.facts) + further_tags(reading.facts) + carrier_of(reading.seed)
        headers = self._headers(self._shell_policy, reading.facts.robots)
        return Answer(reading.facts.status, Body.of(with_tags(self._shell, tags), HTML), headers=headers)

    def _without_reading(self) -> Answer:
        """The bare shell: the page's own loading may succeed in a moment, over the websocket."""
        headers = {**self._headers(self._shell_policy, NOINDEX), "retry-after": "5"}
        return Answer(503, Body.of(self._shell, HTML), headers=headers)

    def _headers(self, policy: str, robots: str) -> dict[str, str]:
        headers = {**FOR_DOCUMENTS, "content-security-policy": policy}
        return headers if robots == INDEX else {**headers, "x-robots-tag": robots}

    async def _for_crawlers(self, path: str) -> Answer | None:
        """The answer to a crawler's own questions; None when the path is none of them."""
        if path == crawlers.ROBOTS:
            return Answer(200, Body.of(crawlers.robots(), TEXT))
        if path == crawlers.SITEMAP:
            return await self._sitemap(path, crawlers.sitemap)
        if found := crawlers.STRETCH.fullmatch(path):
            return await self._sitemap(path, lambda: crawlers.stretch(int(found[1])))
        return None

    async def _sitemap(self, path: str, read: Callable[[], Awaitable[str | None]]) -> Answer:
        async def packed() -> Body | None:
            text = await read()
            return None if text is None else await to_thread(Body.of, text, XML)

        body = await self._sitemaps.share_next(path, packed)
        return _plain(404, "Not Found") if body is None else Answer(200, body, tag_of(body.content))


def _plain(status: int, text: str, **headers: str) -> Answer:
    return Answer(status, Body.of(text + "\n", TEXT), headers=headers)


def _redirect(status: int, path: str) -> Answer:
    return Answer(status, headers={"location": path})
