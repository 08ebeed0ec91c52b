"""The ASGI app in front of Reflex's app: it answers every request for an HTML document."""

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
from backend.core.observability.logs import without_query
from backend.core.outage import DatabaseUnavailable
from backend.edge.etags import compute_etag
from backend.edge.middleware.instrumentation import ROUTE
from storefront.brand_icons import get_brand
from storefront.documents import client_detection, service_worker, sitemap
from storefront.documents.former_addresses import find_former_page
from storefront.documents.markup import (
    brand_tags,
    disable_font_preloads,
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
from storefront.meta import INDEX, NOINDEX, PRIVATE, DocumentMeta
from storefront.office.routes import TITLE_SUFFIX, OfficePage, find_office_page
from storefront.pages.routes import Page, find_page, sample_path
from storefront.reflex_ext.earlier_builds import EarlierBuilds
from storefront.reflex_ext.office_bundle import with_office_manifest
from storefront.static_files import StaticFiles

log = logging.getLogger(__name__)

SHELL = "__spa-fallback.html"
REFLEX = "_event"
"""The first path segment of Reflex's websocket."""
READING = frozenset({"GET", "HEAD"})
MISSING = frozenset({404, 410})
"""Statuses of a missing page. Its URL may be an address of a former shop, which redirects to a page of this shop."""
MAX_PATH_LENGTH = 2048
MAX_QUERY_LENGTH = 4096
PATH_CHARACTERS = "!$&'()*+,;=:@-._~"
"""Characters that a path segment may contain unencoded (RFC 3986, pchar)."""
QUERY_CHARACTERS = PATH_CHARACTERS + "/?%"
BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class Documents:
    """ASGI app that responds with the documents of a production build.

    All other requests go to `pages`, Reflex's own app.
    """

    def __init__(self, pages: ASGIApp, folder: Path, renders: RenderCache) -> None:
        """Create the app. `folder` contains the build's files for the browser."""
        self._pages = pages
        self._renders = renders
        self._files = StaticFiles(folder, page_folders=[BRAND])  # the brand's drawings have file suffixes
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
        """Respond with the document of the requested page, or pass the request to Reflex's app."""
        if scope["type"] != "http" or self._is_reflex_request(scope["path"]):
            scope[ROUTE] = "(files)"
            await self._pages(scope, receive, send)
            return
        if self._earlier.has(scope["path"]) and scope["method"] in READING:
            scope[ROUTE] = "(files)"
            await self._earlier.app(scope, receive, send)
            return
        response = await self._respond(scope)
        await response(scope, receive, send)

    def _is_reflex_request(self, path: str) -> bool:
        return self._files.has_file(path) or path.removeprefix("/").partition("/")[0] == REFLEX

    async def _respond(self, scope: Scope) -> DocumentResponse:
        if (refusal := self._refusal(scope)) is not None:
            return refusal
        if (answer := await self._respond_without_page(scope["path"])) is not None:
            return answer
        patient = client_detection.is_patient(scope)
        address = read_address(scope)
        screen = find_office_page(address.segments) if address else None
        page = find_page(address.segments) if address else None
        if (shown := screen or page) is not None:
            scope[ROUTE] = shown.route
        if address is not None and screen is not None:
            return await self._screen(screen, address, Headers(scope=scope).get("cookie", ""))
        if address is None or page is None:
            return await self._moved(scope) or await self._not_found(is_patient=patient)
        if not address.is_canonical:
            return _redirect(308, address.url)
        return await self._page_or_moved(page, address, scope, is_patient=patient)

    async def _not_found(self, *, is_patient: bool) -> DocumentResponse:
        return await self._document(await self._loaded.not_found(), is_patient=is_patient)

    async def _page_or_moved(
        self, page: Page, address: "Address", scope: Scope, *, is_patient: bool
    ) -> DocumentResponse:
        """Return the page's document, or a redirect if the address belonged to the owner's former shop.

        A stored redirect whose address includes query parameters has priority over an existing page. Any other
        redirect is used only if the page is missing.
        """
        if address.query and (moved := await self._moved(scope, has_page=True)) is not None:
            return moved
        response = await self._page(page, address, is_patient=is_patient)
        return await self._moved(scope) or response if response.status in MISSING else response

    async def _moved(self, scope: Scope, *, has_page: bool = False) -> DocumentResponse | None:
        """Return the redirect (301) of an address of the owner's former shop; None if there is none.

        See `find_former_page`.
        """
        path = await find_former_page(scope, _raw_path(scope), has_page=has_page)
        return _redirect(301, path) if path else None

    def _refusal(self, scope: Scope) -> DocumentResponse | None:
        """Return an error response if no page can answer the request; otherwise None."""
        if scope["method"] not in READING:
            return _text(405, "Method Not Allowed", allow="GET, HEAD")
        if is_too_long(scope):
            return _text(414, "URI Too Long")
        return _text(404, "Not Found") if self._files.is_in_file_folder(scope["path"]) else None

    async def _screen(self, screen: OfficePage, address: "Address", cookie: str) -> DocumentResponse:
        """Return the document of an office screen, with the data that the signed-in staff member may see.

        If no staff member is signed in, the data cannot be read, or the rendering takes too long, return the
        screen's document without data. The response is never cached. An address that is not canonical is redirected.
        """
        if not address.is_canonical:
            return _redirect(308, address.url)
        meta = DocumentMeta(screen.title, robots=OFFICE_HEADERS["x-robots-tag"])
        icons = await _office_icons()
        document = None
        if (state := await first_state(screen.state, address.url, cookie)) is not None:
            loaded = LoadedPage(screen, address.url, meta, state, TITLE_SUFFIX, icons)
            document = await self._renders.personal_document(loaded)
        if document is None:
            document = await self._renders.document(
                LoadedPage(screen, sample_path(screen), meta, b"{}", TITLE_SUFFIX, icons)
            )
        if document is None:
            body, policy = (
                Body.of(with_tags(self._office_shell, first_tags(meta, TITLE_SUFFIX) + icons), HTML),
                self._office_policy,
            )
        else:
            body, policy = document.body, document.policy
        return DocumentResponse(200, body, headers={**OFFICE_HEADERS, "content-security-policy": policy})

    async def _page(self, page: Page, address: "Address", *, is_patient: bool) -> DocumentResponse:
        try:
            loaded = await self._loaded.page(page, address.url)
        except DatabaseUnavailable:
            return self._bare_shell()  # the outage is logged once, not per page
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
        headers = document_headers(document.policy, loaded.meta.robots)
        return DocumentResponse(loaded.meta.status, document.body, document.tag, headers)

    def _shell_of(self, loaded: LoadedPage) -> DocumentResponse:
        """Return the shell (the document without rendered content) with a plain page, because rendering took too long.

        The browser renders the page from the same initial state.
        """
        tags = (
            first_tags(loaded.meta, loaded.site_name)
            + further_tags(loaded.meta, loaded.site_name)
            + loaded.brand_tags
            + initial_state_element(loaded.initial_state)
        )
        headers = document_headers(self._shell_policy, loaded.meta.robots)
        shell = disable_font_preloads(self._shell, loaded.unused_fonts)
        html = with_plain_page(with_tags(shell, tags), _plain_page(loaded))
        return DocumentResponse(loaded.meta.status, Body.of(html, HTML), headers=headers)

    def _bare_shell(self) -> DocumentResponse:
        """Return the shell with status 503, because the page's data could not be read.

        The browser retries by websocket.
        """
        headers = {**document_headers(self._shell_policy, NOINDEX), "retry-after": "5"}
        html = with_plain_page(self._shell, plain_failure(current_shop().effective_settings.last_known))
        return DocumentResponse(503, Body.of(html, HTML), headers=headers)

    async def _respond_without_page(self, path: str) -> DocumentResponse | None:
        """Return the response to a path that is not a page; None for every other path.

        Such paths are `/robots.txt`, the sitemaps, the service worker, and the path that detects browsers without
        scripts.
        """
        if path == sitemap.ROBOTS:
            return DocumentResponse(200, Body.of(sitemap.robots(), TEXT))
        if path == client_detection.WITHOUT_SCRIPTS:
            return DocumentResponse(
                204, headers={"set-cookie": client_detection.cookie_of(current_shop().settings)}
            )
        if path == service_worker.PATH:
            body = Body.of(await service_worker.service_worker(self._renders.build), service_worker.SCRIPT)
            return DocumentResponse(200, body, compute_etag(body.content), {"cache-control": "no-cache"})
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
        return (
            _text(404, "Not Found")
            if body is None
            else DocumentResponse(200, body, compute_etag(body.content))
        )


async def _office_icons() -> str:
    """Return the head tags of the shop's icons; empty while the database does not answer."""
    try:
        return brand_tags(await get_brand(), with_colors=False)
    except DatabaseUnavailable:
        return ""


def _plain_page(loaded: LoadedPage) -> str:
    """Return the page as text and links; empty if that fails, because the browser renders the page in any case."""
    try:
        return plain_page(loaded)
    except Exception:
        log.exception("the page at %s could not be written in words and links", without_query(loaded.url))
        return ""


def document_headers(policy: str, robots: str) -> dict[str, str]:
    """Return the headers of a page's document with this policy and robots tag."""
    headers = {**DOCUMENT_HEADERS, "content-security-policy": policy}
    if robots == PRIVATE:
        headers["referrer-policy"] = "no-referrer"
    return headers if robots == INDEX else {**headers, "x-robots-tag": robots}


def _text(status: int, text: str, **headers: str) -> DocumentResponse:
    return DocumentResponse(status, Body.of(text + "\n", TEXT), headers=headers)


def _redirect(status: int, path: str) -> DocumentResponse:
    return DocumentResponse(status, headers={"location": path})


# ------------------------------------------------------------------------------------------------ addresses


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a request.

    Attributes:
        sent: the path as the client sent it.
        segments: the decoded path segments; none is empty.
        query: the encoded query.
    """

    sent: str
    segments: tuple[str, ...]
    query: str

    @property
    def path(self) -> str:
        """The canonical path: no doubled or trailing slash, encoded only where necessary."""
        return "/" + "/".join(quote(segment, safe=PATH_CHARACTERS) for segment in self.segments)

    @property
    def url(self) -> str:
        """The canonical path and the query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def is_canonical(self) -> bool:
        """True if the path was sent in its canonical form."""
        return self.sent == self.path


def is_too_long(scope: Scope) -> bool:
    """Return True if the address is longer than any address of the shop."""
    return len(_raw_path(scope)) > MAX_PATH_LENGTH or len(scope["query_string"]) > MAX_QUERY_LENGTH


def read_address(scope: Scope) -> Address | None:
    """Parse the address of a request. Return None if no page can have this address.

    No page's address has an invalid encoding, control characters, `..`, or an encoded slash in a segment.
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
    """Return the path as the client sent it. If the server does not pass it on, encode the decoded path."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    return raw.partition(b"?")[0]
