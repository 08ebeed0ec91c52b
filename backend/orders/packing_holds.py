"""Orders that are not packed for now: the provider contradicts a payment that the shop took for final.

The order is held while an attention row of that kind is open. Nothing is undone by itself.
"""

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, raise_attention
from backend.attention.models import Attention
from backend.core.errors import NotAllowed
from backend.core.events import subscribe
from backend.core.texts import _
from backend.orders.models import Order
from backend.orders.service import order_of_cart
from backend.payment.events import PaymentContradicted
from backend.payment.models import PaymentSession
from backend.payment.transitions import pays

IS_HELD = exists().where(
    Attention.order_id == Order.id,
    Attention.kind == AttentionKind.PAYMENT_CONTRADICTED,
    Attention.resolved_at.is_(None),
)
"""Condition on `Order`: nothing of it is packed until a person has decided."""


class PackingHeld(NotAllowed):
    """The provider contradicts the order's payment; a person has to decide before anything is packed."""

    staff_text = _("El banco se contradice sobre el pago de este pedido. Resuelve eso primero.")


@subscribe(PaymentContradicted)
async def hold_order(session: AsyncSession, event: PaymentContradicted) -> None:
    """Raise attention, which holds the order that the payment pays. It is locked: packing takes turns with it.

    An open row about the payment is replaced: its amount is that of an earlier report.
    """
    payment = await session.get_one(PaymentSession, event.session_id)
    order = await order_of_cart(session, event.cart_id) if pays(payment) else None
    kind, note = (
        AttentionKind.PAYMENT_CONTRADICTED,
        f"The provider said something else since: {event.message}",
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


async def is_held(session: AsyncSession, order_id: str) -> bool:
    """True if nothing of the order may be packed until a person has decided."""
    return (await session.execute(select(Order.id).where(Order.id == order_id, IS_HELD))).first() is not None


async def require_not_held(session: AsyncSession, order: Order) -> None:
    """Check that the (locked) order may be packed.

    Raises:
        PackingHeld: its payment is contradicted, and nobody has decided yet.
    """
    if await is_held(session, order.id):
        raise PackingHeld(
            f"The provider contradicts the payment of order {order.number}: "
            "nothing is packed until the attention about it is resolved"
        )
