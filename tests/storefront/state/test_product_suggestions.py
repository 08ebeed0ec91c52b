"""Tests of products that a page suggests: those the browser names, and those the shop features."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Product
from storefront.state.product_suggestions import (
    MAX_VIEWED,
    SUGGESTED_COUNT,
    SuggestedProductsState,
    ViewedProductsState,
)
from tests.store_defaults import Defaults, add_product

Shopper = Callable[[], rx.State]


async def test_viewed_products_are_shown_in_the_browsers_sequence_up_to_a_limit(
    shop: Shop, defaults: Defaults, shopper: Shopper
) -> None:
    names = [f"product-{number}" for number in range(MAX_VIEWED + 2)]
    async with shop.database.transaction() as session:
        for name in names:
            await add_product(session, defaults, name)
    viewed = await shopper().get_state(ViewedProductsState)
    await viewed.show_viewed(["product-3", "gone", "product-1"])
    assert [card.handle for card in viewed.cards] == ["product-3", "product-1"]
    await viewed.show_viewed(names)
    assert [card.handle for card in viewed.cards] == names[:MAX_VIEWED]
    assert viewed.is_loaded


async def test_viewed_product_is_not_found_by_its_former_handle(
    shop: Shop, defaults: Defaults, shopper: Shopper
) -> None:
    """Test that a former handle is skipped.

    The page's own product could appear under it, because the browser excludes only the current handle.
    """
    async with shop.database.transaction() as session:
        for name in ("trompo", "oso"):
            await add_product(session, defaults, name)
    async with shop.database.transaction() as session:
        renamed = await session.execute(select(Product).where(Product.handle == "trompo"))
        renamed.scalar_one().handle = "peonza"
    viewed = await shopper().get_state(ViewedProductsState)
    await viewed.show_viewed(["trompo", "oso"])
    assert [card.handle for card in viewed.cards] == ["oso"]
    await viewed.show_viewed(["trompo", "peonza", "oso"])
    assert [card.handle for card in viewed.cards] == ["peonza", "oso"]


@pytest.mark.parametrize("sent", [None, "trompo", [7], ["x" * 201]])
async def test_invalid_list_of_viewed_handles_shows_no_suggestions(
    shop: Shop, shopper: Shopper, sent: Any
) -> None:
    viewed = await shopper().get_state(ViewedProductsState)
    await viewed.show_viewed(sent)
    assert viewed.cards == []
    assert viewed.is_loaded


async def test_suggested_products_can_be_bought(shop: Shop, defaults: Defaults, shopper: Shopper) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "agotado", featured=True, stock=0)
        for number in range(SUGGESTED_COUNT + 1):
            await add_product(session, defaults, f"product-{number}")
    offered = await shopper().get_state(SuggestedProductsState)
    await offered.load_suggestions()
    assert len(offered.cards) == SUGGESTED_COUNT
    assert all(card.available for card in offered.cards)


async def test_suggestions_of_an_empty_shop_are_empty(shop: Shop, shopper: Shopper) -> None:
    offered = await shopper().get_state(SuggestedProductsState)
    await offered.load_suggestions()
    assert (offered.cards, offered.is_loaded) == ([], True)
