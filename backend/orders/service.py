"""Creation and lookup of orders, and their changes when a payment is decided."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.catalog.models import variant_name
from backend.core.db.database import database_now, lock_rows
from backend.core.db.tables import JsonObject, get_or_404, insert_row
from backend.core.errors import NotAllowed, require_found
from backend.core.events import publish
from backend.core.money import Cop
from backend.core.texts import _
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.events import OrderCanceled, OrderPaid, OrderPlaced
from backend.orders.fulfillments import list_order_fulfillments
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.numbers import insert_numbered
from backend.orders.preorders import describe_preorder
from backend.orders.search import index_order
from backend.orders.states import WITHOUT_LABEL, OrderStatus, PaymentStatus, compute_fulfillment_status, move
from backend.pricing import (
    SHIPPING,
    SHIPPING_RATE,
    Adjustment,
    CartTotals,
    PricedLine,
    ShippingCharge,
    price_cart,
)

_ORDER = select(Order).where(Order.id == bindparam("order_id"))
_LINES = select(OrderLine).where(OrderLine.order_id == bindparam("order_id")).order_by(OrderLine.id)
_OF_CART = lock_rows(select(Order).where(Order.cart_id == bindparam("cart_id")))


@dataclass(frozen=True, slots=True)
class SoldLine:
    """A line of an order as it is sold, with all product data that the order stores.

    `id` is the id of the cart's line.
    """

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
    tax_excluded: bool = False
    meta: JsonObject = field(default_factory=dict)
    facts: JsonObject = field(default_factory=dict)
    """See `OrderLine`."""
    unit_cost: Cop | None = None
    """See `OrderLine`."""


@dataclass(frozen=True, slots=True)
class SoldShipping:
    """The shipping method of an order as it is sold."""

    option_id: str | None
    name: str
    amount: Cop
    data: JsonObject
    tax_rate: int = SHIPPING_RATE

    @property
    def charge(self) -> ShippingCharge:
        """Return the price of shipping and its tax rate, as the pricing functions take them."""
        return ShippingCharge(self.amount, self.tax_rate)


@dataclass(frozen=True, slots=True)
class Sale:
    """The data of an order to create: its lines, shipping, totals and customer."""

    lines: tuple[SoldLine, ...]
    shipping: SoldShipping
    totals: CartTotals
    email: str
    customer_id: str | None
    shipping_address: JsonObject
    billing_address: JsonObject
    meta: JsonObject
    guest_id: str | None = None
    """Id of the guest who buys without an account, if there is no customer."""
    locale: str | None = None

    @property
    def units(self) -> dict[str, int]:
        """The units by variant id; several lines of a variant are summed."""
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
    """Create the order of the (locked) cart and complete the cart.

    Args:
        session: a transaction.
        cart: the cart.
        sale: the data of the order.
        payment_status: the status of its payment.
        moment: the time of the database, if it is known.
        payer: the person or company whose identity document was given for the invoice.

    Returns:
        The order and its lines.
    """
    lines, moment = _build_lines(cart.order_id, sale), moment or await database_now(session)
    new = Order(
        id=cart.order_id,
        created_at=moment,
        cart_id=cart.id,
        region_id=cart.region_id,
        sales_channel_id=cart.sales_channel_id,
        payment_status=payment_status,
        payer=payer,
        origin=cart.origin,
        **_build_terms(sale, lines),
    )
    cart.completed_at = moment
    await session.flush()
    order = await insert_numbered(session, new)
    for line in lines:
        await insert_row(session, line)
    await index_order(session, order, is_new=True)
    await publish(session, OrderPlaced(order.id, cart.origin))
    if payment_status is PaymentStatus.CAPTURED:
        await publish(session, OrderPaid(order.id, cart.origin))
    return order, lines


def count_units_to_send(lines: Iterable[OrderLine]) -> dict[str, int]:
    """Return the units by variant id that are still to be sent: not packed and not withdrawn."""
    left: Counter[str] = Counter()
    for line in lines:
        left[line.variant_id] += line.quantity - line.fulfilled - line.withdrawn
    return dict(+left)


def count_units_to_box(lines: Iterable[OrderLine]) -> dict[str, int]:
    """Return the units for the packing list, by line id: the unpacked units, or all units if all are packed."""
    lines = list(lines)
    left = {line.id: line.quantity - line.fulfilled - line.withdrawn for line in lines}
    if not any(left.values()):
        left = {line.id: line.quantity - line.withdrawn for line in lines}
    return {line_id: units for line_id, units in left.items() if units > 0}


def matches_sale(order: Order, lines: Sequence[OrderLine], sale: Sale) -> bool:
    """Return True if the order has the lines, the total and the address of the sale.

    An address that staff corrected may differ.
    """
    ordered = [(line.variant_id, line.quantity, line.unit_price) for line in lines]
    sold = [(line.variant_id, line.quantity, line.unit_price) for line in sale.lines]
    if sorted(ordered) != sorted(sold) or order.total != sale.totals.total:
        return False
    return order.address_corrected_at is not None or order.shipping_address == sale.shipping_address


async def rewrite_order(session: AsyncSession, order: Order, sale: Sale) -> Sequence[OrderLine]:
    """Replace the lines, prices and addresses of the (locked) unsent order with those of the paid sale.

    An address that staff corrected is not replaced.

    Returns:
        The order's lines.
    """
    await session.execute(delete(OrderLine).where(OrderLine.order_id == order.id))
    lines = _build_lines(order.id, sale)
    terms = _build_terms(sale, lines)
    if order.address_corrected_at is not None:
        del terms["shipping_address"]
    for name, value in terms.items():
        setattr(order, name, value)
    session.add_all(lines)
    await session.flush()
    await index_order(session, order)
    return lines


def _build_terms(sale: Sale, lines: Sequence[OrderLine]) -> dict[str, Any]:
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


def _build_lines(order_id: str, sale: Sale) -> list[OrderLine]:
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
            unit_cost=line.unit_cost,
            tax_rate=line.tax_rate,
            tax_excluded=line.tax_excluded,
            facts=line.facts,
            meta=line.meta,
        )
        for line in sale.lines
    ]


async def lock_order_of_cart(session: AsyncSession, cart_id: str) -> Order | None:
    """Lock and return the cart's order; None if the cart has no order yet."""
    return (await session.execute(_OF_CART, {"cart_id": cart_id})).scalar_one_or_none()


async def read_order(session: AsyncSession, order_id: str) -> Order:
    """Return the order with this id.

    Raises:
        NotFound: there is no such order.
    """
    order = (await session.execute(_ORDER, {"order_id": order_id})).scalar_one_or_none()
    return require_found(order, "Order", order_id)


ACTIVE_FULFILLMENTS = "All fulfillments must be canceled before canceling an order"
JUST_PLACED = timedelta(minutes=60)
"""Time during which the id alone opens a guest's order, for the page that follows the payment."""


async def is_just_placed(session: AsyncSession, order: Order) -> bool:
    """Return True if the order was placed within `JUST_PLACED`, by the database's clock."""
    return order.created_at > await database_now(session) - JUST_PLACED


async def lock_order(session: AsyncSession, order_id: str) -> Order:
    """Lock the order with this id for a change, and return it.

    Raises:
        NotFound: there is no such order.
    """
    return await get_or_404(session, lock_rows(select(Order).where(Order.id == order_id)), "Order", order_id)


async def list_order_lines(session: AsyncSession, order_id: str) -> Sequence[OrderLine]:
    """Return the order's lines, in the order of the cart."""
    return (await session.execute(_LINES, {"order_id": order_id})).scalars().all()


def format_line_detail(line: OrderLine) -> str:
    """Return the line's variant, its SKU and its preorder, to display below the product's title."""
    parts = (variant_name(line.variant_title), line.sku or "", describe_preorder(line))
    return " · ".join(filter(None, parts))


async def count_orders_paid_between(session: AsyncSession, begin: datetime, end: datetime) -> int:
    """Count the orders that were paid in this range of time, without cancelled ones. The range excludes its end."""
    paid = (Order.paid_at >= begin) & (Order.paid_at < end) & (Order.status == OrderStatus.PENDING)
    return (await session.execute(select(func.count()).select_from(Order).where(paid))).scalar_one()


def to_priced_line(line: OrderLine, units: int | None = None) -> PricedLine:
    """Convert the order's line, or `units` of it, to input for pricing."""
    return PricedLine(line.id, line.quantity if units is None else units, line.unit_price, line.tax_rate)


def compute_order_totals(order: Order, lines: Sequence[OrderLine]) -> CartTotals:
    """Return the order's totals, with the IVA of each line and of the shipping."""
    return price_cart(
        [to_priced_line(line) for line in lines], get_shipping_charge(order), _parse_adjustments(order)
    )


def get_shipping_charge(order: Order) -> ShippingCharge:
    """Return the order's shipping charge before discounts."""
    return ShippingCharge.before_adjustments(
        order.shipping_total, _parse_adjustments(order), order.shipping_tax_rate
    )


def _parse_adjustments(order: Order) -> list[Adjustment]:
    return [Adjustment(**stored) for stored in order.adjustments]


def mark_paid(order: Order) -> None:
    """Set the order to paid. A cancelled order becomes pending again."""
    move(order, status=OrderStatus.PENDING, payment=PaymentStatus.CAPTURED)


async def mark_canceled(session: AsyncSession, order: Order, *, payment: PaymentStatus | None = None) -> None:
    """Cancel the (locked) order, and publish `OrderCanceled` unless it was cancelled already."""
    was = order.status
    move(order, status=OrderStatus.CANCELED, payment=payment)
    if was != OrderStatus.CANCELED:
        await publish(session, OrderCanceled(order.id))


async def mark_unpaid(session: AsyncSession, order: Order) -> None:
    """Cancel the order because its payment has finally failed."""
    await mark_canceled(session, order, payment=PaymentStatus.CANCELED)


async def has_active_fulfillments(session: AsyncSession, order_id: str) -> bool:
    """Return True if a fulfillment of the order has a label, or may have one."""
    query = select(Fulfillment.id).where(
        Fulfillment.order_id == order_id, Fulfillment.state.not_in(WITHOUT_LABEL)
    )
    return (await session.execute(query.limit(1))).first() is not None


class HasActiveFulfillments(NotAllowed):
    """The order cannot be cancelled: it has active fulfillments, which must be cancelled first."""

    def __init__(self, kind: DeliveryKind) -> None:
        text = (
            _("El pedido ya tiene guía: anúlala primero en el pedido. Si ya salió, abre una devolución.")
            if kind.has_label
            else _("Algo del pedido ya se empacó: desempácalo primero. Si ya salió, abre una devolución.")
        )
        super().__init__(ACTIVE_FULFILLMENTS, staff_text=text)


async def require_nothing_sent(session: AsyncSession, order_id: str) -> None:
    """Check that the order has no active fulfillment, so that it can be cancelled.

    Raises:
        HasActiveFulfillments: a fulfillment has a label, or may have one.
    """
    if await has_active_fulfillments(session, order_id):
        kind, _note = await read_delivery(session, await read_order(session, order_id))
        raise HasActiveFulfillments(kind)


async def update_fulfillment_status(session: AsyncSession, order: Order) -> None:
    """Set the fulfillment status of the (locked) order from its lines and fulfillments."""
    await session.flush()
    fulfillments = await list_order_fulfillments(session, order.id)
    lines = await list_order_lines(session, order.id)
    order.fulfillment_status = compute_fulfillment_status(lines, fulfillments)
    await session.flush()
