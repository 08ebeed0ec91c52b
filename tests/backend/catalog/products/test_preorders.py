"""Preorders: units that are sold before they arrive, up to a limit, until their day has passed."""

import asyncio
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Product, Variant
from backend.catalog.products.preorders import PreorderJob
from backend.catalog.storefront.merchant_feed import read_feed_page
from backend.catalog.storefront.page_content import product_detail
from backend.core.clock import now
from backend.core.dates import today_in_colombia
from backend.core.errors import InsufficientStock
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import MovementDetails, Reason, move_stock
from backend.inventory.service import read_available_units, reserve
from backend.inventory.stock_fulfillment import fulfill, read_arrived_units
from backend.office.products.draft import FormRefused
from backend.office.products.listing import product_rows
from backend.office.products.options_form import OptionDraft, ValueDraft
from tests.backend.office.products.editing import edit_form, open_form, save
from tests.store_defaults import Defaults, add_product

DAY = today_in_colombia(now()) + timedelta(days=20)


@pytest.fixture
async def variant_id(shop: Shop, shop_defaults: Defaults) -> str:
    """Create a product without stock, with a preorder of three units, and return the id of its variant."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, shop_defaults, "trompo", stock=0)
        product_id = (await session.get_one(Variant, variant_id)).product_id
    await change_preorder(shop, product_id, DAY.isoformat(), "3")
    return variant_id


async def change_preorder(shop: Shop, product_id: str, day: str, units: str) -> None:
    form = await open_form(shop, product_id)
    await save(shop, edit_form(form, preorder_day=day, preorder_units=units))


async def find_product_id(shop: Shop) -> str:
    async with shop.database.read() as session:
        return (await session.execute(select(Product.id))).scalar_one()


async def take(shop: Shop, holder: str, variant_id: str, units: int) -> None:
    async with shop.database.transaction() as session:
        await reserve(session, holder, {variant_id: units}, None)


async def count_available(shop: Shop, variant_id: str) -> int:
    async with shop.database.read() as session:
        return (await read_available_units(session, [variant_id]))[variant_id]


async def read_level(shop: Shop) -> tuple[int, int, int]:
    """Return the stocked, reserved and incoming units of the only level."""
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        return level.stocked, level.reserved, level.incoming


async def receive(shop: Shop, defaults: Defaults, variant_id: str, units: int) -> None:
    async with shop.database.transaction() as session:
        await move_stock(session, variant_id, defaults.location_id, units, MovementDetails(Reason.RECEIVED))


async def test_preordered_units_are_sold_up_to_the_limit(shop: Shop, variant_id: str) -> None:
    await take(shop, "cart_1", variant_id, 2)
    with pytest.raises(InsufficientStock):
        await take(shop, "cart_2", variant_id, 2)
    assert await count_available(shop, variant_id) == 1
    results = await asyncio.gather(
        *(take(shop, f"cart_{number}", variant_id, 1) for number in range(3, 6)), return_exceptions=True
    )
    assert sorted(isinstance(one, InsufficientStock) for one in results) == [False, True, True]
    assert (await count_available(shop, variant_id), await read_level(shop)) == (0, (0, 3, 3))


async def test_received_units_reduce_the_announced_units_of_a_preorder(
    shop: Shop, shop_defaults: Defaults, variant_id: str
) -> None:
    """Receive two of three announced units, and then five: only the four unannounced ones are added for sale."""
    await take(shop, "cart_1", variant_id, 2)
    async with shop.database.read() as session:
        assert await read_arrived_units(session, "cart_1") == {variant_id: 0}
    with pytest.raises(InsufficientStock):
        async with shop.database.transaction() as session:
            await fulfill(session, "cart_1", {variant_id: 1})
    await receive(shop, shop_defaults, variant_id, 2)
    assert (await read_level(shop), await count_available(shop, variant_id)) == ((2, 2, 1), 1)
    await receive(shop, shop_defaults, variant_id, 5)
    assert (await read_level(shop), await count_available(shop, variant_id)) == ((7, 2, 0), 5)
    async with shop.database.transaction() as session:
        await fulfill(session, "cart_1", {variant_id: 2})
    assert await read_level(shop) == (5, 0, 0)


async def test_preorder_is_shown_on_the_page_and_in_the_feed(shop: Shop, variant_id: str) -> None:
    async with shop.database.read() as session:
        detail = await product_detail(session, "trompo")
        (item,) = (await read_feed_page(session, "", 10)).items
    assert detail.preorder_label.startswith("Preventa: llega a la tienda el ")
    assert (detail.preorder_day, detail.card.is_preorder, detail.variants[0].available) == (
        DAY.isoformat(),
        True,
        True,
    )
    assert (item.preorder_day, item.is_available) == (DAY, True)


async def test_ended_preorder_sells_no_more_units(shop: Shop, variant_id: str) -> None:
    """Check that the job ends the preorder on the day after, keeps sold units reserved, and adds an audit entry."""
    await take(shop, "cart_1", variant_id, 1)
    job = PreorderJob(shop.database)
    run: Any = None
    await job.run(run)
    assert await read_level(shop) == (0, 1, 3)
    async with shop.database.transaction() as session:
        await session.execute(
            update(Product).values(preorder_day=today_in_colombia(now()) - timedelta(days=1))
        )
    await job.run(run)
    assert (await read_level(shop), await count_available(shop, variant_id)) == ((0, 1, 1), 0)
    async with shop.database.read() as session:
        product = (await session.execute(select(Product))).scalar_one()
        entries = (await session.execute(select(AuditEntry.actor_id, AuditEntry.changes))).all()
    assert (product.preorder_day, product.preorder_units) == (None, None)
    assert any(actor == "shop" and "preorder_day" in str(changes) for actor, changes in entries)


async def test_preorder_is_changed_and_ended_in_the_office(shop: Shop, variant_id: str) -> None:
    """Check that a new variant gets units of the preorder too, and that invalid values are refused."""
    product_id = await find_product_id(shop)
    await take(shop, "cart_1", variant_id, 2)
    await change_preorder(shop, product_id, DAY.isoformat(), "5")
    assert await count_available(shop, variant_id) == 3
    form = await open_form(shop, product_id)
    color = OptionDraft("", "Color", [ValueDraft("new-1", "Rojo"), ValueDraft("new-2", "Azul")])
    await save(shop, edit_form(form, options=[color]))
    blue = (await open_form(shop, product_id)).base.draft.variants[1].key
    assert (await count_available(shop, variant_id), await count_available(shop, blue)) == (3, 5)
    await change_preorder(shop, product_id, "", "")
    assert (await count_available(shop, variant_id), await count_available(shop, blue)) == (0, 0)
    for day, units, field in (
        ("2020-01-01", "5", "preorder_day"),
        ("mañana", "5", "preorder_day"),
        ("", "5", "preorder_day"),
        (DAY.isoformat(), "0", "preorder_units"),
        (DAY.isoformat(), "", "preorder_units"),
        ((date.max).isoformat(), "5", "preorder_day"),
    ):
        with pytest.raises(FormRefused) as refused:
            await change_preorder(shop, product_id, day, units)
        assert list(refused.value.fields) == [field]


async def test_variant_with_sold_preordered_units_is_not_removed(shop: Shop, variant_id: str) -> None:
    """Check that the refusal names the units, and that the list of products shows no negative number of units."""
    product_id = await find_product_id(shop)
    color = OptionDraft("", "Color", [ValueDraft("new-1", "Rojo"), ValueDraft("new-2", "Azul")])
    await save(shop, edit_form(await open_form(shop, product_id), options=[color]))
    await take(shop, "cart_1", variant_id, 2)
    form = await open_form(shop, product_id)
    (color,) = form.base.draft.options
    without_red = replace(color, values=color.values[1:])
    with pytest.raises(FormRefused) as refused:
        await save(shop, edit_form(form, options=[without_red]))
    message = "No se puede quitar «Rojo»: en bodega hay 0 unidades, 2 apartadas."
    assert refused.value.fields == {"options": message}
    with pytest.raises(FormRefused) as refused:
        await save(shop, edit_form(form, variants=form.base.draft.variants[1:]))
    assert refused.value.fields == {"variants": message}
    async with shop.database.read() as session:
        (row,) = await product_rows(session, [product_id])
    assert row.free == 0


async def test_api_shows_a_preorder_as_backorder(
    shop: Shop, admin: httpx.AsyncClient, store: httpx.AsyncClient, variant_id: str
) -> None:
    product_id = await find_product_id(shop)
    fields = "*variants,%2Bvariants.inventory_quantity,%2Bpreorder_day"
    shown = (await store.get(f"/store/products/{product_id}?fields={fields}")).json()["product"]
    (variant,) = shown["variants"]
    assert (variant["allow_backorder"], variant["manage_inventory"], variant["inventory_quantity"]) == (
        True,
        True,
        3,
    )
    assert shown["preorder_day"] == DAY.isoformat()
    path = f"/admin/products/{product_id}"
    answer = await admin.post(path, json={"preorder_day": None})
    assert (answer.status_code, "preorder" in answer.json()["message"]) == (400, True)
    answer = await admin.post(path, json={"preorder_day": None, "preorder_units": None})
    assert answer.json()["product"]["variants"][0]["allow_backorder"] is False
    answer = await admin.post(path, json={"preorder_day": "2027-13-01", "preorder_units": 5})
    assert answer.status_code == 400
    answer = await admin.post(path, json={"preorder_day": DAY.isoformat(), "preorder_units": 5})
    assert (answer.json()["product"]["preorder_day"], await count_available(shop, variant_id)) == (
        DAY.isoformat(),
        5,
    )


async def test_preordered_units_are_available_once_the_first_stock_level_exists(
    shop: Shop, shop_defaults: Defaults, admin: httpx.AsyncClient
) -> None:
    """Create the product as an API client, which gives it no stock level, and then create its first level."""
    body = {
        "title": "Trompo", "preorder_day": DAY.isoformat(), "preorder_units": 4, "status": "published",
        "options": [{"title": "Color", "values": ["Rojo"]}],
        "variants": [
            {"title": "Rojo", "options": {"Color": "Rojo"}, "prices": [{"amount": 9_000, "currency_code": "cop"}]}
        ],
    }  # fmt: skip
    made = (await admin.post("/admin/products", json=body)).json()["product"]
    variant = made["variants"][0]
    variant_id = variant["id"]
    item_id = variant_id.replace("variant_", "iitem_")
    assert await count_available(shop, variant_id) == 0
    level = {"location_id": shop_defaults.location_id, "stocked_quantity": 0}
    answer = await admin.post(f"/admin/inventory-items/{item_id}/location-levels", json=level)
    assert answer.status_code == 200
    assert await read_level(shop) == (0, 0, 4)
    assert await count_available(shop, variant_id) == 4
