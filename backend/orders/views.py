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
    """`pending`, `authorized` (no bank page: the shop has yet to receive it), `approved`, `rejected`, `canceled`,
    `expired`, `held`, `failed`, `closed`, `review` or `unknown`."""
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
class FulfillmentView:
    """A fulfillment as its buyer sees it. `*_label` are moments in words, empty where there is none."""

    carrier: str
    tracking_number: str
    stage: str
    """`preparing`, `ready` (it has its guide), `shipped`, or a `backend.shipping.providers.base.TrackingStage`."""
    note: str
    """The carrier's own words on an incident."""
    expected_label: str
    shipped_label: str
    delivered_label: str
    received_by: str


@dataclass(frozen=True, slots=True)
class OrderView:
    """An order for its buyer.

    `can_retry`: the payment is finally lost and the same cart can be had back. `can_change_bank`: the payment waits at
    the bank and can be let go of. `is_final`: nothing more is heard of the payment.
    """

    id: str
    number: int
    status: str
    """What the shopper is told: `pending`, `held`, `closed` (we no longer wait for the bank, which has not said how it
    ended), `review` (money came that did not simply pay it: a person settles it), `authorized` (it is paid by another
    way, which staff confirm), `paid`, `refunded`, `rejected`, `canceled` or `expired`."""
    is_final: bool
    can_retry: bool
    can_change_bank: bool
    created_label: str
    email: str
    lines: list[OrderLineView]
    item_total_label: str
    shipping_name: str
    shipping_total_label: str
    total: Cop
    total_label: str
    tax_label: str
    refunded_label: str
    """What was given back of it; empty when nothing was."""
    recipient: str
    address_lines: list[str]
    payment: PaymentFacts
    fulfillments: list[FulfillmentView]
    journey: str
    """Once it is paid: `preparing`, `shipped` or `delivered`; else empty."""
