"""What a document is made of: its page's loader is run, and what it gave is stored until catalogue or stock change."""

import logging
from asyncio import gather
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import orjson

from backend.app import current_shop
from backend.core.caching.single_flight import SingleFlight
from backend.core.caching.version_cache import VersionCache
from backend.core.caching.version_probe import Version
from backend.core.errors import InvalidData, NotFound
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams
from storefront.pages.routes import NOT_FOUND, Page, Routed
from storefront.reflex_ext.variable_names import to_browser_names
from storefront.state.frame import Frame, FrameState, frame_values

log = logging.getLogger(__name__)

MAX_BYTES = 16 * 2**20
"""Bytes of pages that are stored; the least recently used go first."""
OVERHEAD = 2_000
"""What a stored page takes beside its address, its state and its structured data, in bytes."""
ESCAPES = ((b"&", b"\\u0026"), (b"<", b"\\u003c"))
"""Characters that mean something in the text of an element."""


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """What a document is made of.

    Attributes:
        page: the page.
        url: the address it is rendered for.
        meta: the document's status and head.
        initial_state: what the browser's state starts with (JSON): values of variables, by state.
        site_name: the shop's name, for those who share the page.
    """

    page: Routed
    url: str
    meta: DocumentMeta
    initial_state: bytes
    site_name: str


class PageCache:
    """Runs the pages' loaders; those of public pages at most once for each version of the catalogue and the stock."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._loading = SingleFlight[str, LoadedPage]()
        self._stored = VersionCache[str, LoadedPage](_version, max_bytes, size_of)

    async def page(self, page: Page, url: str) -> LoadedPage:
        """What the page shows at this address. Only public pages are stored.

        Raises:
            Exception: the page's loader failed.
        """
        load = partial(load_page, page, url)
        if page.is_public:
            shows_units = page.state is None or page.state.shows_units
            return await self._stored.get(url, load, shows_units=shows_units)
        return await self._loading.share_next(url, load)

    async def not_found(self) -> LoadedPage:
        """What is shown for every address that leads nowhere.

        Raises:
            Exception: the departments could not be read.
        """
        return await self._stored.get("", load_not_found, shows_units=False)


def size_of(url: str, page: LoadedPage) -> int:
    """Bytes that a page takes, stored by the address that was asked for: whoever asks decides how long it is."""
    return len(url) + len(page.initial_state) + len(page.meta.structured_data) + OVERHEAD


async def _version() -> Version:
    return await current_shop().catalog_version.now()


async def load_page(page: Page, url: str) -> LoadedPage:
    """What the page shows at this address; the page for unknown addresses when its loader finds nothing.

    Raises:
        Exception: the page's loader failed.
    """
    try:
        data, frame = await gather(page.load(PageParams.from_url(url)), frame_values())
    except (NotFound, InvalidData) as error:  # InvalidData: for example an address that holds a NUL
        log.info("not found: %s", error.message)
        return await load_not_found()
    meta = data.meta if page.is_public else _public_meta(page, data.meta)
    state = initial_state_of(page, PageData(data.content, meta), frame)
    return LoadedPage(page, url, meta, state, frame.shop.name)


async def load_not_found() -> LoadedPage:
    """What is shown for every address that leads nowhere."""
    data, frame = await gather(NOT_FOUND.load(PageParams("/404")), frame_values())
    state = initial_state_of(NOT_FOUND, data, frame)
    return LoadedPage(NOT_FOUND, "/404", data.meta, state, frame.shop.name)


def initial_state_of(page: Page, data: PageData[Any], frame: Frame) -> bytes:
    """What the states of a page and its frame start with, as JSON that is safe as an element's text.

    Only what everybody may see goes into it: of a page that is not public, nothing of its content.
    """
    state = {FrameState.get_full_name(): to_browser_names(frame.as_state())}
    if page.state is not None:
        meta = replace(data.meta, structured_data="")  # only the document needs it
        values = data.as_state() if page.is_public else {}
        state[page.state.get_full_name()] = to_browser_names({**values, "meta": meta})
    return as_element_text(orjson.dumps(state))


def as_element_text(json: bytes) -> bytes:
    """The JSON, as safe as the text of an element."""
    for character, escape in ESCAPES:
        json = json.replace(character, escape)
    return json


def _public_meta(page: Page, meta: DocumentMeta) -> DocumentMeta:
    """The status, and the title that the page has before its shopper is known."""
    first: Any = page.state.get_fields()["meta"].default_value() if page.state else meta
    return DocumentMeta(title=page.title or first.title, status=meta.status, robots=NOINDEX)
