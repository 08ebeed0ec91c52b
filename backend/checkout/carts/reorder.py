"""Reorder: put the products of an earlier order into a cart, at current prices."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import open_cart
from backend.cart.contents import count_units_by_variant, read_lines
from backend.cart.lines import MAX_QUANTITY, add_to_cart, drop_lone_wrapping
from backend.catalog.models import variant_name
from backend.core.db.tables import get_or_404
from backend.core.errors import InvalidData
from backend.inventory.service import read_available_units
from backend.orders.models import Order, OrderLine


async def buy_again(session: AsyncSession, customer_id: str, order_id: str, cart_id: str) -> list[str]:
    """Add the products of the customer's order to the cart, with the ordered units or as many as can be sold.

    Returns:
        The titles of products that are not available, or that have fewer available units than were ordered.

    Raises:
        NotFound: the customer has no such order.
        NotFound, NotAllowed, Conflict: see `open_cart`.
    """
    own = select(Order.id).where(Order.id == order_id, Order.customer_id == customer_id)
    await get_or_404(session, own, "Order", order_id)
    await open_cart(session, cart_id)
    bought = (await session.execute(select(OrderLine).where(OrderLine.order_id == order_id))).scalars().all()
    units_in_cart = count_units_by_variant(await read_lines(session, cart_id))
    available = await read_available_units(session, [line.variant_id for line in bought])
    missing = []
    for line in bought:
        in_cart = units_in_cart[line.variant_id]
        units = min(line.quantity, available.get(line.variant_id, 0) - in_cart, MAX_QUANTITY - in_cart)
        if units > 0:
            try:
                await add_to_cart(session, cart_id, line.variant_id, units, line.meta)
                units_in_cart[line.variant_id] += units
            except InvalidData:  # the variant is no longer for sale, or the cart is full
                units = 0
        if units < line.quantity:
            missing.append(", ".join(filter(None, (line.title, variant_name(line.variant_title)))))
    await drop_lone_wrapping(session, cart_id)
    return missing
