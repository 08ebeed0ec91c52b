"""Orders of a shop with two warehouses: where units leave, and where they are restocked."""

import asyncio

import httpx
import pytest
from sqlalchemy import delete, select

from backend.app import Shop
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InsufficientStock
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.inventory.models import InventoryLevel, Reservation
from backend.shipping.addresses import build_warehouse_contact
from backend.shipping.providers.base import Label, LabelRequest, Quote, QuoteRequest, ShippingPlace
from tests.store_defaults import Defaults, add_product, set_up_defaults
from tests.store_steps import complete_purchase, post

FAR = "sloc_far"


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
async def location_ids(admin: httpx.AsyncClient, shop_defaults: Defaults) -> tuple[str, str]:
    """Return the ids of the shop's warehouse and of a second one."""
    address = {"address_1": "Carrera 43A # 1-50", "city": "Medellín", "country_code": "co"}
    body = {"name": "Bodega de Medellín", "address": {**address, "metadata": {"dane_code": "05001000"}}}
    far = (await post(admin, "/admin/stock-locations", body))["stock_location"]
    return shop_defaults.location_id, far["id"]


async def read_levels(database: Database) -> dict[str, tuple[int, int]]:
    """Return the stocked and the reserved units by location, as pairs."""
    async with database.read() as session:
        found = (await session.execute(select(InventoryLevel))).scalars()
        return {level.location_id: (level.stocked, level.reserved) for level in found}


async def set_stock(shop: Shop, variant_id: str, location_id: str, units: int) -> None:
    async with shop.database.transaction() as session:
        await inventory.set_stock(session, variant_id, location_id, units)


async def test_units_leave_from_the_given_location_and_are_restocked_there(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, location_ids: tuple[str, str]
) -> None:
    order = await complete_purchase(store, trompo, 2)
    (near, far), path = location_ids, f"/admin/orders/{order['id']}/fulfillments"
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 2}], "location_id": far}
    refused = await admin.post(path, json=body)
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert refused.json()["message"].endswith(f"at location {far}")
    assert await read_levels(shop.database) == {near: (5, 2)}

    await set_stock(shop, trompo, far, 3)
    fulfillments = (await post(admin, path, body))["order"]["fulfillments"]
    assert await read_levels(shop.database) == {near: (5, 0), far: (1, 0)}
    assert fulfillments[0]["location_id"] == far
    cancel = f"{path}/{fulfillments[0]['id']}/cancel"
    answers = await asyncio.gather(*(admin.post(cancel, json={}) for _ in range(2)))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert await read_levels(shop.database) == {near: (5, 0), far: (3, 2)}
    await post(admin, path, {"items": body["items"]})
    assert await read_levels(shop.database) == {near: (5, 0), far: (1, 0)}


async def test_units_leave_from_their_reserved_location(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, location_ids: tuple[str, str]
) -> None:
    near, far = location_ids
    await set_stock(shop, trompo, near, 0)
    await set_stock(shop, trompo, far, 2)
    order = await complete_purchase(store, trompo, 2)
    path = f"/admin/orders/{order['id']}/fulfillments"
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 2}]}
    (fulfillment,) = (await post(admin, path, body))["order"]["fulfillments"]
    assert fulfillment["location_id"] == far
    async with shop.database.transaction() as session:  # without stock, a count may delete the level
        await session.execute(delete(InventoryLevel).where(InventoryLevel.location_id == far))
    await post(admin, f"{path}/{fulfillment['id']}/cancel")
    assert await read_levels(shop.database) == {near: (0, 0), far: (2, 2)}
    async with shop.database.read() as session:
        assert (await session.execute(select(Reservation.quantity))).scalars().all() == [2]


async def test_units_reserved_at_two_locations_return_to_both(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, location_ids: tuple[str, str]
) -> None:
    near, far = location_ids
    await set_stock(shop, trompo, near, 1)
    await set_stock(shop, trompo, far, 2)
    order = await complete_purchase(store, trompo, 3)
    assert await read_levels(shop.database) == {near: (1, 1), far: (2, 2)}
    path = f"/admin/orders/{order['id']}/fulfillments"
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 3}]}
    (fulfillment,) = (await post(admin, path, body))["order"]["fulfillments"]
    assert (fulfillment["location_id"], await read_levels(shop.database)) == (
        near,
        {near: (0, 0), far: (0, 0)},
    )
    await post(admin, f"{path}/{fulfillment['id']}/cancel")
    assert await read_levels(shop.database) == {near: (1, 1), far: (2, 2)}


async def test_units_of_a_deleted_location_return_to_the_fulfillments_location(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, location_ids: tuple[str, str]
) -> None:
    near, far = location_ids
    await set_stock(shop, trompo, near, 1)
    await set_stock(shop, trompo, far, 2)
    order = await complete_purchase(store, trompo, 3)
    path = f"/admin/orders/{order['id']}/fulfillments"
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 3}]}
    (fulfillment,) = (await post(admin, path, body))["order"]["fulfillments"]
    assert (await admin.delete(f"/admin/stock-locations/{far}")).status_code == 200
    await post(admin, f"{path}/{fulfillment['id']}/cancel")
    assert await read_levels(shop.database) == {near: (3, 3)}


async def test_returned_units_are_restocked_at_their_origin(
    shop: Shop, trompo: str, location_ids: tuple[str, str]
) -> None:
    """Restock at a location that has no inventory level of the product."""
    near, far = location_ids
    async with shop.database.transaction() as session:
        await stock_fulfillment.restock(session, far, {trompo: 2})
    assert await read_levels(shop.database) == {near: (5, 0), far: (2, 0)}


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def test_last_unit_at_a_location_is_assigned_to_only_one_of_two_orders(
    database: Database, defaults: Defaults
) -> None:
    """Check also that the reservation of the other order is not moved."""
    async with database.transaction() as session:
        trompo = await add_product(session, defaults, "trompo", stock=2)
        for holder in ("cart_a", "cart_b"):
            await inventory.reserve(session, holder, {trompo: 1}, None)
        await inventory.set_stock(session, trompo, FAR, 1)

    async def send(holder: str) -> bool:
        try:
            async with database.transaction() as session:
                await stock_fulfillment.move_reservation(session, holder, {trompo: 1}, FAR)
        except InsufficientStock:
            return False
        return True

    assert sorted(await asyncio.gather(send("cart_a"), send("cart_b"))) == [False, True]
    assert await read_levels(database) == {defaults.location_id: (2, 1), FAR: (1, 1)}
    async with database.read() as session:
        held = [await inventory.read_reserved_units(session, holder) for holder in ("cart_a", "cart_b")]
    assert held == [{trompo: 1}, {trompo: 1}]


async def test_moved_reservation_keeps_its_expiry(database: Database, defaults: Defaults) -> None:
    until = now().replace(microsecond=0)
    async with database.transaction() as session:
        trompo = await add_product(session, defaults, "trompo", stock=2)
        await inventory.reserve(session, "cart_a", {trompo: 2}, until)
        await inventory.set_stock(session, trompo, FAR, 1)
        await stock_fulfillment.move_reservation(session, "cart_a", {trompo: 1}, FAR)
    async with database.read() as session:
        rows = (await session.execute(select(Reservation.quantity, Reservation.expires_at))).all()
    assert [tuple(row) for row in rows] == [(1, until), (1, until)]


@pytest.mark.parametrize("moves", [False, True])
async def test_label_has_the_origin_for_which_its_price_was_quoted(  # noqa: PLR0917
    admin: httpx.AsyncClient,
    store: httpx.AsyncClient,
    shop: Shop,
    trompo: str,
    location_ids: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    moves: bool,
) -> None:
    """Check also a location whose address differs from the warehouse in the settings."""
    near, _ = location_ids
    if moves:
        address = {"address_1": "Calle 5 # 38-14", "city": "Cali", "province": "Valle del Cauca"}
        change = {"address": {**address, "dane_code": "76001000", "phone": "6025550123"}}
        await post(admin, f"/admin/stock-locations/{near}", change)
    price_origins, label_origins = [], []
    carrier = shop.fulfillment_providers["carrier_standard"]
    price, label = carrier.calculate_price, carrier.create_fulfillment

    async def record_price(request: QuoteRequest) -> Quote:
        price_origins.append(request.origin)
        return await price(request)

    async def record_label(request: LabelRequest) -> Label:
        label_origins.append(request.origin)
        return await label(request)

    monkeypatch.setattr(carrier, "calculate_price", record_price)
    monkeypatch.setattr(carrier, "create_fulfillment", record_label)
    order = await complete_purchase(store, trompo, 1, price_type="calculated")
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    await post(admin, f"/admin/orders/{order['id']}/fulfillments", body)
    (origin,) = label_origins
    assert {*price_origins} == {origin.shipping_place}
    if moves:
        assert origin.shipping_place == ShippingPlace("76001000", "Calle 5 # 38-14")
        assert (origin.phone, origin.company, origin.suburb) == ("6025550123", "Juguetería Trompo", "")
    else:
        assert origin == build_warehouse_contact(shop.settings)
