"""Events of payments. Packages that use payments, such as `backend.orders`, listen to them."""

from dataclasses import dataclass

from backend.core.errors import NotAllowed
from backend.core.money import Cop
from backend.payment.states import SessionState


class PurchaseCanceled(NotAllowed):
    """Error of a handler of `PaymentApproved`: the money must not pay its order without a decision by staff.

    For example, a staff member has cancelled the order, or the difference of an edit is no longer owed.
    """


@dataclass(frozen=True, slots=True)
class PaymentApproved:
    """Event: a provider approved a payment. Published before anything changes, with the carts and the session locked.

    If a handler raises `PurchaseCanceled`, the money does not pay the order: a staff member decides about it.

    Attributes:
        cart_ids: all carts of the purchase, including the payment's own cart.
    """

    session_id: str
    cart_id: str
    cart_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class PaymentContradicted:
    """Event: a provider contradicts a payment that it had captured. Published with the cart and the session locked.

    Attributes:
        reported: the state that the provider reports now.
        missing: captured pesos that the new report does not confirm. None if it reports a larger amount, or an
            amount in another currency.
    """

    session_id: str
    cart_id: str
    message: str
    reported: str
    missing: Cop | None


@dataclass(frozen=True, slots=True)
class PaymentSessionChanged:
    """Event: a payment session changed its state. Published in the transaction of the change, with the cart locked."""

    session_id: str
    cart_id: str
    state: SessionState
    was: SessionState


@dataclass(frozen=True, slots=True)
class RefundBooked:
    """Event: a refund was booked. Published in the transaction that stores it."""

    refund_id: str
