"""Rendering of documents with a deadline, and a cache of the rendered documents."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cachetools import LRUCache

from backend.core.caching.single_flight import SingleFlight
from backend.core.config.settings import Settings
from backend.core.observability.logs import without_query
from backend.edge.etags import compute_etag
from storefront.documents.markup import (
    arrange_for_first_paint,
    delay_module,
    disable_font_preloads,
    further_tags,
    initial_state_element,
    with_first_picture,
    with_tags,
)
from storefront.documents.page_cache import LoadedPage
from storefront.documents.responses import HTML, Body
from storefront.documents.security_headers import content_policy, inline_scripts
from storefront.office.routes import OfficePage
from storefront.pages.routes import HasRoute, sample_path
from storefront.reflex_ext.office_bundle import with_office_manifest
from storefront.renderer.process import NotRendered
from storefront.renderer.supervisor import PATIENT_TIMEOUT_S

log = logging.getLogger(__name__)

DEADLINE = 0.15
"""Seconds that a client waits for the rendering. After that it gets the shell, and the browser renders the page."""
PERSONAL_DEADLINE = 0.5
"""Seconds that a client waits for the rendering of a personal document.

It is longer than `DEADLINE`: with a document that is not rendered, the content appears seconds later.
"""
MAX_PATIENT_CLIENTS = 64
"""Maximum number of clients that may wait longer at the same time, up to `PATIENT_TIMEOUT_S`."""
MAX_BYTES = 32 * 2**20
"""Size in bytes of all stored documents, compressed; the least recently used are evicted first."""


class Renderer(Protocol):
    """Renderer of pages, implemented by `storefront.renderer.supervisor.RendererSupervisor`."""

    @property
    def is_waking(self) -> bool:
        """True if the renderer was stopped because of inactivity and is not running again yet."""

    def wake(self) -> None:
        """Start the renderer if it is stopped for inactivity."""

    async def render(self, url: str, initial_state: bytes, *, is_patient: bool = False) -> str:
        """Return the HTML of the page at `url` with this initial state.

        Args:
            url: the page's URL.
            initial_state: the values that the page displays.
            is_patient: wait longer for the HTML, for example because the client runs no scripts.

        Raises:
            NotRendered: no HTML could be rendered.
        """


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A rendered document with its Content-Security-Policy and ETag."""

    body: Body
    policy: str
    tag: str


class RenderCache:
    """Renders documents and stores them.

    A document depends only on its address and its loaded data. The key of the cache is a digest of both, so a
    stored document is never outdated.
    """

    def __init__(self, renderer: Renderer, settings: Settings, build: bytes, folder: Path) -> None:
        """Create an empty cache.

        `build` identifies the build and is part of every key. `folder` contains the build's files for the browser.
        """
        self._renderer = renderer
        self._settings = settings
        self.build = build
        self._folder = folder
        self._policies: dict[str, str] = {}
        self._stored: LRUCache[str, RenderedDocument] = LRUCache(
            MAX_BYTES, getsizeof=lambda document: len(document.body.content)
        )
        # a rendering that is too late for this client is stored for the next one
        self._rendering = SingleFlight[tuple[str, bool], RenderedDocument | None](runs_to_end=True)
        self._patient = 0

    async def document(self, loaded: LoadedPage, *, is_patient: bool = False) -> RenderedDocument | None:
        """Return the rendered document, or None if it is not ready in time.

        The deadline is longer for a client that runs no scripts (`is_patient`). While the renderer starts after
        inactivity, it is longer for all clients.
        """
        self._renderer.wake()
        tags = further_tags(loaded.meta, loaded.site_name) + loaded.brand_tags
        tag = compute_etag(self.build, loaded.url.encode(), loaded.initial_state, tags.encode())
        if (stored := self._stored.get(tag)) is not None:
            return stored
        is_patient = (is_patient or self._renderer.is_waking) and self._patient < MAX_PATIENT_CLIENTS
        self._patient += is_patient
        document = None
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENT_TIMEOUT_S if is_patient else DEADLINE):
                    document = await self._rendering.share(
                        (tag, is_patient),
                        lambda: self._render_and_store(loaded, tags, tag, is_patient=is_patient),
                    )
        finally:
            self._patient -= is_patient
        return document

    async def personal_document(self, loaded: LoadedPage) -> RenderedDocument | None:
        """Return a document with a staff member's data, or None if it is not ready in time.

        The document is neither stored nor shared with other requests.
        """
        is_patient = self._renderer.is_waking
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENT_TIMEOUT_S if is_patient else PERSONAL_DEADLINE):
                tags = further_tags(loaded.meta, loaded.site_name) + loaded.brand_tags
                return await self._render(loaded, tags, tag="", is_patient=is_patient)
        return None

    async def _render_and_store(
        self, loaded: LoadedPage, tags: str, tag: str, *, is_patient: bool
    ) -> RenderedDocument | None:
        document = await self._render(loaded, tags, tag, is_patient=is_patient)
        if document is not None and len(document.body.content) <= self._stored.maxsize:
            self._stored[tag] = document
        return document

    async def _render(
        self, loaded: LoadedPage, tags: str, tag: str, *, is_patient: bool
    ) -> RenderedDocument | None:
        try:
            policy = await self._policy(loaded.page, is_patient=is_patient)
            html = await self._html(loaded.page, loaded.url, loaded.initial_state, is_patient=is_patient)
        except NotRendered as reason:
            log.info("%s was not rendered: %s", without_query(loaded.url), reason)
            return None
        html = with_tags(with_first_picture(html, loaded.meta), tags)
        html = disable_font_preloads(html, loaded.unused_fonts)
        html = arrange_for_first_paint(html, initial_state_element(loaded.initial_state), self._folder)
        return RenderedDocument(Body.of(html, HTML), policy, tag)

    async def _html(self, page: HasRoute, url: str, initial_state: bytes, *, is_patient: bool) -> str:
        html = await self._renderer.render(url, initial_state, is_patient=is_patient)
        return with_office_manifest(html) if isinstance(page, OfficePage) else delay_module(html)

    async def _policy(self, page: HasRoute, *, is_patient: bool) -> str:
        """Return the Content-Security-Policy of the page.

        It allows only the inline scripts that the page has when it is rendered without data. So a text from the
        database never runs as a script, even if it was not escaped.
        """
        if page.route not in self._policies:
            html = await self._html(page, sample_path(page), b"{}", is_patient=is_patient)
            self._policies[page.route] = content_policy(
                self._settings, inline_scripts(html), in_office=isinstance(page, OfficePage)
            )
        return self._policies[page.route]
