"""Suggestions while typing (spec: Storefront view rules 2)."""

from collections.abc import Callable

import reflex as rx

from backend.app import Shop
from storefront.state.search import LONGEST_SEARCH, SearchState
from tests.shop_floor import Floor, make_toy


async def test_an_answer_names_the_text_it_answers(
    shop: Shop, floor: Floor, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, floor, "camion", title="Camión")
    search = await shopper().get_state(SearchState)
    await search.suggest(" CAMION ")
    assert [hit.title for hit in search.hits] == ["Camión"]
    assert search.answered == "CAMION"
    await search.suggest("zzz")
    assert (search.hits, search.answered) == ([], "zzz")


async def test_a_text_no_field_sends_is_not_looked_for(shop: Shop, shopper: Callable[[], rx.State]) -> None:
    search = await shopper().get_state(SearchState)
    await search.suggest("x" * (LONGEST_SEARCH + 1))
    assert search.answered == ""
