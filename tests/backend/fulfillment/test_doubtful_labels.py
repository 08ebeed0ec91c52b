"""Labels in doubt and their resolution by staff through attention, on both databases."""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.fulfillment.labels import OVERDUE, STALE_AFTER
from backend.inventory.models import InventoryLevel
from backend.jobs import enqueue
from backend.jobs.models import Job
from backend.orders.models import Fulfillment
from backend.sandbox.carrier import Fault, SandboxCarrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import Status
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post


@pytest.fixture
def carrier(shop: Shop) -> SandboxCarrier:
    assert shop.sandbox.carrier
    return shop.sandbox.carrier


@pytest.fixture
async def doubtful(
    *,
    shop: Shop,
    shop_defaults: Defaults,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    carrier: SandboxCarrier,
) -> dict[str, Any]:
    """Return an order whose label was created but whose response was lost."""
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5)
    order = await complete_purchase(store, variant, 2, price_type="calculated")
    carrier.faults.plan(Fault.DROP, Operation.SHIPMENT, times=1)
    lost = await admin.post(f"/admin/orders/{order['id']}/fulfillments", json=fulfillment_body(order))
    assert lost.status_code == 502
    return await read_order(admin, order["id"])


def fulfillment_body(order: dict[str, Any]) -> dict[str, Any]:
    return {"items": [{"id": order["items"][0]["id"], "quantity": 2}]}


async def read_order(admin: httpx.AsyncClient, order_id: str) -> dict[str, Any]:
    order: dict[str, Any] = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    return order


async def list_doubts(admin: httpx.AsyncClient) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (await get(admin, "/admin/attention", kind="label_in_doubt", status="open"))[
        "attention"
    ]
    return rows


async def resolve_path(admin: httpx.AsyncClient) -> str:
    (row,) = await list_doubts(admin)
    return f"/admin/attention/{row['id']}/resolve"


async def resolve_doubt(
    admin: httpx.AsyncClient, order: dict[str, Any], decision: dict[str, Any]
) -> dict[str, Any]:
    """Resolve the doubt with this decision and return the order."""
    row = (await post(admin, await resolve_path(admin), decision))["attention"]
    assert row["status"] == "resolved"
    return await read_order(admin, order["id"])


def fulfillment_path(order: dict[str, Any]) -> str:
    return f"/admin/orders/{order['id']}/fulfillments/{order['fulfillments'][0]['id']}"


def honor_body(**label: Any) -> dict[str, Any]:
    return {"action": "honor", "label": label}


NOT_MADE = {"action": "dismissed", "note": "The carrier's desk shows none"}


async def last_label_number(carrier: SandboxCarrier) -> int:
    return (await carrier.ledger.list_labels())[-1].order_id


async def read_stock(shop: Shop) -> tuple[int, int]:
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        return level.stocked, level.reserved


async def test_label_in_doubt_raises_attention_and_is_not_created_again(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    again = await admin.post(f"/admin/orders/{doubtful['id']}/fulfillments", json=fulfillment_body(doubtful))
    assert again.status_code == 409
    assert len(await carrier.ledger.list_labels()) == 1
    (row,) = await list_doubts(admin)
    (fulfillment,) = doubtful["fulfillments"]
    assert (row["order_id"], row["fulfillment_id"]) == (doubtful["id"], fulfillment["id"])
    assert row["data"]["reference"] == fulfillment["data"]["reference"]
    assert row["actions"] == ["honor", "dismissed"]
    assert fulfillment["data"]["state"] == "unknown"


@pytest.mark.parametrize("known_by", ["carrier_order_id", "tracking_number"])
async def test_label_in_doubt_that_exists_is_stored_packed_and_tracked(
    *,
    admin: httpx.AsyncClient,
    shop: Shop,
    doubtful: dict[str, Any],
    carrier: SandboxCarrier,
    known_by: str,
) -> None:
    made = (await carrier.ledger.list_labels())[0]
    found = {"carrier_order_id": made.order_id, "tracking_number": made.tracker}
    order = await resolve_doubt(admin, doubtful, honor_body(**{known_by: found[known_by]}, carrier="Envía"))
    (fulfillment,) = order["fulfillments"]
    assert (order["fulfillment_status"], fulfillment["data"]["state"]) == ("fulfilled", "created")
    assert fulfillment["data"]["carrier"] == "Envía"
    assert await read_stock(shop) == (3, 0)
    assert await list_doubts(admin) == []
    assert await shop.tracker.track_all() == 1
    assert (await read_order(admin, order["id"]))["fulfillments"][0]["data"]["stage"] == "awaiting_pickup"


async def test_label_in_doubt_that_does_not_exist_is_created_on_the_next_try(
    admin: httpx.AsyncClient, shop: Shop, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    order = await resolve_doubt(admin, doubtful, NOT_MADE)
    assert order["fulfillments"][0]["data"]["state"] == "failed"
    order = (await post(admin, f"/admin/orders/{order['id']}/fulfillments", fulfillment_body(order)))["order"]
    (fulfillment,) = order["fulfillments"]
    assert (order["fulfillment_status"], fulfillment["data"]["carrier_order_id"]) == (
        "fulfilled",
        await last_label_number(carrier),
    )
    assert await read_stock(shop) == (3, 0)


async def test_label_number_that_the_carrier_does_not_know_is_refused(
    admin: httpx.AsyncClient, doubtful: dict[str, Any]
) -> None:
    refused = await admin.post(await resolve_path(admin), json=honor_body(carrier_order_id=5))
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert "knows no label" in refused.json()["message"]
    assert (await read_order(admin, doubtful["id"]))["fulfillments"][0]["data"]["state"] == "unknown"
    order = await resolve_doubt(admin, doubtful, honor_body(carrier_order_id=5, unverified=True))
    assert order["fulfillments"][0]["data"]["carrier_order_id"] == 5


async def test_label_number_is_refused_while_the_carrier_cannot_confirm_it(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.UNAUTHORIZED, Operation.TRACK)
    body = honor_body(carrier_order_id=await last_label_number(carrier))
    assert (await admin.post(await resolve_path(admin), json=body)).status_code == 502
    assert (await read_order(admin, doubtful["id"]))["fulfillments"][0]["data"]["state"] == "unknown"
    await resolve_doubt(
        admin, doubtful, honor_body(carrier_order_id=await last_label_number(carrier), unverified=True)
    )


@pytest.mark.parametrize(
    "label",
    [
        None,
        {},
        {"unverified": True},
        {"tracking_number": " "},
        {"carrier_order_id": 0},
        {"carrier_order_id": 2**60},
        {"carrier_order_id": "5"},
    ],
)
async def test_decision_that_the_label_exists_is_refused_without_a_number(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], label: dict[str, Any] | None
) -> None:
    body = {"action": "honor", "label": label}
    assert (await admin.post(await resolve_path(admin), json=body)).status_code == 400
    assert len(await list_doubts(admin)) == 1


async def test_label_of_another_fulfillment_is_refused(
    *,
    admin: httpx.AsyncClient,
    store: httpx.AsyncClient,
    shop: Shop,
    shop_defaults: Defaults,
    doubtful: dict[str, Any],
    carrier: SandboxCarrier,
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "yoyo")
    other = await complete_purchase(store, variant, 2, price_type="calculated")
    await post(admin, f"/admin/orders/{other['id']}/fulfillments", fulfillment_body(other))
    refused = await admin.post(
        await resolve_path(admin), json=honor_body(carrier_order_id=await last_label_number(carrier))
    )
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")


async def test_only_one_of_four_concurrent_decisions_resolves_the_doubt(
    admin: httpx.AsyncClient, shop: Shop, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    path, body = await resolve_path(admin), honor_body(carrier_order_id=await last_label_number(carrier))
    answers = await asyncio.gather(*(admin.post(path, json=body) for _ in range(4)))
    codes = sorted(answer.status_code for answer in answers)
    assert codes[0] == 200  # the others found the row resolved, or the label no longer in doubt
    assert set(codes[1:]) <= {400, 409}
    assert await read_stock(shop) == (3, 0)


async def test_label_that_is_overdue_after_a_crash_is_in_doubt(
    admin: httpx.AsyncClient, shop: Shop, doubtful: dict[str, Any]
) -> None:
    await post(admin, await resolve_path(admin), NOT_MADE)
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(state="creating"))
        await enqueue(session, OVERDUE, key=doubtful["fulfillments"][0]["id"], after=STALE_AFTER)
    await shop.worker.run_due(OVERDUE)
    assert await list_doubts(admin) == []  # the carrier may still respond
    async with shop.database.transaction() as session:
        await session.execute(update(Job).where(Job.kind == OVERDUE).values(run_at=db_now()))
    assert await shop.worker.run_due(OVERDUE) == 1
    order = await resolve_doubt(admin, doubtful, NOT_MADE)
    assert order["fulfillments"][0]["data"]["state"] == "failed"


async def test_old_routes_for_labels_in_doubt_do_not_exist(
    admin: httpx.AsyncClient, doubtful: dict[str, Any]
) -> None:
    assert (await admin.get("/admin/fulfillments/in-doubt")).status_code == 404
    path = f"/admin/orders/{doubtful['id']}/fulfillments/{doubtful['fulfillments'][0]['id']}/settle"
    assert (await admin.post(path, json={"made": False})).status_code == 404


async def test_cancellation_with_only_a_tracking_number_waits_for_the_carrier(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    label = (await carrier.ledger.list_labels())[0]
    order = await resolve_doubt(admin, doubtful, honor_body(tracking_number=label.tracker))
    cancel = f"{fulfillment_path(order)}/cancel"
    assert (await admin.post(cancel, json={})).status_code == 502
    await carrier.ledger.move_shipment(label.order_id, Status.CANCELLED)
    assert (await post(admin, cancel))["order"]["fulfillment_status"] == "not_fulfilled"


async def test_fulfillment_is_cancelled_by_its_order_id_if_the_carrier_cancelled_the_label(
    admin: httpx.AsyncClient, doubtful: dict[str, Any], carrier: SandboxCarrier
) -> None:
    label = (await carrier.ledger.list_labels())[0]
    order = await resolve_doubt(admin, doubtful, honor_body(carrier_order_id=label.order_id))
    await carrier.ledger.move_shipment(label.order_id, Status.CANCELLED)
    cancelled = await post(admin, f"{fulfillment_path(order)}/cancel")
    assert cancelled["order"]["fulfillment_status"] == "not_fulfilled"


async def test_label_pdf_is_stored(
    *, admin: httpx.AsyncClient, anyone: httpx.AsyncClient, doubtful: dict[str, Any]
) -> None:
    """Check that only staff can read the stored PDF, and that there is none while the label is in doubt."""
    assert (await admin.get(f"{fulfillment_path(doubtful)}/label")).status_code == 404
    await resolve_doubt(admin, doubtful, NOT_MADE)
    order = (await post(admin, f"/admin/orders/{doubtful['id']}/fulfillments", fulfillment_body(doubtful)))[
        "order"
    ]
    path = f"{fulfillment_path(order)}/label"
    label = await admin.get(path)
    assert (label.status_code, label.headers["content-type"]) == (200, "application/pdf")
    assert label.content.startswith(b"%PDF")
    assert (await anyone.get(path)).status_code == 401
