"""Storefront views of a cart: current prices, and shortages."""

import pytest
from sqlalchemy import select, update

from backend.cart.access import open_cart
from backend.cart.contents import read_lines
from backend.cart.lines import add_to_cart
from backend.cart.staff_discounts import store_staff_discount
from backend.cart.views import FreeShippingView, read_cart_view
from backend.catalog.models import Product, Variant
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.promotions.models import Promotion
from backend.promotions.rules import to_stored_rule
from tests.amounts import cop
from tests.backend.cart.cart_kit import cart_with
from tests.backend.promotions.promo_kit import free_shipping
from tests.store_defaults import Defaults


async def test_cart_shows_the_current_price(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    async with database.transaction() as session:
        await session.execute(
            update(Variant).where(Variant.id == trompo).values(price=10_000, compare_at_price=30_000)
        )
    async with database.read() as session:
        cart = await read_cart_view(session, cart_id)
    assert cart.total == 20_000
    assert cart.lines[0].compare_at_label == cop("$ 30.000")


async def test_two_variants_of_a_product_are_two_lines_with_their_names(
    database: Database, defaults: Defaults
) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    async with database.transaction() as session:
        small = (await session.execute(select(Variant))).scalar_one()
        large = Variant(product_id=small.product_id, title="Grande", price=45_000, rank=1)
        session.add(large)
        await session.flush()
        session.add(InventoryLevel(variant_id=large.id, location_id=defaults.location_id, stocked=1))
        await add_to_cart(session, cart_id, large.id, 1)
        view = await read_cart_view(session, cart_id)
    lines = [(one.variant_id, one.title, one.variant, one.unit_price, one.max_quantity) for one in view.lines]
    assert lines == [(trompo, "Trompo", "", 30_000, 10), (large.id, "Trompo", "Grande", 45_000, 1)]


async def test_missing_units_are_shown_on_the_cart_line(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await cart_with(database, defaults, stock=5, quantity=4)
    async with database.transaction() as session:
        from backend.inventory.service import reserve, set_stock

        await set_stock(session, trompo, defaults.location_id, 3)
        assert (await read_cart_view(session, cart_id)).lines[0].problem == "short"
        await reserve(session, "somebody", {trompo: 3}, None)
        assert (await read_cart_view(session, cart_id)).lines[0].problem == "gone"


async def test_cart_line_that_is_no_longer_for_sale_keeps_its_title(
    database: Database, defaults: Defaults
) -> None:
    cart_id, _trompo = await cart_with(database, defaults)
    async with database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    async with database.read() as session:
        (line,) = (await read_cart_view(session, cart_id)).lines
    assert (line.problem, line.title, line.variant, line.product_handle) == ("gone", "Trompo", "", "")


async def test_cart_with_a_staff_discount_shows_the_free_shipping_of_a_promotion(
    database: Database, defaults: Defaults
) -> None:
    cart_id, _trompo = await cart_with(database, defaults)
    minimum = to_stored_rule("item_total", "gte", ["80000"], is_target=False)
    async with database.transaction() as session:
        session.add(free_shipping(minimum))
        cart = await open_cart(session, cart_id)
        store_staff_discount(cart, await read_lines(session, cart_id), 5_000, "por cantidad")
    async with database.read() as session:
        view = await read_cart_view(session, cart_id)
    assert view.total == 55_000
    assert view.free_shipping == FreeShippingView(cop("Te faltan $ 20.000 para el envío gratis"), 75)


@pytest.mark.parametrize(("stock", "is_hinted"), [(5, True), (2, False)])
async def test_cart_suggests_the_free_unit_of_a_promotion_only_if_the_unit_is_in_stock(
    database: Database, defaults: Defaults, stock: int, *, is_hinted: bool
) -> None:
    cart_id, _trompo = await cart_with(database, defaults, stock=stock, quantity=2)
    async with database.transaction() as session:
        product_id = (await session.execute(select(Product.id))).scalar_one()
        rules = [to_stored_rule("items.product.id", "in", [product_id], is_target=True)]
        session.add(
            Promotion(
                code="TRES",
                code_key="tres",
                type="buyget",
                status="active",
                is_automatic=True,
                method_type="percentage",
                target_type="items",
                allocation="each",
                value=100,
                max_quantity=10,
                buy_quantity=2,
                apply_quantity=1,
                target_rules=rules,
                buy_rules=rules,
            )
        )
    async with database.read() as session:
        view = await read_cart_view(session, cart_id)
    assert view.hint == ("Lleva otra unidad de «Trompo» y una te sale gratis." if is_hinted else "")
