"""The promised day of an order: stored when its payment is approved, and described to its customer and to staff."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.dates import day_name
from backend.core.events import subscribe
from backend.core.texts import _
from backend.orders.events import OrderPaid
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.orders.states import HAS_MONEY, FulfillmentStatus, OrderStatus, PaymentStatus
from backend.shipping.delivery_promise import parse_delivery_terms, parse_promised_day, promise_delivery
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


def describe_promise(order: Order, moment: datetime, *, is_read_later: bool = False) -> OrderPromise:
    """Return the promise of the order at this moment.

    With `is_read_later`, as for an e-mail, the text names the day instead of «hoy».
    """
    terms = parse_delivery_terms(order.shipping_data)
    is_open = order.status == OrderStatus.PENDING and order.fulfillment_status != FulfillmentStatus.DELIVERED
    if terms is None or not is_open:
        return OrderPromise()
    if order.promised_day is None:
        promise = promise_delivery(moment, terms) if _is_unpaid(order) else None
        if promise is None:
            return OrderPromise()
        today = None if is_read_later else moment
        return OrderPromise(describe_pending(promise, today, is_pickup=terms.is_pickup))
    if order.payment_status not in HAS_MONEY:
        return OrderPromise()
    text = describe_promised(order.promised_day, is_pickup=terms.is_pickup)
    seen = parse_promised_day(order.shipping_data)
    if seen is None or seen >= order.promised_day or order.paid_at is None:
        return OrderPromise(text)
    return OrderPromise(text, describe_delay(seen, order.paid_at))


def describe_promise_for_staff(order: Order) -> str:
    """Return the promised day of the order for its screen in the office; empty if no day was promised."""
    seen = parse_promised_day(order.shipping_data)
    terms = parse_delivery_terms(order.shipping_data)
    is_pickup = terms is not None and terms.is_pickup
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
