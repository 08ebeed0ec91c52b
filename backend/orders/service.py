"""Orders: making them from a cart's snapshot, finding them, and moving them as their payment is decided."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.core.db.database import database_now, locked
from backend.core.db.tables import JsonObject, get_or_404, insert_row
from backend.core.errors import NotAllowed
from backend.core.events import publish
from backend.core.money import Cop
from backend.core.texts import _
from backend.orders.events import OrderPaid, OrderPlaced
from backend.orders.fulfillments import fulfillments_of_order
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.numbers import insert_numbered
from backend.orders.search import index_order
from backend.orders.states import WITHOUT_LABEL, OrderStatus, PaymentStatus, fulfillment_status_of, move
from backend.pricing import (
    SHIPPING,
    SHIPPING_RATE,
    Adjustment,
    CartTotals,
    PricedLine,
    ShippingCharge,
    price_cart,
)

_OF_CART = locked(select(Order).where(Order.cart_id == bindparam("cart_id")))


@dataclass(frozen=True, slots=True)
class SoldLine:
    """A line as it is sold, with all that the order stores of the product. `id` is that of the cart's line."""

    id: str
    product_id: str
    variant_id: str
    title: str
    product_handle: str
    variant_title: str
    sku: str | None
    thumbnail: str | None
    quantity: int
    unit_price: Cop
    compare_at_price: Cop | None
    tax_rate: int
    meta: JsonObject = field(default_factory=dict)
    facts: JsonObject = field(default_factory=dict)
    """See `OrderLine`."""

    @property
    def priced(self) -> PricedLine:
        """The line as it is priced."""
        return PricedLine(self.id, self.quantity, self.unit_price, self.tax_rate)


@dataclass(frozen=True, slots=True)
class SoldShipping:
    """The shipping as it is sold."""

    option_id: str | None
    name: str
    amount: Cop
    data: JsonObject
    tax_rate: int = SHIPPING_RATE

    @property
    def charge(self) -> ShippingCharge:
        """The shipping as it is priced."""
        return ShippingCharge(self.amount, self.tax_rate)


@dataclass(frozen=True, slots=True)
class Sale:
    """All that an order is made of: what is sold, for how much, and to whom."""

    lines: tuple[SoldLine, ...]
    shipping: SoldShipping
    totals: CartTotals
    email: str
    customer_id: str | None
    shipping_address: JsonObject
    billing_address: JsonObject
    meta: JsonObject
    guest_id: str | None = None
    """Who bought without an account, where there is no customer."""
    locale: str | None = None

    @property
    def units(self) -> dict[str, int]:
        """Return units by variant id; several lines of a variant are summed."""
        units: Counter[str] = Counter()
        for line in self.lines:
            units[line.variant_id] += line.quantity
        return units


async def create_order(
    session: AsyncSession,
    cart: Cart,
    sale: Sale,
    payment_status: PaymentStatus,
    *,
    moment: datetime | None = None,
    payer: JsonObject | None = None,
) -> tuple[Order, list[OrderLine]]:
    """The order that the (locked) cart becomes, as it was sold. The cart is completed with it.

    Args:
        cart: the cart.
        sale: what is sold.
        payment_status: how its payment stands.
        moment: the database's clock, if it is known.
        payer: whose document the invoice is for.

    Returns:
        The order and its lines.
    """
    lines, moment = _lines(cart.order_id, sale), moment or await database_now(session)
    new = Order(
        id=cart.order_id,
        created_at=moment,
        cart_id=cart.id,
        region_id=cart.region_id,
        sales_channel_id=cart.sales_channel_id,
        payment_status=payment_status,
        payer=payer,
        **_terms(sale, lines),
    )
    cart.completed_at = moment
    await session.flush()
    order = await insert_numbered(session, new)
    for line in lines:
        await insert_row(session, line)
    await index_order(session, order, is_new=True)
    await publish(session, OrderPlaced(order.id))
    if payment_status is PaymentStatus.CAPTURED:
        await publish(session, OrderPaid(order.id))
    return order, lines


def units_to_send(lines: Iterable[OrderLine]) -> dict[str, int]:
    """Units by variant id that are still to be sent: neither packed nor taken out of the order."""
    left: Counter[str] = Counter()
    for line in lines:
        left[line.variant_id] += line.quantity - line.fulfilled - line.withdrawn
    return dict(+left)


def units_to_box(lines: Iterable[OrderLine]) -> dict[str, int]:
    """Units by the line's id that go into the next box: those in no parcel yet; once all are in one, all of them."""
    lines = list(lines)
    left = {line.id: line.quantity - line.fulfilled - line.withdrawn for line in lines}
    if not any(left.values()):
        left = {line.id: line.quantity - line.withdrawn for line in lines}
    return {line_id: units for line_id, units in left.items() if units > 0}


def sells(order: Order, lines: Sequence[OrderLine], sale: Sale) -> bool:
    """Whether the order has the same lines and total as this sale, and its address unless staff corrected that."""
    ordered = [(line.variant_id, line.quantity, line.unit_price) for line in lines]
    sold = [(line.variant_id, line.quantity, line.unit_price) for line in sale.lines]
    if sorted(ordered) != sorted(sold) or order.total != sale.totals.total:
        return False
    return order.address_corrected_at is not None or order.shipping_address == sale.shipping_address


async def rewrite_order(session: AsyncSession, order: Order, sale: Sale) -> Sequence[OrderLine]:
    """Replace the lines and terms of the (locked) order by those of the sale that was paid for. Nothing of it was sent.

    An address that staff corrected stays.

    Returns:
        Its lines.
    """
    await session.execute(delete(OrderLine).where(OrderLine.order_id == order.id))
    lines = _lines(order.id, sale)
    terms = _terms(sale, lines)
    if order.address_corrected_at is not None:
        del terms["shipping_address"]
    for name, value in terms.items():
        setattr(order, name, value)
    session.add_all(lines)
    await session.flush()
    await index_order(session, order)
    return lines


def _terms(sale: Sale, lines: Sequence[OrderLine]) -> dict[str, Any]:
    parts = zip(
        (*(line.id for line in lines), SHIPPING), (*sale.totals.lines, sale.totals.shipping), strict=True
    )
    return {
        "adjustments": [
            asdict(replace(taken, target=target)) for target, part in parts for taken in part.adjustments
        ],
        "customer_id": sale.customer_id,
        "guest_id": sale.guest_id if sale.customer_id is None else None,
        "locale": sale.locale,
        "email": sale.email,
        "item_total": sale.totals.item_total,
        "shipping_total": sale.totals.shipping_total,
        "total": sale.totals.total,
        "shipping_name": sale.shipping.name,
        "shipping_tax_rate": sale.shipping.tax_rate,
        "shipping_option_id": sale.shipping.option_id,
        "shipping_data": sale.shipping.data,
        "shipping_address": sale.shipping_address,
        "billing_address": sale.billing_address,
        "meta": sale.meta,
    }


def _lines(order_id: str, sale: Sale) -> list[OrderLine]:
    return [
        OrderLine(
            order_id=order_id,
            product_id=line.product_id,
            variant_id=line.variant_id,
            title=line.title,
            product_handle=line.product_handle,
            variant_title=line.variant_title,
            sku=line.sku,
            thumbnail=line.thumbnail,
            quantity=line.quantity,
            unit_price=line.unit_price,
            compare_at_price=line.compare_at_price,
            tax_rate=line.tax_rate,
            facts=line.facts,
            meta=line.meta,
        )
        for line in sale.lines
    ]


async def order_of_cart(session: AsyncSession, cart_id: str) -> Order | None:
    """The order that the cart became, locked; None while it is still a cart."""
    return (await session.execute(_OF_CART, {"cart_id": cart_id})).scalar_one_or_none()


async def read_order(session: AsyncSession, order_id: str) -> Order:
    """The order with this id.

    Raises:
        NotFound: there is none.
    """
    return await get_or_404(session, select(Order).where(Order.id == order_id), "Order", order_id)


ACTIVE_FULFILLMENTS = "All fulfillments must be canceled before canceling an order"
JUST_PLACED = timedelta(minutes=60)
"""How long the id of an order alone opens it, for the page that a buyer comes to right after paying."""


async def is_just_placed(session: AsyncSession, order: Order) -> bool:
    """Whether the order was placed within `JUST_PLACED`, by the database's clock."""
    return order.created_at > await database_now(session) - JUST_PLACED


async def lock_order(session: AsyncSession, order_id: str) -> Order:
    """The order with this id, locked for a change.

    Raises:
        NotFound: there is none.
    """
    return await get_or_404(session, locked(select(Order).where(Order.id == order_id)), "Order", order_id)


async def lines_of_order(session: AsyncSession, order_id: str) -> Sequence[OrderLine]:
    """The order's lines, in the order of the cart."""
    rows = await session.execute(
        select(OrderLine).where(OrderLine.order_id == order_id).order_by(OrderLine.id)
    )
    return rows.scalars().all()


def priced(line: OrderLine, units: int | None = None) -> PricedLine:
    """The order's line, or so many units of it, as it was sold."""
    return PricedLine(line.id, line.quantity if units is None else units, line.unit_price, line.tax_rate)


def totals_of(order: Order, lines: Sequence[OrderLine]) -> CartTotals:
    """What the order cost, with the IVA of each of its lines and of its shipping."""
    return price_cart([priced(line) for line in lines], shipping_of(order), _adjustments(order))


def shipping_of(order: Order) -> ShippingCharge:
    """What the order's shipping cost before anything was taken off it."""
    return ShippingCharge.before(order.shipping_total, _adjustments(order), order.shipping_tax_rate)


def _adjustments(order: Order) -> list[Adjustment]:
    return [Adjustment(**stored) for stored in order.adjustments]


def mark_paid(order: Order) -> None:
    """The order is paid. If it was cancelled before, it is pending again."""
    move(order, status=OrderStatus.PENDING, payment=PaymentStatus.CAPTURED)


def mark_unpaid(order: Order) -> None:
    """The payment has failed for good: the order is cancelled."""
    move(order, status=OrderStatus.CANCELED, payment=PaymentStatus.CANCELED)


async def has_active_fulfillments(session: AsyncSession, order_id: str) -> bool:
    """Whether a fulfillment of the order has a label, or may have one."""
    query = select(Fulfillment.id).where(
        Fulfillment.order_id == order_id, Fulfillment.state.not_in(WITHOUT_LABEL)
    )
    return (await session.execute(query.limit(1))).first() is not None


class FulfillmentsStand(NotAllowed):
    """The order has active fulfillments, which are to be cancelled first."""

    staff_text = _("El pedido tiene un despacho: cancélalo primero. Si ya salió, abre una devolución.")


async def require_nothing_sent(session: AsyncSession, order_id: str) -> None:
    """An order can be cancelled only while it has no active fulfillment.

    Raises:
        FulfillmentsStand: it has one.
    """
    if await has_active_fulfillments(session, order_id):
        raise FulfillmentsStand(ACTIVE_FULFILLMENTS)


async def update_fulfillment_status(session: AsyncSession, order: Order) -> None:
    """Let the (locked) order say how far its fulfillments are."""
    await session.flush()
    fulfillments = await fulfillments_of_order(session, order.id)
    lines = await lines_of_order(session, order.id)
    order.fulfillment_status = fulfillment_status_of(lines, fulfillments)
    await session.flush()
