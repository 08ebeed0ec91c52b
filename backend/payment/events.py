"""What the payment room tells the rooms above it."""

from dataclasses import dataclass

from backend.payment.states import SessionState


@dataclass(frozen=True, slots=True)
class PaymentSettled:
    """A try to pay for a cart came to this state. Published in the transaction that moves it, with the cart locked."""

    session_id: str
    cart_id: str
    state: SessionState


@dataclass(frozen=True, slots=True)
class PaidLate:
    """An approval came for a try that had ended already."""

    session_id: str
    cart_id: str
