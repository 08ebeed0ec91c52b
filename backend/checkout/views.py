"""What the checkout shows: shipping choices, banks and the start of a payment."""

from dataclasses import dataclass

from backend.money import Cop


@dataclass(frozen=True, slots=True)
class ShippingChoice:
    """A shipping option offered for a cart, priced for its address just now."""

    id: str
    name: str
    amount: Cop
    amount_label: str
    is_fallback: bool
    """The carrier did not answer and the fixed price stands in (spec: Errors, calculatePrice fails)."""
    carrier: str
    delivery_days: int | None
    is_pickup: bool = False
    """The shopper fetches it: nothing is sent."""


@dataclass(frozen=True, slots=True)
class ShippingOffer:
    """The shipping options of a cart, and which of them it ships by; empty when there is none."""

    choices: list[ShippingChoice]
    chosen: str


@dataclass(frozen=True, slots=True)
class PlacedOrder:
    """An order that awaits its payment: where to send the shopper next.

    `redirect_url` is the bank's page; None when the payment needs none. `token` opens the order page without a login.
    """

    order_id: str
    number: int
    token: str
    redirect_url: str | None
