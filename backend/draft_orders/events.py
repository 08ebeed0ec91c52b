"""Events of draft orders."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaymentLinkMailRequested:
    """Event: a payment link of the draft must be sent to this e-mail address."""

    draft_id: str
    address: str
