"""The items of the merchant feed: each variant that is for sale, with the facts of its page."""

from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.merchant_facts import SuggestedAges
from backend.catalog.models import (
    Category,
    Picture,
    Product,
    ProductCategory,
    ProductOption,
    ProductOptionValue,
    Variant,
    VariantOptionValue,
)
from backend.catalog.storefront.merchant_feed import MAX_PICTURES, FeedItem, read_feed_page
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from tests.store_defaults import Defaults, add_product, set_up_defaults


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def read_items(database: Database, limit: int = 100) -> list[FeedItem]:
    async with database.read() as session:
        page = await read_feed_page(session, "", limit)
    assert page.last_product_id is None
    return page.items


async def find_product(session: AsyncSession, handle: str) -> Product:
    return (await session.execute(select(Product).where(Product.handle == handle))).scalar_one()


async def add_variant(session: AsyncSession, product_id: str, rank: int, **values: Any) -> Variant:
    variant = Variant(product_id=product_id, rank=rank, **{"price": 9_000, **values})
    session.add(variant)
    await session.flush()
    return variant


async def test_feed_item_has_the_values_that_the_product_page_shows(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        variant_id = await add_product(
            session,
            defaults,
            "oso",
            title="Oso &amp; <b>Cía</b>\u0007",
            description="<p>Suave.</p><ul><li>Lavable</li></ul>",
            brand="Rayuela",
            age_range="3-5",
            material="Algodón",
            weight=0.35,
            price=40_000,
        )
        product = await find_product(session, "oso")
        variant = await session.get_one(Variant, variant_id)
        variant.compare_at_price, variant.ean = 50_000, "7701234567897"
        toys = Category(name="Juguetes", handle="juguetes")
        session.add(toys)
        await session.flush()
        plush = Category(name="Peluches", handle="peluches", parent_id=toys.id)
        session.add(plush)
        await session.flush()
        bears = Category(name="Osos <3", handle="osos", parent_id=plush.id)
        session.add(bears)
        await session.flush()
        session.add_all(
            ProductCategory(product_id=product.id, category_id=some.id) for some in (toys, plush, bears)
        )
        session.add_all(
            Picture(product_id=product.id, url=f"/demo/Oso ({rank}).webp", rank=rank) for rank in range(12)
        )
    (item,) = await read_items(database)
    assert item.pictures[:2] == ["/demo/Oso%20%280%29.webp", "/demo/Oso%20%281%29.webp"]
    assert len(item.pictures) == MAX_PICTURES == 11
    assert item == FeedItem(
        variant_id=variant_id,
        product_id=product.id,
        handle="oso",
        title="Oso & Cía",
        variant_title="",
        description="Suave.\n\n• Lavable",
        sku="SKU-oso",
        bar_code="7701234567897",
        brand="Rayuela",
        price=50_000,
        sale_price=40_000,
        is_available=True,
        ages=SuggestedAges(3, 5),
        pictures=item.pictures,
        category_path=["Peluches", "Osos <3"],
        attributes={"material": "Algodón"},
        weight=0.35,
    )


async def test_feed_has_only_variants_that_are_for_sale(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        sold_out = await add_product(session, defaults, "agotado", stock=0)
        await add_product(session, defaults, "sin-precio", price=0)
        await add_product(session, defaults, "borrador", status="draft")
        await add_product(session, defaults, "borrado", deleted_at=now())
    assert [(item.variant_id, item.is_available) for item in await read_items(database)] == [
        (sold_out, False)
    ]


async def test_reserved_units_are_not_available(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        variant_id = await add_product(session, defaults, "oso", stock=2)
        level = await session.execute(select(InventoryLevel).where(InventoryLevel.variant_id == variant_id))
        level.scalar_one().reserved = 2
    (item,) = await read_items(database)
    assert not item.is_available


@pytest.mark.parametrize(
    ("compare_at", "price", "sale_price"),
    [
        (None, 50_000, None),
        (40_000, 50_000, None),
        (50_000, 50_000, None),
        (50_100, 50_000, None),  # less than a percent
        (60_000, 60_000, 50_000),
    ],
)
async def test_sale_price_is_given_if_the_page_shows_a_discount(
    database: Database, defaults: Defaults, compare_at: int | None, price: int, sale_price: int | None
) -> None:
    async with database.transaction() as session:
        variant_id = await add_product(session, defaults, "oso")
        (await session.get_one(Variant, variant_id)).compare_at_price = compare_at
    (item,) = await read_items(database)
    assert (item.price, item.sale_price) == (price, sale_price)


async def test_feed_items_have_the_color_and_size_of_their_option_values(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        red_id = await add_product(session, defaults, "gorra", material="Lana")
        product = await find_product(session, "gorra")
        red = await session.get_one(Variant, red_id)
        red.title = "Rojo / Chico"
        blue = await add_variant(session, product.id, 1, title="Azul / Grande")
        unpriced = await add_variant(session, product.id, 2, title="Verde / Grande", price=0)
        values = {"Color": ("Rojo", "Azul"), "TAMAÑO": ("Chico", "Grande"), "Piezas": ("1", "2")}
        for rank, (title, (first, second)) in enumerate(values.items()):
            option = ProductOption(product_id=product.id, title=title, rank=rank)
            session.add(option)
            await session.flush()
            for variant, value in ((red, first), (blue, second)):
                stored = ProductOptionValue(option_id=option.id, value=value)
                session.add(stored)
                await session.flush()
                session.add(VariantOptionValue(variant_id=variant.id, value_id=stored.id))
    items = await read_items(database)
    assert unpriced.id not in {item.variant_id for item in items}
    assert [(item.variant_id, item.variant_title, item.attributes) for item in items] == [
        (red_id, "Rojo / Chico", {"material": "Lana", "color": "Rojo", "size": "Chico"}),
        (blue.id, "Azul / Grande", {"material": "Lana", "color": "Azul", "size": "Grande"}),
    ]


async def test_pages_of_the_feed_contain_each_item_once(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        expected = [await add_product(session, defaults, f"oso-{number}") for number in range(4)]
    found: list[str] = []
    after: str | None = ""
    sizes = []
    while after is not None:
        async with database.read() as session:
            page = await read_feed_page(session, after, 2)
        found += [item.variant_id for item in page.items]
        sizes.append(len(page.items))
        after = page.last_product_id
    assert (sorted(found), sizes) == (sorted(expected), [2, 2, 0])
