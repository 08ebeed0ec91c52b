"""Orders: making them from a cart's snapshot, finding them, and moving them as their payment is decided."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.clock import now
from backend.database import locked
from backend.errors import NotFound
from backend.events import publish
from backend.money import Cop
from backend.orders.events import OrderPaid, OrderPlaced
from backend.orders.models import Order, OrderLine
from backend.orders.states import OrderStatus, PaymentStatus, move
from backend.pricing import (
    SHIPPING_RATE,
    CartTotals,
    PricedLine,
    ShippingCharge,
    price_cart,
)
from backend.tables import JsonObject

_OF_CART = locked(select(Order).where(Order.cart_id == bindparam("cart_id")))


@dataclass(frozen=True, slots=True)
class SoldLine:
    """A line as it is sold: everything that the order keeps of the product. `id` is the line's in the cart."""

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


async def create_order(
    session: AsyncSession,
    cart: Cart,
    *,
    lines: Sequence[SoldLine],
    shipping: SoldShipping,
    totals: CartTotals,
    payment_status: PaymentStatus,
) -> Order:
    """The order that the (locked) cart becomes. The cart is completed with it."""
    order = Order(
        id=cart.order_id,
        cart_id=cart.id,
        region_id=cart.region_id,
        sales_channel_id=cart.sales_channel_id,
        customer_id=cart.customer_id,
        email=cart.email or "",
        payment_status=payment_status,
        item_total=totals.item_total,
        shipping_total=totals.shipping_total,
        total=totals.total,
        shipping_name=shipping.name,
        shipping_tax_rate=shipping.tax_rate,
        shipping_option_id=shipping.option_id,
        shipping_data=shipping.data,
        shipping_address=cart.shipping_address or {},
        billing_address=cart.billing_address or cart.shipping_address or {},
        meta=cart.meta,
    )
    session.add(order)
    await session.flush()
    session.add_all(
        OrderLine(
            order_id=order.id,
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
        )
        for line in lines
    )
    cart.completed_at = now()
    await session.flush()
    await publish(session, OrderPlaced(order.id))
    if payment_status is PaymentStatus.CAPTURED:
        await publish(session, OrderPaid(order.id))
    return order


async def order_of_cart(session: AsyncSession, cart_id: str) -> Order | None:
    """The order that the cart became, locked; None while it is still a cart."""
    return (await session.execute(_OF_CART, {"cart_id": cart_id})).scalar_one_or_none()


async def read_order(session: AsyncSession, order_id: str) -> Order:
    """The order with this id.

    Raises:
        NotFound: there is none.
    """
    order = (await session.execute(select(Order).where(Order.id == order_id))).scalar_one_or_none()
    if order is None:
        raise NotFound(f"Order with id: {order_id} was not found")
    return order


async def lock_order(session: AsyncSession, order_id: str) -> Order:
    """The order with this id, locked for a change.

    Raises:
        NotFound: there is none.
    """
    order = (await session.execute(locked(select(Order).where(Order.id == order_id)))).scalar_one_or_none()
    if order is None:
        raise NotFound(f"Order with id: {order_id} was not found")
    return order


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
    shipping = ShippingCharge(order.shipping_total, order.shipping_tax_rate)
    return price_cart([priced(line) for line in lines], shipping)


def mark_paid(order: Order) -> None:
    """The money is ours. An order that was cancelled before stands again."""
    move(order, status=OrderStatus.PENDING, payment=PaymentStatus.CAPTURED)


def mark_unpaid(order: Order) -> None:
    """The payment is finally lost: the order is cancelled."""
    move(order, status=OrderStatus.CANCELED, payment=PaymentStatus.CANCELED)
