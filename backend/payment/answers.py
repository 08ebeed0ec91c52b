"""Payments in the answers of the Store and Admin API."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from backend.channels.answers import RegionOut
from backend.edge.wire import JsonDict, LastingStamps, Page, Stamps

SessionStatus = Literal[
    "pending", "requires_more", "pending_authorization", "authorized", "captured", "canceled", "error"
]


class Amount(TypedDict):
    """An amount in whole pesos."""

    amount: int


class PaidAmounts(TypedDict):
    """Amounts owed, authorized, captured and refunded. All but the first are null before an authorization."""

    amount: Annotated[int, Field(description="Whole pesos, IVA included.")]
    authorized_amount: int | None
    captured_amount: int | None
    refunded_amount: int | None


class PaymentSessionId(TypedDict):
    """The id of a payment session."""

    id: str


class Capture(Amount):
    """A capture of a payment."""

    id: str


class RefundSummary(Amount, Stamps):
    """A refund that staff booked, as the customer may see it."""

    id: str
    payment_id: str
    reference: str
    refund_reason_id: None


class RefundOut(RefundSummary):
    """A refund that staff booked, with the details for staff."""

    payment_session_id: str
    order_id: str | None
    reason: str
    note: str | None
    lines: list[JsonDict]
    created_by: str


class PaymentOut(Amount, LastingStamps):
    """A payment. `amount` is in whole pesos."""

    id: str
    currency_code: str
    provider_id: str
    payment_collection_id: str
    payment_session_id: str
    payment_session: PaymentSessionId
    data: JsonDict
    metadata: None
    captured_at: str | None
    canceled_at: None
    captures: list[Capture]
    refunds: list[RefundSummary]


class SessionOut(Amount, LastingStamps):
    """A payment session."""

    id: str
    currency_code: str
    provider_id: str
    data: Annotated[
        JsonDict,
        Field(
            description="`redirect_url`: the bank's page, where the shopper has to go there. `missing`: what has still "
            "to be sent, as a list of `field`, `message` and `choices` (each with `code` and `name`)."
        ),
    ]
    context: JsonDict
    status: SessionStatus
    authorized_at: str | None
    payment_collection_id: str
    payment: PaymentOut | None
    metadata: JsonDict


class PaymentCollectionOut(PaidAmounts, LastingStamps):
    """The payment collection of a cart."""

    id: str
    currency_code: str
    status: str
    completed_at: str | None
    metadata: None
    payment_sessions: list[SessionOut]
    payments: list[PaymentOut]


class PaymentCollectionAnswer(TypedDict):
    """Response with the payment collection of a cart."""

    payment_collection: PaymentCollectionOut


class PaymentAnswer(TypedDict):
    """Response with one payment."""

    payment: PaymentOut


class PaymentsAnswer(Page):
    """A page of payments."""

    payments: list[PaymentOut]


class PaymentProviderOut(TypedDict):
    """A payment provider that the shop uses."""

    id: str
    is_enabled: bool


class PaymentProvidersAnswer(Page):
    """A page of payment providers."""

    payment_providers: list[PaymentProviderOut]


class AdminRegionOut(RegionOut):
    """A region with its payment providers."""

    payment_providers: list[PaymentProviderOut]


class AdminRegionAnswer(TypedDict):
    """Response with one region."""

    region: AdminRegionOut


class AdminRegionsAnswer(Page):
    """A page of regions."""

    regions: list[AdminRegionOut]
