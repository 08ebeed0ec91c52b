"""What the shop asks of a payment provider, and the words both use.

A provider knows the outside world and nothing of carts, orders or our tables: it is given plain facts and answers
with plain facts. It is never called inside a database transaction, because every method may cross the network.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol

from backend.money import CURRENCY, Cop


class ProviderState(StrEnum):
    """What a provider can say of a payment."""

    PENDING = "pending"
    """Not decided yet; ask again later."""
    PENDING_AUTHORIZATION = "pending_authorization"
    """Started; the shopper must now authorize it at the bank (spec: States and transitions)."""
    AUTHORIZED = "authorized"
    """Promised, and still to be captured by the shop."""
    CAPTURED = "captured"
    """The money is ours."""
    REJECTED = "rejected"
    CANCELED = "canceled"
    EXPIRED = "expired"
    HELD = "held"
    """Neither paid nor refused: the gateway is looking at it (held, suspected fraud)."""
    UNKNOWN = "unknown"
    """The provider's answer says nothing certain. Never read it as a refusal."""

    @property
    def is_final(self) -> bool:
        """Whether asking again cannot change it."""
        return self in (self.CAPTURED, self.REJECTED, self.CANCELED, self.EXPIRED)


@dataclass(frozen=True, kw_only=True)
class PaymentRequest:
    """One try to pay, as `initiate` is given it.

    Attributes:
        session_id: our payment session; travels with the payment and comes back in notifications.
        invoice: our reference at the provider, unique to this try.
        amount: whole pesos, IVA included.
        tax: the IVA that is in the amount.
        payer: the shopper's answers by field name, not yet validated.
        ip: the shopper's address, as the server saw it.
        return_url: where the shopper's browser goes after the bank.
        notification_url: where the provider tells the outcome.
    """

    session_id: str
    invoice: str
    amount: Cop
    tax: Cop
    description: str
    return_url: str
    notification_url: str
    ip: str
    currency: str = CURRENCY
    payer: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Initiated:
    """What came of `initiate`.

    Attributes:
        state: PENDING_AUTHORIZATION (go to `redirect_url`), or PENDING (nothing to do until `authorize`).
        reference: the provider's number of the payment (`x_ref_payco`).
        transaction_id: the bank network's trace number, the shopper's CUS.
        ticket_id: the provider's receipt number, for looking the payment up.
        data: what is worth keeping beside the session; never a secret.
        expires_at: when no approval can come any more; None for never.
    """

    state: ProviderState
    redirect_url: str | None = None
    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    expires_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class SessionFacts:
    """What we know of a started payment: enough for the provider to find it and to tell it from another."""

    session_id: str
    invoice: str
    amount: Cop
    currency: str = CURRENCY
    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class ProviderReport:
    """What the provider says of a payment now. The caller compares amount and currency with its own snapshot.

    Attributes:
        amount: the amount the provider holds, exact; None when it did not say.
        currency: upper case (`COP`); None when it did not say.
        transaction_id: the CUS, where the provider knows it.
        code: the provider's own state code, for the record.
        text: the provider's words for the outcome, in Spanish.
        occurred_at: when the outcome came about, in UTC.
    """

    state: ProviderState
    amount: Decimal | None = None
    currency: str | None = None
    invoice: str | None = None
    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None
    code: int | None = None
    text: str | None = None
    bank_name: str | None = None
    occurred_at: datetime | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)


class PaymentProvider(Protocol):
    """A way to pay. All methods may cross the network; none is called inside a transaction."""

    @property
    def id(self) -> str:
        """The provider's id (spec: Provider ids)."""

    async def initiate(self, request: PaymentRequest) -> Initiated:
        """Start a payment.

        Raises:
            InvalidData: the payer's data is at fault; `fields` holds a Spanish message by field name.
            PaymentFailed: the provider refused it; nothing was started.
            OutcomeUnknown: it may have been started. Look it up with `status`; never initiate the same invoice again.
            OutsideFailure: the provider could not be reached, or its answer is unusable.
        """

    async def authorize(self, session: SessionFacts) -> ProviderReport:
        """Ask the provider to authorize what was started, where that is the shop's to ask.

        Raises:
            OutsideFailure: the provider could not be reached.
        """

    async def capture(self, session: SessionFacts) -> ProviderReport:
        """Take the authorized money, where that is a step of its own.

        Raises:
            OutsideFailure: the provider could not be reached.
        """

    async def cancel(self, session: SessionFacts) -> ProviderReport:
        """Let go of a payment that is not captured. The report tells what it really is afterwards.

        Raises:
            OutsideFailure: the provider could not be reached.
        """

    async def status(self, session: SessionFacts) -> ProviderReport:
        """What the provider says of the payment now; state UNKNOWN when it does not know or its answer is not certain.

        Raises:
            OutsideFailure: the provider could not be reached.
        """

    async def refund(self, session: SessionFacts, amount: Cop) -> None:
        """Give captured money back.

        Raises:
            NotImplementedByProvider: the provider offers no refund (spec: Errors).
        """
