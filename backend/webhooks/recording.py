"""Recording of events: the final step of a transaction writes a delivery for each endpoint that wants the event.

So a delivery exists if and only if its transaction was committed. In a shop without endpoints, this costs one read
of an empty table.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import event, insert, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from backend.cart.models import Cart
from backend.catalog.events import ProductsEdited
from backend.core.clock import now
from backend.core.db.database import db_now
from backend.core.db.tables import JsonObject, table_of
from backend.core.db.transaction_values import register_transaction_values
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.edge.wire import derive_sibling_id
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel
from backend.inventory.wire import ITEM, LEVEL
from backend.jobs.queue import enqueue_in
from backend.orders.events import FulfillmentDelivered, FulfillmentShipped, OrderCanceled, OrderPlaced
from backend.payment.events import PaymentSessionChanged, RefundBooked
from backend.payment.models import Refund
from backend.payment.states import SessionState
from backend.webhooks.models import DeliveryState, WebhookDelivery, WebhookEndpoint, WebhookEvent

SEND_JOB = "webhook.send"
"""Kind of the job that sends the due deliveries of one endpoint. Its key is the endpoint's id."""
_EVENTS, _VARIANTS = "webhooks.events", "webhooks.variants"
register_transaction_values(_EVENTS, _VARIANTS)
_ENDPOINT, _DELIVERY, _LEVEL = table_of(WebhookEndpoint), table_of(WebhookDelivery), table_of(InventoryLevel)
_ACTIVE = (
    select(_ENDPOINT.c.id, _ENDPOINT.c.events).where(_ENDPOINT.c.is_active.is_(True)).order_by(_ENDPOINT.c.id)
)
_INSERT = insert(_DELIVERY).values(next_try_at=db_now())

Noted = dict[tuple[WebhookEvent, str], JsonObject]
"""The data of the events of a transaction, by the event's name and its object's id. A repeated event is sent once."""


def note_event(session: AsyncSession, name: WebhookEvent, object_id: str, **more: str | None) -> None:
    """Record an event for the webhooks: the commit writes a delivery to each endpoint that wants the event."""
    noted: Noted = session.info.setdefault(_EVENTS, {})
    noted[name, object_id] = {"id": object_id, **more}


@subscribe(OrderPlaced)
async def note_placed_order(session: AsyncSession, event: OrderPlaced) -> None:
    """Record for the webhooks that an order was placed."""
    note_event(session, WebhookEvent.ORDER_PLACED, event.order_id)


@subscribe(OrderCanceled)
async def note_canceled_order(session: AsyncSession, event: OrderCanceled) -> None:
    """Record for the webhooks that an order was cancelled."""
    note_event(session, WebhookEvent.ORDER_CANCELED, event.order_id)


@subscribe(PaymentSessionChanged)
async def note_captured_payment(session: AsyncSession, event: PaymentSessionChanged) -> None:
    """Record for the webhooks that a payment was captured. Ignore other changes of a payment session."""
    if event.state is SessionState.CAPTURED:
        cart = await session.get_one(Cart, event.cart_id)
        payment_id = derive_sibling_id("pay", event.session_id)
        note_event(session, WebhookEvent.PAYMENT_CAPTURED, payment_id, order_id=cart.order_id)


@subscribe(RefundBooked)
async def note_refund(session: AsyncSession, event: RefundBooked) -> None:
    """Record for the webhooks that a payment was refunded, in part or in full."""
    refund = await session.get_one(Refund, event.refund_id)
    note_event(
        session,
        WebhookEvent.PAYMENT_REFUNDED,
        derive_sibling_id("pay", refund.payment_session_id),
        order_id=refund.order_id,
        refund_id=refund.id,
    )


@subscribe(FulfillmentShipped)
async def note_shipment(session: AsyncSession, event: FulfillmentShipped) -> None:
    """Record for the webhooks that a parcel was shipped."""
    note_event(session, WebhookEvent.SHIPMENT_CREATED, event.fulfillment_id, order_id=event.order_id)


@subscribe(FulfillmentDelivered)
async def note_delivery(session: AsyncSession, event: FulfillmentDelivered) -> None:
    """Record for the webhooks that a parcel was delivered."""
    note_event(session, WebhookEvent.DELIVERY_CREATED, event.fulfillment_id, order_id=event.order_id)


@subscribe(ProductsEdited)
async def note_products(session: AsyncSession, event: ProductsEdited) -> None:
    """Record for the webhooks that products were created, changed or deleted.

    If a product was created or deleted in the same transaction, its other changes are not recorded.
    """
    noted: Noted = session.info.setdefault(_EVENTS, {})
    for product_id in event.product_ids:
        created, deleted = (
            (WebhookEvent.PRODUCT_CREATED, product_id),
            (WebhookEvent.PRODUCT_DELETED, product_id),
        )
        if product_id in event.created_ids:
            note_event(session, *created)
        elif product_id in event.deleted_ids:
            note_event(session, *deleted)
        elif created not in noted and deleted not in noted:
            note_event(session, WebhookEvent.PRODUCT_UPDATED, product_id)


@subscribe(StockChanged)
async def note_stock(session: AsyncSession, event: StockChanged) -> None:
    """Record for the webhooks that the number of sellable units of these variants has changed."""
    session.info.setdefault(_VARIANTS, set()).update(event.units)


@event.listens_for(Session, "before_commit")
def write_deliveries(session: Session) -> None:
    """Write the deliveries of the transaction's events, and enqueue the jobs of their endpoints.

    To avoid deadlocks, every transaction enqueues jobs in the same order: these jobs by key, then the job of the
    outbox. This function runs first, because SQLAlchemy calls listeners of the class `Session` before those of a
    single session.
    """
    if session.in_nested_transaction():
        return  # the end of a savepoint is not a commit
    noted: Noted = session.info.pop(_EVENTS, {})
    variant_ids: set[str] = session.info.pop(_VARIANTS, set())
    if not noted and not variant_ids:
        return
    endpoints = session.execute(_ACTIVE).all()
    if variant_ids and any(WebhookEvent.STOCK_UPDATED in names for _id, names in endpoints):
        noted |= _read_levels(session, variant_ids)
    by_endpoint = {endpoint_id: [one for one in noted if one[0] in names] for endpoint_id, names in endpoints}
    if not any(by_endpoint.values()):
        return
    event_ids = {one: new_id("evt") for one in noted}
    session.execute(_INSERT, _build_rows(noted, by_endpoint, event_ids))
    for endpoint_id, wanted in by_endpoint.items():
        if wanted:
            enqueue_in(session, SEND_JOB, key=endpoint_id)


def _read_levels(session: Session, variant_ids: set[str]) -> Noted:
    """Return the data of a `STOCK_UPDATED` event for each inventory level of these variants."""
    query = select(_LEVEL.c.id, _LEVEL.c.variant_id, _LEVEL.c.location_id).where(
        _LEVEL.c.variant_id.in_(variant_ids)
    )
    session.flush()
    return {
        (WebhookEvent.STOCK_UPDATED, level_id): {
            "id": derive_sibling_id(LEVEL, level_id),
            "inventory_item_id": derive_sibling_id(ITEM, variant_id),
            "location_id": location_id,
        }
        for level_id, variant_id, location_id in session.execute(query.order_by(_LEVEL.c.id))
    }


def _build_rows(
    noted: Noted,
    by_endpoint: Mapping[str, Sequence[tuple[WebhookEvent, str]]],
    event_ids: Mapping[tuple[WebhookEvent, str], str],
) -> list[dict[str, Any]]:
    moment = now()
    return [
        {
            "id": new_id("whdel"),
            "endpoint_id": endpoint_id,
            "event_id": event_ids[one],
            "event": one[0],
            "data": noted[one],
            "created_at": moment,
            "state": DeliveryState.WAITING,
            "attempts": 0,
            "answer": "",
        }
        for endpoint_id, wanted in by_endpoint.items()
        for one in wanted
    ]
