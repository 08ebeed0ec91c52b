"""Conditions for editing an order. Before a change, the caller must lock the order."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind
from backend.attention.models import Attention
from backend.core.errors import Conflict, NotAllowed
from backend.core.texts import _
from backend.orders.delivery_kinds import read_delivery
from backend.orders.models import Order
from backend.orders.service import has_active_fulfillments, list_order_lines
from backend.orders.states import OrderStatus, PaymentStatus
from backend.payment.models import PaymentSession
from backend.payment.sessions import list_payment_sessions
from backend.payment.states import AT_BANK_STATES, SessionState
from backend.payment.transitions import PAYS_DIFFERENCE
from backend.returns.models import Return
from backend.returns.states import OPEN

UNDECIDED_STATES = AT_BANK_STATES | {SessionState.HELD}
NOT_EDITABLE = "Order {order_id} cannot be edited: {why}"


class NotEditable(NotAllowed):
    """The order cannot be edited in its state."""

    def __init__(self, order: Order, why: str, staff_text: str) -> None:
        super().__init__(NOT_EDITABLE.format(order_id=order.id, why=why), staff_text=staff_text)


class DifferenceAtBank(Conflict):
    """The customer is paying the difference of an earlier edit at the bank, or the gateway is reviewing it."""

    staff_text = _("El comprador está pagando la diferencia en el banco. Espera a que el banco responda.")


async def require_editable(session: AsyncSession, order: Order) -> None:
    """Check that the (locked) order can be edited.

    An order can be edited if it is paid or owes the difference of an edit, if none of its units is packed, withdrawn
    or returned, and if it has no open return.

    Raises:
        NotEditable: the order cannot be edited.
        DifferenceAtBank: the difference of an earlier edit is being paid.
    """
    await _require_editable_state(session, order)
    await require_no_difference_at_bank(session, order)


async def is_editable(session: AsyncSession, order: Order) -> bool:
    """Return True if the order's state allows an edit, even while a payment of its difference is undecided."""
    try:
        await _require_editable_state(session, order)
    except NotEditable:
        return False
    return True


async def _require_editable_state(session: AsyncSession, order: Order) -> None:
    if order.status != OrderStatus.PENDING:
        raise NotEditable(order, "it is canceled", _("El pedido está cancelado."))
    if order.payment_status != PaymentStatus.CAPTURED and not await is_difference_owed(session, order.id):
        raise NotEditable(
            order,
            f"its payment status is {order.payment_status}",
            _("Solo se cambia un pedido que está pagado del todo."),
        )
    lines = await list_order_lines(session, order.id)
    if any(line.fulfilled for line in lines) or await has_active_fulfillments(session, order.id):
        kind, _note = await read_delivery(session, order)
        text = (
            _("El pedido ya tiene guía: anúlala primero.")
            if kind.has_label
            else _("El pedido ya se está empacando: desempácalo primero.")
        )
        raise NotEditable(order, "it has a fulfillment", text)
    open_returns = select(Return.id).where(Return.order_id == order.id, Return.state.in_(OPEN))
    has_returns = (await session.execute(open_returns.limit(1))).first() is not None
    if has_returns or any(line.withdrawn or line.returned for line in lines):
        raise NotEditable(order, "it has returns", _("El pedido tiene una devolución."))


async def require_no_difference_at_bank(session: AsyncSession, order: Order) -> None:
    """Check that no difference of the order is being paid.

    Raises:
        DifferenceAtBank: a payment is at the bank, or the gateway is reviewing it.
    """
    payment = await find_undecided_payment(session, order)
    if payment is not None:
        raise DifferenceAtBank(f"The difference of order {order.id} is being paid ({payment.invoice})")


async def find_undecided_payment(session: AsyncSession, order: Order) -> PaymentSession | None:
    """Return the undecided payment of the order's difference; None if there is none.

    Such a payment is at the bank, or the gateway is reviewing it.
    """
    for payment in await list_payment_sessions(session, order.cart_id):
        if PAYS_DIFFERENCE in payment.data and payment.state in UNDECIDED_STATES:
            return payment
    return None


async def is_difference_owed(session: AsyncSession, order_id: str) -> bool:
    """Return True if the customer still owes the difference of an edit."""
    return await _is_open(session, AttentionKind.EDIT_OWED, order_id)


async def is_difference_to_refund(session: AsyncSession, order_id: str) -> bool:
    """Return True if the shop must still give back the difference of an edit."""
    return await _is_open(session, AttentionKind.EDIT_REFUND, order_id)


async def _is_open(session: AsyncSession, kind: AttentionKind, order_id: str) -> bool:
    rows = select(Attention.id).where(
        Attention.kind == kind, Attention.subject_id == order_id, Attention.resolved_at.is_(None)
    )
    return (await session.execute(rows.limit(1))).first() is not None
