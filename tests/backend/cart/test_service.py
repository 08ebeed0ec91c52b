"""The cart: today's prices, honest stock, nothing from the caller but ids and numbers (design: decisions 8 and 9)."""

import asyncio

import pytest
from sqlalchemy import select, update

from backend.cart import service as carts
from backend.cart.drafts import read_draft, save_draft
from backend.cart.models import Cart
from backend.cart.views import cart_view
from backend.catalog.models import Variant
from backend.clock import now
from backend.database import Database
from backend.errors import InsufficientStock, InvalidData, NotAllowed, NotFound
from backend.inventory.models import InventoryLevel
from backend.settings import Settings
from tests.store_defaults import Defaults, make_toy, set_up_defaults


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def _cart_with(
    database: Database, defaults: Defaults, stock: int = 10, quantity: int = 2
) -> tuple[str, str]:
    async with database.transaction() as session:
        trompo = await make_toy(session, defaults, "trompo", stock=stock, price=30_000)
        cart_id = await carts.create(session)
        await carts.add(session, cart_id, trompo, quantity)
    return cart_id, trompo


async def test_adding_twice_makes_one_line(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await _cart_with(database, defaults)
    async with database.transaction() as session:
        await carts.add(session, cart_id, trompo, 3)
        cart = await cart_view(session, cart_id)
    assert [(line.quantity, line.line_total_label) for line in cart.lines] == [(5, "$ 150.000")]
    assert (cart.count, cart.total, cart.total_label) == (5, 150_000, "$ 150.000")


async def test_adding_the_same_toy_in_two_tabs_at_once_loses_nothing(
    database: Database, defaults: Defaults
) -> None:
    cart_id, trompo = await _cart_with(database, defaults, stock=50, quantity=1)

    async def add() -> None:
        async with database.transaction() as session:
            await carts.add(session, cart_id, trompo, 1)

    await asyncio.gather(*(add() for _ in range(10)))
    async with database.read() as session:
        assert (await cart_view(session, cart_id)).count == 11


async def test_the_price_is_the_catalogues_of_this_moment(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await _cart_with(database, defaults)
    async with database.transaction() as session:
        await session.execute(
            update(Variant).where(Variant.id == trompo).values(price=10_000, compare_at_price=30_000)
        )
    async with database.read() as session:
        cart = await cart_view(session, cart_id)
    assert cart.total == 20_000
    assert cart.lines[0].compare_at_label == "$ 30.000"


async def test_two_variants_of_a_toy_are_two_lines_that_name_them(
    database: Database, defaults: Defaults
) -> None:
    cart_id, trompo = await _cart_with(database, defaults)
    async with database.transaction() as session:
        small = (await session.execute(select(Variant))).scalar_one()
        large = Variant(product_id=small.product_id, title="Grande", price=45_000, rank=1)
        session.add(large)
        await session.flush()
        session.add(InventoryLevel(variant_id=large.id, location_id=defaults.location_id, stocked=1))
        await carts.add(session, cart_id, large.id, 1)
        view = await cart_view(session, cart_id)
    lines = [(one.variant_id, one.title, one.variant, one.unit_price, one.max_quantity) for one in view.lines]
    assert lines == [(trompo, "Trompo", "", 30_000, 10), (large.id, "Trompo", "Grande", 45_000, 1)]


async def test_more_than_there_is_does_not_fit(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await _cart_with(database, defaults, stock=3)
    with pytest.raises(InsufficientStock):
        async with database.transaction() as session:
            await carts.add(session, cart_id, trompo, 2)


@pytest.mark.parametrize("quantity", [0, -1, 100, 10**9])
async def test_absurd_quantities_are_refused(database: Database, defaults: Defaults, quantity: int) -> None:
    cart_id, trompo = await _cart_with(database, defaults)
    with pytest.raises(InvalidData):
        async with database.transaction() as session:
            await carts.add(session, cart_id, trompo, quantity)


async def test_what_is_not_for_sale_cannot_be_added(database: Database, defaults: Defaults) -> None:
    cart_id, _ = await _cart_with(database, defaults)
    async with database.transaction() as session:
        draft = await make_toy(session, defaults, "borrador", status="draft")
    for variant in (draft, "variant_nosuch", ""):
        with pytest.raises(InvalidData):
            async with database.transaction() as session:
                await carts.add(session, cart_id, variant, 1)


async def test_a_line_of_another_cart_cannot_be_touched(database: Database, defaults: Defaults) -> None:
    cart_id, _ = await _cart_with(database, defaults)
    async with database.transaction() as session:
        line = (await cart_view(session, cart_id)).lines[0]
        other = await carts.create(session)
    with pytest.raises(NotFound):
        async with database.transaction() as session:
            await carts.set_quantity(session, other, line.id, 1)


async def test_a_quantity_of_zero_removes_the_line(database: Database, defaults: Defaults) -> None:
    cart_id, _ = await _cart_with(database, defaults)
    async with database.transaction() as session:
        line = (await cart_view(session, cart_id)).lines[0]
        await carts.set_quantity(session, cart_id, line.id, 0)
        assert (await cart_view(session, cart_id)).lines == []


async def test_a_shortage_is_told_on_the_line(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await _cart_with(database, defaults, stock=5, quantity=4)
    async with database.transaction() as session:
        from backend.inventory.service import reserve, set_stock

        await set_stock(session, trompo, defaults.location_id, 3)
        assert (await cart_view(session, cart_id)).lines[0].problem == "short"
        await reserve(session, "somebody", {trompo: 3}, None)
        assert (await cart_view(session, cart_id)).lines[0].problem == "gone"


async def test_a_completed_cart_is_closed(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await _cart_with(database, defaults)
    async with database.transaction() as session:
        await session.execute(update(Cart).where(Cart.id == cart_id).values(completed_at=now()))
    async with database.transaction() as session:
        with pytest.raises(NotAllowed, match="already completed"):
            await carts.add(session, cart_id, trompo, 1)
        with pytest.raises(NotFound):
            await cart_view(session, cart_id)


async def test_a_draft_keeps_what_was_typed_and_no_more(database: Database, defaults: Defaults) -> None:
    cart_id, _ = await _cart_with(database, defaults)
    async with database.transaction() as session:
        await save_draft(session, cart_id, {"email": "a@b", "first_name": "Ana"})
        await save_draft(session, cart_id, {"email": "ana@example.com"})
        assert await read_draft(session, cart_id) == {"email": "ana@example.com", "first_name": "Ana"}
        with pytest.raises(InvalidData):
            await save_draft(session, cart_id, {"email": "x" * 10_000})
