"""Orders that may not be packed for now, because the provider contradicts a payment that was considered final.

An order is held while an attention row of the kind `PAYMENT_CONTRADICTED` is open. Nothing is reversed
automatically.
"""

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, raise_attention
from backend.attention.models import Attention
from backend.core.errors import NotAllowed
from backend.core.events import subscribe
from backend.core.texts import _
from backend.orders.models import Order
from backend.orders.service import lock_order_of_cart
from backend.payment.events import PaymentContradicted
from backend.payment.models import PaymentSession
from backend.payment.transitions import pays

IS_HELD = exists().where(
    Attention.order_id == Order.id,
    Attention.kind == AttentionKind.PAYMENT_CONTRADICTED,
    Attention.resolved_at.is_(None),
)
"""Condition on `Order`: packing is blocked until a staff member decides."""


class PackingHeld(NotAllowed):
    """The order cannot be packed: the provider contradicts its payment, and a staff member must decide first."""

    staff_text = _("El banco se contradice sobre el pago de este pedido. Resuelve eso primero.")


@subscribe(PaymentContradicted)
async def hold_order(session: AsyncSession, event: PaymentContradicted) -> None:
    """Open an attention row about the payment. While the row is open, the payment's order may not be packed.

    The order is locked, so packing cannot run at the same time. An earlier open row about the same payment is
    replaced, because its amount is from an earlier report.
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


async def is_held(session: AsyncSession, order_id: str) -> bool:
    """Return True if the order may not be packed until a staff member decides."""
    return (await session.execute(select(Order.id).where(Order.id == order_id, IS_HELD))).first() is not None


async def require_not_held(session: AsyncSession, order: Order) -> None:
    """Check that the (locked) order may be packed.

    Raises:
        PackingHeld: the provider contradicts its payment, and no decision was made yet.
    """
    if await is_held(session, order.id):
        raise PackingHeld(
            f"The provider contradicts the payment of order {order.number}: "
            "nothing is packed until the attention about it is resolved"
        )
