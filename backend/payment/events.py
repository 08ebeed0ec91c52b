"""What payments tell the packages above them."""

from dataclasses import dataclass

from backend.core.errors import NotAllowed
from backend.core.money import Cop
from backend.payment.states import SessionState


class PurchaseCanceled(NotAllowed):
    """A staff member has cancelled the order that the payment was for."""


@dataclass(frozen=True, slots=True)
class PaymentApproved:
    """A provider has approved a payment, and nothing is changed yet. Published with the carts and the session locked.

    A handler that raises `PurchaseCanceled` keeps the money from paying the order: it waits for a person.

    Attributes:
        cart_ids: all carts of the purchase, the payment's own among them.
    """

    session_id: str
    cart_id: str
    cart_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class PaymentContradicted:
    """A provider contradicts a payment that it had captured. Published with the cart and the session locked.

    Attributes:
        reported: the state that the provider says now.
        missing: pesos of it that the shop may not have; None where that is not known, or more came than was known.
    """

    session_id: str
    cart_id: str
    message: str
    reported: str
    missing: Cop | None


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
