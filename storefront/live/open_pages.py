"""Which open pages of this process show which products.

A state that shows products says so whenever it shows others (`watch`). What it said holds for the address the browser
was at: once the shopper has gone on, the page that comes next speaks for itself.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields, is_dataclass

import reflex as rx

from backend.cart.views import CartLine
from backend.catalog.views import ProductCard

TIDY_EVERY = 500
"""After so many notes, the pages that were closed are forgotten."""


@dataclass(frozen=True, slots=True)
class Showing:
    """A state of an open page, the ids of the products it shows, and the address it shows them at."""

    state: type[rx.State]
    products: frozenset[str]
    address: str


class OpenPages:
    """The open pages by their client's token. `connected` gives the tokens that still have a browser behind them."""

    def __init__(self) -> None:
        self.connected: Callable[[], Collection[str]] | None = None
        self._pages: dict[str, dict[type[rx.State], Showing]] = {}
        self._notes = 0

    def __len__(self) -> int:
        return len(self._pages)

    def note(self, token: str, showing: Showing) -> None:
        """Remember what a state of this page shows now; it is forgotten when that is nothing."""
        if showing.products:
            self._pages.setdefault(token, {})[showing.state] = showing
        else:
            self.forget(token, showing.state)
        self._notes += 1
        if self._notes % TIDY_EVERY == 0:
            self.tidy()

    def forget(self, token: str, state: type[rx.State]) -> None:
        """This state of the page shows nothing any more."""
        states = self._pages.get(token, {})
        states.pop(state, None)
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
        """Forget the pages that no browser is behind any more."""
        if self.connected is None:
            return
        connected = self.connected()
        for token in [token for token in self._pages if token not in connected]:
            del self._pages[token]


open_pages = OpenPages()
"""The open pages of this process."""


def watch(state: rx.State, shown: object) -> None:
    """Say what this state shows now: any value made of cards, cart lines, dataclasses and lists."""
    token = state.router.session.client_token
    if token:
        address = address_of(state)
        # a background handler holds a proxy of its state: only `__class__` is what it stands for
        open_pages.note(token, Showing(state.__class__, frozenset(products_in(shown)), address))


def address_of(state: rx.State) -> str:
    """The address of the browser, as far as a server is asked for it."""
    return str(state.router.url).partition("#")[0]


def products_in(shown: object) -> Iterator[str]:
    """The ids of the products in a value."""
    match shown:
        case ProductCard():
            yield shown.id
        case CartLine():
            yield shown.product_id
        case list() | tuple():
            for part in shown:
                yield from products_in(part)
        case _ if is_dataclass(shown) and not isinstance(shown, type):
            for field in fields(shown):
                yield from products_in(getattr(shown, field.name))
