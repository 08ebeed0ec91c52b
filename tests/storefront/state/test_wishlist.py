"""Tests of the wishlist's state: the products that the browser names (spec: Storefront view rules 7)."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.models import Product, Variant
from backend.core.clock import now
from storefront.state.wishlist import WishlistState
from tests.store_defaults import Defaults, add_product


async def test_wishes_are_in_the_browsers_order_without_unknown_handles(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        for handle in ("oso", "trompo"):
            await add_product(session, defaults, handle)
    wishes = await shopper().get_state(WishlistState)
    await wishes.show_wishes(["trompo", "nave", "oso", "trompo"])
    assert [card.handle for card in wishes.cards] == ["trompo", "oso"]
    assert wishes.is_loaded


async def test_renamed_product_is_found_and_deleted_product_is_reported(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        for handle in ("oso", "trompo", "yoyo"):
            await add_product(session, defaults, handle)
    wishes = await shopper().get_state(WishlistState)
    await wishes.show_wishes(["trompo", "oso", "yoyo", "nave"])
    assert (wishes.moved_handles, wishes.gone_handles) == ({}, ["nave"])
    async with shop.database.transaction() as session:
        products = {one.handle: one for one in (await session.execute(select(Product))).scalars()}
        products["trompo"].handle = "peonza"
        products["oso"].deleted_at = now()
    await wishes.show_wishes(["trompo", "oso", "peonza", "nave"])
    assert [card.handle for card in wishes.cards] == ["peonza"]  # once
    assert (wishes.moved_handles, wishes.gone_handles) == ({"trompo": "peonza"}, ["oso", "nave"])
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(deleted_at=None))
    await wishes.refresh()  # a deleted product may be restored
    assert [card.handle for card in wishes.cards] == ["peonza", "oso"]
    assert (wishes.moved_handles, wishes.gone_handles) == ({}, ["nave"])


@pytest.mark.parametrize("sent", [None, "trompo", [7], ["x" * 201]])
async def test_invalid_list_of_wishes_shows_no_products(
    shop: Shop, shopper: Callable[[], rx.State], sent: Any
) -> None:
    wishes = await shopper().get_state(WishlistState)
    await wishes.show_wishes(sent)
    assert wishes.cards == []


async def test_wishlist_that_was_not_loaded_is_not_refreshed(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    wishes = await shopper().get_state(WishlistState)
    await wishes.refresh()
    assert not wishes.is_loaded  # the browser has not sent its wishlist yet
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "oso")
    await wishes.show_wishes(["oso"])
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).values(price=12_000))
    await wishes.refresh()
    assert [card.price for card in wishes.cards] == [12_000]
