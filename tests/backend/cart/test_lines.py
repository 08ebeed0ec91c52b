"""Lines of a cart: real stock, and only ids and numbers from the caller (design: decisions 8 and 9)."""

import asyncio

import pytest

from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart, change_line
from backend.cart.views import read_cart_view
from backend.core.db.database import Database
from backend.core.errors import InsufficientStock, InvalidData, NotFound
from tests.amounts import cop
from tests.backend.cart.cart_kit import cart_with
from tests.store_defaults import Defaults, add_product


async def test_product_added_twice_is_one_cart_line(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    async with database.transaction() as session:
        await add_to_cart(session, cart_id, trompo, 3)
        cart = await read_cart_view(session, cart_id)
    assert [(line.quantity, line.line_total_label) for line in cart.lines] == [(5, cop("$ 150.000"))]
    assert (cart.count, cart.total, cart.total_label) == (5, 150_000, cop("$ 150.000"))


async def test_units_added_concurrently_are_all_in_the_cart(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await cart_with(database, defaults, stock=50, quantity=1)

    async def add() -> None:
        async with database.transaction() as session:
            await add_to_cart(session, cart_id, trompo, 1)

    await asyncio.gather(*(add() for _ in range(10)))
    async with database.read() as session:
        assert (await read_cart_view(session, cart_id)).count == 11


async def test_more_units_than_available_are_refused(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await cart_with(database, defaults, stock=3)
    with pytest.raises(InsufficientStock):
        async with database.transaction() as session:
            await add_to_cart(session, cart_id, trompo, 2)


@pytest.mark.parametrize("quantity", [0, -1, 100, 10**9])
async def test_absurd_quantities_are_refused(database: Database, defaults: Defaults, quantity: int) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    with pytest.raises(InvalidData):
        async with database.transaction() as session:
            await add_to_cart(session, cart_id, trompo, quantity)


async def test_unpublished_product_cannot_be_added(database: Database, defaults: Defaults) -> None:
    cart_id, _ = await cart_with(database, defaults)
    async with database.transaction() as session:
        draft = await add_product(session, defaults, "borrador", status="draft")
    for variant in (draft, "variant_nosuch", ""):
        with pytest.raises(InvalidData):
            async with database.transaction() as session:
                await add_to_cart(session, cart_id, variant, 1)


async def test_line_of_another_cart_cannot_be_changed(database: Database, defaults: Defaults) -> None:
    cart_id, _ = await cart_with(database, defaults)
    async with database.transaction() as session:
        line = (await read_cart_view(session, cart_id)).lines[0]
        other = await create_empty_cart(session)
    with pytest.raises(NotFound):
        async with database.transaction() as session:
            await change_line(session, other, line.id, 1)


async def test_quantity_of_zero_removes_the_cart_line(database: Database, defaults: Defaults) -> None:
    cart_id, _ = await cart_with(database, defaults)
    async with database.transaction() as session:
        line = (await read_cart_view(session, cart_id)).lines[0]
        await change_line(session, cart_id, line.id, 0)
        assert (await read_cart_view(session, cart_id)).lines == []
