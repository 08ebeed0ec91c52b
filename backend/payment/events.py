"""Events that payments publish to the packages above them."""

from dataclasses import dataclass

from backend.core.errors import NotAllowed
from backend.core.money import Cop
from backend.payment.states import SessionState


class PurchaseCanceled(NotAllowed):
    """A staff member has cancelled the order that the payment was for."""


@dataclass(frozen=True, slots=True)
class PaymentApproved:
    """A provider approved a payment. Published before anything changes, with the carts and the session locked.

    A handler that raises `PurchaseCanceled` stops the money from paying the order: a staff member decides.

    Attributes:
        cart_ids: all carts of the purchase, including the payment's own.
    """

    session_id: str
    cart_id: str
    cart_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class PaymentContradicted:
    """A provider contradicts a payment that it had captured. Published with the cart and the session locked.

    Attributes:
        reported: the state that the provider reports now.
        missing: captured pesos that the new report does not confirm; None if that is unknown, or if it reports more.
    """

    session_id: str
    cart_id: str
    message: str
    reported: str
    missing: Cop | None


@dataclass(frozen=True, slots=True)
class PaymentSessionChanged:
    """The state of a payment session changed. Published inside the same transaction, with the cart locked."""

    session_id: str
    cart_id: str
    state: SessionState
    was: SessionState


@dataclass(frozen=True, slots=True)
class RefundBooked:
    """A refund by bank transfer was booked."""

    refund_id: str
