"""The data of a document: the result of its page's loader. It is cached until the catalog or the stock changes."""

import logging
from asyncio import gather
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import orjson

from backend.app import current_shop
from backend.content.fonts import list_unused_files
from backend.core.caching.single_flight import SingleFlight
from backend.core.caching.version_cache import VersionCache
from backend.core.caching.version_probe import Version
from backend.core.errors import InvalidData, NotFound
from storefront.brand_icons import get_brand
from storefront.documents.markup import brand_tags
from storefront.meta import NOINDEX, DocumentMeta, absolute_url
from storefront.pages.page_loader import PageData, PageParams
from storefront.pages.routes import NOT_FOUND, HasRoute, Page
from storefront.reflex_ext.variable_names import to_browser_names
from storefront.state.frame import Frame, FrameState, get_frame

log = logging.getLogger(__name__)

MAX_BYTES = 16 * 2**20
"""Size of all cached pages in bytes; the least recently used are evicted first."""
OVERHEAD = 2_000
"""Bytes of a cached page in addition to its address, state and structured data."""
ESCAPES = ((b"&", b"\\u0026"), (b"<", b"\\u003c"))
"""Characters with a meaning in the text of an element, and their JSON escapes."""


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """The data of a document.

    Attributes:
        page: the page.
        url: the address for which it is rendered.
        meta: the document's status and head.
        initial_state: the initial values of the Reflex states as JSON, by state and variable.
        site_name: the shop's name for link previews.
        brand_tags: head tags with the shop's colours and icons.
        unused_fonts: paths of font files that the shop's brand does not use.
    """

    page: HasRoute
    url: str
    meta: DocumentMeta
    initial_state: bytes
    site_name: str
    brand_tags: str = ""
    unused_fonts: frozenset[str] = frozenset()


class PageCache:
    """Cache of the results of page loaders.

    The loader of a public page runs once per version of the catalog and the stock.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._loading = SingleFlight[str, LoadedPage]()
        self._stored = VersionCache[str, LoadedPage](_version, max_bytes, size_of)

    async def page(self, page: Page, url: str) -> LoadedPage:
        """Return the data of the page at this address. Only public pages are cached.

        Raises:
            Exception: the page's loader failed.
        """
        load = partial(load_page, page, url)
        if page.is_public:
            shows_units = page.state is None or page.state.shows_units
            return await self._stored.get(url, load, shows_units=shows_units)
        return await self._loading.share_next(url, load)

    async def not_found(self) -> LoadedPage:
        """Return the data of the page for unknown addresses.

        Raises:
            Exception: the categories or the shop's details could not be read.
        """
        return await self._stored.get("", load_not_found, shows_units=False)


def size_of(url: str, page: LoadedPage) -> int:
    """Return the size in bytes of a cached page. The requested address counts, because clients can make it long."""
    return len(url) + len(page.initial_state) + len(page.meta.structured_data) + OVERHEAD


async def _version() -> Version:
    return await current_shop().catalog_version.read_version()


async def load_page(page: Page, url: str) -> LoadedPage:
    """Return the data of the page at this address, or of the not-found page if the loader finds nothing.

    Raises:
        Exception: the page's loader failed.
    """
    try:
        data, frame, brand = await gather(page.load(PageParams.from_url(url)), get_frame(), get_brand())
    except (NotFound, InvalidData) as error:  # InvalidData: for example an address with a NUL character
        log.info("not found: %s", error.message)
        return await load_not_found()
    meta = data.meta if page.is_public else _public_meta(page, data.meta)
    if page.is_public and not meta.image:
        meta = replace(meta, image=absolute_url(frame.brand.share_image))
    state = initial_state_of(page, PageData(data.content, meta), frame)
    tags, unused = brand_tags(brand), list_unused_files(brand.font)
    return LoadedPage(page, url, meta, state, frame.shop.name, tags, unused)


async def load_not_found() -> LoadedPage:
    """Return the data of the page for unknown addresses."""
    data, frame, brand = await gather(NOT_FOUND.load(PageParams("/404")), get_frame(), get_brand())
    state = initial_state_of(NOT_FOUND, data, frame)
    tags, unused = brand_tags(brand), list_unused_files(brand.font)
    return LoadedPage(NOT_FOUND, "/404", data.meta, state, frame.shop.name, tags, unused)


def initial_state_of(page: Page, data: PageData[Any], frame: Frame) -> bytes:
    """Return the initial values of `FrameState` and of the page's own state, as JSON that is safe in HTML text.

    They are public data only: the content of a page that is not public is left out.
    """
    state = {FrameState.get_full_name(): to_browser_names(frame.as_state())}
    if page.state is not None:
        meta = replace(data.meta, structured_data="")  # only the document needs it
        values = data.as_state() if page.is_public else {}
        state[page.state.get_full_name()] = to_browser_names({**values, "meta": meta})
    return escape_element_text(orjson.dumps(state))


def escape_element_text(json: bytes) -> bytes:
    """Escape the JSON for use in an element's text."""
    for character, escape in ESCAPES:
        json = json.replace(character, escape)
    return json


def _public_meta(page: Page, meta: DocumentMeta) -> DocumentMeta:
    """Return the meta of a page that is not public: its status, and the title displayed until the customer is known."""
    first: Any = page.state.get_fields()["meta"].default_value() if page.state else meta
    return DocumentMeta(title=page.title or first.title, status=meta.status, robots=NOINDEX)
