"""What an order's page shows. PSE requires the merchant's and the payment's facts in every state (wire: checkout)."""

from dataclasses import dataclass

from backend.catalog.views import PictureView
from backend.money import Cop


@dataclass(frozen=True, slots=True)
class OrderLineView:
    """One line of an order, as sold."""

    title: str
    product_handle: str
    quantity: int
    unit_price_label: str
    line_total_label: str
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class PaymentFacts:
    """What PSE requires a result page to show, in all states."""

    merchant: str
    nit: str
    contact_phone: str
    contact_email: str
    state: str
    """`pending`, `approved`, `rejected`, `canceled`, `expired`, `held`, `failed` or `unknown`."""
    bank: str
    cus: str
    reference: str
    date_label: str
    amount: Cop
    amount_label: str
    currency: str
    description: str
    reason: str
    """The gateway's own words on the outcome; empty while there are none."""
    payer_ip: str


@dataclass(frozen=True, slots=True)
class ParcelView:
    """A parcel on its way."""

    carrier: str
    tracking_number: str
    label_url: str | None
    state: str


@dataclass(frozen=True, slots=True)
class OrderView:
    """An order for its buyer. `can_retry`: the payment is finally lost and the same cart can be had back."""

    id: str
    number: int
    status: str
    """`pending`, `paid`, `rejected`, `canceled`, `expired` or `held`: what the shopper is told."""
    is_final: bool
    can_retry: bool
    created_label: str
    email: str
    lines: list[OrderLineView]
    item_total_label: str
    shipping_name: str
    shipping_total_label: str
    total: Cop
    total_label: str
    tax_label: str
    recipient: str
    address_lines: list[str]
    payment: PaymentFacts
    parcels: list[ParcelView]
