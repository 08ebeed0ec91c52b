"""Sessions that a payment collection shows."""

import pytest

from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.wire import collection_wire

COLLECTION = PaymentCollection(id="pay_col_1", cart_id="cart_1", amount=33_528)


@pytest.mark.parametrize(
    ("states", "shown"),
    [
        (["pending_authorization", "unknown"], ["pending_authorization"]),
        (["initiating", "closed", "unknown", "unknown"], ["initiating"]),
        (["unknown"], ["unknown"]),
        (["unknown", "closed"], ["unknown"]),
        (["pending_authorization", "captured"], ["pending_authorization", "captured"]),
        (["unknown", "held"], ["unknown", "held"]),
        (["rejected", "expired"], ["rejected"]),
        (["canceled"], []),
        ([], []),
    ],
)
def test_payment_collection_shows_only_its_newest_open_session(states: list[str], shown: list[str]) -> None:
    """Check which sessions are shown. `states` has the states of the collection's sessions, the newest first."""
    sessions = [
        PaymentSession(
            id=f"payses_{number}",
            collection_id=COLLECTION.id,
            provider_id="gateway_pse",
            amount=COLLECTION.amount,
            invoice=f"TR{number}",
            state=state,
        )
        for number, state in enumerate(states)
    ]
    wire = collection_wire(COLLECTION, sessions)
    by_id = {payment.id: payment.state for payment in sessions}
    assert [by_id[session["id"]] for session in wire["payment_sessions"]] == shown
