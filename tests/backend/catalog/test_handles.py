"""A renamed product is found under every former handle, until another product takes that handle."""

import pytest
from sqlalchemy import select

from backend.catalog.handles import brand_handle, find_current_handle, is_deleted_product
from backend.catalog.models import Product
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.store_defaults import add_product, set_up_defaults


@pytest.fixture
async def shop(database: Database, settings: Settings) -> Database:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "trompo")
        await add_product(session, defaults, "yoyo")
    return database


async def change(shop: Database, handle: str, /, **changes: object) -> None:
    async with shop.transaction() as session:
        product = (await session.execute(select(Product).where(Product.handle == handle))).scalar_one()
        for name, value in changes.items():
            setattr(product, name, value)


async def find_handle(shop: Database, handle: str) -> str | None:
    async with shop.read() as session:
        return await find_current_handle(session, handle)


async def read_is_deleted(shop: Database, handle: str) -> bool:
    async with shop.read() as session:
        return await is_deleted_product(session, handle)


def test_every_brand_name_gets_its_own_ascii_handle() -> None:
    assert brand_handle("Nido Andino") == "nido-andino"
    assert brand_handle("¡Ñandú & Cía.!") == brand_handle("NANDU cia") == "nandu-cia"
    assert brand_handle("3M") == "3m"
    odd = [brand_handle(name) for name in ("乐高", "★", "★★", "a" * 300)]
    assert len(set(odd)) == len(odd)
    assert all(handle.isascii() and handle.isalnum() for handle in odd)


async def test_every_former_handle_leads_to_the_current_one(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza")
    await change(shop, "peonza", handle="trompo-de-madera")
    assert await find_handle(shop, "trompo") == "trompo-de-madera"
    assert await find_handle(shop, "peonza") == "trompo-de-madera"
    assert await find_handle(shop, "yoyo") is None


async def test_handle_used_again_by_its_product_is_no_longer_a_former_handle(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza")
    await change(shop, "peonza", handle="trompo")
    assert await find_handle(shop, "trompo") is None
    assert await find_handle(shop, "peonza") == "trompo"


async def test_former_handle_of_two_products_leads_to_the_latest_one(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza")
    await change(shop, "yoyo", handle="trompo")
    await change(shop, "trompo", handle="yoyo-rojo")
    assert await find_handle(shop, "trompo") == "yoyo-rojo"


async def test_change_of_other_fields_stores_no_former_handle(shop: Database) -> None:
    await change(shop, "trompo", title="Otro")
    assert await find_handle(shop, "trompo") is None


async def test_former_handle_of_a_hidden_product_is_not_found(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza", status="draft")
    assert await find_handle(shop, "trompo") is None
    assert not await read_is_deleted(shop, "trompo")


async def test_every_handle_of_a_deleted_product_is_reported_as_deleted(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza")
    await change(shop, "peonza", deleted_at=now())
    assert [await read_is_deleted(shop, handle) for handle in ("trompo", "peonza", "yoyo", "nada")] == [
        True,
        True,
        False,
        False,
    ]
