"""Orders of a shop with two warehouses: where units leave from, and where they are stocked again."""

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
from backend.shipping.addresses import warehouse
from backend.shipping.providers.base import Label, LabelRequest, Place, Quote, QuoteRequest
from tests.store_defaults import Defaults, make_toy, set_up_defaults
from tests.store_steps import bought, post

FAR = "sloc_far"


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
async def places(admin: httpx.AsyncClient, shop_defaults: Defaults) -> tuple[str, str]:
    """The shop's warehouse, and a second one."""
    address = {"address_1": "Carrera 43A # 1-50", "city": "Medellín", "country_code": "co"}
    body = {"name": "Bodega de Medellín", "address": {**address, "metadata": {"dane_code": "05001000"}}}
    far = (await post(admin, "/admin/stock-locations", body))["stock_location"]
    return shop_defaults.location_id, far["id"]


async def levels(database: Database) -> dict[str, tuple[int, int]]:
    """Units by location, and how many of them are reserved."""
    async with database.read() as session:
        found = (await session.execute(select(InventoryLevel))).scalars()
        return {level.location_id: (level.stocked, level.reserved) for level in found}


async def put(shop: Shop, variant_id: str, location_id: str, units: int) -> None:
    async with shop.database.transaction() as session:
        await inventory.set_stock(session, variant_id, location_id, units)


async def test_units_leave_from_the_location_that_is_named_and_are_stocked_there_again(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, places: tuple[str, str]
) -> None:
    order = await bought(store, trompo, 2)
    (near, far), path = places, f"/admin/orders/{order['id']}/fulfillments"
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 2}], "location_id": far}
    refused = await admin.post(path, json=body)
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert refused.json()["message"].endswith(f"at location {far}")
    assert await levels(shop.database) == {near: (5, 2)}

    await put(shop, trompo, far, 3)
    fulfillments = (await post(admin, path, body))["order"]["fulfillments"]
    assert await levels(shop.database) == {near: (5, 0), far: (1, 0)}
    assert fulfillments[0]["location_id"] == far
    cancel = f"{path}/{fulfillments[0]['id']}/cancel"
    answers = await asyncio.gather(*(admin.post(cancel, json={}) for _ in range(2)))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert await levels(shop.database) == {near: (5, 0), far: (3, 2)}
    await post(admin, path, {"items": body["items"]})
    assert await levels(shop.database) == {near: (5, 0), far: (1, 0)}


async def test_units_leave_from_where_they_are_reserved(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, places: tuple[str, str]
) -> None:
    near, far = places
    await put(shop, trompo, near, 0)
    await put(shop, trompo, far, 2)
    order = await bought(store, trompo, 2)
    path = f"/admin/orders/{order['id']}/fulfillments"
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 2}]}
    (fulfillment,) = (await post(admin, path, body))["order"]["fulfillments"]
    assert fulfillment["location_id"] == far
    async with (
        shop.database.transaction() as session
    ):  # nothing is stocked there any more, so a count may end it
        await session.execute(delete(InventoryLevel).where(InventoryLevel.location_id == far))
    await post(admin, f"{path}/{fulfillment['id']}/cancel")
    assert await levels(shop.database) == {near: (0, 0), far: (2, 2)}
    async with shop.database.read() as session:
        assert (await session.execute(select(Reservation.quantity))).scalars().all() == [2]


async def test_what_is_reserved_in_two_places_goes_back_to_both(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, places: tuple[str, str]
) -> None:
    near, far = places
    await put(shop, trompo, near, 1)
    await put(shop, trompo, far, 2)
    order = await bought(store, trompo, 3)
    assert await levels(shop.database) == {near: (1, 1), far: (2, 2)}
    path = f"/admin/orders/{order['id']}/fulfillments"
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 3}]}
    (fulfillment,) = (await post(admin, path, body))["order"]["fulfillments"]
    assert (fulfillment["location_id"], await levels(shop.database)) == (near, {near: (0, 0), far: (0, 0)})
    await post(admin, f"{path}/{fulfillment['id']}/cancel")
    assert await levels(shop.database) == {near: (1, 1), far: (2, 2)}


async def test_a_location_that_is_gone_gets_nothing_back(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, trompo: str, places: tuple[str, str]
) -> None:
    near, far = places
    await put(shop, trompo, near, 1)
    await put(shop, trompo, far, 2)
    order = await bought(store, trompo, 3)
    path = f"/admin/orders/{order['id']}/fulfillments"
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 3}]}
    (fulfillment,) = (await post(admin, path, body))["order"]["fulfillments"]
    assert (await admin.delete(f"/admin/stock-locations/{far}")).status_code == 200
    await post(admin, f"{path}/{fulfillment['id']}/cancel")
    assert await levels(shop.database) == {near: (3, 3)}


async def test_units_that_come_back_lie_where_they_were_sent_from(
    shop: Shop, trompo: str, places: tuple[str, str]
) -> None:
    """Though a count has ended the level there."""
    near, far = places
    async with shop.database.transaction() as session:
        await stock_fulfillment.restock(session, far, {trompo: 2})
    assert await levels(shop.database) == {near: (5, 0), far: (2, 0)}


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def test_two_who_want_the_last_unit_of_a_location(database: Database, defaults: Defaults) -> None:
    """One of them has it from there, and the reservation of the other stays where it was."""
    async with database.transaction() as session:
        trompo = await make_toy(session, defaults, "trompo", stock=2)
        for holder in ("cart_a", "cart_b"):
            await inventory.reserve(session, holder, {trompo: 1}, None)
        await inventory.set_stock(session, trompo, FAR, 1)

    async def send(holder: str) -> bool:
        try:
            async with database.transaction() as session:
                await stock_fulfillment.reserve_at(session, holder, {trompo: 1}, FAR)
        except InsufficientStock:
            return False
        return True

    assert sorted(await asyncio.gather(send("cart_a"), send("cart_b"))) == [False, True]
    assert await levels(database) == {defaults.location_id: (2, 1), FAR: (1, 1)}
    async with database.read() as session:
        held = [await inventory.reserved_units(session, holder) for holder in ("cart_a", "cart_b")]
    assert held == [{trompo: 1}, {trompo: 1}]


async def test_a_reservation_keeps_its_end_wherever_it_is(database: Database, defaults: Defaults) -> None:
    until = now().replace(microsecond=0)
    async with database.transaction() as session:
        trompo = await make_toy(session, defaults, "trompo", stock=2)
        await inventory.reserve(session, "cart_a", {trompo: 2}, until)
        await inventory.set_stock(session, trompo, FAR, 1)
        await stock_fulfillment.reserve_at(session, "cart_a", {trompo: 1}, FAR)
    async with database.read() as session:
        rows = (await session.execute(select(Reservation.quantity, Reservation.expires_at))).all()
    assert [tuple(row) for row in rows] == [(1, until), (1, until)]


@pytest.mark.parametrize("moves", [False, True])
async def test_a_label_starts_where_its_price_was_asked_for(  # noqa: PLR0917
    admin: httpx.AsyncClient,
    store: httpx.AsyncClient,
    shop: Shop,
    trompo: str,
    places: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    moves: bool,
) -> None:
    """At the location, wherever the settings have the shop's own warehouse."""
    near, _ = places
    if moves:
        address = {"address_1": "Calle 5 # 38-14", "city": "Cali", "province": "Valle del Cauca"}
        change = {"address": {**address, "dane_code": "76001000", "phone": "6025550123"}}
        await post(admin, f"/admin/stock-locations/{near}", change)
    asked, labelled = [], []
    carrier = shop.fulfillment_providers["carrier_standard"]
    price, label = carrier.calculate_price, carrier.create_fulfillment

    async def priced(request: QuoteRequest) -> Quote:
        asked.append(request.origin)
        return await price(request)

    async def made(request: LabelRequest) -> Label:
        labelled.append(request.origin)
        return await label(request)

    monkeypatch.setattr(carrier, "calculate_price", priced)
    monkeypatch.setattr(carrier, "create_fulfillment", made)
    order = await bought(store, trompo, 1, price_type="calculated")
    body = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    await post(admin, f"/admin/orders/{order['id']}/fulfillments", body)
    (origin,) = labelled
    assert {*asked} == {origin.place}
    if moves:
        assert origin.place == Place("76001000", "Calle 5 # 38-14")
        assert (origin.phone, origin.company, origin.suburb) == ("6025550123", "Juguetería Trompo", "")
    else:
        assert origin == warehouse(shop.settings)
