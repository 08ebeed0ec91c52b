"""Resolve attention rows about money and about missing stock (`backend.attention`).

- `honor`: the money pays the order. The order is restored, or created from the snapshot of the payment. Its
stock is reserved first. If units are missing, the decision is refused and the attention stays open. -
`refunded`: staff gave the money back by a bank transfer. The transfer is booked on the payment session. -
`dismissed`: a held payment session is cancelled, so that the order no longer waits for it. The money that
its provider reported no longer waits for a decision. Nothing else changes.
"""

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import close_attention
from backend.attention.kinds import Action, AttentionKind
from backend.attention.models import Attention
from backend.attention.service import Decision, Resolver
from backend.cart.models import Cart
from backend.checkout.cart_snapshot import parse_snapshot
from backend.checkout.completion import release_reserved
from backend.core.errors import InsufficientStock, InvalidData, NotAllowed, NotFound
from backend.core.events import subscribe
from backend.core.money import Cop
from backend.core.texts import _
from backend.inventory import service as inventory
from backend.orders.models import Order
from backend.orders.money.refunds import (
    REVERSED,
    Transfer,
    book_reversal,
    refund_all,
    refund_money,
    update_payment_status,
)
from backend.orders.service import (
    count_units_to_send,
    list_order_lines,
    lock_order,
    lock_order_of_cart,
    matches_sale,
    read_order,
)
from backend.orders.states import HAS_MONEY, PaymentStatus
from backend.payment.events import PaymentSessionChanged
from backend.payment.models import PaymentSession
from backend.payment.payments import get_refundable_amount
from backend.payment.sessions import list_payment_sessions
from backend.payment.states import SessionState
from backend.payment.transitions import capture_to_refund, dismiss, dismiss_money, honor, lock_session, pays

PAID_ALREADY = "Order {number} is already paid: refund this money, and resolve with `refunded`"
UNKNOWN_AMOUNT = "The amount is unknown: refund it, and dismiss with a note that says so"
UNKNOWN_PURCHASE = "The purchase is unknown: refund the money, and resolve with `refunded`"
OTHER_TRANSACTION_PAYS = (
    "Payment {invoice} has the money of another transaction: if this one was approved too, give its money back, "
    "and dismiss with a note that says so"
)
FULLY_REFUNDED = "All of this money is already booked as refunded: dismiss with a note"
NO_MONEY = "Order {number} has no money: no units can be reserved for it"


class PaidAlready(NotAllowed):
    """The money cannot pay the order, which is already paid: it must be refunded."""

    staff_text = _("El pedido ya está pagado: devuelve este dinero y anota la referencia.")


class OtherTransactionPays(NotAllowed):
    """The transaction of the attention row cannot pay the invoice: another transaction has already paid it."""

    staff_text = _(
        "El pedido ya está pagado por otra transacción. Si esta también fue aprobada, devuelve su dinero y di en una nota que no hay que hacer nada más."  # noqa: E501
    )


class OrderWithoutMoney(NotAllowed):
    """The shop no longer has any money for the order."""

    staff_text = _("El pedido ya no tiene dinero: no hay que hacer nada, y la nota dice por qué.")


class AmountUnknown(InvalidData):
    """The decision needs the amount of the payment, which is unknown."""

    staff_text = _("Nadie sabe cuánto dinero es: devuélvelo y di en una nota que no hay que hacer nada más.")


class NothingToRefund(NotAllowed):
    """The whole amount of the payment is already booked as refunded."""

    staff_text = _("Ese dinero ya está anotado como devuelto: no hay que hacer nada, y la nota dice por qué.")


class PurchaseUnknown(InvalidData):
    """The money cannot pay an order: there is neither an order nor a snapshot of what was bought."""

    staff_text = _("No se sabe qué se compró: devuelve el dinero y anota la referencia.")


class PaymentResolver(Resolver):
    """Resolver of payments whose money could not be assigned to an order automatically."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Lock the cart, the payment session and the order, in this order.

        Raises:
            NotFound: the payment was deleted, and the decision is not a dismissal.
        """
        found = await _lock_payment(session, row, decision)
        if found is not None:
            _, cart = found
            await lock_order_of_cart(session, cart.id)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Let the money pay the order (`honor`), or book its refund (`refunded`).

        A dismissal cancels the payment if it is held.

        Raises:
            NotFound: the payment was deleted, and the decision is not a dismissal.
            PaidAlready: the order is paid; this money must be refunded.
            OtherTransactionPays: the payment session already has the money of another transaction.
            NotAllowed: the refund is larger than the captured money.
            InsufficientStock: units are missing; the message names them.
            AmountUnknown: the amount of the money is unknown.
            PurchaseUnknown: the purchase that the money was for is unknown.
        """
        found = await _lock_payment(session, row, decision)
        if found is None:
            return
        payment, cart = found
        if decision.action is Action.DISMISSED:
            if payment.state == SessionState.HELD and not _is_second_transaction(row, payment):
                await dismiss(session, payment, cart)
            # no money was reported when a row about an unknown outcome was opened
            if row.kind != AttentionKind.PAYMENT_UNRESOLVED:
                dismiss_money(payment)
            return
        if _is_second_transaction(row, payment):
            _assign_transaction(row, payment)
        order = await lock_order_of_cart(session, cart.id)
        if decision.action is Action.HONOR:
            await _let_money_pay(session, row, payment, cart, order)
        else:
            amount = _require_amount(row, payment)
            await capture_to_refund(session, payment, cart, amount)
            await refund_money(session, payment, order, amount, _to_transfer(decision))
            await release_reserved(session, cart.id, await list_payment_sessions(session, cart.id))


class ContradictionResolver(PaymentResolver):
    """Resolver of a captured payment whose provider later sent a report that contradicts the capture.

    `honor` means that the shop has the money, `refunded` that the shopper got it back. While the attention
    row is open, the order must not be packed (`backend.orders.packing_holds`).
    """

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Book the money that went back to the shopper, if the decision is `refunded`. Otherwise do nothing.

        Raises:
            NotFound: the payment was deleted, and the decision is not a dismissal.
            AmountUnknown: the amount that went back to the shopper is unknown.
            NothingToRefund: the whole amount is already booked as refunded.
        """
        found = await _lock_payment(session, row, decision)
        if found is None or decision.action is not Action.REFUNDED:
            return
        payment, cart = found
        if row.amount is None:
            raise AmountUnknown(UNKNOWN_AMOUNT)
        amount = min(row.amount, await get_refundable_amount(session, payment))
        if amount <= 0:
            raise NothingToRefund(FULLY_REFUNDED)
        order = await lock_order_of_cart(session, cart.id) if pays(payment) else None
        transfer = replace(_to_transfer(decision), reason=REVERSED)
        await book_reversal(session, payment, order, amount, transfer)


class ShortStockResolver(Resolver):
    """Resolver of a paid order with missing units. `honor` means that the units are in stock now: they are reserved."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Lock each captured payment session with its cart, then the order; for a dismissal, nothing."""
        if decision.action is Action.DISMISSED:
            return
        order = await read_order(session, row.subject_id)
        for payment in await list_payment_sessions(session, order.cart_id):
            if payment.state == SessionState.CAPTURED:
                await lock_session(session, payment.id)
        await lock_order(session, row.subject_id)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Reserve the units (`honor`), or book a refund of the whole order (`refunded`).

        Raises:
            OrderWithoutMoney: for `honor`, the shop no longer has any money for the order.
            NotAllowed: for `refunded`, the shop no longer has any money for the order.
            HasActiveFulfillments: for `refunded`, the order has active fulfillments.
            InsufficientStock: units are still missing; the message names them.
        """
        if decision.action is Action.DISMISSED:
            return
        order = await lock_order(session, row.subject_id)
        if decision.action is Action.HONOR:
            if order.payment_status not in HAS_MONEY:
                raise OrderWithoutMoney(NO_MONEY.format(number=order.number))
            lines = await list_order_lines(session, order.id)
            await _reserve(session, order.cart_id, count_units_to_send(lines))
        else:
            await refund_all(session, order, _to_transfer(decision))


def create_money_resolvers() -> dict[AttentionKind, Resolver]:
    """Return the resolvers of all attention rows about money or stock."""
    money = PaymentResolver()
    kinds = (
        AttentionKind.AMOUNT_DIFFERS,
        AttentionKind.APPROVED_LATE,
        AttentionKind.APPROVED_AFTER_CANCEL,
        AttentionKind.PAID_TWICE,
        AttentionKind.PAID_WITHOUT_ORDER,
        AttentionKind.PAYMENT_UNRESOLVED,
    )
    return {
        **dict.fromkeys(kinds, money),
        AttentionKind.PAYMENT_CONTRADICTED: ContradictionResolver(),
        AttentionKind.STOCK_SHORT: ShortStockResolver(),
    }


@subscribe(PaymentSessionChanged)
async def close_unresolved(session: AsyncSession, event: PaymentSessionChanged) -> None:
    """Close those attention rows of the payment that need no decision any more.

    In a final state, the outcome of the payment is known, so rows about an unknown outcome are closed. If the
    payment was captured, rows about a different amount are closed too.
    """
    kinds = [AttentionKind.PAYMENT_UNRESOLVED] if event.state.is_final else []
    if event.state is SessionState.CAPTURED:  # the money pays its order
        kinds.append(AttentionKind.AMOUNT_DIFFERS)
    for kind in kinds:
        await close_attention(
            session, kind, event.session_id, note=f"The gateway has now reported: {event.state}"
        )


def _is_second_transaction(row: Attention, payment: PaymentSession) -> bool:
    """Return True if the attention row is about a second transaction of the session's invoice."""
    return row.kind == AttentionKind.PAYMENT_UNRESOLVED and row.subject_id != payment.id


def _assign_transaction(row: Attention, payment: PaymentSession) -> None:
    """Store the attention row's transaction number in the payment session, so that later reports find it.

    Raises:
        OtherTransactionPays: the session already has the money of another transaction.
    """
    if pays(payment) or payment.captured_amount is not None:
        raise OtherTransactionPays(OTHER_TRANSACTION_PAYS.format(invoice=payment.invoice))
    payment.reference = row.data["reference"]


async def _let_money_pay(
    session: AsyncSession, row: Attention, payment: PaymentSession, cart: Cart, order: Order | None
) -> None:
    """Use the payment's money to pay its order. If there is no order, create it from the payment's snapshot.

    Raises:
        PaidAlready: the order is paid.
        PurchaseUnknown: there is neither an order nor a snapshot.
        InsufficientStock: units are missing.
    """
    if order is not None and order.payment_status == PaymentStatus.CAPTURED:
        raise PaidAlready(PAID_ALREADY.format(number=order.number))
    if order is None and not payment.snapshot:
        raise PurchaseUnknown(UNKNOWN_PURCHASE)
    if row.kind == AttentionKind.PAYMENT_UNRESOLVED and payment.captured_amount is None:
        payment.captured_amount = payment.amount  # staff saw the approval in the gateway's panel
    sale = parse_snapshot(payment.snapshot) if payment.snapshot else None
    units = sale.units if sale is not None else {}
    if order is not None:
        lines = await list_order_lines(session, order.id)
        if sale is None or matches_sale(order, lines, sale):
            units = count_units_to_send(lines)  # some units may have been sent
    await _reserve(session, cart.id, units)
    if not pays(payment):
        await honor(session, payment, cart)
    await update_payment_status(session, await lock_order(session, cart.order_id))


async def _reserve(session: AsyncSession, cart_id: str, units: Mapping[str, int]) -> None:
    """Reserve these units (by variant id) permanently for the paid order.

    Raises:
        InsufficientStock: some units are missing; the message lists their number by variant.
    """
    available = await inventory.read_available_units(session, list(units), holder=cart_id)
    missing = {
        variant_id: count - max(0, available.get(variant_id, 0))
        for variant_id, count in units.items()
        if available.get(variant_id, 0) < count
    }
    if missing:
        named = ", ".join(f"{count} of {variant_id}" for variant_id, count in sorted(missing.items()))
        raise InsufficientStock(f"Units are missing: {named}")
    await inventory.reserve(session, cart_id, units, until=None)


async def _lock_payment(
    session: AsyncSession, row: Attention, decision: Decision
) -> tuple[PaymentSession, Cart] | None:
    """Lock and return the payment of the attention row, and the payment's cart.

    Return None if the payment was deleted and the decision is a dismissal.

    Raises:
        NotFound: the payment was deleted, and the decision is not a dismissal.
    """
    try:
        return await lock_session(session, row.payment_session_id or row.subject_id)
    except NotFound:
        if decision.action is not Action.DISMISSED:
            raise
        return None


def _require_amount(row: Attention, payment: PaymentSession) -> Cop:
    amount = payment.captured_amount if payment.captured_amount is not None else row.amount
    if amount is None and row.kind == AttentionKind.PAYMENT_UNRESOLVED:
        amount = payment.amount
    if amount is None or amount <= 0:
        raise AmountUnknown(UNKNOWN_AMOUNT)
    return amount


def _to_transfer(decision: Decision) -> Transfer:
    return Transfer(reference=decision.reference or "", actor_id=decision.by.id, note=decision.note)
