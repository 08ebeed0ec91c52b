"""Choices on the product page: variants, their prices, and the price on the card."""

from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant
from backend.catalog.storefront.page_content import product_detail
from backend.catalog.views import ProductDetail
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product, set_up_defaults


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def add_variant(
    session: AsyncSession, defaults: Defaults, rank: int, *, stock: int = 5, **values: Any
) -> str:
    """Create another variant of the trompo."""
    product = await session.execute(select(Product.id).where(Product.handle == "trompo"))
    variant = Variant(product_id=product.scalar_one(), rank=rank, **values)
    session.add(variant)
    await session.flush()
    session.add(InventoryLevel(variant_id=variant.id, location_id=defaults.location_id, stocked=stock))
    return variant.id


async def read_detail(database: Database) -> ProductDetail:
    """Return the content of the trompo's page."""
    async with database.read() as session:
        return await product_detail(session, "trompo")


async def test_single_variant_has_no_options_to_choose(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        variant_id = await add_product(session, defaults, "trompo", stock=3, price=10_000)
    shown = await read_detail(database)
    assert shown.options == []
    assert [(one.id, one.values, one.sku, one.stock, one.available) for one in shown.variants] == [
        (variant_id, [], "SKU-trompo", 3, True)
    ]
    assert shown.card.price_label == cop("$ 10.000")


async def test_product_without_options_offers_its_variants_by_title(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        first = await add_product(session, defaults, "trompo", stock=0, price=10_000)
        alike = await add_variant(session, defaults, 1, title="Única", sku="T-2", price=15_000, stock=2)
        nameless = await add_variant(
            session, defaults, 2, title="Única", price=12_000, compare_at_price=24_000
        )
    shown = await read_detail(database)
    assert [(one.title, one.choices) for one in shown.options] == [
        ("Presentación", ["Única", "Única (T-2)", "Única (2)"])
    ]
    assert [(one.id, one.values, one.stock, one.available, one.percent_off) for one in shown.variants] == [
        (first, ["Única"], 0, False, None),
        (alike, ["Única (T-2)"], 2, True, None),
        (nameless, ["Única (2)"], 5, True, 50),
    ]
    # the card shows the cheapest available variant
    assert (shown.card.variant_id, shown.card.price_label) == (nameless, cop("Desde $ 12.000"))
    assert shown.card.compare_at_label == cop("$ 24.000")


async def test_card_with_equal_variant_prices_shows_one_price_without_the_word_from(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        first = await add_product(session, defaults, "trompo", price=10_000)
        await add_variant(session, defaults, 1, title="Rojo", price=10_000)
    card = (await read_detail(database)).card
    assert (card.price_label, card.variant_id) == (cop("$ 10.000"), first)


async def test_card_of_a_sold_out_product_shows_the_cheapest_variant(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        await add_product(session, defaults, "trompo", stock=0, price=10_000)
        cheapest = await add_variant(session, defaults, 1, title="Chico", price=8_000, stock=0)
    card = (await read_detail(database)).card
    assert (card.variant_id, card.price_label, card.available) == (cheapest, cop("Desde $ 8.000"), False)
