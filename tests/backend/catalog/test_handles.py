"""A product that is renamed is still found under every handle it had, until another product takes the handle."""

import pytest
from sqlalchemy import select

from backend.catalog.handles import brand_handle, moved_to, was_deleted
from backend.catalog.models import Product
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.store_defaults import make_toy, set_up_defaults


@pytest.fixture
async def shop(database: Database, settings: Settings) -> Database:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await make_toy(session, defaults, "trompo")
        await make_toy(session, defaults, "yoyo")
    return database


async def change(shop: Database, handle: str, /, **changes: object) -> None:
    async with shop.transaction() as session:
        product = (await session.execute(select(Product).where(Product.handle == handle))).scalar_one()
        for name, value in changes.items():
            setattr(product, name, value)


async def where(shop: Database, handle: str) -> str | None:
    async with shop.read() as session:
        return await moved_to(session, handle)


async def gone(shop: Database, handle: str) -> bool:
    async with shop.read() as session:
        return await was_deleted(session, handle)


def test_a_brand_has_a_handle_whatever_its_name() -> None:
    assert brand_handle("Nido Andino") == "nido-andino"
    assert brand_handle("¡Ñandú & Cía.!") == brand_handle("NANDU cia") == "nandu-cia"
    assert brand_handle("3M") == "3m"
    odd = [brand_handle(name) for name in ("乐高", "★", "★★", "a" * 300)]
    assert len(set(odd)) == len(odd)
    assert all(handle.isascii() and handle.isalnum() for handle in odd)


async def test_every_former_handle_leads_to_the_present_one(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza")
    await change(shop, "peonza", handle="trompo-de-madera")
    assert await where(shop, "trompo") == "trompo-de-madera"
    assert await where(shop, "peonza") == "trompo-de-madera"
    assert await where(shop, "yoyo") is None


async def test_a_handle_taken_back_is_no_former_one(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza")
    await change(shop, "peonza", handle="trompo")
    assert await where(shop, "trompo") is None
    assert await where(shop, "peonza") == "trompo"


async def test_a_handle_another_product_had_since_leads_there(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza")
    await change(shop, "yoyo", handle="trompo")
    await change(shop, "trompo", handle="yoyo-rojo")
    assert await where(shop, "trompo") == "yoyo-rojo"


async def test_a_change_of_anything_else_keeps_no_handle(shop: Database) -> None:
    await change(shop, "trompo", title="Otro")
    assert await where(shop, "trompo") is None


async def test_a_former_handle_of_what_is_not_for_sale_leads_nowhere(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza", status="draft")
    assert await where(shop, "trompo") is None
    assert not await gone(shop, "trompo")


async def test_a_deleted_product_is_gone_under_all_its_handles(shop: Database) -> None:
    await change(shop, "trompo", handle="peonza")
    await change(shop, "peonza", deleted_at=now())
    assert [await gone(shop, handle) for handle in ("trompo", "peonza", "yoyo", "nada")] == [
        True,
        True,
        False,
        False,
    ]
