"""Orders follow the carrier's tracking, on both databases, over the embedded carrier's HTTP API."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.models import Attention
from backend.core.clock import now
from backend.core.db.database import db_now
from backend.fulfillment.tracker import Tracker
from backend.fulfillment.tracking import BATCH_SIZE, MIN_REQUEST_INTERVAL, TRACK
from backend.jobs import JobRun, RunAgain, Worker, job_batch
from backend.jobs.models import Job
from backend.mail.models import Mail
from backend.office.orders.detail import ParcelView, order_detail
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import Status
from backend.staff.rights import COMMAND_LINE
from backend.storefront_views.order_page import OrderView
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post


@dataclass
class Road:
    """Parcels of an order, with helpers to move and read them."""

    shop: Shop
    admin: httpx.AsyncClient
    order_id: str
    fulfillments: list[dict[str, Any]]

    def number(self, place: int = 0) -> int:
        return int(self.fulfillments[place]["data"]["carrier_order_id"])

    async def move(self, status: Status, place: int = 0) -> None:
        assert self.shop.sandbox.carrier
        await self.shop.sandbox.carrier.ledger.move_shipment(self.number(place), status)

    async def follow(self) -> int:
        return await self.shop.tracker.track_all()

    async def follow_due(self) -> int:
        return await self.shop.worker.run_due(TRACK)

    async def order(self) -> dict[str, Any]:
        order: dict[str, Any] = (await get(self.admin, f"/admin/orders/{self.order_id}"))["order"]
        return order

    async def fulfillment(self, place: int = 0) -> dict[str, Any]:
        fulfillment: dict[str, Any] = (await self.order())["fulfillments"][place]
        return fulfillment

    async def page(self, *, ask: bool = False) -> OrderView:
        token = ORDER_LINK.token(self.shop.settings.signing_key, self.order_id)
        return await self.shop.placed_orders.get_order_page(self.order_id, token, refresh=ask)

    async def parcels(self) -> list[ParcelView]:
        """Return the parcels as shown in the office."""
        async with self.shop.database.read() as session:
            return (await order_detail(session, COMMAND_LINE, self.order_id, "Trompo")).parcels

    async def attention(self) -> list[Attention]:
        async with self.shop.database.read() as session:
            found = await session.execute(select(Attention).order_by(Attention.created_at, Attention.id))
            return list(found.scalars())

    async def mails(self) -> int:
        async with self.shop.database.read() as session:
            found = await session.execute(select(Mail).where(Mail.kind == "order_shipped"))
            return len(found.scalars().all())

    async def asked_long_ago(self) -> None:
        async with self.shop.database.transaction() as session:
            await session.execute(update(Fulfillment).values(tracked_at=now() - 2 * MIN_REQUEST_INTERVAL))

    def questions(self) -> int:
        assert self.shop.sandbox.carrier
        return sum("track" in path for _, path, _ in self.shop.sandbox.carrier.requests)


async def send_parcels(
    shop: Shop, defaults: Defaults, store: httpx.AsyncClient, admin: httpx.AsyncClient, fulfillments: int
) -> Road:
    async with shop.database.transaction() as session:
        variant = await add_product(session, defaults, f"trompo-{fulfillments}", stock=9)
    order = await complete_purchase(store, variant, fulfillments, price_type="calculated")
    for _ in range(fulfillments):
        items = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
        order = (await post(admin, f"/admin/orders/{order['id']}/fulfillments", items))["order"]
    return Road(shop, admin, order["id"], order["fulfillments"])


@pytest.fixture
async def road(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, admin: httpx.AsyncClient
) -> Road:
    """Return an order with one fulfillment that waits for its pickup."""
    return await send_parcels(shop, shop_defaults, store, admin, 1)


@pytest.fixture
async def two_fulfillments(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, admin: httpx.AsyncClient
) -> Road:
    return await send_parcels(shop, shop_defaults, store, admin, 2)


async def test_order_status_follows_the_tracking_of_its_parcel(road: Road) -> None:
    """Track each status on the way to the customer (wire: carrier 2.4)."""
    seen = []
    for status in (
        Status.PENDING,
        Status.COLLECTED,
        Status.IN_TRANSIT,
        Status.IN_DELIVERY,
        Status.INCIDENT,
        Status.DELIVERED,
    ):
        await road.move(status)
        assert await road.follow() == 1
        order, (shown,) = await road.order(), (await road.page()).fulfillments
        seen.append((order["fulfillment_status"], order["fulfillments"][0]["data"]["stage"], shown.stage))
    assert seen == [
        ("fulfilled", "awaiting_pickup", "ready"),
        ("shipped", "collected", "collected"),
        ("shipped", "in_transit", "in_transit"),
        ("shipped", "out_for_delivery", "out_for_delivery"),
        ("shipped", "incident", "incident"),
        ("delivered", "delivered", "delivered"),
    ]
    assert await road.follow() == 0  # it was delivered: tracking has stopped
    fulfillment = await road.fulfillment()
    assert fulfillment["shipped_at"] <= fulfillment["delivered_at"]
    page = await road.page()
    assert (page.status, page.journey) == ("authorized", "delivered")
    assert page.fulfillments[0].received_by == "Portería"
    assert page.fulfillments[0].delivered_label
    assert await road.mails() == 1


async def test_incident_is_shown_in_the_carriers_words(road: Road) -> None:
    await road.move(Status.INCIDENT)
    await road.follow()
    (shown,) = (await road.page()).fulfillments
    assert (shown.stage, shown.shipped_label) == ("incident", "")
    assert shown.note.startswith("Novedad: dirección errada")


async def test_order_status_combines_the_statuses_of_two_fulfillments(two_fulfillments: Road) -> None:
    statuses = []
    for place, status in ((0, Status.IN_TRANSIT), (1, Status.DELIVERED), (0, Status.DELIVERED)):
        await two_fulfillments.move(status, place)
        await two_fulfillments.follow()
        statuses.append((await two_fulfillments.order())["fulfillment_status"])
    assert statuses == ["partially_shipped", "partially_delivered", "delivered"]
    assert await two_fulfillments.mails() == 2  # one per fulfillment


async def test_fulfillments_are_tracked_in_one_request(two_fulfillments: Road) -> None:
    assert await two_fulfillments.follow() == 2
    assert two_fulfillments.questions() == 1


async def test_concurrent_replicas_track_and_notify_once(two_fulfillments: Road) -> None:
    for place in (0, 1):
        await two_fulfillments.move(Status.IN_TRANSIT, place)
    async with two_fulfillments.shop.database.transaction() as session:
        await session.execute(update(Job).where(Job.kind == TRACK).values(run_at=db_now()))
    replicas = (
        Worker(two_fulfillments.shop.database, [two_fulfillments.shop.tracker]).run_due() for _ in range(4)
    )
    assert sum(await asyncio.gather(*replicas)) == 2
    assert (await two_fulfillments.order())["fulfillment_status"] == "shipped"
    assert await two_fulfillments.mails() == 2


async def test_fulfillment_marked_as_shipped_by_staff_sends_one_mail(road: Road) -> None:
    await post(
        road.admin, f"/admin/orders/{road.order_id}/fulfillments/{road.fulfillments[0]['id']}/shipments"
    )
    shipped_at = (await road.fulfillment())["shipped_at"]
    await road.move(Status.IN_TRANSIT)
    await road.follow()
    assert (await road.fulfillment())["shipped_at"] == shipped_at
    assert await road.mails() == 1


async def test_concurrent_shipping_and_tracking_send_one_mail(road: Road) -> None:
    await road.move(Status.IN_TRANSIT)
    path = f"/admin/orders/{road.order_id}/fulfillments/{road.fulfillments[0]['id']}/shipments"
    await asyncio.gather(road.follow(), *(post(road.admin, path) for _ in range(3)))
    assert await road.mails() == 1
    assert (await road.order())["fulfillment_status"] == "shipped"


async def test_late_update_of_cancelled_fulfillment_changes_nothing(road: Road) -> None:
    """Let the carrier report a delivery after the cancellation (wire: carrier 2.4)."""
    await post(road.admin, f"/admin/orders/{road.order_id}/fulfillments/{road.fulfillments[0]['id']}/cancel")
    await road.move(Status.DELIVERED)
    assert await road.follow() == 0
    assert (await road.order())["fulfillment_status"] == "not_fulfilled"
    (shown,) = (await road.page()).fulfillments
    assert shown.stage == "canceled"


async def test_order_with_label_cancelled_by_the_carrier_can_be_sent_again(road: Road) -> None:
    await road.move(Status.CANCELLED)
    await road.follow()
    assert (await road.page()).fulfillments[0].stage == "canceled"
    (attention,) = await road.attention()
    assert (attention.kind, attention.fulfillment_id) == ("label_canceled", road.fulfillments[0]["id"])
    path = f"/admin/orders/{road.order_id}/fulfillments"
    order = (await post(road.admin, f"{path}/{road.fulfillments[0]['id']}/cancel"))["order"]
    assert order["fulfillment_status"] == "not_fulfilled"
    items = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    assert (await post(road.admin, path, items))["order"]["fulfillment_status"] == "fulfilled"


async def test_shipped_order_with_label_cancelled_by_the_carrier_can_be_sent_again(
    road: Road,
) -> None:
    """Let the carrier cancel the label of an order marked as shipped, as if the parcel was never collected."""
    path = f"/admin/orders/{road.order_id}/fulfillments"
    label = f"{path}/{road.fulfillments[0]['id']}"
    await post(road.admin, f"{label}/shipments")
    refused = await road.admin.post(f"{label}/cancel")
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    await road.move(Status.CANCELLED)
    await road.follow()
    assert [parcel.can_cancel for parcel in await road.parcels()] == [True]
    order = (await post(road.admin, f"{label}/cancel"))["order"]
    assert order["fulfillment_status"] == "not_fulfilled"
    assert [parcel.can_cancel for parcel in await road.parcels()] == [False]
    items = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    assert (await post(road.admin, path, items))["order"]["fulfillment_status"] == "fulfilled"


async def test_delivered_fulfillment_cannot_be_cancelled(road: Road) -> None:
    label = f"/admin/orders/{road.order_id}/fulfillments/{road.fulfillments[0]['id']}"
    await post(road.admin, f"{label}/mark-as-delivered")
    assert [parcel.can_cancel for parcel in await road.parcels()] == [False]
    assert (await road.admin.post(f"{label}/cancel")).status_code == 400


async def test_returned_parcel_raises_attention(road: Road) -> None:
    await road.move(Status.IN_TRANSIT)
    await road.follow()
    await road.move(Status.RETURNED)
    await road.follow()
    assert (await road.page()).fulfillments[0].stage == "returned"
    (attention,) = await road.attention()
    assert (attention.kind, attention.fulfillment_id) == ("label_returned", road.fulfillments[0]["id"])
    assert (attention.order_id, attention.resolved_at) == (road.order_id, None)
    assert await road.follow() == 0  # the stage is final
    assert len(await road.attention()) == 1


async def report_status(road: Road, patch: pytest.MonkeyPatch, status: str, detail: str) -> None:
    """Set a status that the embedded carrier never sends by itself, and track it."""
    answer = {"status": status, "statusDetail": detail, "realDeliveryDate": "2026-11-20 10:00:00"}
    patch.setattr("backend.sandbox.carrier.app.to_tracking_data", lambda _label: answer)
    await road.follow()


@pytest.mark.parametrize(
    ("status", "detail", "words"),
    [
        ("Entregado a remitente", "", "Entregado a remitente"),
        ("Entregado", "Devolución entregada", "Devolución entregada"),
        ("ENTREGADO", "Entregado al Remitente en Cali", "Entregado al Remitente en Cali"),
        ("Devolución entregada", "Firma: bodega", "Devolución entregada: Firma: bodega"),
    ],
)
async def test_parcel_delivered_to_the_sender_is_returned(
    road: Road, monkeypatch: pytest.MonkeyPatch, status: str, detail: str, words: str
) -> None:
    """Check that the order does not count as delivered: no return period begins, and attention is raised."""
    await road.move(Status.IN_TRANSIT)
    await road.follow()
    await report_status(road, monkeypatch, status, detail)
    order = await road.order()
    assert order["fulfillment_status"] == "shipped"
    (fulfillment,) = order["fulfillments"]
    assert (fulfillment["data"]["stage"], fulfillment["delivered_at"]) == ("returned", None)
    (attention,) = await road.attention()
    assert attention.kind == "label_returned"
    assert words in attention.message
    (parcel,) = await road.parcels()
    assert (parcel.chip.text, parcel.carrier_words) == ("Devuelto por la transportadora", words)
    page = await road.page()
    assert (page.fulfillments[0].stage, page.fulfillments[0].delivered_label) == ("returned", "")
    assert await road.mails() == 1


@pytest.mark.parametrize(
    ("status", "stage", "order_status"),
    [
        ("Guía generada", "awaiting_pickup", "fulfilled"),
        ("Admitido", "collected", "shipped"),
        ("Recogido", "collected", "shipped"),
        ("En bodega destino", "in_transit", "shipped"),
    ],
)
async def test_usual_tracking_stage_raises_no_attention_and_keeps_the_carriers_words(
    road: Road, monkeypatch: pytest.MonkeyPatch, status: str, stage: str, order_status: str
) -> None:
    """Report a usual status of the carrier, after which staff have nothing to do."""
    await report_status(road, monkeypatch, status, "")
    order = await road.order()
    assert (order["fulfillment_status"], order["fulfillments"][0]["data"]["stage"]) == (order_status, stage)
    assert await road.attention() == []
    assert [parcel.carrier_words for parcel in await road.parcels()] == [status]


async def test_incident_raises_attention_that_is_closed_when_the_parcel_moves_on(road: Road) -> None:
    await road.move(Status.INCIDENT)
    await road.follow()
    await road.follow()
    (attention,) = await road.attention()
    assert (attention.kind, attention.fulfillment_id) == ("label_incident", road.fulfillments[0]["id"])
    assert "Novedad: dirección errada" in attention.message
    assert attention.resolved_at is None
    await road.move(Status.IN_DELIVERY)
    await road.follow()
    (attention,) = await road.attention()
    assert (attention.resolved_by, attention.resolution) == ("shop", "dismissed")
    await road.move(Status.INCIDENT)
    await road.follow()
    assert [row.resolved_at is None for row in await road.attention()] == [False, True]


@pytest.mark.parametrize("end", ["delivered by hand", "cancelled", "delivered", "returned"])
async def test_attention_about_an_incident_is_closed_when_its_parcel_ends(road: Road, end: str) -> None:
    await road.move(Status.INCIDENT)
    await road.follow()
    path = f"/admin/orders/{road.order_id}/fulfillments/{road.fulfillments[0]['id']}"
    match end:
        case "delivered by hand":
            await post(road.admin, f"{path}/mark-as-delivered")
        case "cancelled":
            await road.move(Status.PENDING)  # at a later stage the carrier refuses cancellations
            await post(road.admin, f"{path}/cancel")
        case "delivered":
            await road.move(Status.DELIVERED)
            await road.follow()
        case "returned":
            await road.move(Status.RETURNED)
            await road.follow()
    is_open = {row.kind: row.resolved_at is None for row in await road.attention()}
    assert is_open == {"label_incident": False} | ({"label_returned": True} if end == "returned" else {})


@pytest.mark.parametrize(
    "fault",
    [Fault.SERVER_ERROR, Fault.BAD_GATEWAY, Fault.UNAUTHORIZED, Fault.MALFORMED, Fault.DROP],
)
async def test_tracking_is_repeated_after_a_failure(
    road: Road, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    assert road.shop.sandbox.carrier
    await road.move(Status.IN_TRANSIT)
    road.shop.sandbox.carrier.faults.plan(fault, Operation.TRACK)
    assert await road.follow() == 1
    assert (await road.fulfillment())["shipped_at"] is None
    assert "could not be tracked" in caplog.text
    road.shop.sandbox.carrier.faults.clear()
    assert await road.follow() == 1
    assert (await road.fulfillment())["shipped_at"]


async def test_fulfillment_that_the_carrier_does_not_know_is_unchanged(road: Road) -> None:
    """Track an unknown number: the carrier answers with a text instead of data (wire: carrier 2.4)."""
    async with road.shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(carrier_order_id=1))
    await road.follow()
    fulfillment = await road.fulfillment()
    assert (fulfillment["data"]["stage"], fulfillment["shipped_at"]) == (None, None)
    assert fulfillment["data"]["tracked_at"]


async def test_fulfillment_with_only_a_tracking_number_is_tracked(road: Road) -> None:
    async with road.shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(carrier_order_id=None))
    await road.move(Status.IN_TRANSIT)
    await road.follow()
    assert (await road.fulfillment())["data"]["stage"] == "in_transit"


async def test_fulfillment_that_is_not_due_is_not_tracked(road: Road) -> None:
    assert await road.follow_due() == 0
    assert road.questions() == 0


# an open page


async def test_order_page_shows_the_current_tracking_stage(road: Road) -> None:
    await road.move(Status.IN_TRANSIT)
    assert (await road.page()).fulfillments[0].stage == "ready"
    assert (await road.page(ask=True)).fulfillments[0].stage == "in_transit"
    await road.move(Status.DELIVERED)
    pages = await asyncio.gather(*(road.page(ask=True) for _ in range(4)))
    assert {page.fulfillments[0].stage for page in pages} == {"in_transit"}  # tracked a moment ago
    assert road.questions() == 1
    await road.asked_long_ago()
    assert (await road.page(ask=True)).journey == "delivered"


async def test_order_page_does_not_wait_for_a_hanging_carrier(
    road: Road, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert road.shop.sandbox.carrier
    road.shop.sandbox.carrier.faults.plan(Fault.HANG, Operation.TRACK)
    monkeypatch.setattr("backend.fulfillment.tracker.PAGE_TIMEOUT_S", 0.05)
    assert (await road.page(ask=True)).fulfillments[0].stage == "ready"


# the carrier's hook


def make_hook(road: Road, **changes: Any) -> dict[str, Any]:
    """Return the body of the carrier's notification about the parcel (wire: carrier 2.4, webhook)."""
    event = {"timestamp": "2026-11-20 10:00:00", "status": "Entregado", "statusDetail": "", "statusStep": 4}
    return {
        "idCarrier": 1,
        "carrier": "Envía",
        "idOrder": road.number(),
        "trackingCode": road.fulfillments[0]["labels"][0]["tracking_number"],
        "myShipmentReference": "1-1",
        "events": [{**event, "incidence": False, "receivedBy": "Ana"}],
        **changes,
    }


async def test_carrier_hook_triggers_tracking(road: Road, anyone: httpx.AsyncClient) -> None:
    await road.move(Status.COLLECTED)
    answer = await anyone.post("/hooks/shipping/carrier_standard", json=make_hook(road))
    assert (answer.status_code, answer.text) == (200, "OK")
    assert await road.follow_due() == 1
    # the hook is "Entregado", but hooks are not signed: the carrier's response counts
    assert (await road.fulfillment())["data"]["stage"] == "collected"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b"\xff",
        b'{"idOrder": 99999999999999999999999}',
        b'{"idOrder": "%s"}' % (b"9" * 5_000),
        b'{"idOrder": "12", "trackingCode": {"a": 1}}',
        b'{"idOrder": true}',
        b'{"trackingCode": "\\u0000"}',
        b"[" * 30_000,
        json.dumps({"idOrder": 1, "x": "y" * 70_000}).encode(),
    ],
    ids=["empty", "list", "null", "bytes", "huge", "huge text", "odd", "true", "nul", "deep", "long"],
)
async def test_invalid_carrier_hook_is_answered_and_changes_nothing(
    road: Road, anyone: httpx.AsyncClient, content: bytes
) -> None:
    answer = await anyone.post("/hooks/shipping/carrier_standard", content=content)
    assert answer.status_code == 200
    assert await road.follow_due() == 0


class ObservedTracker(Tracker):
    """A tracker that reports the end of its job."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.has_run = asyncio.Event()

    @job_batch(TRACK, batch_size=BATCH_SIZE)
    async def track(self, runs: Sequence[JobRun]) -> list[RunAgain | None]:
        results: list[RunAgain | None] = await super().track(runs)
        self.has_run.set()
        return results


async def test_running_worker_handles_a_carrier_hook_immediately(
    road: Road, anyone: httpx.AsyncClient
) -> None:
    await road.move(Status.COLLECTED)
    tracker = ObservedTracker(road.shop.database, road.shop.fulfillment_providers)
    worker = Worker(road.shop.database, [tracker], poll_interval_s=3600)
    worker.start()
    try:
        await anyone.post("/hooks/shipping/carrier_standard", json=make_hook(road))
        await tracker.has_run.wait()
    finally:
        await worker.stop()
    assert (await road.fulfillment())["shipped_at"]
