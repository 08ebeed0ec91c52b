"""Tests of search suggestions while typing (spec: Storefront view rules 2)."""

from collections.abc import Callable

import reflex as rx

from backend.app import Shop
from storefront.state.search import MAX_INPUT_LENGTH, MAX_SEARCH_LENGTH, SearchState, to_search_text
from tests.store_defaults import Defaults, add_product


async def test_search_results_contain_the_searched_text(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "camion", title="Camión")
    search = await shopper().get_state(SearchState)
    await search.suggest(" CAMION ")
    assert [hit.title for hit in search.hits] == ["Camión"]
    assert search.answered_text == "CAMION"
    await search.suggest("zzz")
    assert (search.hits, search.answered_text) == ([], "zzz")


async def test_long_search_text_is_searched_by_its_beginning(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "camion", title="Camión", brand="Camioneros")
    long = "camion " * 42
    search = await shopper().get_state(SearchState)
    await search.suggest(long)
    assert ([hit.title for hit in search.hits], search.answered_text) == (["Camión"], long.strip())
    await search.suggest("camio")
    assert [place.name for place in search.places] == ["Camioneros"]
    assert to_search_text("x" * MAX_SEARCH_LENGTH) == "x" * MAX_SEARCH_LENGTH
    assert to_search_text("x" * 300) == "x" * MAX_SEARCH_LENGTH
    assert to_search_text(f"trompo {'x' * 300}") == "trompo"


async def test_too_long_search_text_is_not_searched(shop: Shop, shopper: Callable[[], rx.State]) -> None:
    search = await shopper().get_state(SearchState)
    await search.suggest("x" * (MAX_INPUT_LENGTH + 1))
    assert search.answered_text == ""
