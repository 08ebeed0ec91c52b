"""Record the reports by staff and their API clients that fulfillments were shipped or delivered."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.clock import now
from backend.core.errors import InvalidData, NotAllowed
from backend.core.events import publish
from backend.core.texts import _
from backend.fulfillment.commands import MarkShipped
from backend.fulfillment.label_states import lock_fulfillment
from backend.fulfillment.tracking import stop_tracking
from backend.orders.admin.corrections import add_note
from backend.orders.events import FulfillmentDelivered, FulfillmentShipped
from backend.orders.fulfillments import is_canceled_by_carrier
from backend.orders.models import Fulfillment, Order
from backend.orders.service import lock_order, update_fulfillment_status
from backend.orders.states import TRACKING_URL, LabelState
from backend.staff.rights import Actor, Right


async def mark_shipped(
    session: AsyncSession, actor: Actor, order_id: str, fulfillment_id: str, shipment: MarkShipped
) -> None:
    """Record that the whole fulfillment was shipped.

    Raises:
        NotFound: the order has no such fulfillment.
        NotAllowed: the shop or the carrier has cancelled the fulfillment, or it has no label.
        InvalidData: the reported items or the reported tracking number differ from those of the fulfillment.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    fulfillment = await _lock_labelled(session, order_id, fulfillment_id)
    if is_canceled_by_carrier(fulfillment):
        raise NotAllowed(
            f"The carrier has cancelled the label of fulfillment {fulfillment.reference} and will not collect it"
        )
    await record(session, actor, "shipped", Subject(SubjectType.ORDER, order_id))
    if shipment.units is not None and shipment.units != _units_by_line(fulfillment):
        raise InvalidData("A fulfillment is shipped as a whole: list all its items, or none")
    fulfillment.shipped_at = fulfillment.shipped_at or now()
    _store_label_data(fulfillment, shipment)
    await update_fulfillment_status(session, order)
    await publish(session, FulfillmentShipped(fulfillment.id, order_id))


async def mark_delivered(session: AsyncSession, actor: Actor, order_id: str, fulfillment_id: str) -> None:
    """Record that the fulfillment was delivered.

    Raises:
        NotFound: the order has no such fulfillment.
        NotAllowed: the fulfillment was cancelled, or has no label.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    await _store_delivery(session, actor, order, await _lock_labelled(session, order_id, fulfillment_id))


async def mark_delivered_by_hand(
    session: AsyncSession, actor: Actor, order_id: str, fulfillment_id: str, reason: str
) -> bool:
    """Record a delivery that the carrier does not report. The reason becomes a note of the order.

    Returns:
        False if the delivery was recorded before; then nothing changes.

    Raises:
        NotFound: the order has no such fulfillment.
        NotAllowed: the fulfillment was cancelled, or has no label.
        InvalidData: the reason is empty or too long.
    """
    actor.require(Right.FULFILL)
    order = await lock_order(session, order_id)
    fulfillment = await _lock_labelled(session, order_id, fulfillment_id)
    if fulfillment.delivered_at is not None:
        return False
    if not (reason := reason.strip()):
        raise InvalidData(
            "The delivery needs a reason", fields={"reason": _("Escribe cómo sabes que llegó.")}
        )
    await _store_delivery(session, actor, order, fulfillment)
    await add_note(session, actor, order_id, _("Entregado, según el equipo: {reason}").format(reason=reason))
    return True


async def _store_delivery(
    session: AsyncSession, actor: Actor, order: Order, fulfillment: Fulfillment
) -> None:
    await record(session, actor, "delivered", Subject(SubjectType.ORDER, order.id))
    is_news = fulfillment.delivered_at is None
    fulfillment.delivered_at = fulfillment.delivered_at or now()
    await stop_tracking(session, fulfillment)
    await update_fulfillment_status(session, order)
    if is_news:
        await publish(session, FulfillmentDelivered(fulfillment.id, order.id))


async def _lock_labelled(session: AsyncSession, order_id: str, fulfillment_id: str) -> Fulfillment:
    fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
    if fulfillment.state == LabelState.CANCELED:
        raise NotAllowed("Fulfillment has been canceled")
    if fulfillment.state != LabelState.CREATED:
        raise NotAllowed(f"The label of fulfillment {fulfillment.reference} is {fulfillment.state}")
    return fulfillment


def _store_label_data(fulfillment: Fulfillment, shipment: MarkShipped) -> None:
    """Store the label data that was reported for a shipped fulfillment. Keep an existing tracking number and label URL.

    Raises:
        InvalidData: the fulfillment already has another tracking number.
    """
    data = {**fulfillment.data, **shipment.data}
    for label in shipment.labels:
        fulfillment.tracking_number = fulfillment.tracking_number or label.tracking_number or None
        if label.tracking_number not in ("", fulfillment.tracking_number):
            raise InvalidData(
                f"A fulfillment has one label, and the tracking number of this one is {fulfillment.tracking_number}"
            )
        fulfillment.label_url = fulfillment.label_url or label.label_url or None
        data[TRACKING_URL] = label.tracking_url or data.get(TRACKING_URL)
    fulfillment.data = data


def _units_by_line(fulfillment: Fulfillment) -> dict[str, int]:
    return {item["line_item_id"]: item["quantity"] for item in fulfillment.items}
