"""What the gateway client takes and gives: plain, frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from pydantic import SecretStr

from backend.money import CURRENCY, Cop
from backend.payment.gateway.states import GatewayState


@dataclass(frozen=True)
class GatewayCredentials:
    """The merchant's four keys (wire: gateway 1.2). None of them shows in a repr."""

    public_key: SecretStr
    private_key: SecretStr
    """32 hexadecimal digits; also the AES key."""
    cust_id: str
    p_key: SecretStr
    """With `cust_id`: only for the signature of notifications."""


@dataclass(frozen=True)
class GatewayBases:
    """Where the gateway's four services are (wire: gateway 1.1), without a trailing slash."""

    api: str = "https://api.secure.payco.co"
    secure: str = "https://secure.payco.co"
    lookup: str = "https://secure.epayco.co"
    apify: str = "https://apify.epayco.co"

    @classmethod
    def under(cls, url: str) -> Self:
        """All four at one address: their paths stay apart (`/v1`, `/restpagos`, `/validation`, `/login`)."""
        base = url.rstrip("/")
        return cls(api=base, secure=base, lookup=base, apify=base)


@dataclass(frozen=True)
class Bank:
    """A bank of the PSE list, as the gateway sent it."""

    code: str
    name: str


@dataclass(frozen=True, kw_only=True)
class BankPayment:
    """What `bank.create` asks. Fields are the official SDK's keys, in the order it sends them (wire: gateway 1.4).

    Amounts are whole pesos: value = tax_base + tax + ico.
    """

    bank: str
    invoice: str
    description: str
    value: Cop
    tax: Cop
    tax_base: Cop
    ico: Cop = 0
    currency: str = CURRENCY
    type_person: str
    doc_type: str
    doc_number: str
    name: str
    last_name: str
    email: str
    country: str = "CO"
    department: str
    city: str
    phone: str
    cell_phone: str
    address: str
    ip: str
    url_response: str
    url_confirmation: str
    method_confirmation: str = "POST"
    extra1: str = ""


@dataclass(frozen=True, kw_only=True)
class BankPaymentCreated:
    """The gateway took the payment: send the shopper to `redirect_url`.

    Attributes:
        reference: `ref_payco`.
        transaction_id: the CUS, the bank network's trace number.
        ticket_id: the receipt number the payment is looked up by; text, as it may exceed 2^53.
    """

    redirect_url: str
    reference: str | None
    transaction_id: str | None
    ticket_id: str | None
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class GatewayReport:
    """What a notification or a lookup says of a transaction. Any field may be missing from an answer.

    Attributes:
        reference: `x_ref_payco`, the gateway's number.
        transaction_id: `x_transaction_id`; in a lookup by ticket the `transactionID`.
        approval: `x_approval_code`, in PSE the CUS.
        invoice: our own reference.
        amount: exact; None when missing or no number.
        currency: upper case.
        state: None means *unknown*: no code, an unpublished code, or a code that its text contradicts.
        response_text: the reason in words (`x_response_reason_text`), else `x_response`.
        transaction_date: in UTC.
        cust: the merchant the transaction belongs to (`x_cust_id_cliente`).
        test: whether the gateway says that no real money moved.
        raw: every field as received, scalars as text.
    """

    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None
    approval: str | None = None
    invoice: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    state: GatewayState | None = None
    response_text: str | None = None
    bank_name: str | None = None
    transaction_date: datetime | None = None
    cust: str | None = None
    test: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)
