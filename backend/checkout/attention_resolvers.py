"""Money that a person decides about, and stock that is short (`backend.attention`).

`honor`: the money pays its order, which stands again, or is made of what was paid for. Its stock is reserved first:
where units are missing, the decision is refused and the row stays open. `refunded`: the money was given back by a bank
transfer, which is booked on its payment session. `dismissed`: nothing.
"""

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import close_attention
from backend.attention.kinds import Action, AttentionKind
from backend.attention.models import Attention
from backend.attention.service import Decision, Resolver
from backend.cart.models import Cart
from backend.checkout.cart_snapshot import sale_of
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
    restate_payment,
)
from backend.orders.service import (
    lines_of_order,
    lock_order,
    order_of_cart,
    read_order,
    sells,
    units_to_send,
)
from backend.orders.states import HAS_MONEY, PaymentStatus
from backend.payment.events import PaymentSessionChanged
from backend.payment.models import PaymentSession
from backend.payment.payments import refundable
from backend.payment.sessions import sessions_of
from backend.payment.states import SessionState
from backend.payment.transitions import capture_to_refund, dismiss, honor, lock_session, pays

PAID_ALREADY = "Order {number} is paid already: give this money back, and resolve with `refunded`"
UNKNOWN_AMOUNT = "Nobody knows how many pesos these are: give them back, and dismiss with a note that says so"
NOTHING_KNOWN = "Nothing is known of what was paid for: give the money back, and resolve with `refunded`"
OTHER_TRANSACTION_PAYS = (
    "Payment {invoice} has the money of another transaction: if this one was approved too, give its money back, "
    "and dismiss with a note that says so"
)
BOOKED_ALREADY = "All of this money is booked as given back already: dismiss with a note"
NO_MONEY = "Order {number} holds no money: there is nothing to reserve units for"


class PaidAlready(NotAllowed):
    """The order is paid already: the money is to be given back."""

    staff_text = _("El pedido ya está pagado: devuelve este dinero y anota la referencia.")


class OtherTransactionPays(NotAllowed):
    """The row is about a transaction of an invoice that another transaction has paid."""

    staff_text = _(
        "El pedido ya está pagado por otra transacción. Si esta también fue aprobada, devuelve su dinero y di en una nota que no hay que hacer nada más."  # noqa: E501
    )


class HoldsNoMoney(NotAllowed):
    """The order has no money any more."""

    staff_text = _("El pedido ya no tiene dinero: no hay que hacer nada, y la nota dice por qué.")


class AmountUnknown(InvalidData):
    """Nobody knows how much money it is."""

    staff_text = _("Nadie sabe cuánto dinero es: devuélvelo y di en una nota que no hay que hacer nada más.")


class NothingLeft(NotAllowed):
    """All of the money is booked as given back already."""

    staff_text = _("Ese dinero ya está anotado como devuelto: no hay que hacer nada, y la nota dice por qué.")


class PurchaseUnknown(InvalidData):
    """Nobody knows what the money paid for."""

    staff_text = _("No se sabe qué se compró: devuelve el dinero y anota la referencia.")


class PaymentResolver(Resolver):
    """Money that did not simply pay its order."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Lock the cart, the payment session and the order, in this order. NotFound: the payment is gone."""
        found = await _lock_payment(session, row, decision)
        if found is not None:
            _, cart = found
            await order_of_cart(session, cart.id)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """See `Resolver`.

        Raises:
            NotFound: the payment is gone.
            PaidAlready: the order is; its money is to be given back.
            OtherTransactionPays: the payment has the money of another transaction.
            NotAllowed: so much money was not captured.
            InsufficientStock: units are missing; the message names them.
            AmountUnknown, PurchaseUnknown: nobody knows how much it is, or what it paid for.
        """
        found = await _lock_payment(session, row, decision)
        if found is None:
            return
        payment, cart = found
        if decision.action is Action.DISMISSED:
            if payment.state == SessionState.HELD and not _is_of_second(row, payment):
                await dismiss(session, payment, cart)
            return
        if _is_of_second(row, payment):
            _take_transaction(row, payment)
        order = await order_of_cart(session, cart.id)
        if decision.action is Action.HONOR:
            await _let_pay(session, row, payment, cart, order)
        else:
            amount = _amount(row, payment)
            await capture_to_refund(session, payment, cart, amount)
            await refund_money(session, payment, order, amount, _transfer(decision))
            await release_reserved(session, cart.id, await sessions_of(session, cart.id))


class ContradictionResolver(PaymentResolver):
    """The provider contradicts a captured payment. `honor`: the money is there. `refunded`: it went back.

    As long as the row is open nothing of the order is packed (`backend.orders.packing_holds`).
    """

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """See `Resolver`.

        Raises:
            NotFound: the payment is gone.
            AmountUnknown: nobody knows how much went back.
            NothingLeft: all of it is booked as given back already.
        """
        found = await _lock_payment(session, row, decision)
        if found is None or decision.action is not Action.REFUNDED:
            return
        payment, cart = found
        if row.amount is None:
            raise AmountUnknown(UNKNOWN_AMOUNT)
        amount = min(row.amount, await refundable(session, payment))
        if amount <= 0:
            raise NothingLeft(BOOKED_ALREADY)
        order = await order_of_cart(session, cart.id) if pays(payment) else None
        transfer = replace(_transfer(decision), reason=REVERSED)
        await book_reversal(session, payment, order, amount, transfer)


class ShortStockResolver(Resolver):
    """A paid order some of whose units are gone. `honor`: they are there now, and are reserved."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Lock the cart, the captured payment sessions and the order, in this order."""
        if decision.action is Action.DISMISSED:
            return
        order = await read_order(session, row.subject_id)
        for payment in await sessions_of(session, order.cart_id):
            if payment.state == SessionState.CAPTURED:
                await lock_session(session, payment.id)
        await lock_order(session, row.subject_id)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """See `Resolver`.

        Raises:
            HoldsNoMoney: the order has none.
            FulfillmentsStand: those of the order do, for `refunded`.
            InsufficientStock: units are still missing; the message names them.
        """
        if decision.action is Action.DISMISSED:
            return
        order = await lock_order(session, row.subject_id)
        if decision.action is Action.HONOR:
            if order.payment_status not in HAS_MONEY:
                raise HoldsNoMoney(NO_MONEY.format(number=order.number))
            lines = await lines_of_order(session, order.id)
            await _reserve(session, order.cart_id, units_to_send(lines))
        else:
            await refund_all(session, order, _transfer(decision))


def money_resolvers() -> dict[AttentionKind, Resolver]:
    """The resolvers of everything that is about money or stock."""
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
    """The gateway has said how a payment ended, or how much it is: nobody needs to resolve that any more."""
    kinds = [AttentionKind.PAYMENT_UNRESOLVED] if event.state.is_final else []
    if event.state is SessionState.CAPTURED:  # it pays its order
        kinds.append(AttentionKind.AMOUNT_DIFFERS)
    for kind in kinds:
        await close_attention(
            session, kind, event.session_id, note=f"The gateway said so after all: {event.state}"
        )


def _is_of_second(row: Attention, payment: PaymentSession) -> bool:
    """Return True if the row is about a second transaction of the session's invoice."""
    return row.kind == AttentionKind.PAYMENT_UNRESOLVED and row.subject_id != payment.id


def _take_transaction(row: Attention, payment: PaymentSession) -> None:
    """Give the session the number of the row's transaction, so that later reports about it are the session's.

    Raises:
        OtherTransactionPays: the session has the money of another transaction.
    """
    if pays(payment) or payment.captured_amount is not None:
        raise OtherTransactionPays(OTHER_TRANSACTION_PAYS.format(invoice=payment.invoice))
    payment.reference = row.data["reference"]


async def _let_pay(
    session: AsyncSession, row: Attention, payment: PaymentSession, cart: Cart, order: Order | None
) -> None:
    if order is not None and order.payment_status == PaymentStatus.CAPTURED:
        raise PaidAlready(PAID_ALREADY.format(number=order.number))
    if order is None and not payment.snapshot:
        raise PurchaseUnknown(NOTHING_KNOWN)
    if row.kind == AttentionKind.PAYMENT_UNRESOLVED and payment.captured_amount is None:
        payment.captured_amount = payment.amount  # staff saw in the gateway's panel that it was approved
    sale = sale_of(payment.snapshot) if payment.snapshot else None
    units = sale.units if sale is not None else {}
    if order is not None:
        lines = await lines_of_order(session, order.id)
        if sale is None or sells(order, lines, sale):
            units = units_to_send(lines)  # some of it may have been sent
    await _reserve(session, cart.id, units)
    if not pays(payment):
        await honor(session, payment, cart)
    await restate_payment(session, await lock_order(session, cart.order_id))


async def _reserve(session: AsyncSession, cart_id: str, units: Mapping[str, int]) -> None:
    """Reserve these units (by variant id) for the paid order, for good.

    Raises:
        InsufficientStock: some are missing; the message says of which variant how many.
    """
    available = await inventory.available_units(session, list(units), holder=cart_id)
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
    """The payment that the row is about, and its cart. None: it is gone, and a dismissal does not need it."""
    try:
        return await lock_session(session, row.payment_session_id or row.subject_id)
    except NotFound:
        if decision.action is not Action.DISMISSED:
            raise
        return None


def _amount(row: Attention, payment: PaymentSession) -> Cop:
    amount = payment.captured_amount if payment.captured_amount is not None else row.amount
    if amount is None and row.kind == AttentionKind.PAYMENT_UNRESOLVED:
        amount = payment.amount
    if amount is None or amount <= 0:
        raise AmountUnknown(UNKNOWN_AMOUNT)
    return amount


def _transfer(decision: Decision) -> Transfer:
    return Transfer(reference=decision.reference or "", by=decision.by.id, note=decision.note)
