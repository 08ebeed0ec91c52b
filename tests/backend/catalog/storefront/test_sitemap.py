"""What the sitemap lists: everything for sale, and when it changed."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.catalog.models import Category, Variant
from backend.catalog.storefront.sitemap import count_products, listed_categories, listed_products
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.store_defaults import make_toy, set_up_defaults


@pytest.fixture
async def shop(database: Database, settings: Settings) -> Database:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        for handle in ("a", "b", "c"):
            await make_toy(session, defaults, handle)
        await make_toy(session, defaults, "borrador", status="draft")
        await make_toy(session, defaults, "borrado", deleted_at=now())
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        session.add(Category(name="Peluches", handle="peluches", parent_id=root.id))
    return database


async def test_only_what_is_for_sale_is_listed(shop: Database) -> None:
    async with shop.read() as session:
        assert {listed.handle for listed in await listed_products(session, limit=9)} == {"a", "b", "c"}
        assert await count_products(session) == 3


async def test_stretches_leave_nothing_out(shop: Database) -> None:
    async with shop.read() as session:
        stretches = [await listed_products(session, offset=offset, limit=2) for offset in (0, 2, 4)]
    assert [len(stretch) for stretch in stretches] == [2, 1, 0]
    assert {listed.handle for stretch in stretches for listed in stretch} == {"a", "b", "c"}


async def test_a_new_price_changes_the_product(shop: Database) -> None:
    later = now() + timedelta(hours=1)
    async with shop.transaction() as session:
        variant = (await session.execute(select(Variant).where(Variant.sku == "SKU-a"))).scalar_one()
        variant.updated_at = later
    async with shop.read() as session:
        changed = {listed.handle: listed.changed_at for listed in await listed_products(session, limit=9)}
    assert changed["a"] == later
    assert changed["b"] < later


async def test_all_categories_are_listed(shop: Database) -> None:
    async with shop.read() as session:
        assert [listed.handle for listed in await listed_categories(session)] == ["juguetes", "peluches"]
