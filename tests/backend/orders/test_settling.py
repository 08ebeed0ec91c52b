"""Guides in doubt, and how staff settle them, on both databases (design: decision 5, for guides)."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.clock import now
from backend.inventory.models import InventoryLevel
from backend.sandbox.carrier import Fault, SandboxCarrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.guides import Status
from backend.shipping.guides import STALE_AFTER
from backend.shipping.models import Fulfillment
from tests.shop_floor import Floor, make_toy
from tests.store_steps import bought, get, post


@pytest.fixture
def carrier(shop: Shop) -> SandboxCarrier:
    assert shop.sandbox.carrier
    return shop.sandbox.carrier


@pytest.fixture
async def doubtful(
    *,
    shop: Shop,
    shop_floor: Floor,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    carrier: SandboxCarrier,
) -> dict[str, Any]:
    """An order whose guide was made, but the answer was lost on its way."""
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_floor, "trompo", stock=5)
    order = await bought(store, variant, 2, price_type="calculated")
    carrier.faults.plan(Fault.DROP, Operation.SHIPMENT, times=1)
    lost = await admin.post(f"/admin/orders/{order['id']}/fulfillments", json=packed(order))
    assert lost.status_code == 502
    return await order_of(admin, order["id"])


def packed(order: dict[str, Any]) -> dict[str, Any]:
    return {"items": [{"id": order["items"][0]["id"], "quantity": 2}]}


async def order_of(admin: httpx.AsyncClient, order_id: str) -> dict[str, Any]:
    order: dict[str, Any] = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    return order


def path_of(order: dict[str, Any]) -> str:
    return f"/admin/orders/{order['id']}/fulfillments/{order['fulfillments'][0]['id']}/settle"


def number(carrier: SandboxCarrier) -> int:
    return carrier.ledger.guides()[-1].order_id


async def stock(shop: Shop) -> tuple[int, int]:
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        return level.stocked, level.reserved


async def test_a_doubtful_parcel_is_listed_and_is_not_made_again(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    again = await admin.post(f"/admin/orders/{doubtful['id']}/fulfillments", json=packed(doubtful))
    assert again.status_code == 409
    assert len(carrier.ledger.guides()) == 1
    listing = await get(admin, "/admin/fulfillments/in-doubt")
    (parcel,) = listing["fulfillments"]
    assert (listing["count"], parcel["order_id"], parcel["display_id"]) == (
        1,
        doubtful["id"],
        doubtful["display_id"],
    )
    assert parcel["data"]["state"] == "unknown"


@pytest.mark.parametrize("known_by", ["carrier_order_id", "tracking_number"])
async def test_a_guide_that_is_there_is_recorded_packed_and_followed(
    *,
    admin: httpx.AsyncClient,
    shop: Shop,
    doubtful: dict[str, Any],
    carrier: SandboxCarrier,
    known_by: str,
) -> None:
    made = carrier.ledger.guides()[0]
    found = {"carrier_order_id": made.order_id, "tracking_number": made.tracker}
    body = {"made": True, known_by: found[known_by], "carrier": "Envía"}
    order = (await post(admin, path_of(doubtful), body))["order"]
    (parcel,) = order["fulfillments"]
    assert (order["fulfillment_status"], parcel["data"]["state"]) == ("fulfilled", "created")
    assert parcel["data"]["carrier"] == "Envía"
    assert await stock(shop) == (3, 0)
    assert (await get(admin, "/admin/fulfillments/in-doubt"))["count"] == 0
    assert await shop.parcels.track_all() == 1
    assert (await order_of(admin, order["id"]))["fulfillments"][0]["data"]["stage"] == "awaiting_pickup"


async def test_a_guide_that_is_not_there_is_made_at_the_next_try(
    admin: httpx.AsyncClient, shop: Shop, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    order = (await post(admin, path_of(doubtful), {"made": False}))["order"]
    assert order["fulfillments"][0]["data"]["state"] == "failed"
    order = (await post(admin, f"/admin/orders/{order['id']}/fulfillments", packed(order)))["order"]
    (parcel,) = order["fulfillments"]
    assert (order["fulfillment_status"], parcel["data"]["carrier_order_id"]) == ("fulfilled", number(carrier))
    assert await stock(shop) == (3, 0)


async def test_a_slip_of_the_pen_is_not_believed(admin: httpx.AsyncClient, doubtful: dict[str, Any]) -> None:
    refused = await admin.post(path_of(doubtful), json={"made": True, "carrier_order_id": 5})
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert "knows no guide" in refused.json()["message"]
    assert (await order_of(admin, doubtful["id"]))["fulfillments"][0]["data"]["state"] == "unknown"
    kept = {"made": True, "carrier_order_id": 5, "unverified": True}
    order = (await post(admin, path_of(doubtful), kept))["order"]
    assert order["fulfillments"][0]["data"]["carrier_order_id"] == 5


async def test_a_carrier_that_cannot_be_asked_settles_nothing(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.UNAUTHORIZED, Operation.TRACK)
    body = {"made": True, "carrier_order_id": number(carrier)}
    assert (await admin.post(path_of(doubtful), json=body)).status_code == 502
    assert (await order_of(admin, doubtful["id"]))["fulfillments"][0]["data"]["state"] == "unknown"
    await post(admin, path_of(doubtful), {**body, "unverified": True})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"made": True},
        {"made": True, "unverified": True},
        {"made": True, "tracking_number": " "},
        {"made": True, "carrier_order_id": 0},
        {"made": True, "carrier_order_id": 2**60},
        {"made": "maybe"},
    ],
)
async def test_a_guide_without_a_number_is_none(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], body: dict[str, Any]
) -> None:
    assert (await admin.post(path_of(doubtful), json=body)).status_code == 400


async def test_another_parcels_guide_is_not_this_ones(
    *,
    admin: httpx.AsyncClient,
    store: httpx.AsyncClient,
    shop: Shop,
    shop_floor: Floor,
    doubtful: dict[str, Any],
    carrier: SandboxCarrier,
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_floor, "yoyo")
    other = await bought(store, variant, 2, price_type="calculated")
    await post(admin, f"/admin/orders/{other['id']}/fulfillments", packed(other))
    refused = await admin.post(path_of(doubtful), json={"made": True, "carrier_order_id": number(carrier)})
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")


async def test_settled_twice_at_once_is_settled_once(
    admin: httpx.AsyncClient, shop: Shop, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    body = {"made": True, "carrier_order_id": number(carrier)}
    answers = await asyncio.gather(*(admin.post(path_of(doubtful), json=body) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    assert await stock(shop) == (3, 0)


async def test_what_is_being_made_is_not_settled_and_after_a_crash_it_is(
    admin: httpx.AsyncClient, shop: Shop, doubtful: dict[str, Any]
) -> None:
    async def left_by_a_crash(age: timedelta) -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(Fulfillment).values(state="creating", updated_at=now() - age))

    await left_by_a_crash(timedelta(0))
    early = await admin.post(path_of(doubtful), json={"made": False})
    assert (early.status_code, early.json()["type"]) == (400, "not_allowed")
    assert (await get(admin, "/admin/fulfillments/in-doubt"))["count"] == 0
    await left_by_a_crash(STALE_AFTER + timedelta(seconds=1))
    assert (await get(admin, "/admin/fulfillments/in-doubt"))["count"] == 1
    order = (await post(admin, path_of(doubtful), {"made": False}))["order"]
    assert order["fulfillments"][0]["data"]["state"] == "failed"


async def test_only_staff_settle_and_only_what_there_is(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient, doubtful: dict[str, Any]
) -> None:
    assert (await anyone.post(path_of(doubtful), json={"made": False})).status_code == 401
    assert (await anyone.get("/admin/fulfillments/in-doubt")).status_code == 401
    unknown = f"/admin/orders/{doubtful['id']}/fulfillments/ful_nosuch/settle"
    assert (await admin.post(unknown, json={"made": False})).status_code == 404
    elsewhere = path_of(doubtful).replace(doubtful["id"], "order_nosuch")
    assert (await admin.post(elsewhere, json={"made": False})).status_code == 404


async def test_a_parcel_known_by_its_code_alone_is_cancelled_at_the_carrier_first(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    guide = carrier.ledger.guides()[0]
    await post(admin, path_of(doubtful), {"made": True, "tracking_number": guide.tracker})
    cancel = path_of(doubtful).replace("/settle", "/cancel")
    assert (await admin.post(cancel, json={})).status_code == 502
    guide.status = Status.CANCELLED
    assert (await post(admin, cancel))["order"]["fulfillment_status"] == "not_fulfilled"


async def test_the_label_is_kept_with_the_order(
    *, admin: httpx.AsyncClient, anyone: httpx.AsyncClient, doubtful: dict[str, Any]
) -> None:
    """The PDF of a guide is there also when the carrier is not."""
    none_yet = path_of(doubtful).replace("/settle", "/label")
    assert (await admin.get(none_yet)).status_code == 404
    await post(admin, path_of(doubtful), {"made": False})
    order = (await post(admin, f"/admin/orders/{doubtful['id']}/fulfillments", packed(doubtful)))["order"]
    path = path_of(order).replace("/settle", "/label")
    label = await admin.get(path)
    assert (label.status_code, label.headers["content-type"]) == (200, "application/pdf")
    assert label.content.startswith(b"%PDF")
    assert (await anyone.get(path)).status_code == 401
