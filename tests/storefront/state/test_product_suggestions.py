"""Toys beside a page's own: those that the browser names, and those that the shop puts forward."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Product
from storefront.state.product_suggestions import MOST_VIEWED, OFFERED, OfferedState, ViewedState
from tests.store_defaults import Defaults, make_toy

Shopper = Callable[[], rx.State]


async def test_what_was_looked_at_comes_in_its_order_and_bounded(
    shop: Shop, defaults: Defaults, shopper: Shopper
) -> None:
    names = [f"toy-{number}" for number in range(MOST_VIEWED + 2)]
    async with shop.database.transaction() as session:
        for name in names:
            await make_toy(session, defaults, name)
    viewed = await shopper().get_state(ViewedState)
    await viewed.show(["toy-3", "gone", "toy-1"])
    assert [card.handle for card in viewed.cards] == ["toy-3", "toy-1"]
    await viewed.show(names)
    assert [card.handle for card in viewed.cards] == names[:MOST_VIEWED]
    assert viewed.is_known


async def test_a_toy_of_another_address_by_now_is_not_offered_by_its_former_one(
    shop: Shop, defaults: Defaults, shopper: Shopper
) -> None:
    """It may be the page's own, which the browser leaves out by its handle of now."""
    async with shop.database.transaction() as session:
        for name in ("trompo", "oso"):
            await make_toy(session, defaults, name)
    async with shop.database.transaction() as session:
        renamed = await session.execute(select(Product).where(Product.handle == "trompo"))
        renamed.scalar_one().handle = "peonza"
    viewed = await shopper().get_state(ViewedState)
    await viewed.show(["trompo", "oso"])
    assert [card.handle for card in viewed.cards] == ["oso"]
    await viewed.show(["trompo", "peonza", "oso"])
    assert [card.handle for card in viewed.cards] == ["peonza", "oso"]


@pytest.mark.parametrize("sent", [None, "trompo", [7], ["x" * 201]])
async def test_what_is_no_list_of_handles_shows_nothing(shop: Shop, shopper: Shopper, sent: Any) -> None:
    viewed = await shopper().get_state(ViewedState)
    await viewed.show(sent)
    assert viewed.cards == []
    assert viewed.is_known


async def test_what_is_offered_can_be_bought(shop: Shop, defaults: Defaults, shopper: Shopper) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "agotado", featured=True, stock=0)
        for number in range(OFFERED + 1):
            await make_toy(session, defaults, f"toy-{number}")
    offered = await shopper().get_state(OfferedState)
    await offered.offer()
    assert len(offered.cards) == OFFERED
    assert all(card.available for card in offered.cards)


async def test_an_empty_shop_offers_nothing_and_says_so(shop: Shop, shopper: Shopper) -> None:
    offered = await shopper().get_state(OfferedState)
    await offered.offer()
    assert (offered.cards, offered.is_known) == ([], True)
