"""Convert payments to the platform's API: collections, sessions, and payments (authorized sessions)."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from backend.core.money import Cop
from backend.edge.query import paging_fields, pick_each, slice_page
from backend.edge.schemas import ListParameters
from backend.edge.wire import JsonDict, derive_sibling_id, iso, stamps, with_raw_amounts
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
from backend.payment.providers.base import SHOWN, MissingAnswer
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
_PAYMENT_STATES = (SessionState.AUTHORIZED, SessionState.CAPTURED)
_PUBLIC_DATA = ("bank_code", "bank_name", "reason", "note")


def collection_wire(
    collection: PaymentCollection, payment_sessions: Sequence[PaymentSession], refunds: Sequence[Refund] = ()
) -> PaymentCollectionOut:
    """Return the payment collection with its sessions (newest first) and the refunds of its captured payments."""
    made = [payment for payment in payment_sessions if payment.state in _PAYMENT_STATES]
    captured = [payment for payment in made if payment.state == SessionState.CAPTURED]
    amounts: PaidAmounts = {
        "amount": collection.amount,
        "authorized_amount": sum(payment.amount for payment in made) if made else None,
        "captured_amount": sum_captures(payment_sessions) if made else None,
        "refunded_amount": sum_refunds(refunds) if made else None,
    }
    return {
        "id": collection.id,
        "currency_code": collection.currency_code,
        **with_raw_amounts(amounts),
        "status": _collection_status(payment_sessions),
        "completed_at": iso(min((a.captured_at for a in captured if a.captured_at), default=None)),
        "metadata": None,
        **stamps(collection.created_at, collection.updated_at),
        "deleted_at": None,
        "payment_sessions": [session_wire(payment) for payment in _visible_sessions(payment_sessions)],
        "payments": [payment_wire(payment, refunds) for payment in reversed(made)],
    }


def session_wire(payment: PaymentSession) -> SessionOut:
    """Return a payment session in the platform's shape.

    `data.redirect_url` is the bank's page while the shopper has to go there.
    """
    data: JsonDict = {name: payment.data[name] for name in _PUBLIC_DATA if payment.data.get(name)}
    data |= payment.data.get(SHOWN, {})
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
        "payment": payment_wire(payment) if payment.state in _PAYMENT_STATES else None,
        "metadata": {},
        **with_raw_amounts(Amount(amount=payment.amount)),
        **stamps(payment.created_at, payment.updated_at),
        "deleted_at": None,
    }


def add_missing_answers(
    collection: PaymentCollectionOut, provider_id: str, missing: Sequence[MissingAnswer]
) -> PaymentCollectionOut:
    """Return the collection with a session that is not stored. Its `data.missing` lists the payer's missing answers.

    When the client sends the answers, a stored session is started and takes the place of this session.
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
        **with_raw_amounts(Amount(amount=collection["amount"])),
        "created_at": collection["updated_at"],
        "updated_at": collection["updated_at"],
        "deleted_at": None,
    }
    return {**collection, "payment_sessions": [asking, *collection["payment_sessions"]]}


def payment_wire(payment: PaymentSession, refunds: Iterable[Refund] = ()) -> PaymentOut:
    """Return the payment of an authorized session in the platform's shape, with those of `refunds` that belong to it.

    A payment has no row: its id is the session's id with the prefix `pay_`.
    """
    is_captured = payment.state == SessionState.CAPTURED
    capture: Capture = {"id": derive_sibling_id("capt", payment.id), "amount": payment.captured_amount or 0}
    return {
        "id": derive_sibling_id("pay", payment.id),
        "currency_code": payment.currency_code,
        "provider_id": payment.provider_id,
        "payment_collection_id": payment.collection_id,
        "payment_session_id": payment.id,
        "payment_session": {"id": payment.id},
        **with_raw_amounts(Amount(amount=payment.amount)),
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
    """Return a booked refund as the customer may see it, without the notes of the staff."""
    return {
        "id": refund.id,
        **with_raw_amounts(Amount(amount=refund.amount)),
        "payment_id": derive_sibling_id("pay", refund.payment_session_id),
        "reference": refund.reference,
        "refund_reason_id": None,
        **stamps(refund.created_at, refund.updated_at),
    }


def staff_refund_wire(refund: Refund) -> RefundOut:
    """Return a booked refund with its reason and the staff member who booked it."""
    return {
        **refund_wire(refund),
        "payment_session_id": refund.payment_session_id,
        "order_id": refund.order_id,
        "reason": refund.reason,
        "note": refund.note,
        "lines": refund.lines,
        "created_by": refund.created_by,
    }


def providers_answer(provider_ids: Iterable[str], params: ListParameters) -> PaymentProvidersAnswer:
    """Return the requested page of these providers, ordered by id."""
    providers: list[PaymentProviderOut] = [{"id": id_, "is_enabled": True} for id_ in sorted(provider_ids)]
    page = pick_each(slice_page(providers, params), params)
    return {"payment_providers": page, **paging_fields(len(providers), params)}


def sum_refunds(refunds: Iterable[Refund]) -> Cop:
    """Return the sum of the refunds, in pesos."""
    return sum(refund.amount for refund in refunds)


def sum_captures(payment_sessions: Iterable[PaymentSession]) -> Cop:
    """Return the pesos that these sessions captured.

    Money on a session in another state, such as held money, does not count.
    """
    captured = (payment for payment in payment_sessions if payment.state == SessionState.CAPTURED)
    return sum(payment.captured_amount or 0 for payment in captured)


def _collection_status(payment_sessions: Sequence[PaymentSession]) -> str:
    if any(map(pays, payment_sessions)):
        return "completed"
    if any(payment.state == SessionState.AUTHORIZED for payment in payment_sessions):
        return "authorized"
    return "awaiting" if any(map(_is_under_way, payment_sessions)) else "not_paid"


def _visible_sessions(payment_sessions: Sequence[PaymentSession]) -> list[PaymentSession]:
    """Return the sessions that the API shows. As on the commerce platform, a new session replaces failed ones.

    A new session also hides an earlier open session whose start has an unknown outcome. So a client that uses any
    open session reaches the bank. If all sessions ended without money, the newest one is shown, unless the cart was
    changed before the shopper was sent to the bank.
    """
    under_way = [payment for payment in payment_sessions if _is_under_way(payment)]
    replaced = {payment.id for payment in under_way[1:] if payment.state == SessionState.UNKNOWN}
    counting = [
        payment
        for payment in payment_sessions
        if payment.state in _PAYMENT_STATES or (_is_under_way(payment) and payment.id not in replaced)
    ]
    if counting or not payment_sessions:
        return counting
    last = payment_sessions[0]
    return [] if was_withdrawn(last) else [last]


def was_withdrawn(payment: PaymentSession) -> bool:
    """Return True if the session was canceled because the cart changed before the shopper was sent to the bank.

    The commerce platform deletes such a session.
    """
    return payment.state == SessionState.CANCELED and payment.redirect_url is None


def _is_under_way(payment: PaymentSession) -> bool:
    state = SessionState(payment.state)
    return state.is_open or state is SessionState.PENDING
