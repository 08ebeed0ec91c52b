"""Every change of a payment session's state; return page, webhook and job all come here (design: decision 5).

The cart is locked, then the session; its state is read inside the lock; the same state again is no change; amount and
currency are compared; a final state is never undone. Nothing here crosses the network: the report was had before.
Money that does not simply pay its order is written on the session (`captured_amount`) and becomes an attention row.
"""

import logging
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, raise_attention
from backend.audit import Subject, Thing, Who, record
from backend.cart.models import Cart
from backend.cart.purchase_chains import chain_of, lock_carts
from backend.core.clock import now
from backend.core.db.database import Database, locked
from backend.core.errors import NotAllowed, NotFound
from backend.core.events import publish
from backend.core.money import Cop
from backend.core.observability.logs import log_scope
from backend.core.observability.tracing import traced
from backend.jobs import cancel, enqueue
from backend.payment.events import (
    PaymentApproved,
    PaymentContradicted,
    PaymentSessionChanged,
    PurchaseCanceled,
)
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.states import AT_THE_BANK, CHECKED, STEPS, SessionState

log = logging.getLogger(__name__)

CHECK = "payment.check"
"""The job that checks a session; its key is the session's id."""
APPROVED = "approved"
"""A note in a session's `data`: its provider has said that it took money."""
CONTRADICTED = "contradicted"
"""A note in a session's `data`: what its provider has last said against its final state."""
EXACT_AMOUNT = "exact_amount"
"""A note in a session's `data`: the approved amount as a decimal, where it is not in whole pesos."""
DISMISSED = "dismissed"
"""A note in a session's `data`: a person has ended it, and its provider has not said that it took nothing."""
GIVEN_BACK = "given_back"
"""A note in a session's `data`: its money has paid no order, and a person has given it back."""
OF_PURCHASE = "of_purchase"
"""A note in a session's `data`: a cart of the purchase that it was to pay, which its own cart has left since."""


class CloseReason(StrEnum):
    """Why we stopped waiting for a payment whose provider has not said how it ended."""

    REPLACED = "replaced"
    """Another payment of the same cart was started in its place."""
    BANK_CHANGED = "bank_changed"
    """The shopper gave it up and has the cart back."""
    RESERVATION_ENDED = "reservation_ended"
    UNRESOLVED = "unresolved"
    """The provider has not said for 48 hours how it ended."""


_FINAL_REPORTS = {
    ProviderState.AUTHORIZED: SessionState.AUTHORIZED,
    ProviderState.CAPTURED: SessionState.CAPTURED,
    ProviderState.REJECTED: SessionState.REJECTED,
    ProviderState.CANCELED: SessionState.CANCELED,
    ProviderState.EXPIRED: SessionState.EXPIRED,
    ProviderState.HELD: SessionState.HELD,
}

NOT_TAKEN = (ProviderState.REJECTED, ProviderState.CANCELED, ProviderState.EXPIRED)
"""The provider has no money: it never took it, or it gave it back."""

_LOCK_CART = locked(
    select(Cart)
    .join(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .join(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
    .where(PaymentSession.id == bindparam("session_id")),
    of=Cart,
)
_LOCK_SESSION = locked(select(PaymentSession).where(PaymentSession.id == bindparam("session_id")))
_CAPTURED = (
    select(PaymentSession)
    .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
    .where(
        PaymentCollection.cart_id.in_(bindparam("cart_ids", expanding=True)),
        PaymentSession.state == SessionState.CAPTURED,
    )
)


def pays(payment: PaymentSession) -> bool:
    """Whether the session's money pays: it was captured, and has not been given back without paying an order.

    What was refunded of an order that it had paid, in part or in whole, is in the order's own payment status.
    """
    return payment.state == SessionState.CAPTURED and GIVEN_BACK not in payment.data


def took_nothing(payment: PaymentSession) -> bool:
    """Return True if the session paid an order whose total was 0."""
    return pays(payment) and not payment.captured_amount


@traced
async def apply_report(
    database: Database, session_id: str, report: ProviderReport, *, by: Who | None = None
) -> SessionState:
    """Apply what the provider reported to the payment session. `by` is who of the staff had it asked.

    Returns:
        The state it is in afterwards.

    Raises:
        NotFound: no session has this id.
    """
    return await _apply(database, session_id, report, is_second=False, by=by)


async def apply_second_report(database: Database, session_id: str, report: ProviderReport) -> SessionState:
    """Apply an approval of a second transaction of a session's invoice: the shopper paid again at the bank.

    A session that is not final takes it as its own. Beside a final one a new session is made for it, so that no final
    state is undone; it pays when nothing else has.

    Returns:
        The state of the session that the approval counts for.
    """
    return await _apply(database, session_id, report, is_second=True, by=None)


async def _apply(
    database: Database, session_id: str, report: ProviderReport, *, is_second: bool, by: Who | None
) -> SessionState:
    chain: frozenset[str] = frozenset()
    while True:
        async with database.transaction() as session:
            await lock_carts(session, chain)
            payment, cart = await lock_session(session, session_id)
            if report.state is ProviderState.CAPTURED:
                found = await chain_of(session, cart.id)
                if OF_PURCHASE in payment.data:
                    found |= await chain_of(session, payment.data[OF_PURCHASE])
                locked_ones, chain = chain | {cart.id}, found
                if not found <= locked_ones:
                    continue  # locks are taken in the order of the ids: begin anew, with all of them
            if by is not None:
                change = {"state": (payment.state, report.state)}
                await record(session, by, "payment reported", Subject(Thing.PAYMENT, payment.id), change)
            if is_second and SessionState(payment.state).is_final:
                return await _apply_beside(session, payment, cart, report, chain)
            if is_second:
                payment.reference = report.reference
            return await _apply_to_session(session, payment, cart, report, chain)


async def _apply_to_session(
    session: AsyncSession,
    payment: PaymentSession,
    cart: Cart,
    report: ProviderReport,
    chain: Collection[str],
) -> SessionState:
    state = SessionState(payment.state)
    _store_details(payment, report)
    wanted = _FINAL_REPORTS.get(report.state)
    if wanted is not None and state.is_final:
        await _note_contradiction(session, payment, cart, report)
    if wanted is None or wanted is state:
        return state
    if wanted is SessionState.CAPTURED:
        return await _apply_capture(session, payment, cart, report, chain)
    if state.is_final or not state.leads_to(wanted):
        return state
    await move(session, payment, cart, wanted)
    return wanted


async def _apply_capture(
    session: AsyncSession,
    payment: PaymentSession,
    cart: Cart,
    report: ProviderReport,
    chain: Collection[str],
) -> SessionState:
    """The provider took money: the session is captured, or held with an attention row for a person."""
    state = SessionState(payment.state)
    is_first, known = not payment.data.get(APPROVED), payment.captured_amount
    payment.data = {**payment.data, APPROVED: True}
    if report.amount is not None and _same_currency(payment, report):
        _store_amount(payment, report.amount)
    if state.is_final:
        trouble, why = AttentionKind.APPROVED_LATE, f"approved after it was {state}"
        if cancellation := await _find_cancellation(session, payment, cart, chain):
            trouble, why = AttentionKind.APPROVED_AFTER_CANCEL, cancellation
    elif mismatch := _mismatch(payment, report):
        payment.data = {**payment.data, "mismatch": mismatch}
        trouble, why = AttentionKind.AMOUNT_DIFFERS, f"the approval does not fit: {mismatch}"
    elif await _is_paid(session, chain):
        trouble, why = AttentionKind.PAID_TWICE, "another payment of the same purchase was approved before"
    elif cancellation := await _find_cancellation(session, payment, cart, chain):
        trouble, why = AttentionKind.APPROVED_AFTER_CANCEL, cancellation
    else:
        await move(session, payment, cart, SessionState.CAPTURED)
        return SessionState.CAPTURED
    if not state.is_final and state is not SessionState.HELD:
        await move(session, payment, cart, SessionState.HELD)
    # what was settled before is open again when another amount is told
    if is_first or (state.is_final and payment.captured_amount != known):
        await _raise_attention(session, trouble, payment, cart, why)
    return SessionState(payment.state)


async def _note_contradiction(
    session: AsyncSession, payment: PaymentSession, cart: Cart, report: ProviderReport
) -> None:
    """Raise attention when the report contradicts the final state, once however often the provider says so.

    The state stays: nothing is undone by itself. An approval after an end without money is `_apply_capture`'s.
    """
    said = _contradiction(payment, report)
    if said == payment.data.get(CONTRADICTED):
        return
    others = {name: value for name, value in payment.data.items() if name != CONTRADICTED}
    if said is None:
        payment.data = others
        return
    payment.data = {**others, CONTRADICTED: said}
    message = f"Payment {payment.invoice}: the provider says {said} after it was {payment.state}"
    with log_scope(order_id=cart.order_id):
        log.error("%s", message)
    await session.flush()
    if payment.state == SessionState.CAPTURED:
        missing = _captured_pesos(payment)
        if report.state is ProviderState.CAPTURED and report.amount is not None:
            missing = missing - int(report.amount) if _same_currency(payment, report) else 0
        known = missing if missing > 0 else None
        await publish(session, PaymentContradicted(payment.id, cart.id, message, report.state, known))
        return
    await raise_attention(
        session,
        AttentionKind.PAYMENT_UNRESOLVED,
        message=message,
        amount=payment.amount,
        order_id=cart.order_id if cart.completed_at is not None else None,
        payment_session_id=payment.id,
        data={"state": payment.state, "reference": payment.reference},
    )


def _contradiction(payment: PaymentSession, report: ProviderReport) -> str | None:
    """Return what the report says against the session's final state, or None.

    Ends without money do not contradict one another. What a person has ended is no word of the provider's.
    """
    if payment.state == SessionState.CAPTURED:
        if report.state in (*NOT_TAKEN, ProviderState.HELD):
            return report.state
        if report.state is ProviderState.CAPTURED and report.amount is not None:
            if not _same_currency(payment, report):
                return f"{report.state}, {report.amount} {report.currency}"
            if report.amount != captured_exactly(payment):
                return f"{report.state}, {report.amount}"
    elif report.state in (ProviderState.HELD, ProviderState.AUTHORIZED) and DISMISSED not in payment.data:
        return report.state
    return None


def has_unheard_report(payment: PaymentSession, reported: ProviderState) -> bool:
    """True if this report would contradict the session's final state and nothing of the kind is noted yet."""
    if payment.state == SessionState.CAPTURED:
        return reported in NOT_TAKEN and CONTRADICTED not in payment.data
    is_final = SessionState(payment.state).is_final
    return is_final and reported is ProviderState.CAPTURED and APPROVED not in payment.data


def captured_exactly(payment: PaymentSession) -> Decimal:
    """Return what the provider said that it took, in pesos and cents."""
    return Decimal(payment.data.get(EXACT_AMOUNT, _captured_pesos(payment)))


def _captured_pesos(payment: PaymentSession) -> Cop:
    return payment.captured_amount if payment.captured_amount is not None else payment.amount


def _store_amount(payment: PaymentSession, amount: Decimal) -> None:
    """Store the approved amount: whole pesos, which may pay, and the exact amount where there are cents."""
    payment.captured_amount = int(amount)
    exact = {} if amount == payment.captured_amount else {EXACT_AMOUNT: str(amount)}
    others = {name: value for name, value in payment.data.items() if name != EXACT_AMOUNT}
    payment.data = {**others, **exact}


async def _find_cancellation(
    session: AsyncSession, payment: PaymentSession, cart: Cart, chain: Collection[str]
) -> str | None:
    """Return why the money must not pay: a staff member cancelled the order. None if nobody did."""
    try:
        await publish(session, PaymentApproved(payment.id, cart.id, frozenset(chain) | {cart.id}))
    except PurchaseCanceled as error:
        return error.message
    return None


async def _is_paid(session: AsyncSession, chain: Collection[str]) -> bool:
    captured = (await session.execute(_CAPTURED, {"cart_ids": sorted(chain)})).scalars()
    return any(map(pays, captured))


async def _raise_attention(
    session: AsyncSession, kind: AttentionKind, payment: PaymentSession, cart: Cart, why: str
) -> None:
    await session.flush()
    with log_scope(order_id=cart.order_id):
        log.error("payment %s: %s: %s", payment.id, kind, why)
    await raise_attention(
        session,
        kind,
        message=f"Payment {payment.invoice}: {why}",
        amount=payment.captured_amount,
        order_id=cart.order_id if cart.completed_at is not None else None,
        payment_session_id=payment.id,
        data={
            "owed": payment.amount,
            "state": payment.state,
            "reference": payment.reference,
            **{name: payment.data[name] for name in (EXACT_AMOUNT,) if name in payment.data},
        },
    )


def invoice_beside(first: PaymentSession, reference: str | None) -> str:
    """Return the invoice of the session that a second transaction of `first`'s invoice gets."""
    return f"{first.invoice}/{reference}"


async def _apply_beside(
    session: AsyncSession,
    first: PaymentSession,
    cart: Cart,
    report: ProviderReport,
    chain: Collection[str],
) -> SessionState:
    """A second transaction of an invoice whose session has ended: a session of its own, once."""
    invoice = invoice_beside(first, report.reference)
    known = await session.execute(select(PaymentSession).where(PaymentSession.invoice == invoice))
    second = known.scalar_one_or_none()
    if second is None:
        second = PaymentSession(
            collection_id=first.collection_id,
            provider_id=first.provider_id,
            state=SessionState.UNKNOWN,
            amount=first.amount,
            currency_code=first.currency_code,
            invoice=invoice,
            snapshot=first.snapshot,
            data={name: first.data[name] for name in ("bank_name", "payer_ip") if name in first.data},
            expires_at=first.expires_at,
        )
        session.add(second)
        await session.flush()
    return await _apply_to_session(session, second, cart, replace(report, invoice=invoice), chain)


async def lock_session(session: AsyncSession, session_id: str) -> tuple[PaymentSession, Cart]:
    """Lock the payment session, its cart first: everyone who needs both takes them in this order.

    Raises:
        NotFound: no session has this id.
    """
    cart = (await session.execute(_LOCK_CART, {"session_id": session_id})).scalar_one_or_none()
    if cart is None:
        raise NotFound(f"Payment session with id: {session_id} was not found")
    payment = await session.execute(_LOCK_SESSION, {"session_id": session_id})
    return payment.scalar_one(), cart


async def move(session: AsyncSession, payment: PaymentSession, cart: Cart, state: SessionState) -> None:
    """Put the locked session into this state, and publish `PaymentSessionChanged` to the packages above.

    Every change of a state comes here, except that of `capture_to_refund`, which publishes nothing. The (locked) cart
    is bound to the session while that is at the bank, and free when it has ended.

    Raises:
        StepNotAllowed: no step leads there; nothing has changed.
    """
    was = SessionState(payment.state)
    await _set_state(session, payment, cart, state)
    await publish(
        session,
        PaymentSessionChanged(session_id=payment.id, cart_id=cart.id, state=state, was=was),
    )


async def _set_state(session: AsyncSession, payment: PaymentSession, cart: Cart, state: SessionState) -> None:
    was = SessionState(payment.state)
    payment.state = STEPS.require(was, state)
    if state is SessionState.AUTHORIZED:
        payment.authorized_at = now()
    if state is SessionState.CAPTURED:
        payment.captured_at = now()
        payment.authorized_at = payment.authorized_at or payment.captured_at
    mark_cart(payment, cart)
    if state not in CHECKED and was in CHECKED:
        await cancel(session, CHECK, payment.id)
    if state in CHECKED and was not in CHECKED:  # it was authorized, and is held
        await _check_soon(session, payment)
    await session.flush()


async def _check_soon(session: AsyncSession, payment: PaymentSession) -> None:
    await enqueue(session, CHECK, {"session_id": payment.id}, key=payment.id, after=timedelta(minutes=3))


def mark_cart(payment: PaymentSession, cart: Cart) -> None:
    """Set or clear the cart's `payment_session_id`: it is set while the session is at the bank."""
    if payment.state in AT_THE_BANK:
        cart.payment_session_id = payment.id
    elif payment.state != SessionState.HELD and cart.payment_session_id == payment.id:
        cart.payment_session_id = None


async def close(session: AsyncSession, payment: PaymentSession, cart: Cart, reason: CloseReason) -> None:
    """Close the locked session: nobody waits for it any more. It is still checked.

    Raises:
        StepNotAllowed: it is in no state that can be closed.
    """
    payment.close_reason = reason
    if reason is not CloseReason.UNRESOLVED:
        await _check_soon(session, payment)
    await move(session, payment, cart, SessionState.CLOSED)


async def dismiss(session: AsyncSession, payment: PaymentSession, cart: Cart) -> None:
    """A person ends the locked session that is held: nobody waits for its money any more.

    Raises:
        StepNotAllowed: it is in no state that can be ended.
        NotAllowed: what the packages above raise: its order is packed.
    """
    payment.data = {**payment.data, DISMISSED: True}
    await move(session, payment, cart, SessionState.CANCELED)


async def honor(session: AsyncSession, payment: PaymentSession, cart: Cart) -> None:
    """A person lets money that was set aside, or came late, pay its order. Both must be locked.

    Raises:
        NotAllowed: there is no such money on this session.
    """
    if not payment.captured_amount or payment.state == SessionState.CAPTURED:
        raise NotAllowed(f"Payment session {payment.id} holds no money that could pay its order")
    await move(session, payment, cart, SessionState.CAPTURED)


async def capture_to_refund(session: AsyncSession, payment: PaymentSession, cart: Cart, amount: Cop) -> None:
    """A person gave this money back, or is about to: it was captured, and pays nothing. Both must be locked.

    Nobody above is told: no order follows. A session that is captured stays so, and has paid what it paid.
    """
    if payment.state == SessionState.CAPTURED:
        return
    payment.captured_amount = amount
    payment.data = {**payment.data, GIVEN_BACK: True}
    await _set_state(session, payment, cart, SessionState.CAPTURED)


def _mismatch(payment: PaymentSession, report: ProviderReport) -> str | None:
    """How an approval differs from what was asked for; None when it does not."""
    if report.amount is None or report.amount != Decimal(payment.amount):
        return f"amount {report.amount} instead of {payment.amount}"
    if not _same_currency(payment, report):
        return f"currency {report.currency} instead of {payment.currency_code.upper()}"
    if report.invoice is not None and report.invoice != payment.invoice:
        return f"invoice {report.invoice} instead of {payment.invoice}"
    return None


def _same_currency(payment: PaymentSession, report: ProviderReport) -> bool:
    return report.currency is not None and report.currency.casefold() == payment.currency_code.casefold()


def _store_details(payment: PaymentSession, report: ProviderReport) -> None:
    """Store what the result page shows. A final session keeps what it has."""
    if SessionState(payment.state).is_final:
        return
    payment.reference = payment.reference or report.reference
    payment.transaction_id = payment.transaction_id or report.transaction_id
    payment.ticket_id = payment.ticket_id or report.ticket_id
    said = {
        "bank_name": report.bank_name,
        "reason": report.text,
        "code": report.code,
        "occurred_at": report.occurred_at.isoformat() if report.occurred_at else None,
    }
    payment.data = {**payment.data, **{name: value for name, value in said.items() if value is not None}}
