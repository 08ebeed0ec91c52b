"""The wishlist's page describes what the browser names (spec: Storefront view rules 7)."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.models import Product, Variant
from backend.core.clock import now
from storefront.state.wishlist import WishlistState
from tests.store_defaults import Defaults, make_toy


async def test_the_order_is_the_browsers_and_the_unknown_is_left_out(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        for handle in ("oso", "trompo"):
            await make_toy(session, defaults, handle)
    wishes = await shopper().get_state(WishlistState)
    await wishes.show(["trompo", "nave", "oso", "trompo"])
    assert [card.handle for card in wishes.cards] == ["trompo", "oso"]
    assert wishes.is_known


async def test_a_toy_of_another_name_by_now_is_found_and_one_that_is_gone_is_told(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        for handle in ("oso", "trompo", "yoyo"):
            await make_toy(session, defaults, handle)
    wishes = await shopper().get_state(WishlistState)
    await wishes.show(["trompo", "oso", "yoyo", "nave"])
    assert (wishes.moved, wishes.gone) == ({}, ["nave"])
    async with shop.database.transaction() as session:
        products = {one.handle: one for one in (await session.execute(select(Product))).scalars()}
        products["trompo"].handle = "peonza"
        products["oso"].deleted_at = now()
    await wishes.show(["trompo", "oso", "peonza", "nave"])
    assert [card.handle for card in wishes.cards] == ["peonza"]  # once
    assert (wishes.moved, wishes.gone) == ({"trompo": "peonza"}, ["oso", "nave"])
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(deleted_at=None))
    await wishes.refresh()  # what was gone may come back
    assert [card.handle for card in wishes.cards] == ["peonza", "oso"]
    assert (wishes.moved, wishes.gone) == ({}, ["nave"])


@pytest.mark.parametrize("sent", [None, "trompo", [7], ["x" * 201]])
async def test_what_is_no_list_of_handles_shows_nothing(
    shop: Shop, shopper: Callable[[], rx.State], sent: Any
) -> None:
    wishes = await shopper().get_state(WishlistState)
    await wishes.show(sent)
    assert wishes.cards == []


async def test_only_a_list_that_is_known_is_looked_at_again(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    wishes = await shopper().get_state(WishlistState)
    await wishes.refresh()
    assert not wishes.is_known  # the browser has yet to say what it wishes for
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "oso")
    await wishes.show(["oso"])
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).values(price=12_000))
    await wishes.refresh()
    assert [card.price for card in wishes.cards] == [12_000]
