"""What payments tell the packages above them."""

from dataclasses import dataclass

from backend.payment.states import SessionState


@dataclass(frozen=True, slots=True)
class PaymentSessionChanged:
    """A payment session of a cart came to this state. Published with the cart locked, where it is moved."""

    session_id: str
    cart_id: str
    state: SessionState
    was: SessionState


@dataclass(frozen=True, slots=True)
class RefundBooked:
    """Money was given back by hand."""

    refund_id: str
