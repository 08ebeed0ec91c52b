"""What can go wrong between us and the gateway. `OutcomeUnknown` of the common tree completes the list."""

from typing import Any

from backend.errors import OutsideFailure, PaymentFailed
from backend.payment.gateway.refusals import RefusalReason


class GatewayUnavailable(OutsideFailure):
    """The gateway could not be reached, or gave no usable answer. Asking again later may help."""


class NoAnswer(GatewayUnavailable):
    """The request left, and no usable answer came back: it may have been carried out."""


class LoginFailed(GatewayUnavailable):
    """The login was tried as often as is sensible: what it was for was not sent."""


class KeysRefused(OutsideFailure):
    """The gateway does not accept our keys. Asking again does not help."""


class PaymentRefused(PaymentFailed):
    """The gateway answered that it did not start the payment.

    Attributes:
        reason: the category.
        codes: the gateway's or the bank network's codes, such as `E014` or `FAIL_EXCEEDEDLIMIT`.
    """

    def __init__(self, message: str, reason: RefusalReason, codes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.reason = reason
        self.codes = codes

    @property
    def shopper_text(self) -> str:
        """What the shopper reads, in Spanish."""
        return self.reason.shopper_text


class RedirectUrlMissing(OutsideFailure):
    """The gateway took the payment but told no address to send the shopper to (spec: Errors).

    Attributes:
        payload: the gateway's whole answer; the message includes it.
    """

    def __init__(self, message: str, payload: Any) -> None:
        super().__init__(message)
        self.payload = payload
