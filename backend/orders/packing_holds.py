"""Orders that may not be packed for now, because a staff member has to decide about their payment.

An order is held while an attention row of the kinds `HOLDING` is open: the provider contradicts a payment that was
considered final, the payment was accepted although it is too small, or the difference of an edited order is owed.
Nothing is reversed automatically.
"""

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, raise_attention
from backend.attention.descriptions import EXACT, OWED
from backend.attention.models import Attention
from backend.core.errors import NotAllowed
from backend.core.events import subscribe
from backend.core.texts import _
from backend.orders.events import OrderPaid
from backend.orders.models import Order
from backend.orders.money.captured_money import read_order_money
from backend.orders.service import lock_order_of_cart, read_order
from backend.orders.states import PaymentStatus
from backend.payment.events import PaymentContradicted
from backend.payment.models import PaymentSession
from backend.payment.sessions import list_payment_sessions
from backend.payment.transitions import PAID_BY_EXCHANGE, pays

HOLDING = (AttentionKind.PAYMENT_CONTRADICTED, AttentionKind.PAID_IN_PART, AttentionKind.EDIT_OWED)
IS_HELD = exists().where(
    Attention.order_id == Order.id,
    Attention.kind.in_(HOLDING),
    Attention.resolved_at.is_(None),
)
"""Condition on `Order`: packing is blocked until a staff member decides."""


class PackingHeld(NotAllowed):
    """The order cannot be packed: a staff member must first decide about its payment."""

    staff_text = _("El pago de este pedido espera una decisión en Por resolver.")


@subscribe(PaymentContradicted)
async def hold_order(session: AsyncSession, event: PaymentContradicted) -> None:
    """Open an attention row about the contradicted payment. While it is open, the paid order cannot be packed.

    The order is locked, so that it is not packed meanwhile. An open row about the same payment is replaced, because
    its amount is from an earlier report.
    """
    payment = await session.get_one(PaymentSession, event.session_id)
    order = await lock_order_of_cart(session, event.cart_id) if pays(payment) else None
    kind, note = (
        AttentionKind.PAYMENT_CONTRADICTED,
        f"The provider has sent a newer report: {event.message}",
    )
    await close_attention(session, kind, event.session_id, note=note)
    await raise_attention(
        session,
        AttentionKind.PAYMENT_CONTRADICTED,
        message=event.message,
        amount=event.missing,
        order_id=order.id if order is not None else None,
        payment_session_id=event.session_id,
        data={"reported": event.reported},
    )


@subscribe(OrderPaid)
async def hold_partly_paid_order(session: AsyncSession, event: OrderPaid) -> None:
    """Open an attention row if the order is paid in part; close the row once the order is fully paid.

    The caller has locked the order and captured the money. No row is opened if an exchange pays the order.
    """
    order = await read_order(session, event.order_id)
    if order.payment_status == PaymentStatus.CAPTURED:
        await close_attention(session, AttentionKind.PAID_IN_PART, order.id, note="The order is paid")
    if order.payment_status != PaymentStatus.PARTIALLY_CAPTURED:
        return
    if any(PAID_BY_EXCHANGE in one.data for one in await list_payment_sessions(session, order.cart_id)):
        return  # `backend.exchanges` books its difference, or opens the row about it
    money = await read_order_money(session, order)
    await raise_attention(
        session,
        AttentionKind.PAID_IN_PART,
        message=f"Order {order.number} of {order.total} pesos is paid with {money.exact}",
        amount=money.paid,
        order_id=order.id,
        data={OWED: order.total, EXACT: str(money.exact)},
    )


async def is_held(session: AsyncSession, order_id: str) -> bool:
    """Return True if the order may not be packed until a staff member decides."""
    return (await session.execute(select(Order.id).where(Order.id == order_id, IS_HELD))).first() is not None


async def require_not_held(session: AsyncSession, order: Order) -> None:
    """Check that the (locked) order may be packed.

    Raises:
        PackingHeld: its payment waits for a decision.
    """
    if await is_held(session, order.id):
        raise PackingHeld(
            f"The payment of order {order.number} waits for a decision: "
            "nothing is packed until the attention about it is resolved"
        )
