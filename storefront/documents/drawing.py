"""Documents with their content drawn in, as long as that is quick."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cachetools import LRUCache

from backend.edge.conditional import tag_of
from backend.settings import Settings
from backend.single_flight import SingleFlight
from storefront.documents.addresses import sample_of
from storefront.documents.answers import HTML, Body
from storefront.documents.first_paint import arranged_for_first_paint
from storefront.documents.reading import Reading
from storefront.documents.security import content_policy, inline_scripts
from storefront.documents.seed import carrier_of
from storefront.documents.tags import further_tags, with_first_picture, with_tags
from storefront.pages.routes import Page
from storefront.renderer.process import NotDrawn

log = logging.getLogger(__name__)

DEADLINE = 0.15
"""Seconds that a reader waits for the drawing; then the shell goes out, which draws itself in the browser."""
MOST_KEPT = 32 * 2**20
"""Bytes of finished documents that are kept, packed."""


class Draws(Protocol):
    """Draws pages: `storefront.renderer.keeper.Renderer`."""

    async def draw(self, url: str, seed: bytes) -> str:
        """The HTML of the page at `url` with the state that starts with `seed`; NotDrawn when there is none."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A finished document, the policy it runs under, and the tag that names its content."""

    body: Body
    policy: str
    tag: str


class Drawings:
    """Draws documents, and keeps those drawn last.

    A document is made of its address and what was read for it, and of nothing else: the two name it. What is kept is
    never asked whether it is still right; the reading, which is new each time, either leads to it or to another one.
    """

    def __init__(self, renderer: Draws, settings: Settings, build: bytes, folder: Path) -> None:
        """`build` names the build: another one draws other documents. `folder` holds its files for the browser."""
        self._renderer = renderer
        self._settings = settings
        self._build = build
        self._folder = folder
        self._policies: dict[str, str] = {}
        self._kept: LRUCache[str, Drawn] = LRUCache(
            MOST_KEPT, getsizeof=lambda drawn: len(drawn.body.content)
        )
        self._drawing = SingleFlight[str, Drawn | None](
            finishes=True
        )  # a late drawing is for the next reader
        self.missed = 0
        """How many documents went out as shells, because they were not drawn in time."""

    async def drawn(self, reading: Reading) -> Drawn | None:
        """The document of what was read; None when it is not there in time."""
        tags = further_tags(reading.facts)
        tag = tag_of(self._build, reading.url.encode(), reading.seed, tags.encode())
        if (kept := self._kept.get(tag)) is not None:
            return kept
        result = None
        with suppress(TimeoutError):
            async with asyncio.timeout(DEADLINE):
                result = await self._drawing.share(tag, lambda: self._draw(reading, tags, tag))
        self.missed += result is None
        return result

    async def _draw(self, reading: Reading, tags: str, tag: str) -> Drawn | None:
        try:
            policy = await self._policy(reading.page)
            html = await self._renderer.draw(reading.url, reading.seed)
        except NotDrawn as reason:
            log.info("%s was not drawn: %s", reading.url, reason)
            return None
        html = with_tags(with_first_picture(html, reading.facts), tags)
        body = Body.of(arranged_for_first_paint(html, carrier_of(reading.seed), self._folder), HTML)
        drawn = Drawn(body, policy, tag)
        if len(body.content) <= self._kept.maxsize:
            self._kept[tag] = drawn
        return drawn

    async def _policy(self, page: Page) -> str:
        """The policy of a page: it allows the scripts that the page has before anything was read for it, and no others.

        So a text from the database can never become a script, whatever it holds and whoever forgot to escape it.
        """
        if page.route not in self._policies:
            html = await self._renderer.draw(sample_of(page), b"{}")
            self._policies[page.route] = content_policy(self._settings, inline_scripts(html))
        return self._policies[page.route]
