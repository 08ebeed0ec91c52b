"""Registry of this process's open pages with the products and topics (`backend.news.topics`) that they display.

A Reflex state calls `watch` whenever it displays other products. An entry is valid only for the browser's current
address: after a navigation, the states of the next page call `watch` again.
"""

from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from hashlib import blake2b
from typing import Any

import orjson
import reflex as rx

from backend.cart.views import CartLine
from backend.catalog.views import ProductCard
from backend.content.home import SlideView

TIDY_EVERY = 500
"""Number of `note` calls after which closed pages are removed."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Digest of the data that a state displays, to find out whether a change affects this state.

    After a change, the current data are read once for all pages with the same key. Only pages whose digest differs
    load their Reflex state.

    Attributes:
        key: identifies the data; pages with the same key display the same data if they are up to date.
        read: reads the current data.
        digest: the result of `digest_of` for the displayed data.
    """

    key: Hashable
    read: Callable[[], Awaitable[Any]] = field(compare=False)
    digest: bytes


def digest_of(shown: object) -> bytes:
    """Return a digest (16 bytes) of a value that consists of dataclasses, lists, texts and numbers."""
    return blake2b(orjson.dumps(shown, default=_plain), digest_size=16).digest()


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else repr(value)


@dataclass(frozen=True, slots=True)
class Showing:
    """The ids of products, and the topics, that a Reflex state of an open page displays (both in `products`)."""

    state: type[rx.State]
    products: frozenset[str]
    address: str
    seen: Seen | None = None


class OpenPages:
    """The open pages, by client token. `connected` returns the tokens of the browsers that are connected now."""

    def __init__(self) -> None:
        self.connected: Callable[[], Collection[str]] | None = None
        self._pages: dict[str, dict[type[rx.State], Showing]] = {}
        self._notes = 0

    def __len__(self) -> int:
        return len(self._pages)

    def note(self, token: str, showing: Showing) -> None:
        """Store the products and topics that a state of this page displays now.

        If it displays none, remove the state's entry.
        """
        self._pages.setdefault(token, {})[showing.state] = showing
        if not showing.products:
            self.forget(token, showing)
        self._notes += 1
        if self._notes % TIDY_EVERY == 0:
            self.tidy()

    def forget(self, token: str, showing: Showing) -> None:
        """Remove what the state displayed, unless a newer entry has replaced `showing` in the meantime."""
        states = self._pages.get(token, {})
        if states.get(showing.state) == showing:
            del states[showing.state]
        if not states:
            self._pages.pop(token, None)

    def showing(self, products: Collection[str] | None) -> dict[str, list[Showing]]:
        """Return the entries of states that display one of these products or topics, by client token.

        If `products` is None, return all entries.
        """
        self.tidy()
        found = {
            token: [
                one for one in states.values() if products is None or not one.products.isdisjoint(products)
            ]
            for token, states in self._pages.items()
        }
        return {token: states for token, states in found.items() if states}

    def tidy(self) -> None:
        """Remove the pages whose browsers are no longer connected."""
        if self.connected is None:
            return
        connected = self.connected()
        for token in [token for token in self._pages if token not in connected]:
            del self._pages[token]


open_pages = OpenPages()
"""The open pages of this process."""


def watch(state: rx.State, shown: object, topics: Iterable[str] = (), *, seen: Seen | None = None) -> None:
    """Store the products and topics that this state displays now.

    The products are found in `shown`, which may contain cards, cart lines, dataclasses and lists. With `seen`, a
    change refreshes the state only if the current data differ from the displayed data.
    """
    token = state.router.session.client_token
    if token:
        address = address_of(state)
        # a background handler has a proxy of its state: only `__class__` is the state's own class
        products = frozenset((*products_in(shown), *topics))
        open_pages.note(token, Showing(state.__class__, products, address, seen))


def address_of(state: rx.State) -> str:
    """Return the address of the browser, without the fragment."""
    return str(state.router.url).partition("#")[0]


def products_in(shown: object) -> Iterator[str]:
    """Yield the ids of the products in a value."""
    match shown:
        case ProductCard():
            yield shown.id
        case CartLine():
            yield shown.product_id
        case SlideView():
            yield shown.id
        case list() | tuple():
            for part in shown:
                yield from products_in(part)
        case _ if is_dataclass(shown) and not isinstance(shown, type):
            for part in fields(shown):
                yield from products_in(getattr(shown, part.name))
