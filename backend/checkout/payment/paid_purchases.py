"""A cart of a purchase that another cart has paid: the bank approved what was given up, after the cart was restored.

No second debit starts for the same toys, and whatever else the cart is filled with is a purchase of its own.
"""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import line_key, lines_of
from backend.cart.lines import change_line
from backend.cart.models import Cart
from backend.cart.purchase_chains import chain_of
from backend.core.errors import Conflict
from backend.core.texts import _
from backend.orders.models import Order
from backend.orders.service import lines_of_order
from backend.orders.states import HAS_MONEY, OrderStatus
from backend.payment.sessions import sessions_of
from backend.payment.states import CHECKED
from backend.payment.transitions import OF_PURCHASE


class PurchasePaid(Conflict):
    """The purchase that the cart was restored for is paid already."""

    shopper_text = _(
        "Ya recibimos el pago de esta compra: no tienes que pagarla otra vez. "
        "Si queda algo más en tu carrito, revísalo y paga."
    )

    def __init__(self) -> None:
        super().__init__(
            "The purchase that this cart was restored for is paid already. "
            "Look at what is left in the cart, and pay that"
        )


async def leave_paid_chain(session: AsyncSession, cart: Cart) -> bool:
    """Take the (locked) cart out of a purchase that another cart has paid, and what was paid for out of the cart.

    Nothing is changed while a payment of the cart is at the bank. One that was given up and may still be approved notes
    which purchase it was for, so that nothing is paid twice unseen.

    Returns:
        Whether the cart can be paid as it is: nobody has paid its purchase, or nothing in it was paid for.
    """
    paid = await _paid_orders(session, cart)
    if not paid:
        return True
    if cart.completed_at is not None or cart.payment_session_id is not None:
        return False
    stands = [one for one in paid if one.status == OrderStatus.PENDING and one.payment_status in HAS_MONEY]
    taken_out = [await _take_out(session, cart, order) for order in stands]
    for payment in await sessions_of(session, cart.id):
        if payment.state in CHECKED:
            payment.data = {**payment.data, OF_PURCHASE: paid[0].cart_id}
    cart.replaces_cart_id = None
    return not any(taken_out)


async def _paid_orders(session: AsyncSession, cart: Cart) -> Sequence[Order]:
    """The orders of the other carts of its purchase that were paid, those whose money was refunded since among them."""
    if cart.replaces_cart_id is None:
        return ()
    others = await chain_of(session, cart.id) - {cart.id}
    paid = select(Order).where(Order.cart_id.in_(sorted(others)), Order.paid_at.is_not(None))
    return (await session.execute(paid.order_by(Order.id))).scalars().all()


async def _take_out(session: AsyncSession, cart: Cart, order: Order) -> bool:
    """Take the order's toys out of the cart. Returns whether any were in it."""
    found = False
    for sold in await lines_of_order(session, order.id):
        left, key = sold.quantity, line_key(sold.variant_id, sold.meta)
        lines = [
            line
            for line in await lines_of(session, cart.id)
            if line.item.variant_id == sold.variant_id and not line.is_wrapping
        ]
        same = [line for line in lines if line_key(line.item.variant_id, line.item.meta) == key]
        for line in same or lines:  # the metadata may have been changed since
            units = min(left, line.item.quantity)
            if units:
                await change_line(session, cart.id, line.item.id, line.item.quantity - units)
                left, found = left - units, True
    return found
