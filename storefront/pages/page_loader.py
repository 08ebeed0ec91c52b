"""What a page's loader takes and returns.

A loader is the one place that reads what a page shows: the page's `load` event and the document both call it.
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

LONGEST_PARAMETER = 200
MOST_PARAMETERS = 50


@dataclass(frozen=True, slots=True)
class PageParams:
    """The address of a page: its encoded path and its decoded query."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_url(cls, url: str) -> "PageParams":
        """The parameters in an address; of a parameter given twice, the first counts."""
        try:
            split = urlsplit(url)
        except ValueError:  # `//[`, of which no page is
            return cls(url)
        pairs = parse_qsl("&".join(split.query.split("&")[:MOST_PARAMETERS]))
        return cls(split.path or "/", dict(reversed(pairs)))

    def asked(self, name: str) -> str:
        """A parameter of the query without space around it; empty when it is missing or absurdly long."""
        value = self.query.get(name, "").strip()
        return value if len(value) <= LONGEST_PARAMETER else ""

    @property
    def place(self) -> str:
        """The path, decoded, without a slash at its end."""
        return unquote(self.path.rstrip("/")) or "/"

    @property
    def tail(self) -> str:
        """The last part of the path: the one that varies in `/product/[slug]`."""
        return unquote(self.path.rstrip("/").rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class PageData(Generic[Content]):
    """What a page shows, and its document's meta."""

    content: Content
    meta: DocumentMeta
    watched: frozenset[str] = frozenset()
    """Products that it does not show now, and may when they change; and topics (`backend.news.topics`)."""

    def as_state(self) -> dict[str, Any]:
        """The values of the page's state, by the names of its variables."""
        return {"is_ready": True, "content": self.content, "meta": self.meta}


Reading = Callable[[], Awaitable[PageData[Any]]]


class PageState(rx.State, mixin=True):
    """The state of one page: what its loader returned.

    Pages add `content`, and name their loader in `_reading`, or call it in `_data` where it needs the state.
    """

    shows_units: ClassVar[bool] = True
    """Whether it shows how many units are left: other pages are not read again for a sale that sells nothing out."""

    is_ready: rx.Field[bool] = rx.field(False)
    has_failed: rx.Field[bool] = rx.field(False)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=""))
    _address: str = ""
    """Where the browser was when this was shown."""

    @event()
    async def load(self) -> Any:
        """Load the page at the browser's address, and what is around every page.

        One event for both: with Redis, each event locks, reads and stores the states of the browser. The page comes
        first: what is around it forgets a cart that has become an order, and the checkout is still to ask for that one.
        """
        cart = await self.get_state(CartState)
        try:
            told = await self._load()
        except Exception:
            await cart.load_frame()
            raise
        await cart.load_frame()
        return told

    async def _load(self) -> Any:
        """Load the page at the browser's address. A failure is shown, with a button to try again.

        Returns:
            Events that follow.
        """
        try:
            told = await self._fill()
        except Exception as error:
            if not isinstance(error, DatabaseUnavailable):  # an outage is told once, not with every page
                log.exception("a page could not be loaded: %s", self.router.url.path)
            self.has_failed = True
            return None
        self.has_failed = False
        return told

    async def _fill(self) -> Any:
        """Read what the page shows and show it.

        Returns:
            Events that follow.
        """
        return self._show_or_lead(await self._data(PageParams.from_url(self.router.url)))

    def _reading(self, params: PageParams) -> Reading | None:  # noqa: ARG002
        """What reads the page at this address, and reads the same for every shopper who comes with the same `_key`."""
        return None

    def _further_key(self, params: PageParams) -> Hashable:  # noqa: ARG002
        """What else than the address decides what is read."""
        return None

    async def _data(self, params: PageParams) -> PageData[Any]:
        """What the page shows at this address."""
        shared = self._shared(params)
        if shared is None:
            raise NotImplementedError
        return await shared()

    def _shared(self, params: PageParams) -> Reading | None:
        """Its reading, done again only after the catalogue or the stock has changed, and shared by all such pages."""
        reading = self._reading(params)
        pages = current_shop().pages
        return reading and partial(pages.get, self._key(params), reading, shows_units=self.shows_units)

    def _show_or_lead(self, data: PageData[Any]) -> Any:
        """Show it, or lead to the address that the page has by now, as its document does.

        Returns:
            Events that follow.
        """
        if data.meta.moved_to:
            return rx.redirect(data.meta.moved_to, replace=True)
        self._show(data)
        return None

    def _show(self, data: PageData[Any]) -> None:
        self._set(data)
        self._address = address_of(self)
        params = PageParams.from_url(self._address)
        shared = self._shared(params)
        seen = shared and Seen(self._key(params), shared, digest_of(data))
        watch(self, data.content, data.watched, seen=seen)

    def _set(self, data: PageData[Any]) -> None:
        for name, value in data.as_state().items():
            setattr(self, name, value)

    def _key(self, params: PageParams) -> Hashable:
        return self.__class__, address_of(self), self._further_key(params)

    def _forget_elsewhere(self) -> None:
        """Show nothing any more of another address than the one that the browser is at."""
        if self._address != address_of(self):
            self.reset()  # type: ignore[no-untyped-call]

    async def _update(self) -> Any:
        """Load the page again, and show it if it differs.

        Returns:
            Events that follow.
        """
        data = await self._data(PageParams.from_url(address_of(self)))
        return None if self._is_shown(data) else self._show_or_lead(data)

    def _is_shown(self, data: PageData[Any]) -> bool:
        return all(getattr(self, name) == value for name, value in data.as_state().items())
