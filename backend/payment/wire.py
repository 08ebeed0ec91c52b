"""Payments as the platform shows them: collections, sessions, and the payment that an authorized session becomes."""

from collections.abc import Iterable, Sequence

from backend.edge.wire import JsonDict, exact, iso, sibling_id, stamps, with_twins
from backend.money import Cop
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.states import SessionState

_STATUS = {
    SessionState.INITIATING: "pending",
    SessionState.UNKNOWN: "pending",
    SessionState.HELD: "pending_authorization",
    SessionState.REJECTED: "error",
    SessionState.FAILED: "error",
    SessionState.EXPIRED: "canceled",
    SessionState.CLOSED: "canceled",
}
_MADE = (SessionState.AUTHORIZED, SessionState.CAPTURED)
_SHOWN_DATA = ("bank_code", "bank_name", "reason", "note")


def collection_wire(
    collection: PaymentCollection, attempts: Sequence[PaymentSession], refunds: Sequence[Refund] = ()
) -> JsonDict:
    """What is owed, with the tries to pay it (given newest first) and the refunds of what they captured."""
    made = [attempt for attempt in attempts if attempt.state in _MADE]
    captured = [attempt for attempt in made if attempt.state == SessionState.CAPTURED]
    amounts = {
        "amount": collection.amount,
        "authorized_amount": sum(attempt.amount for attempt in made) if made else None,
        "captured_amount": captured_total(attempts) if captured else None,
        "refunded_amount": refunded_total(refunds) if refunds else None,
    }
    return {
        "id": collection.id,
        "currency_code": collection.currency_code,
        **with_twins(amounts),
        "status": _collection_status(attempts),
        "completed_at": iso(min((a.captured_at for a in captured if a.captured_at), default=None)),
        "metadata": None,
        **stamps(collection.created_at, collection.updated_at),
        "deleted_at": None,
        "payment_sessions": [session_wire(attempt) for attempt in _shown(attempts)],
        "payments": [payment_wire(attempt, refunds) for attempt in reversed(made)],
    }


def session_wire(attempt: PaymentSession) -> JsonDict:
    """One try to pay. `data.redirect_url` is the bank's page while the shopper has to go there."""
    data: JsonDict = {name: attempt.data[name] for name in _SHOWN_DATA if attempt.data.get(name)}
    if attempt.redirect_url:
        data |= {
            "redirect_url": attempt.redirect_url,
            "invoice": attempt.invoice,
            "reference": attempt.reference,
        }
    return {
        "id": attempt.id,
        "currency_code": attempt.currency_code,
        "provider_id": attempt.provider_id,
        "data": data,
        "context": {},
        "status": _STATUS.get(SessionState(attempt.state), attempt.state),
        "authorized_at": iso(attempt.authorized_at),
        "payment_collection_id": attempt.collection_id,
        "payment": payment_wire(attempt) if attempt.state in _MADE else None,
        "metadata": {},
        "raw_amount": exact(attempt.amount),
        "amount": attempt.amount,
        **stamps(attempt.created_at, attempt.updated_at),
        "deleted_at": None,
    }


def payment_wire(attempt: PaymentSession, refunds: Iterable[Refund] = ()) -> JsonDict:
    """The payment that an authorized try became. It has no row of its own: its id is the try's under `pay_`.

    Of the refunds, its own are shown.
    """
    is_captured = attempt.state == SessionState.CAPTURED
    capture = {"id": sibling_id("capt", attempt.id), "amount": attempt.captured_amount}
    return {
        "id": sibling_id("pay", attempt.id),
        "currency_code": attempt.currency_code,
        "provider_id": attempt.provider_id,
        "payment_collection_id": attempt.collection_id,
        "payment_session_id": attempt.id,
        "payment_session": {"id": attempt.id},
        "amount": attempt.amount,
        "raw_amount": exact(attempt.amount),
        "data": {},
        "metadata": None,
        "captured_at": iso(attempt.captured_at),
        "canceled_at": None,
        "deleted_at": None,
        "captures": [capture] if is_captured else [],
        "refunds": [refund_wire(one) for one in refunds if one.payment_session_id == attempt.id],
        **stamps(attempt.created_at, attempt.updated_at),
    }


def refund_wire(refund: Refund) -> JsonDict:
    """A refund by hand, as its buyer may see it: the staff's notes are not in it."""
    return {
        "id": refund.id,
        **with_twins({"amount": refund.amount}),
        "payment_id": sibling_id("pay", refund.payment_session_id),
        "reference": refund.reference,
        "refund_reason_id": None,
        **stamps(refund.created_at, refund.updated_at),
    }


def staff_refund_wire(refund: Refund) -> JsonDict:
    """A refund by hand, with who booked it and why."""
    return {
        **refund_wire(refund),
        "payment_session_id": refund.payment_session_id,
        "order_id": refund.order_id,
        "reason": refund.reason,
        "note": refund.note,
        "lines": refund.lines,
        "created_by": refund.created_by,
    }


def refunded_total(refunds: Iterable[Refund]) -> Cop:
    """What was given back."""
    return sum(refund.amount for refund in refunds)


def captured_total(attempts: Iterable[PaymentSession]) -> Cop:
    """What was captured by these sessions. Money that pays no order is not counted."""
    captured = (attempt for attempt in attempts if attempt.state == SessionState.CAPTURED)
    return sum(attempt.captured_amount or 0 for attempt in captured)


def _collection_status(attempts: Sequence[PaymentSession]) -> str:
    states = {SessionState(attempt.state) for attempt in attempts}
    if SessionState.CAPTURED in states:
        return "completed"
    if SessionState.AUTHORIZED in states:
        return "authorized"
    return "awaiting" if any(map(_is_under_way, attempts)) else "not_paid"


def _shown(attempts: Sequence[PaymentSession]) -> list[PaymentSession]:
    """The tries that count: on the platform a new one takes the place of those that came to nothing.

    When all came to nothing the last one tells why, unless the cart just changed before any bank knew of it.
    """
    counting = [attempt for attempt in attempts if attempt.state in _MADE or _is_under_way(attempt)]
    if counting or not attempts:
        return counting
    last = attempts[0]
    return [] if last.state == SessionState.CANCELED and last.redirect_url is None else [last]


def _is_under_way(attempt: PaymentSession) -> bool:
    state = SessionState(attempt.state)
    return state.is_open or state is SessionState.PENDING
