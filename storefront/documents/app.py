"""The ASGI app in front of Reflex's: what each address is answered with."""

import logging
import re
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.app import current_shop
from backend.core.caching.single_flight import SingleFlight
from backend.core.observability.logs import path_of
from backend.core.outage import DatabaseUnavailable
from backend.edge.etags import tag_of
from backend.edge.middleware.instrumentation import ROUTE
from storefront.documents import client_detection, sitemap
from storefront.documents.markup import (
    first_tags,
    further_tags,
    initial_state_element,
    with_plain_page,
    with_tags,
)
from storefront.documents.office_documents import first_state
from storefront.documents.page_cache import LoadedPage, PageCache
from storefront.documents.plain_page import plain_failure, plain_page
from storefront.documents.render_cache import RenderCache
from storefront.documents.responses import HTML, TEXT, XML, Body, DocumentResponse
from storefront.documents.security_headers import (
    DOCUMENT_HEADERS,
    OFFICE_HEADERS,
    content_policy,
    inline_scripts,
)
from storefront.links import BRAND
from storefront.meta import INDEX, NOINDEX, DocumentMeta
from storefront.office.routes import NAME, OfficePage, office_page_at
from storefront.pages.routes import Page, page_at, sample_of
from storefront.reflex_ext.earlier_builds import EarlierBuilds
from storefront.reflex_ext.office_bundle import with_office_manifest
from storefront.static_files import StaticFiles

log = logging.getLogger(__name__)

SHELL = "__spa-fallback.html"
REFLEX = "_event"
"""The first path segment that Reflex keeps for itself: its websocket."""
READING = frozenset({"GET", "HEAD"})
LONGEST_PATH = 2048
LONGEST_QUERY = 4096
PATH_CHARACTERS = "!$&'()*+,;=:@-._~"
"""What a segment of a path may hold unencoded (RFC 3986, pchar)."""
QUERY_CHARACTERS = PATH_CHARACTERS + "/?%"
BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class Documents:
    """The pages of a production build as documents. Every other request goes on to `pages`, Reflex's own app."""

    def __init__(self, pages: ASGIApp, folder: Path, renders: RenderCache) -> None:
        """`folder` holds the build's files for the browser."""
        self._pages = pages
        self._renders = renders
        self._files = StaticFiles(folder, pages_in=[BRAND])  # the drawings there have suffixes
        self._earlier = EarlierBuilds(current_shop().settings.data_dir)
        self._shell = (folder / SHELL).read_text("utf-8")
        self._shell_policy = content_policy(current_shop().settings, inline_scripts(self._shell))
        self._office_shell = with_office_manifest(self._shell)
        self._office_policy = content_policy(
            current_shop().settings, inline_scripts(self._office_shell), in_office=True
        )
        self._loaded = PageCache()
        self._sitemaps = SingleFlight[str, Body | None]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or self._is_not_ours(scope["path"]):
            scope[ROUTE] = "(files)"
            await self._pages(scope, receive, send)
            return
        if self._earlier.has(scope["path"]) and scope["method"] in READING:
            scope[ROUTE] = "(files)"
            await self._earlier.app(scope, receive, send)
            return
        response = await self._respond(scope)
        await response(scope, receive, send)

    def _is_not_ours(self, path: str) -> bool:
        return self._files.has(path) or path.removeprefix("/").partition("/")[0] == REFLEX

    async def _respond(self, scope: Scope) -> DocumentResponse:
        if (refusal := self._refusal(scope)) is not None:
            return refusal
        if (answer := await self._beside_pages(scope["path"])) is not None:
            return answer
        patient = client_detection.is_patient(scope)
        address = read_address(scope)
        screen = office_page_at(address.segments) if address else None
        page = page_at(address.segments) if address else None
        if (shown := screen or page) is not None:
            scope[ROUTE] = shown.route
        if address is not None and screen is not None:
            return await self._screen(screen, address, Headers(scope=scope).get("cookie", ""))
        if address is None or page is None:
            return await self._document(await self._loaded.not_found(), is_patient=patient)
        if not address.is_canonical:
            return _redirect(308, address.url)
        return await self._page(page, address, is_patient=patient)

    def _refusal(self, scope: Scope) -> DocumentResponse | None:
        """The answer to what no page can answer; None when one may."""
        if scope["method"] not in READING:
            return _text(405, "Method Not Allowed", allow="GET, HEAD")
        if is_too_long(scope):
            return _text(414, "URI Too Long")
        return _text(404, "Not Found") if self._files.should_have(scope["path"]) else None

    async def _screen(self, screen: OfficePage, address: "Address", cookie: str) -> DocumentResponse:
        """The document of a screen of the office: with what whoever is signed in sees there, and stored by nobody.

        For everybody else, and where that fails, it is the same: what the screen looks like before anything is known.
        """
        if not address.is_canonical:
            return _redirect(308, address.url)
        meta = DocumentMeta(screen.title, robots=OFFICE_HEADERS["x-robots-tag"])
        document = None
        if (state := await first_state(screen.state, address.url, cookie)) is not None:
            loaded = LoadedPage(screen, address.url, meta, state, NAME)
            document = await self._renders.personal_document(loaded)
        if document is None:
            document = await self._renders.document(LoadedPage(screen, sample_of(screen), meta, b"{}", NAME))
        if document is None:
            body, policy = (
                Body.of(with_tags(self._office_shell, first_tags(meta, NAME)), HTML),
                self._office_policy,
            )
        else:
            body, policy = document.body, document.policy
        return DocumentResponse(200, body, headers={**OFFICE_HEADERS, "content-security-policy": policy})

    async def _page(self, page: Page, address: "Address", *, is_patient: bool) -> DocumentResponse:
        try:
            loaded = await self._loaded.page(page, address.url)
        except DatabaseUnavailable:
            return self._bare_shell()  # it is told once, not with every page
        except Exception:
            log.exception("the page at %s could not be loaded", address.path)
            return self._bare_shell()
        if loaded.meta.moved_to:
            return _redirect(loaded.meta.status, loaded.meta.moved_to)
        return await self._document(loaded, is_patient=is_patient)

    async def _document(self, loaded: LoadedPage, *, is_patient: bool) -> DocumentResponse:
        document = await self._renders.document(loaded, is_patient=is_patient)
        if document is None:
            return self._shell_of(loaded)
        headers = _document_headers(document.policy, loaded.meta.robots)
        return DocumentResponse(loaded.meta.status, document.body, document.tag, headers)

    def _shell_of(self, loaded: LoadedPage) -> DocumentResponse:
        """The document that was not rendered in time, in words and links: the browser draws it, from the same state."""
        tags = (
            first_tags(loaded.meta, loaded.site_name)
            + further_tags(loaded.meta, loaded.site_name)
            + initial_state_element(loaded.initial_state)
        )
        headers = _document_headers(self._shell_policy, loaded.meta.robots)
        html = with_plain_page(with_tags(self._shell, tags), _plain_page(loaded))
        return DocumentResponse(loaded.meta.status, Body.of(html, HTML), headers=headers)

    def _bare_shell(self) -> DocumentResponse:
        """503: what the page shows could not be read. The browser tries again over the websocket."""
        headers = {**_document_headers(self._shell_policy, NOINDEX), "retry-after": "5"}
        html = with_plain_page(self._shell, plain_failure(current_shop().settings))
        return DocumentResponse(503, Body.of(html, HTML), headers=headers)

    async def _beside_pages(self, path: str) -> DocumentResponse | None:
        """`/robots.txt`, a sitemap, or the cookie of browsers without scripts; None when the path is none of them."""
        if path == sitemap.ROBOTS:
            return DocumentResponse(200, Body.of(sitemap.robots(), TEXT))
        if path == client_detection.WITHOUT_SCRIPTS:
            return DocumentResponse(
                204, headers={"set-cookie": client_detection.cookie_of(current_shop().settings)}
            )
        if path == sitemap.SITEMAP:
            return await self._sitemap(path, sitemap.sitemap)
        if found := sitemap.SITEMAP_PAGE.fullmatch(path):
            return await self._sitemap(path, lambda: sitemap.sitemap_page(int(found[1])))
        return None

    async def _sitemap(self, path: str, read: Callable[[], Awaitable[str | None]]) -> DocumentResponse:
        async def packed() -> Body | None:
            text = await read()
            return None if text is None else await to_thread(Body.of, text, XML)

        body = await self._sitemaps.share_next(path, packed)
        return _text(404, "Not Found") if body is None else DocumentResponse(200, body, tag_of(body.content))


def _plain_page(loaded: LoadedPage) -> str:
    """The page in words and links. Without them, if they cannot be written, the browser still draws the page."""
    try:
        return plain_page(loaded)
    except Exception:
        log.exception("the page at %s could not be written in words and links", path_of(loaded.url))
        return ""


def _document_headers(policy: str, robots: str) -> dict[str, str]:
    headers = {**DOCUMENT_HEADERS, "content-security-policy": policy}
    return headers if robots == INDEX else {**headers, "x-robots-tag": robots}


def _text(status: int, text: str, **headers: str) -> DocumentResponse:
    return DocumentResponse(status, Body.of(text + "\n", TEXT), headers=headers)


def _redirect(status: int, path: str) -> DocumentResponse:
    return DocumentResponse(status, headers={"location": path})


# ------------------------------------------------------------------------------------------------ addresses


@dataclass(frozen=True, slots=True)
class Address:
    """An address that a browser asked for.

    Attributes:
        sent: the path as it was sent.
        segments: its parts, decoded; none is empty.
        query: the query, encoded.
    """

    sent: str
    segments: tuple[str, ...]
    query: str

    @property
    def path(self) -> str:
        """The canonical path: no slash doubled or at the end, encoded only where it has to be."""
        return "/" + "/".join(quote(segment, safe=PATH_CHARACTERS) for segment in self.segments)

    @property
    def url(self) -> str:
        """The canonical path and the query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def is_canonical(self) -> bool:
        """Whether the path was sent in its canonical form."""
        return self.sent == self.path


def is_too_long(scope: Scope) -> bool:
    """Whether the address is longer than any of ours."""
    return len(_raw_path(scope)) > LONGEST_PATH or len(scope["query_string"]) > LONGEST_QUERY


def read_address(scope: Scope) -> Address | None:
    """The address of a request; None when no page can have it.

    That is: what is wrongly encoded, holds control characters, climbs (`..`), or hides a slash inside a segment.
    """
    raw = _raw_path(scope)
    if not raw.startswith(b"/") or BROKEN.search(raw):
        return None
    try:
        segments = tuple(unquote_to_bytes(part).decode() for part in raw.split(b"/") if part)
    except UnicodeDecodeError:
        return None
    if any(not part.isprintable() or "/" in part or part in {".", ".."} for part in segments):
        return None
    return Address(raw.decode("latin-1"), segments, quote(scope["query_string"], safe=QUERY_CHARACTERS))


def _raw_path(scope: Scope) -> bytes:
    """The path as it was sent. A server may leave it out; then it is encoded again from the decoded one."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    return raw.partition(b"?")[0]
