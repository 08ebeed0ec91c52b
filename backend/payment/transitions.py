"""Change the state of payment sessions.

The return page, the webhook and the job all use these functions (design: decision 5).

The cart is locked first, then the session, and the state is read while both are locked. Applying the same state
again changes nothing. The reported amount and currency are compared with those of the session. A final state is
never undone. No function sends network requests: the caller has already fetched the provider's report. If money
cannot simply pay its order, it is stored on the session (`captured_amount`), and an attention row is opened.
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
from backend.audit import AuditActor, Subject, SubjectType, record
from backend.cart.models import Cart
from backend.cart.purchase_chains import lock_carts, read_chain
from backend.core.clock import now
from backend.core.db.database import Database, lock_rows
from backend.core.errors import NotAllowed, NotFound
from backend.core.events import publish
from backend.core.money import Cop
from backend.core.observability.logs import log_scope
from backend.core.observability.tracing import traced
from backend.jobs import cancel_job, enqueue
from backend.payment.events import (
    PaymentApproved,
    PaymentContradicted,
    PaymentSessionChanged,
    PurchaseCanceled,
)
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.states import AT_BANK_STATES, CHECKED_STATES, STEPS, SessionState

log = logging.getLogger(__name__)

CHECK_JOB = "payment.check"
"""The job that checks a session; its key is the session's id."""
APPROVED = "approved"
"""Key in a session's `data`: its provider has reported that it took money."""
CONTRADICTED = "contradicted"
"""Key in a session's `data`: the provider's latest report that contradicts the final state."""
EXACT_AMOUNT = "exact_amount"
"""Key in a session's `data`: the approved amount as a decimal, if it is not in whole pesos."""
DISMISSED = "dismissed"
"""Key in a session's `data`: staff ended the session, although its provider did not report an end without money."""
MONEY_DISMISSED = "money_dismissed"
"""Key in a session's `data`: staff decided that the money that its provider reported pays no order."""
PAYS_DIFFERENCE = "pays_difference"
"""Key in a session's `data`: the id of the edited order whose difference it pays, in addition to an earlier payment."""
PAID_BY_EXCHANGE = "paid_by_exchange"
"""Key in a session's `data`: the id of the exchange whose returned units pay the order. No money was received."""
GIVEN_BACK = "given_back"
"""Key in a session's `data`: its money paid no order, and a staff member has refunded it."""
OF_PURCHASE = "of_purchase"
"""Key in a session's `data`: the id of another cart of its purchase, stored when its own cart left the purchase."""


class CloseReason(StrEnum):
    """Reason why the shop no longer waits for a payment that its provider has not finished."""

    REPLACED = "replaced"
    """Another payment of the same cart was started instead."""
    BANK_CHANGED = "bank_changed"
    """The shopper gave the payment up and can change the cart again."""
    RESERVATION_ENDED = "reservation_ended"
    UNRESOLVED = "unresolved"
    """The provider has not reported within 48 hours how the payment ended."""


_FINAL_REPORTS = {
    ProviderState.AUTHORIZED: SessionState.AUTHORIZED,
    ProviderState.CAPTURED: SessionState.CAPTURED,
    ProviderState.REJECTED: SessionState.REJECTED,
    ProviderState.CANCELED: SessionState.CANCELED,
    ProviderState.EXPIRED: SessionState.EXPIRED,
    ProviderState.HELD: SessionState.HELD,
}

NOT_TAKEN = (ProviderState.REJECTED, ProviderState.CANCELED, ProviderState.EXPIRED)
"""States in which the provider has no money: it never took it, or it gave it back."""

_LOCK_CART = lock_rows(
    select(Cart)
    .join(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .join(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
    .where(PaymentSession.id == bindparam("session_id")),
    of=Cart,
)
_LOCK_SESSION = lock_rows(select(PaymentSession).where(PaymentSession.id == bindparam("session_id")))
_CAPTURED = (
    select(PaymentSession)
    .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
    .where(
        PaymentCollection.cart_id.in_(bindparam("cart_ids", expanding=True)),
        PaymentSession.state == SessionState.CAPTURED,
    )
)


def pays(payment: PaymentSession) -> bool:
    """Return True if the session is captured, unless its money paid no order and a staff member has refunded it.

    If the money paid an order and was refunded later, return True: the order's payment status includes such
    refunds.
    """
    return payment.state == SessionState.CAPTURED and GIVEN_BACK not in payment.data


def took_nothing(payment: PaymentSession) -> bool:
    """Return True if the session paid an order whose total was 0."""
    return pays(payment) and not payment.captured_amount


@traced
async def apply_report(
    database: Database, session_id: str, report: ProviderReport, *, by: AuditActor | None = None
) -> SessionState:
    """Apply the provider's report to the payment session. `by` is the staff member who requested the check.

    Returns:
        The state of the session afterwards.

    Raises:
        NotFound: no session has this id.
    """
    return await _apply(database, session_id, report, is_second=False, by=by)


async def apply_second_report(database: Database, session_id: str, report: ProviderReport) -> SessionState:
    """Apply the approval of a second transaction with the same invoice: the shopper paid again at the bank.

    If the session is final, the approval is applied to a separate session, so that the final state remains. The
    approved money pays the order if no other session has paid it.

    Returns:
        The state of the session to which the approval was applied.
    """
    return await _apply(database, session_id, report, is_second=True, by=None)


async def _apply(
    database: Database, session_id: str, report: ProviderReport, *, is_second: bool, by: AuditActor | None
) -> SessionState:
    chain: frozenset[str] = frozenset()
    while True:
        async with database.transaction() as session:
            await lock_carts(session, chain)
            payment, cart = await lock_session(session, session_id)
            if report.state is ProviderState.CAPTURED:
                found = await read_chain(session, cart.id)
                if OF_PURCHASE in payment.data:
                    found |= await read_chain(session, payment.data[OF_PURCHASE])
                locked_ones, chain = chain | {cart.id}, found
                if not found <= locked_ones:
                    continue  # locks must be taken in the order of the ids: start again and lock all of them
            if by is not None:
                change = {"state": (payment.state, report.state)}
                await record(
                    session, by, "payment reported", Subject(SubjectType.PAYMENT, payment.id), change
                )
            if is_second and SessionState(payment.state).is_final:
                return await _apply_to_second_session(session, payment, cart, report, chain)
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
    target = _FINAL_REPORTS.get(report.state)
    if target is not None and state.is_final:
        await _note_contradiction(session, payment, cart, report)
    if target is None or target is state:
        return state
    if target is SessionState.CAPTURED:
        return await _apply_capture(session, payment, cart, report, chain)
    if state.is_final or not state.leads_to(target):
        return state
    await move(session, payment, cart, target)
    return target


async def _apply_capture(
    session: AsyncSession,
    payment: PaymentSession,
    cart: Cart,
    report: ProviderReport,
    chain: Collection[str],
) -> SessionState:
    """Mark the session as captured, because the provider has taken the money. Return the session's new state.

    If the money does not match, comes late or pays the purchase twice, hold the session instead, and open an attention
    row for staff.
    """
    state = SessionState(payment.state)
    is_first, previous_amount = not payment.data.get(APPROVED), payment.captured_amount
    payment.data = {**payment.data, APPROVED: True}
    if report.amount is not None and _same_currency(payment, report):
        _store_amount(payment, report.amount)
    if state.is_final:
        kind, reason = AttentionKind.APPROVED_LATE, f"approved after it was {state}"
        if cancellation := await _find_cancellation(session, payment, cart, chain):
            kind, reason = AttentionKind.APPROVED_AFTER_CANCEL, cancellation
    elif mismatch := _mismatch(payment, report):
        payment.data = {**payment.data, "mismatch": mismatch}
        kind, reason = AttentionKind.AMOUNT_DIFFERS, f"the approval does not match: {mismatch}"
    elif PAYS_DIFFERENCE not in payment.data and await _is_paid(session, chain):
        kind, reason = AttentionKind.PAID_TWICE, "another payment of the same purchase was approved before"
    elif cancellation := await _find_cancellation(session, payment, cart, chain):
        kind, reason = AttentionKind.APPROVED_AFTER_CANCEL, cancellation
    else:
        await move(session, payment, cart, SessionState.CAPTURED)
        return SessionState.CAPTURED
    if not state.is_final and state is not SessionState.HELD:
        await move(session, payment, cart, SessionState.HELD)
    # a resolved attention is raised again when the provider reports another amount
    if is_first or (state.is_final and payment.captured_amount != previous_amount):
        payment.data = {name: value for name, value in payment.data.items() if name != MONEY_DISMISSED}
        await _raise_attention(session, kind, payment, cart, reason)
    return SessionState(payment.state)


async def _note_contradiction(
    session: AsyncSession, payment: PaymentSession, cart: Cart, report: ProviderReport
) -> None:
    """Open an attention row if the report contradicts the session's final state. Repeated reports open only one.

    For a captured session, publish `PaymentContradicted` instead. The state does not change. An approval after a
    final state without money is handled by `_apply_capture`.
    """
    contradiction = _contradiction(payment, report)
    if contradiction == payment.data.get(CONTRADICTED):
        return
    others = {name: value for name, value in payment.data.items() if name != CONTRADICTED}
    if contradiction is None:
        payment.data = others
        return
    payment.data = {**others, CONTRADICTED: contradiction}
    message = f"Payment {payment.invoice}: the provider says {contradiction} after it was {payment.state}"
    with log_scope(order_id=cart.order_id):
        log.error("%s", message)
    await session.flush()
    if payment.state == SessionState.CAPTURED:
        missing = _captured_pesos(payment)
        if report.state is ProviderState.CAPTURED and report.amount is not None:
            missing = missing - int(report.amount) if _same_currency(payment, report) else 0
        known_missing = missing if missing > 0 else None
        await publish(session, PaymentContradicted(payment.id, cart.id, message, report.state, known_missing))
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
    """Return the reported state that contradicts the session's final state; None if there is no contradiction.

    If the reported amount differs from the captured one, the text includes it. Final states without money do not
    contradict one another. Nothing contradicts a session that a staff member has dismissed.
    """
    if payment.state == SessionState.CAPTURED:
        if report.state in (*NOT_TAKEN, ProviderState.HELD):
            return report.state
        if report.state is ProviderState.CAPTURED and report.amount is not None:
            if not _same_currency(payment, report):
                return f"{report.state}, {report.amount} {report.currency}"
            if report.amount != get_exact_captured_amount(payment):
                return f"{report.state}, {report.amount}"
    elif report.state in (ProviderState.HELD, ProviderState.AUTHORIZED) and DISMISSED not in payment.data:
        return report.state
    return None


def is_new_contradiction(payment: PaymentSession, reported: ProviderState) -> bool:
    """Return True if this report contradicts the session's final state and no such contradiction is stored yet."""
    if payment.state == SessionState.CAPTURED:
        return reported in NOT_TAKEN and CONTRADICTED not in payment.data
    is_final = SessionState(payment.state).is_final
    return is_final and reported is ProviderState.CAPTURED and APPROVED not in payment.data


def get_exact_captured_amount(payment: PaymentSession) -> Decimal:
    """Return the amount that the provider reported as captured, in pesos and cents."""
    return Decimal(payment.data.get(EXACT_AMOUNT, _captured_pesos(payment)))


def _captured_pesos(payment: PaymentSession) -> Cop:
    return payment.captured_amount if payment.captured_amount is not None else payment.amount


def _store_amount(payment: PaymentSession, amount: Decimal) -> None:
    """Store the approved amount in whole pesos. If it has cents, also store the exact amount."""
    payment.captured_amount = int(amount)
    exact = {} if amount == payment.captured_amount else {EXACT_AMOUNT: str(amount)}
    others = {name: value for name, value in payment.data.items() if name != EXACT_AMOUNT}
    payment.data = {**others, **exact}


async def _find_cancellation(
    session: AsyncSession, payment: PaymentSession, cart: Cart, chain: Collection[str]
) -> str | None:
    """Publish `PaymentApproved`. Return the reason if a handler raises `PurchaseCanceled`; otherwise None."""
    try:
        await publish(session, PaymentApproved(payment.id, cart.id, frozenset(chain) | {cart.id}))
    except PurchaseCanceled as error:
        return error.message
    return None


async def _is_paid(session: AsyncSession, chain: Collection[str]) -> bool:
    captured = (await session.execute(_CAPTURED, {"cart_ids": sorted(chain)})).scalars()
    return any(map(pays, captured))


async def _raise_attention(
    session: AsyncSession, kind: AttentionKind, payment: PaymentSession, cart: Cart, reason: str
) -> None:
    await session.flush()
    with log_scope(order_id=cart.order_id):
        log.error("payment %s: %s: %s", payment.id, kind, reason)
    await raise_attention(
        session,
        kind,
        message=f"Payment {payment.invoice}: {reason}",
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


def format_second_invoice(first: PaymentSession, reference: str | None) -> str:
    """Return the invoice of the separate session for a second transaction of the invoice of `first`."""
    return f"{first.invoice}/{reference}"


async def _apply_to_second_session(
    session: AsyncSession,
    first: PaymentSession,
    cart: Cart,
    report: ProviderReport,
    chain: Collection[str],
) -> SessionState:
    """Apply the report to the separate session for the second transaction. Create the session if it does not exist."""
    invoice = format_second_invoice(first, report.reference)
    existing = await session.execute(select(PaymentSession).where(PaymentSession.invoice == invoice))
    second = existing.scalar_one_or_none()
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
    """Lock the cart of the payment session, then the session. All callers that need both locks must use this order.

    Raises:
        NotFound: no session has this id.
    """
    cart = (await session.execute(_LOCK_CART, {"session_id": session_id})).scalar_one_or_none()
    if cart is None:
        raise NotFound(f"Payment session with id: {session_id} was not found")
    payment = await session.execute(_LOCK_SESSION, {"session_id": session_id})
    return payment.scalar_one(), cart


async def move(session: AsyncSession, payment: PaymentSession, cart: Cart, state: SessionState) -> None:
    """Change the state of the locked session, and publish `PaymentSessionChanged`.

    Every change of a state uses this function, except `capture_to_refund`, which publishes nothing. The cart must
    be locked too: its `payment_session_id` is set while the session is at the bank, and cleared when the session
    ends.

    Raises:
        StepNotAllowed: this transition is not allowed; nothing has changed.
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
    if state not in CHECKED_STATES and was in CHECKED_STATES:
        await cancel_job(session, CHECK_JOB, payment.id)
    if state in CHECKED_STATES and was not in CHECKED_STATES:  # from authorized to held
        await _check_soon(session, payment)
    await session.flush()


async def _check_soon(session: AsyncSession, payment: PaymentSession) -> None:
    await enqueue(session, CHECK_JOB, {"session_id": payment.id}, key=payment.id, after=timedelta(minutes=3))


def mark_cart(payment: PaymentSession, cart: Cart) -> None:
    """Set the cart's `payment_session_id` while the session is at the bank; clear it afterwards."""
    if payment.state in AT_BANK_STATES:
        cart.payment_session_id = payment.id
    elif payment.state != SessionState.HELD and cart.payment_session_id == payment.id:
        cart.payment_session_id = None


async def close(session: AsyncSession, payment: PaymentSession, cart: Cart, reason: CloseReason) -> None:
    """Close the locked session: the order no longer waits for it, but the session is still checked.

    Raises:
        StepNotAllowed: the session cannot be closed in its state.
    """
    payment.close_reason = reason
    if reason is not CloseReason.UNRESOLVED:
        await _check_soon(session, payment)
    await move(session, payment, cart, SessionState.CLOSED)


async def dismiss(session: AsyncSession, payment: PaymentSession, cart: Cart) -> None:
    """Cancel the locked, held session, as a staff member decided: the order no longer waits for its money.

    Raises:
        StepNotAllowed: the session cannot be canceled in its state.
        NotAllowed: the order is packed; the error comes from an event handler of another package.
    """
    payment.data = {**payment.data, DISMISSED: True}
    await move(session, payment, cart, SessionState.CANCELED)


def dismiss_money(payment: PaymentSession) -> None:
    """Mark the locked session's reported money as decided by staff, unless the session is captured."""
    if payment.state != SessionState.CAPTURED:
        payment.data = {**payment.data, MONEY_DISMISSED: True}


async def honor(session: AsyncSession, payment: PaymentSession, cart: Cart) -> None:
    """Use money that was held, or that arrived late, to pay its order, as a staff member decided.

    The session and its cart must be locked.

    Raises:
        NotAllowed: there is no such money on this session.
    """
    if not payment.captured_amount or payment.state == SessionState.CAPTURED:
        raise NotAllowed(f"Payment session {payment.id} holds no money that could pay its order")
    await move(session, payment, cart, SessionState.CAPTURED)


async def capture_to_refund(session: AsyncSession, payment: PaymentSession, cart: Cart, amount: Cop) -> None:
    """Mark the session's money as captured and as refunded by a staff member, so that it pays no order.

    The session and its cart must be locked. No event is published, because the order does not change. A captured
    session is not changed.
    """
    if payment.state == SessionState.CAPTURED:
        return
    payment.captured_amount = amount
    payment.data = {**payment.data, GIVEN_BACK: True}
    await _set_state(session, payment, cart, SessionState.CAPTURED)


def _mismatch(payment: PaymentSession, report: ProviderReport) -> str | None:
    """Return a description of how an approval differs from the requested payment; None if it does not."""
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
    """Store those details of the report that the result page shows. Do nothing if the session is final."""
    if SessionState(payment.state).is_final:
        return
    payment.reference = payment.reference or report.reference
    payment.transaction_id = payment.transaction_id or report.transaction_id
    payment.ticket_id = payment.ticket_id or report.ticket_id
    details = {
        "bank_name": report.bank_name,
        "reason": report.text,
        "code": report.code,
        "occurred_at": report.occurred_at.isoformat() if report.occurred_at else None,
    }
    payment.data = {**payment.data, **{name: value for name, value in details.items() if value is not None}}
