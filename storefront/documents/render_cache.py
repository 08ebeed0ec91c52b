"""Documents with their content rendered, as long as that is quick."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cachetools import LRUCache

from backend.core.caching.single_flight import SingleFlight
from backend.core.config.settings import Settings
from backend.core.observability.logs import path_of
from backend.edge.etags import tag_of
from storefront.documents.markup import (
    arranged_for_first_paint,
    further_tags,
    initial_state_element,
    with_first_picture,
    with_tags,
)
from storefront.documents.page_cache import LoadedPage
from storefront.documents.responses import HTML, Body
from storefront.documents.security_headers import content_policy, inline_scripts
from storefront.office.routes import OfficePage
from storefront.pages.routes import Routed, sample_of
from storefront.reflex_ext.office_bundle import with_office_manifest
from storefront.renderer.process import NotRendered
from storefront.renderer.supervisor import PATIENCE

log = logging.getLogger(__name__)

DEADLINE = 0.15
"""Seconds that a reader waits for the rendering; then the shell goes out, and the browser renders the page."""
PERSONAL_DEADLINE = 0.5
"""Seconds that one person's document is waited for: what the browser would show without it comes seconds later."""
MOST_PATIENT = 64
"""How many readers may wait for longer at a time, up to `PATIENCE`."""
MAX_BYTES = 32 * 2**20
"""Bytes of finished documents that are stored, packed; the least recently used go first."""


class Renderer(Protocol):
    """Renders pages: `storefront.renderer.supervisor.RendererSupervisor`."""

    @property
    def is_waking(self) -> bool:
        """Whether it rests, or is starting after a rest."""

    def wake(self) -> None:
        """Somebody is here: it starts if it rests."""

    async def render(self, url: str, initial_state: bytes, *, is_patient: bool = False) -> str:
        """The HTML of the page at `url` that starts with this state; NotRendered when there is none."""


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A finished document, its Content-Security-Policy, and its ETag."""

    body: Body
    policy: str
    tag: str


class RenderCache:
    """Renders documents, and stores them.

    A document depends on its address and on what was loaded for it, and on nothing else: a digest of both is its key.
    So what is stored never grows stale.
    """

    def __init__(self, renderer: Renderer, settings: Settings, build: bytes, folder: Path) -> None:
        """`build` names the build, a part of every key. `folder` holds the build's files for the browser."""
        self._renderer = renderer
        self._settings = settings
        self._build = build
        self._folder = folder
        self._policies: dict[str, str] = {}
        self._stored: LRUCache[str, RenderedDocument] = LRUCache(
            MAX_BYTES, getsizeof=lambda document: len(document.body.content)
        )
        # one that comes too late for its reader is there for the next
        self._rendering = SingleFlight[tuple[str, bool], RenderedDocument | None](finishes=True)
        self._patient = 0

    async def document(self, loaded: LoadedPage, *, is_patient: bool = False) -> RenderedDocument | None:
        """The document of what was loaded; None when it is not there in time.

        That is longer for a patient reader, and for everybody while the renderer starts after a rest.
        """
        self._renderer.wake()
        tags = further_tags(loaded.meta, loaded.site_name)
        tag = tag_of(self._build, loaded.url.encode(), loaded.initial_state, tags.encode())
        if (stored := self._stored.get(tag)) is not None:
            return stored
        is_patient = (is_patient or self._renderer.is_waking) and self._patient < MOST_PATIENT
        self._patient += is_patient
        document = None
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE if is_patient else DEADLINE):
                    document = await self._rendering.share(
                        (tag, is_patient),
                        lambda: self._render_and_store(loaded, tags, tag, is_patient=is_patient),
                    )
        finally:
            self._patient -= is_patient
        return document

    async def personal_document(self, loaded: LoadedPage) -> RenderedDocument | None:
        """The document of what was loaded for one person: it is not stored, and shared with nobody.

        None when it is not there in time.
        """
        is_patient = self._renderer.is_waking
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE if is_patient else PERSONAL_DEADLINE):
                tags = further_tags(loaded.meta, loaded.site_name)
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
            log.info("%s was not rendered: %s", path_of(loaded.url), reason)
            return None
        html = with_tags(with_first_picture(html, loaded.meta), tags)
        html = arranged_for_first_paint(html, initial_state_element(loaded.initial_state), self._folder)
        return RenderedDocument(Body.of(html, HTML), policy, tag)

    async def _html(self, page: Routed, url: str, initial_state: bytes, *, is_patient: bool) -> str:
        html = await self._renderer.render(url, initial_state, is_patient=is_patient)
        return with_office_manifest(html) if isinstance(page, OfficePage) else html

    async def _policy(self, page: Routed, *, is_patient: bool) -> str:
        """The page's policy: it allows the scripts that the page has before anything is loaded for it, and no others.

        So a text from the database can never become a script, even if somebody forgot to escape it.
        """
        if page.route not in self._policies:
            html = await self._html(page, sample_of(page), b"{}", is_patient=is_patient)
            self._policies[page.route] = content_policy(
                self._settings, inline_scripts(html), in_office=isinstance(page, OfficePage)
            )
        return self._policies[page.route]
