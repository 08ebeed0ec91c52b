"""Deletion of variants during a concurrent purchase, on both databases."""

from collections.abc import Awaitable
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.catalog.models import Variant
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.service import reserve
from tests.backend.catalog.products.test_options import PRODUCTS, create_product, variant_body
from tests.backend.rivals import run_against_rival
from tests.store_defaults import Defaults


@pytest.mark.parametrize("leaves_out", [False, True])
async def test_variant_reserved_concurrently_is_not_deleted(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults, leaves_out: bool
) -> None:
    cart = await create_product(
        admin, variants=[variant_body("Rojo", "S", sku="R"), variant_body("Azul", "S", sku="A")]
    )
    red, blue = (one["id"] for one in cart["variants"])
    async with shop.database.transaction() as session:
        session.add(InventoryLevel(variant_id=red, location_id=shop_defaults.location_id, stocked=1))
    path = f"{PRODUCTS}/{cart['id']}"

    async def rival(session: AsyncSession) -> None:
        await reserve(session, "cart_1", {red: 1}, None)

    def delete() -> Awaitable[httpx.Response]:
        body: dict[str, Any] = {"variants": [{"id": blue}]}
        return admin.post(path, json=body) if leaves_out else admin.delete(f"{path}/variants/{red}")

    refused = await run_against_rival(shop.database, rival, delete)
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    async with shop.database.read() as session:
        assert (await session.execute(select(Reservation.holder))).scalars().all() == ["cart_1"]
        assert set((await session.execute(select(Variant.id))).scalars()) == {red, blue}
