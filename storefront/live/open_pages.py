"""Which open pages of this process show which products, and which topics (`backend.news.topics`).

A state calls `watch` whenever it shows other products. That holds for the address the browser was at: on the next page,
the states of that page call it.
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
"""After so many calls of `note`, closed pages are forgotten."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a state shows that is read without the state: most changes are none to most pages, and leave them alone.

    Attributes:
        key: pages of the same key read the same.
        read: reads it.
        digest: `digest_of` what was read last, and is shown.
    """

    key: Hashable
    read: Callable[[], Awaitable[Any]] = field(compare=False)
    digest: bytes


def digest_of(shown: object) -> bytes:
    """A digest of 16 bytes of these dataclasses, lists, texts and numbers."""
    return blake2b(orjson.dumps(shown, default=_plain), digest_size=16).digest()


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else repr(value)


@dataclass(frozen=True, slots=True)
class Showing:
    """A state of an open page, the ids of the products it shows and its topics, and the address it shows them at."""

    state: type[rx.State]
    products: frozenset[str]
    address: str
    seen: Seen | None = None


class OpenPages:
    """The open pages by their client's token. `connected` gives the tokens of the browsers that are connected."""

    def __init__(self) -> None:
        self.connected: Callable[[], Collection[str]] | None = None
        self._pages: dict[str, dict[type[rx.State], Showing]] = {}
        self._notes = 0

    def __len__(self) -> int:
        return len(self._pages)

    def note(self, token: str, showing: Showing) -> None:
        """Remember what a state of this page shows now."""
        self._pages.setdefault(token, {})[showing.state] = showing
        if not showing.products:
            self.forget(token, showing)
        self._notes += 1
        if self._notes % TIDY_EVERY == 0:
            self.tidy()

    def forget(self, token: str, showing: Showing) -> None:
        """Forget that a state of this page showed this. What it shows by now, at the next address, stays known."""
        states = self._pages.get(token, {})
        if states.get(showing.state) == showing:
            del states[showing.state]
        if not states:
            self._pages.pop(token, None)

    def showing(self, products: Collection[str] | None) -> dict[str, list[Showing]]:
        """The pages that show one of these products, with the states that do; all pages for None."""
        self.tidy()
        found = {
            token: [
                one for one in states.values() if products is None or not one.products.isdisjoint(products)
            ]
            for token, states in self._pages.items()
        }
        return {token: states for token, states in found.items() if states}

    def tidy(self) -> None:
        """Forget the pages whose browsers are no longer connected."""
        if self.connected is None:
            return
        connected = self.connected()
        for token in [token for token in self._pages if token not in connected]:
            del self._pages[token]


open_pages = OpenPages()
"""The open pages of this process."""


def watch(state: rx.State, shown: object, topics: Iterable[str] = (), *, seen: Seen | None = None) -> None:
    """Remember what this state shows now: the products in `shown` (cards, cart lines, dataclasses, lists); topics.

    With `seen` the state is only asked to refresh when what is read again differs.
    """
    token = state.router.session.client_token
    if token:
        address = address_of(state)
        # a background handler holds a proxy of its state: only `__class__` is what it stands for
        products = frozenset((*products_in(shown), *topics))
        open_pages.note(token, Showing(state.__class__, products, address, seen))


def address_of(state: rx.State) -> str:
    """The address of the browser, without the fragment."""
    return str(state.router.url).partition("#")[0]


def products_in(shown: object) -> Iterator[str]:
    """The ids of the products in a value."""
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
