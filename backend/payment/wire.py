"""Payments as the platform shows them: collections, sessions, and the payment that an authorized session becomes."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from backend.core.money import Cop
from backend.edge.query import page_of, paging, pick_each
from backend.edge.schemas import ListParameters
from backend.edge.wire import JsonDict, iso, sibling_id, stamps, with_twins
from backend.payment.answers import (
    Amount,
    Capture,
    PaidAmounts,
    PaymentCollectionOut,
    PaymentOut,
    PaymentProviderOut,
    PaymentProvidersAnswer,
    RefundOut,
    RefundSummary,
    SessionOut,
    SessionStatus,
)
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.providers.base import MissingAnswer
from backend.payment.states import SessionState
from backend.payment.transitions import pays

_STATUS: dict[SessionState, SessionStatus] = {
    SessionState.PENDING: "pending",
    SessionState.PENDING_AUTHORIZATION: "pending_authorization",
    SessionState.AUTHORIZED: "authorized",
    SessionState.CAPTURED: "captured",
    SessionState.CANCELED: "canceled",
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
    collection: PaymentCollection, payment_sessions: Sequence[PaymentSession], refunds: Sequence[Refund] = ()
) -> PaymentCollectionOut:
    """What is owed, with its sessions (newest first) and the refunds of what they captured."""
    made = [payment for payment in payment_sessions if payment.state in _MADE]
    captured = [payment for payment in made if payment.state == SessionState.CAPTURED]
    amounts: PaidAmounts = {
        "amount": collection.amount,
        "authorized_amount": sum(payment.amount for payment in made) if made else None,
        "captured_amount": captured_total(payment_sessions) if made else None,
        "refunded_amount": refunded_total(refunds) if made else None,
    }
    return {
        "id": collection.id,
        "currency_code": collection.currency_code,
        **with_twins(amounts),
        "status": _collection_status(payment_sessions),
        "completed_at": iso(min((a.captured_at for a in captured if a.captured_at), default=None)),
        "metadata": None,
        **stamps(collection.created_at, collection.updated_at),
        "deleted_at": None,
        "payment_sessions": [session_wire(payment) for payment in _shown(payment_sessions)],
        "payments": [payment_wire(payment, refunds) for payment in reversed(made)],
    }


def session_wire(payment: PaymentSession) -> SessionOut:
    """A payment session. `data.redirect_url` is the bank's page while the shopper has to go there."""
    data: JsonDict = {name: payment.data[name] for name in _SHOWN_DATA if payment.data.get(name)}
    if payment.redirect_url:
        data |= {
            "redirect_url": payment.redirect_url,
            "invoice": payment.invoice,
            "reference": payment.reference,
        }
    return {
        "id": payment.id,
        "currency_code": payment.currency_code,
        "provider_id": payment.provider_id,
        "data": data,
        "context": {},
        "status": _STATUS[SessionState(payment.state)],
        "authorized_at": iso(payment.authorized_at),
        "payment_collection_id": payment.collection_id,
        "payment": payment_wire(payment) if payment.state in _MADE else None,
        "metadata": {},
        **with_twins(Amount(amount=payment.amount)),
        **stamps(payment.created_at, payment.updated_at),
        "deleted_at": None,
    }


def with_questions(
    collection: PaymentCollectionOut, provider_id: str, missing: Sequence[MissingAnswer]
) -> PaymentCollectionOut:
    """The collection with a session that is not started: its `data.missing` says what the payer has still to answer.

    It is stored nowhere: a session that is started with the answers takes its place.
    """
    asking: SessionOut = {
        "id": f"payses_{collection['id'].rpartition('_')[2]}",
        "currency_code": collection["currency_code"],
        "provider_id": provider_id,
        "data": {"missing": [asdict(answer) for answer in missing]},
        "context": {},
        "status": "requires_more",
        "authorized_at": None,
        "payment_collection_id": collection["id"],
        "payment": None,
        "metadata": {},
        **with_twins(Amount(amount=collection["amount"])),
        "created_at": collection["updated_at"],
        "updated_at": collection["updated_at"],
        "deleted_at": None,
    }
    return {**collection, "payment_sessions": [asking, *collection["payment_sessions"]]}


def payment_wire(payment: PaymentSession, refunds: Iterable[Refund] = ()) -> PaymentOut:
    """The payment that an authorized session became. It has no row of its own: its id is the session's under `pay_`.

    Of the refunds, its own are shown.
    """
    is_captured = payment.state == SessionState.CAPTURED
    capture: Capture = {"id": sibling_id("capt", payment.id), "amount": payment.captured_amount or 0}
    return {
        "id": sibling_id("pay", payment.id),
        "currency_code": payment.currency_code,
        "provider_id": payment.provider_id,
        "payment_collection_id": payment.collection_id,
        "payment_session_id": payment.id,
        "payment_session": {"id": payment.id},
        **with_twins(Amount(amount=payment.amount)),
        "data": {},
        "metadata": None,
        "captured_at": iso(payment.captured_at),
        "canceled_at": None,
        "deleted_at": None,
        "captures": [capture] if is_captured else [],
        "refunds": [refund_wire(one) for one in refunds if one.payment_session_id == payment.id],
        **stamps(payment.created_at, payment.updated_at),
    }


def refund_wire(refund: Refund) -> RefundSummary:
    """A refund by hand, as its buyer may see it: the staff's notes are not in it."""
    return {
        "id": refund.id,
        **with_twins(Amount(amount=refund.amount)),
        "payment_id": sibling_id("pay", refund.payment_session_id),
        "reference": refund.reference,
        "refund_reason_id": None,
        **stamps(refund.created_at, refund.updated_at),
    }


def staff_refund_wire(refund: Refund) -> RefundOut:
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


def providers_answer(provider_ids: Iterable[str], asked: ListParameters) -> PaymentProvidersAnswer:
    """Return the requested page of these providers, ordered by id."""
    providers: list[PaymentProviderOut] = [{"id": id_, "is_enabled": True} for id_ in sorted(provider_ids)]
    shown = pick_each(page_of(providers, asked), asked)
    return {"payment_providers": shown, **paging(len(providers), asked)}


def refunded_total(refunds: Iterable[Refund]) -> Cop:
    """What was given back."""
    return sum(refund.amount for refund in refunds)


def captured_total(payment_sessions: Iterable[PaymentSession]) -> Cop:
    """What was captured by these sessions. Money that pays no order is not counted."""
    captured = (payment for payment in payment_sessions if payment.state == SessionState.CAPTURED)
    return sum(payment.captured_amount or 0 for payment in captured)


def _collection_status(payment_sessions: Sequence[PaymentSession]) -> str:
    if any(map(pays, payment_sessions)):
        return "completed"
    if any(payment.state == SessionState.AUTHORIZED for payment in payment_sessions):
        return "authorized"
    return "awaiting" if any(map(_is_under_way, payment_sessions)) else "not_paid"


def _shown(payment_sessions: Sequence[PaymentSession]) -> list[PaymentSession]:
    """The sessions that are shown: on the platform a new one replaces those that ended without money.

    So does it with one of which nobody knows whether it was started: a program that takes any of those that wait is
    then led to the bank. When all ended without money, the last one is shown, unless the cart just changed before any
    bank knew of it.
    """
    under_way = [payment for payment in payment_sessions if _is_under_way(payment)]
    replaced = {payment.id for payment in under_way[1:] if payment.state == SessionState.UNKNOWN}
    counting = [
        payment
        for payment in payment_sessions
        if payment.state in _MADE or (_is_under_way(payment) and payment.id not in replaced)
    ]
    if counting or not payment_sessions:
        return counting
    last = payment_sessions[0]
    return [] if was_taken_back(last) else [last]


def was_taken_back(payment: PaymentSession) -> bool:
    """Whether the cart changed before anybody was led to pay: on the platform the session is deleted then."""
    return payment.state == SessionState.CANCELED and payment.redirect_url is None


def _is_under_way(payment: PaymentSession) -> bool:
    state = SessionState(payment.state)
    return state.is_open or state is SessionState.PENDING
