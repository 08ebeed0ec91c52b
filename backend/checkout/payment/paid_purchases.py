"""Handle carts whose purchase is already paid: the bank approved a closed payment after the cart was restored.

The shopper is not charged again for the same products. Other products in the cart become a separate purchase.
"""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import line_key, read_lines
from backend.cart.lines import change_line
from backend.cart.models import Cart
from backend.cart.purchase_chains import read_chain
from backend.core.errors import Conflict
from backend.core.texts import _
from backend.orders.models import Order
from backend.orders.service import list_order_lines
from backend.orders.states import HAS_MONEY, OrderStatus
from backend.payment.sessions import list_payment_sessions
from backend.payment.states import CHECKED_STATES
from backend.payment.transitions import OF_PURCHASE


class PurchasePaid(Conflict):
    """The cart cannot be paid: it was restored from another cart, whose payment has since been approved."""

    shopper_text = _(
        "Ya recibimos el pago de esta compra: no tienes que pagarla otra vez. "
        "Si queda algo más en tu carrito, revísalo y paga."
    )

    def __init__(self) -> None:
        super().__init__(
            "The purchase that this cart was restored for is already paid. "
            "Check what is left in the cart, and pay that"
        )


async def leave_paid_chain(session: AsyncSession, cart: Cart) -> bool:
    """Remove the units that another cart of the same purchase has paid from the (locked) cart, and unlink it.

    If no other cart has paid, nothing changes. If one has, but this cart is completed or has a payment at the
    bank, nothing changes either, and False is returned. Payments of the cart that may still be approved get
    the id of a paid cart, so that they are detected as double payments.

    Returns:
        True if the cart can be paid unchanged: its purchase is not paid, or the cart contained none of the
            paid units.
    """
    paid = await _list_paid_orders(session, cart)
    if not paid:
        return True
    if cart.completed_at is not None or cart.payment_session_id is not None:
        return False
    active_orders = [
        one for one in paid if one.status == OrderStatus.PENDING and one.payment_status in HAS_MONEY
    ]
    removals = [await _remove_order_units(session, cart, order) for order in active_orders]
    for payment in await list_payment_sessions(session, cart.id):
        if payment.state in CHECKED_STATES:
            payment.data = {**payment.data, OF_PURCHASE: paid[0].cart_id}
    cart.replaces_cart_id = None
    return not any(removals)


async def _list_paid_orders(session: AsyncSession, cart: Cart) -> Sequence[Order]:
    """Return the paid orders of the purchase's other carts, even if they were refunded later."""
    if cart.replaces_cart_id is None:
        return ()
    others = await read_chain(session, cart.id) - {cart.id}
    paid = select(Order).where(Order.cart_id.in_(sorted(others)), Order.paid_at.is_not(None))
    return (await session.execute(paid.order_by(Order.id))).scalars().all()


async def _remove_order_units(session: AsyncSession, cart: Cart, order: Order) -> bool:
    """Remove the order's units from the cart. Return True if the cart contained any."""
    found = False
    for sold in await list_order_lines(session, order.id):
        remaining, key = sold.quantity, line_key(sold.variant_id, sold.meta)
        lines = [
            line
            for line in await read_lines(session, cart.id)
            if line.item.variant_id == sold.variant_id and not line.is_wrapping
        ]
        same = [line for line in lines if line_key(line.item.variant_id, line.item.meta) == key]
        for line in same or lines:  # the metadata may have changed after the order
            units = min(remaining, line.item.quantity)
            if units:
                await change_line(session, cart.id, line.item.id, line.item.quantity - units)
                remaining, found = remaining - units, True
    return found
