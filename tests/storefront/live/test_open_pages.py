"""Records of open pages: stored by page and state, found by product, deleted with the browser."""

from dataclasses import dataclass
from typing import cast

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from wrapt import ObjectProxy

from backend.catalog.views import HomeContent
from storefront.live import open_pages as module
from storefront.live.open_pages import OpenPages, Showing, products_in, watch
from storefront.pages.home import HomeState
from storefront.state.cart import CartState
from tests.storefront.live.samples import card, line


@dataclass
class PartState:
    cards: list[object]
    other: object = None


def showing(state: type[rx.State], *products: str, address: str = "/") -> Showing:
    return Showing(state, frozenset(products), address)


def states(found: dict[str, list[Showing]]) -> dict[str, list[type[rx.State]]]:
    return {token: [one.state for one in showings] for token, showings in found.items()}


@pytest.mark.parametrize(
    ("shown", "products"),
    [
        (card("a"), ["a"]),
        (line("a"), ["a"]),
        ([card("a"), card("b"), card("a")], ["a", "b", "a"]),
        (PartState([card("a"), PartState([line("b")])], other=card("c")), ["a", "b", "c"]),
        (HomeContent([card("a")], [card("b")], [card("c")], []), ["a", "b", "c"]),
        ((card("a"),), ["a"]),
        ("a", []),
        (None, []),
        (PartState, []),
        ({"card": card("a")}, []),
    ],
)
def test_products_shown_at_any_depth_of_a_value_are_found(shown: object, products: list[str]) -> None:
    assert list(products_in(shown)) == products


def test_open_pages_are_found_by_the_products_they_show() -> None:
    pages = OpenPages()
    pages.note("tab_1", showing(HomeState, "a", "b"))
    pages.note("tab_1", showing(CartState, "c"))
    pages.note("tab_2", showing(HomeState, "b"))
    assert states(pages.showing({"a"})) == {"tab_1": [HomeState]}
    assert states(pages.showing({"b", "c"})) == {"tab_1": [HomeState, CartState], "tab_2": [HomeState]}
    assert states(pages.showing({"nothing"})) == {}
    assert states(pages.showing(None)) == {"tab_1": [HomeState, CartState], "tab_2": [HomeState]}


def test_open_page_records_only_the_latest_products_of_a_state() -> None:
    pages = OpenPages()
    pages.note("tab_1", showing(HomeState, "a"))
    pages.note("tab_1", showing(HomeState, "b"))
    assert pages.showing({"a"}) == {}
    pages.note("tab_1", showing(HomeState))
    assert len(pages) == 0


def test_forgetting_the_products_of_a_former_url_keeps_those_of_the_current_one() -> None:
    pages = OpenPages()
    left, now = showing(HomeState, "a", address="/a"), showing(HomeState, "a", address="/b")
    pages.note("tab_1", left)
    pages.note("tab_1", now)
    pages.forget("tab_1", left)
    assert pages.showing({"a"}) == {"tab_1": [now]}
    pages.forget("tab_1", now)
    assert len(pages) == 0


def test_records_of_closed_pages_are_deleted() -> None:
    pages = OpenPages()
    pages.note("tab_1", showing(HomeState, "a"))
    pages.note("tab_2", showing(HomeState, "a"))
    pages.connected = lambda: {"tab_2"}
    assert list(pages.showing({"a"})) == ["tab_2"]
    assert len(pages) == 1


def test_records_of_closed_pages_do_not_accumulate_without_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIDY_EVERY", 10)
    pages = OpenPages()
    pages.connected = lambda: {"tab_999"}
    for number in range(1000):
        pages.note(f"tab_{number}", showing(HomeState, "a"))
    assert len(pages) <= 10


def test_forgetting_an_unknown_page_raises_no_error() -> None:
    OpenPages().forget("tab_1", showing(HomeState, "a"))


def test_products_of_a_state_without_a_browser_are_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = OpenPages()
    monkeypatch.setattr(module, "open_pages", pages)
    watch(rx.State(init_substates=True, _reflex_internal_init=True), card("a"))  # type: ignore[call-arg]
    assert len(pages) == 0


def test_products_of_a_background_handler_are_recorded_for_its_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pass a proxy of the state, as Reflex does in background handlers: the state's own class is recorded."""
    pages = OpenPages()
    monkeypatch.setattr(module, "open_pages", pages)
    root = rx.State(init_substates=True, _reflex_internal_init=True)  # type: ignore[call-arg]
    root.router = RouterData.from_router_data({"token": "tab_1", "pathname": "/checkout"})
    watch(cast("rx.State", ObjectProxy(root)), line("a"))
    assert states(pages.showing({"a"})) == {"tab_1": [rx.State]}
