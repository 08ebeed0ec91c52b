"""The promised day of an order: stored when its payment is approved, and described to its customer and to staff."""

from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.dates import day_name
from backend.core.events import subscribe
from backend.core.texts import _
from backend.orders.delivery_kinds import DeliveryKind
from backend.orders.events import OrderEdited, OrderPaid
from backend.orders.models import Order
from backend.orders.preorders import find_ready_day
from backend.orders.service import list_order_lines, read_order
from backend.orders.states import HAS_MONEY, FulfillmentStatus, OrderStatus, PaymentStatus
from backend.shipping.delivery_promise import (
    PROMISED_DAY,
    add_ready_day,
    parse_delivery_terms,
    parse_promised_day,
    promise_delivery,
)
from backend.shipping.promise_texts import describe_delay, describe_pending, describe_promised


@dataclass(frozen=True, slots=True)
class OrderPromise:
    """The promise of an order in words.

    Attributes:
        text: the sentence for the customer; empty if no day is promised, or if nothing will be delivered any more.
        delay: why the day is later than the one that the customer saw before paying; empty if it is not.
    """

    text: str = ""
    delay: str = ""


@subscribe(OrderPaid)
async def store_promised_day(session: AsyncSession, event: OrderPaid) -> None:
    """Store the promised day, counted from the approval of the payment. Later payments do not change it."""
    order = await read_order(session, event.order_id)
    if order.promised_day is None:
        promise = promise_delivery(order.paid_at or now(), parse_delivery_terms(order.shipping_data))
        order.promised_day = promise.day if promise is not None else None


@subscribe(OrderEdited)
async def move_promised_day(session: AsyncSession, event: OrderEdited) -> None:
    """Move the promised day if the edit added or removed units of a preorder.

    The new day is mailed to the customer. It replaces the day that they saw before paying.
    """
    order = await read_order(session, event.order_id)
    ready_on = find_ready_day(line.facts for line in await list_order_lines(session, order.id))
    day = compute_edited_promise(order, ready_on, now())
    order.shipping_data = add_ready_day(order.shipping_data, ready_on)
    if day is not None and day != order.promised_day:
        order.promised_day = day
        order.shipping_data = {**order.shipping_data, PROMISED_DAY: day.isoformat()}


def compute_edited_promise(order: Order, ready_on: date | None, moment: datetime) -> date | None:
    """Return the promised day of an edited order; None if it had none.

    `ready_on` is the day on which its last preordered units arrive; None if none are preordered. If this day
    becomes later, the promised day may become later, never earlier. If this day becomes earlier, the promise is
    counted from `moment`, and may become earlier, never later.
    """
    terms = parse_delivery_terms(order.shipping_data)
    if order.promised_day is None or terms is None or terms.ready_on == ready_on:
        return order.promised_day
    is_later = ready_on is not None and (terms.ready_on is None or ready_on > terms.ready_on)
    start = (order.paid_at or moment) if is_later else moment
    promise = promise_delivery(start, replace(terms, ready_on=ready_on))
    if promise is None:
        return order.promised_day
    return max(promise.day, order.promised_day) if is_later else min(promise.day, order.promised_day)


def describe_promise(
    order: Order, kind: DeliveryKind, moment: datetime, *, is_read_later: bool = False
) -> OrderPromise:
    """Return the promise of the order in words, as it is at this moment.

    With `is_read_later`, as for an e-mail, the text names the day instead of «hoy».
    """
    terms, is_pickup = parse_delivery_terms(order.shipping_data), kind is DeliveryKind.PICKUP
    is_open = order.status == OrderStatus.PENDING and order.fulfillment_status != FulfillmentStatus.DELIVERED
    if terms is None or not is_open:
        return OrderPromise()
    if order.promised_day is None:
        promise = promise_delivery(moment, terms) if _is_unpaid(order) else None
        if promise is None:
            return OrderPromise()
        today = None if is_read_later else moment
        return OrderPromise(describe_pending(promise, today, is_pickup=is_pickup))
    if order.payment_status not in HAS_MONEY:
        return OrderPromise()
    text = describe_promised(order.promised_day, is_pickup=is_pickup)
    seen = parse_promised_day(order.shipping_data)
    if seen is None or seen >= order.promised_day or order.paid_at is None:
        return OrderPromise(text)
    return OrderPromise(text, describe_delay(seen, order.paid_at, is_pickup=is_pickup))


def describe_promise_for_staff(order: Order, kind: DeliveryKind) -> str:
    """Return a sentence for staff with the promised day; for an unpaid order, with the day that was offered.

    The sentence is empty if no day was promised or offered.
    """
    seen, is_pickup = parse_promised_day(order.shipping_data), kind is DeliveryKind.PICKUP
    if order.promised_day is None:
        if seen is None or not _is_unpaid(order):
            return ""
        offered = (
            _("Para recoger desde el {day}, si el pago se aprueba a tiempo")
            if is_pickup
            else _("Entrega ofrecida: {day}, si el pago se aprueba a tiempo")
        )
        return offered.format(day=day_name(seen))
    promised = _("Para recoger desde el {day}") if is_pickup else _("Entrega prometida: {day}")
    text = promised.format(day=day_name(order.promised_day))
    if seen is None or seen >= order.promised_day:
        return text
    return _("{text} (antes de pagar se le ofreció el {seen})").format(text=text, seen=day_name(seen))


def _is_unpaid(order: Order) -> bool:
    """Return True if the order waits for its payment, and nothing of it was sent before."""
    is_waiting = order.payment_status in (PaymentStatus.AWAITING, PaymentStatus.AUTHORIZED)
    return is_waiting and order.fulfillment_status == FulfillmentStatus.NOT_FULFILLED
