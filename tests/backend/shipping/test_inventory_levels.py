"""Stock at locations over the Admin API, several levels at once and their deletion, on both databases.

| fault | result |
|---|---|
| a level with reserved units is deleted | refused |
| a level with units is deleted | refused; with `force` they are removed, with a stock movement |
| one change of a batch is refused | no change is made |
| a level of another item is given | it is not found |
| an existing level is created | its units stay, unless a number is given |
"""

from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.inventory.models import StockMovement
from backend.shipping.models import StockLocation
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post

ITEMS = "/admin/inventory-items"


@pytest.fixture
async def other(shop: Shop, shop_defaults: Defaults) -> str:
    """Return the id of a second location without stock."""
    async with shop.database.transaction() as session:
        known = (await session.execute(select(StockLocation))).scalar_one()
        location = StockLocation(name="Feria", address=known.address)
        session.add(location)
    return location.id


@pytest.fixture
async def items(shop: Shop, shop_defaults: Defaults) -> list[str]:
    """Return the inventory items of two variants, each with 10 units at the first location."""
    async with shop.database.transaction() as session:
        variant_ids = [await add_product(session, shop_defaults, name) for name in ("cometa", "trompo")]
    return [variant_id.replace("variant", "iitem") for variant_id in variant_ids]


async def read_stock(admin: httpx.AsyncClient, item: str) -> dict[str, int]:
    """Return the item's units by location."""
    levels = (await get(admin, f"{ITEMS}/{item}/location-levels"))["inventory_levels"]
    return {level["location_id"]: level["stocked_quantity"] for level in levels}


async def find_level_id(admin: httpx.AsyncClient, item: str, location: str) -> str:
    levels = (await get(admin, f"{ITEMS}/{item}/location-levels"))["inventory_levels"]
    return next(str(one["id"]) for one in levels if one["location_id"] == location)


async def test_stock_levels_of_one_item_are_set_in_one_request(
    admin: httpx.AsyncClient, items: list[str], shop_defaults: Defaults, other: str
) -> None:
    kite, top = items
    path, first = f"{ITEMS}/{kite}/location-levels/batch", shop_defaults.location_id
    answer = await post(
        admin,
        path,
        {
            "create": [{"location_id": other, "stocked_quantity": 4}],
            "update": [{"location_id": first, "stocked_quantity": 7, "id": "ilev_any"}],
        },
    )
    (made,), (changed,) = answer["created"], answer["updated"]
    assert (made["location_id"], made["stocked_quantity"]) == (other, 4)
    assert (changed["location_id"], changed["available_quantity"]) == (first, 7)
    assert await read_stock(admin, kite) == {first: 7, other: 4}

    for wrong, status in (
        ({"delete": [made["id"]]}, 400),  # units are stocked there
        ({"delete": [await find_level_id(admin, top, first)], "force": True}, 404),  # another item's level
        ({"update": [{"location_id": "sloc_nosuch", "stocked_quantity": 1}]}, 404),
        ({"create": [{"location_id": other, "stocked_quantity": -1}]}, 400),
        ({"create": [{"location_id": other}] * 101}, 400),
    ):
        said: dict[str, Any] = {"update": [{"location_id": first, "stocked_quantity": 9}], **wrong}
        refused = await admin.post(path, json=said)
        assert refused.status_code == status, refused.text
        assert await read_stock(admin, kite) == {first: 7, other: 4}
    gone = await post(admin, path, {"delete": [made["id"]], "force": True})
    assert gone == {"created": [], "updated": [], "deleted": [made["id"]]}
    assert await read_stock(admin, kite) == {first: 7}


async def test_stock_levels_of_several_items_are_set_in_one_request(
    admin: httpx.AsyncClient, items: list[str], shop_defaults: Defaults, other: str
) -> None:
    kite, top = items
    first = shop_defaults.location_id
    answer = await post(
        admin,
        f"{ITEMS}/location-levels/batch",
        {
            "create": [{"inventory_item_id": top, "location_id": other}],
            "update": [
                {"inventory_item_id": top, "location_id": first, "stocked_quantity": 1},
                {"inventory_item_id": kite, "location_id": first, "stocked_quantity": 2},
            ],
        },
    )
    assert [one["inventory_item_id"] for one in answer["updated"]] == [top, kite]
    assert (await read_stock(admin, kite), await read_stock(admin, top)) == ({first: 2}, {first: 1, other: 0})
    missing = {"inventory_item_id": "iitem_nosuch", "location_id": first, "stocked_quantity": 1}
    refused = await admin.post(f"{ITEMS}/location-levels/batch", json={"update": [missing]})
    assert refused.status_code == 404


async def test_existing_stock_level_sent_without_a_number_keeps_its_units(
    admin: httpx.AsyncClient, shop: Shop, items: list[str], shop_defaults: Defaults, other: str
) -> None:
    """Add a location to an item as the dashboard does, after another staff member has stocked units there."""
    kite, top = items
    first = shop_defaults.location_id
    batch = {"create": [{"location_id": first}, {"location_id": other}]}
    answer = await post(admin, f"{ITEMS}/{kite}/location-levels/batch", batch)
    assert [one["stocked_quantity"] for one in answer["created"]] == [10, 0]
    for place, units in ((first, 10), (other, 0), (other, 0)):
        added = await post(admin, f"{ITEMS}/{top}/location-levels", {"location_id": place})
        levels = {
            one["location_id"]: one["stocked_quantity"] for one in added["inventory_item"]["location_levels"]
        }
        assert levels[place] == units
    said = {"location_id": first, "stocked_quantity": 0}
    await post(admin, f"{ITEMS}/{top}/location-levels", said)
    assert (await read_stock(admin, kite), await read_stock(admin, top)) == (
        {first: 10, other: 0},
        {first: 0, other: 0},
    )
    async with shop.database.read() as session:
        assert (await session.execute(select(StockMovement.delta))).scalars().all() == [-10]


async def test_stock_level_without_units_can_be_deleted(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, items: list[str], shop_defaults: Defaults
) -> None:
    kite, first = items[0], shop_defaults.location_id
    path = f"{ITEMS}/{kite}/location-levels/{first}"
    full = await admin.delete(path)
    assert full.json()["message"].endswith("because 10 units are stocked there: count it as 0 first")
    await complete_purchase(store, kite.replace("iitem", "variant"), 3)
    reserved = await admin.delete(path)
    assert reserved.json()["message"].endswith("because there are reservations at location")

    top = items[1]
    await post(admin, f"{ITEMS}/{top}/location-levels/{first}", {"stocked_quantity": 0})
    known = await find_level_id(admin, top, first)
    gone = (await admin.delete(f"{ITEMS}/{top}/location-levels/{first}")).json()
    assert (gone["id"], gone["object"], gone["deleted"]) == (known, "inventory-level", True)
    assert (gone["parent"]["id"], gone["parent"]["location_levels"]) == (top, [])
    again = await admin.delete(f"{ITEMS}/{top}/location-levels/{first}")
    assert again.status_code == 404
    async with shop.database.read() as session:
        query = select(StockMovement.delta).where(StockMovement.variant_id == top.replace("iitem", "variant"))
        assert (await session.execute(query)).scalars().all() == [-10]
