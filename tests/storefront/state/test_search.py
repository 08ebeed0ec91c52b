"""Suggestions while typing (spec: Storefront view rules 2)."""

from collections.abc import Callable

import reflex as rx

from backend.app import Shop
from storefront.state.search import LONGEST_SEARCH, LONGEST_TYPED, SearchState, searched
from tests.store_defaults import Defaults, make_toy


async def test_an_answer_names_the_text_it_answers(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "camion", title="Camión")
    search = await shopper().get_state(SearchState)
    await search.suggest(" CAMION ")
    assert [hit.title for hit in search.hits] == ["Camión"]
    assert search.answered == "CAMION"
    await search.suggest("zzz")
    assert (search.hits, search.answered) == ([], "zzz")


async def test_of_a_long_text_the_beginning_is_looked_for(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "camion", title="Camión", brand="Camioneros")
    long = "camion " * 42
    search = await shopper().get_state(SearchState)
    await search.suggest(long)
    assert ([hit.title for hit in search.hits], search.answered) == (["Camión"], long.strip())
    await search.suggest("camio")
    assert [place.name for place in search.places] == ["Camioneros"]
    assert searched("x" * LONGEST_SEARCH) == "x" * LONGEST_SEARCH
    assert searched("x" * 300) == "x" * LONGEST_SEARCH
    assert searched(f"trompo {'x' * 300}") == "trompo"


async def test_a_text_no_field_sends_is_not_looked_for(shop: Shop, shopper: Callable[[], rx.State]) -> None:
    search = await shopper().get_state(SearchState)
    await search.suggest("x" * (LONGEST_TYPED + 1))
    assert search.answered == ""
