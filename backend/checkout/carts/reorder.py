"""Buying what was bought before: the toys of an order into a cart, at today's prices."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import open_cart
from backend.cart.contents import lines_of, units_by_variant
from backend.cart.lines import MAX_QUANTITY, add_to_cart, drop_lone_wrapping
from backend.catalog.models import variant_name
from backend.core.db.tables import get_or_404
from backend.core.errors import InvalidData
from backend.inventory.service import available_units
from backend.orders.models import Order, OrderLine


async def buy_again(session: AsyncSession, customer_id: str, order_id: str, cart_id: str) -> list[str]:
    """Put into the cart what can still be bought of the customer's order, as many units as there are.

    Returns:
        The titles of what is not there any more, or not in that number.

    Raises:
        NotFound: the customer has no such order.
        NotFound, NotAllowed, Conflict: see `open_cart`.
    """
    own = select(Order.id).where(Order.id == order_id, Order.customer_id == customer_id)
    await get_or_404(session, own, "Order", order_id)
    await open_cart(session, cart_id)
    bought = (await session.execute(select(OrderLine).where(OrderLine.order_id == order_id))).scalars().all()
    there = units_by_variant(await lines_of(session, cart_id))
    left = await available_units(session, [line.variant_id for line in bought])
    missing = []
    for line in bought:
        in_cart = there[line.variant_id]
        units = min(line.quantity, left.get(line.variant_id, 0) - in_cart, MAX_QUANTITY - in_cart)
        if units > 0:
            try:
                await add_to_cart(session, cart_id, line.variant_id, units, line.meta)
                there[line.variant_id] += units
            except InvalidData:  # it is no longer for sale, or the cart is full
                units = 0
        if units < line.quantity:
            missing.append(", ".join(filter(None, (line.title, variant_name(line.variant_title)))))
    await drop_lone_wrapping(session, cart_id)
    return missing
