"""Parameters, result and base state of the pages' loaders.

A loader is the function that reads the content of a page. Both the page's `load` event and its document call it.
"""

import logging
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import reflex as rx

from backend.app import current_shop
from backend.core.outage import DatabaseUnavailable
from storefront.live.open_pages import Seen, address_of, digest_of, watch
from storefront.meta import DocumentMeta
from storefront.state.cart import CartState
from storefront.state.handlers import event

Content = TypeVar("Content")

log = logging.getLogger(__name__)

MAX_PARAMETER_LENGTH = 200
MAX_PARAMETERS = 50


@dataclass(frozen=True, slots=True)
class PageParams:
    """The URL of a page: its encoded path and its decoded query."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_url(cls, url: str) -> "PageParams":
        """Parse a URL. If a parameter occurs twice, the first counts."""
        try:
            split = urlsplit(url)
        except ValueError:  # for `//[`, which no page has
            return cls(url)
        pairs = parse_qsl("&".join(split.query.split("&")[:MAX_PARAMETERS]))
        return cls(split.path or "/", dict(reversed(pairs)))

    def get_parameter(self, name: str) -> str:
        """Return a parameter of the query without surrounding whitespace; empty if it is missing or too long."""
        value = self.query.get(name, "").strip()
        return value if len(value) <= MAX_PARAMETER_LENGTH else ""

    @property
    def decoded_path(self) -> str:
        """Return the decoded path without a slash at its end."""
        return unquote(self.path.rstrip("/")) or "/"

    @property
    def last_part(self) -> str:
        """Return the final part of the path, decoded: the value of `[slug]` in `/product/[slug]`."""
        return unquote(self.path.rstrip("/").rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class PageData(Generic[Content]):
    """A page's content, and its document's meta."""

    content: Content
    meta: DocumentMeta
    watched: frozenset[str] = frozenset()
    """Topics (`backend.news.topics`), and ids of products that are not in the content.

    A change of any of them reloads the page.
    """

    def as_state(self) -> dict[str, Any]:
        """Return the values of the page's state by variable name."""
        return {"is_ready": True, "content": self.content, "meta": self.meta}


Reader = Callable[[], Awaitable[PageData[Any]]]


class PageState(rx.State, mixin=True):
    """Base state of a page: the result of the page's loader.

    Subclasses declare `content`. They return the loader from `_reader`, or override `_data` if the loader needs the
    state.
    """

    shows_units: ClassVar[bool] = True
    """True if the page displays the number of units in stock.

    If it is False, an order does not reload the page, unless a product is sold out.
    """

    is_ready: rx.Field[bool] = rx.field(False)
    has_failed: rx.Field[bool] = rx.field(False)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=""))
    _address: str = ""
    """The browser's URL when this content was loaded."""

    @event()
    async def load(self) -> Any:
        """Load the page at the browser's URL, and the frame around it.

        One event does both, because with Redis each event locks, reads and stores the browser's states. The page is
        loaded first: the frame forgets a cart that has become an order, but the checkout still needs the cart's id.
        """
        cart = await self.get_state(CartState)
        try:
            events = await self._load()
        except Exception:
            await cart.load_frame()
            raise
        await cart.load_frame()
        return events

    async def _load(self) -> Any:
        """Load the page at the browser's URL. A failure is displayed with a retry button.

        Returns:
            Events to run next.
        """
        try:
            events = await self._read_and_show()
        except Exception as error:
            if not isinstance(error, DatabaseUnavailable):  # an outage is logged once, not for every page
                log.exception("a page could not be loaded: %s", self.router.url.path)
            self.has_failed = True
            return None
        self.has_failed = False
        return events

    async def _read_and_show(self) -> Any:
        """Read the page's content and display it.

        Returns:
            Events to run next.
        """
        return self._show_or_redirect(await self._data(PageParams.from_url(self.router.url)))

    def _reader(self, params: PageParams) -> Reader | None:  # noqa: ARG002
        """Return the function that reads the content of this page; None if the content differs between customers.

        The function must return the same content to all customers whose page has the same `_key`.
        """
        return None

    def _extra_key(self, params: PageParams) -> Hashable:  # noqa: ARG002
        """Return the values, besides the URL, on which the content depends."""
        return None

    async def _data(self, params: PageParams) -> PageData[Any]:
        """Read the page's content for this URL."""
        shared = self._shared_reader(params)
        if shared is None:
            raise NotImplementedError
        return await shared()

    def _shared_reader(self, params: PageParams) -> Reader | None:
        """Return a function that reads the content from the cache; None if the content differs between customers.

        Pages with the same `_key` share one cached content. It is read again after a change of the catalogue or the
        stock.
        """
        reading = self._reader(params)
        pages = current_shop().pages
        return reading and partial(pages.get, self._key(params), reading, shows_units=self.shows_units)

    def _show_or_redirect(self, data: PageData[Any]) -> Any:
        """Display the content. If the page has moved, redirect instead, as the server does for the document."""
        if data.meta.moved_to:
            return rx.redirect(data.meta.moved_to, replace=True)
        self._show(data)
        return None

    def _show(self, data: PageData[Any]) -> None:
        self._set(data)
        self._address = address_of(self)
        params = PageParams.from_url(self._address)
        shared = self._shared_reader(params)
        seen = shared and Seen(self._key(params), shared, digest_of(data))
        watch(self, data.content, data.watched, seen=seen)

    def _set(self, data: PageData[Any]) -> None:
        for name, value in data.as_state().items():
            setattr(self, name, value)

    def _key(self, params: PageParams) -> Hashable:
        return self.__class__, address_of(self), self._extra_key(params)

    def _forget_other_page(self) -> None:
        """Reset the state if its content is not for the browser's current URL."""
        if self._address != address_of(self):
            self.reset()  # type: ignore[no-untyped-call]

    async def _update(self) -> Any:
        """Read the page's content again, and display it if it has changed.

        Returns:
            Events to run next.
        """
        data = await self._data(PageParams.from_url(address_of(self)))
        return None if self._is_shown(data) else self._show_or_redirect(data)

    def _is_shown(self, data: PageData[Any]) -> bool:
        return all(getattr(self, name) == value for name, value in data.as_state().items())
