"""The sitemap: all products for sale, with the time of their latest change."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.catalog.models import Category, Variant
from backend.catalog.storefront.sitemap import count_products, list_category_entries, list_product_entries
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.store_defaults import add_product, set_up_defaults


@pytest.fixture
async def shop(database: Database, settings: Settings) -> Database:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        for handle in ("a", "b", "c"):
            await add_product(session, defaults, handle)
        await add_product(session, defaults, "borrador", status="draft")
        await add_product(session, defaults, "borrado", deleted_at=now())
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        session.add(Category(name="Peluches", handle="peluches", parent_id=root.id))
    return database


async def test_sitemap_lists_only_products_for_sale(shop: Database) -> None:
    async with shop.read() as session:
        assert {listed.handle for listed in await list_product_entries(session, limit=9)} == {"a", "b", "c"}
        assert await count_products(session) == 3


async def test_sitemap_pages_contain_all_products(shop: Database) -> None:
    async with shop.read() as session:
        pages = [await list_product_entries(session, offset=offset, limit=2) for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 1, 0]
    assert {listed.handle for page in pages for listed in page} == {"a", "b", "c"}


async def test_new_price_changes_the_products_time_in_the_sitemap(shop: Database) -> None:
    later = now() + timedelta(hours=1)
    async with shop.transaction() as session:
        variant = (await session.execute(select(Variant).where(Variant.sku == "SKU-a"))).scalar_one()
        variant.updated_at = later
    async with shop.read() as session:
        changed = {
            listed.handle: listed.changed_at for listed in await list_product_entries(session, limit=9)
        }
    assert changed["a"] == later
    assert changed["b"] < later


async def test_sitemap_lists_all_categories(shop: Database) -> None:
    async with shop.read() as session:
        assert [listed.handle for listed in await list_category_entries(session)] == ["juguetes", "peluches"]
