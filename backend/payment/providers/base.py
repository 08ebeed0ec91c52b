"""The port of payment providers: `PaymentProvider`, and the values that go in and come out.

A provider knows nothing of carts, orders or our tables. It is never called inside a database transaction, because
nearly every method may cross the network.

A second provider is a file or package beside this one, a line in `registry.py`, and its id in
`backend.core.config.modules`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotImplementedByProvider, OutcomeUnknown
from backend.core.money import CURRENCY, Cop


class ProviderState(StrEnum):
    """How a payment stands at its provider."""

    PENDING = "pending"
    """Not decided yet; ask again later."""
    PENDING_AUTHORIZATION = "pending_authorization"
    """Started; the shopper must now authorize it at the bank (spec: States and transitions)."""
    AUTHORIZED = "authorized"
    """Authorized; the shop has still to capture it."""
    CAPTURED = "captured"
    """The money was taken."""
    REJECTED = "rejected"
    CANCELED = "canceled"
    EXPIRED = "expired"
    HELD = "held"
    """Neither paid nor refused: the gateway reviews it (held, suspected fraud)."""
    UNKNOWN = "unknown"
    """Nothing is certain. It is never taken for a refusal."""


class Verdict(StrEnum):
    """What a notification is. Only a genuine one has an effect: its session is checked."""

    GENUINE = "genuine"
    FORGED = "forged"
    FOREIGN = "foreign"
    """Another merchant's."""
    MALFORMED = "malformed"
    OVERSIZED = "oversized"
    """Too large to be read. The inbox sets this one."""


@dataclass(frozen=True, kw_only=True)
class Notification:
    """A notification as the provider reads it, before anything is asked or written.

    Attributes:
        dedupe_key: the same for two deliveries of one event; empty to compare by content.
        session_id: our payment session, if the provider carries it.
        invoice: our reference at the provider.
        reference: the provider's number of the payment.
        state: how it says that the payment stands; None where it does not say.
        is_final: whether it says that the payment has ended. The look-up may lag behind and is repeated then.
        fields: what is worth keeping; the inbox bounds it.
    """

    verdict: Verdict
    dedupe_key: str = ""
    session_id: str | None = None
    invoice: str | None = None
    reference: str | None = None
    state: ProviderState | None = None
    is_final: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """One answer that a payer's field offers, such as a bank."""

    code: str
    name: str


@dataclass(frozen=True)
class MissingAnswer:
    """A field that the payer has still to answer: why, in their language, and what it offers, if it offers anything."""

    field: str
    message: str
    choices: list[Choice]


@dataclass(frozen=True)
class CheckedPayer:
    """A payer whose answers a provider has checked. Only `PaymentProvider.check_payer` makes one from what was typed.

    Attributes:
        answers: the tidied answers, by the provider's field names.
    """

    answers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PaymentRequest:
    """The payment session that `initiate` starts.

    Attributes:
        session_id: our payment session; travels with the payment and comes back in notifications.
        invoice: our reference at the provider, unique to this session.
        amount: whole pesos, IVA included.
        tax: the IVA that is in the amount.
        payer: as `check_payer` of the same provider returned it. It is not checked again.
        ip: the shopper's address, as the server saw it.
        return_url: where the shopper's browser goes after the bank.
        notification_url: where the provider sends notifications.
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
    payer: CheckedPayer = field(default_factory=CheckedPayer)


@dataclass(frozen=True, kw_only=True)
class Initiated:
    """The result of `initiate`.

    Attributes:
        state: PENDING_AUTHORIZATION (go to `redirect_url`), or PENDING (no bank page; completing the cart authorizes).
        reference: the provider's number of the payment (`x_ref_payco`).
        transaction_id: the bank network's trace number, the shopper's CUS.
        ticket_id: the provider's receipt number, for looking the payment up.
        data: what is worth keeping beside the session; never a secret.
    """

    state: ProviderState
    redirect_url: str | None = None
    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None
    data: JsonObject = field(default_factory=dict)


class StartUnknown(OutcomeUnknown):
    """`initiate` may have started the payment.

    Attributes: the numbers that are known, as in `Initiated`; a look-up uses them.
    """

    def __init__(
        self,
        message: str,
        *,
        reference: str | None = None,
        transaction_id: str | None = None,
        ticket_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.reference = reference
        self.transaction_id = transaction_id
        self.ticket_id = ticket_id


@dataclass(frozen=True, kw_only=True)
class StartedPayment:
    """A payment session that was started: what the provider needs to find it."""

    session_id: str
    invoice: str
    amount: Cop
    currency: str = CURRENCY
    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class ProviderReport:
    """How a payment stands at the provider now. The caller compares amount and currency with its own.

    Attributes:
        amount: exact, in pesos; None when the provider did not say.
        currency: upper case (`COP`); None when it did not say.
        invoice: our reference. In state UNKNOWN: the other invoice whose payment it is, if the provider said so.
        transaction_id: the CUS, where the provider knows it.
        code: the provider's own code or word for the state, for the record.
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
    code: str | None = None
    text: str | None = None
    bank_name: str | None = None
    occurred_at: datetime | None = None


class PaymentProvider(ABC):
    """A way to pay. None of its methods is called inside a transaction; it raises nothing but `ShopError`s."""

    id: ClassVar[str]
    """One constant of `backend.core.config.modules`."""
    can_refund: ClassVar[bool] = False
    """Whether it offers `refund`."""
    leaves_shop: ClassVar[bool] = True
    """Whether the shopper pays outside, on a page of the bank's; if not, completing the cart authorizes the payment."""
    asks_payer: ClassVar[bool] = True
    """Whether `missing` may ask anything of the payer."""

    async def choices(self, field_name: str) -> list[Choice]:  # noqa: ARG002 (for those that offer some)
        """What the field offers now, in the order to show it.

        Raises:
            OutsideFailure: it cannot be told.
        """
        return []

    async def check_payer(self, answers: Mapping[str, Any]) -> CheckedPayer:
        """Check and tidy the payer's answers. It is called once for each start of a payment, before `initiate`.

        Raises:
            InvalidData: `fields` holds a Spanish message by field name.
            OutsideFailure: what they are compared with cannot be had.
        """
        return CheckedPayer(answers)

    async def missing(self, answers: Mapping[str, Any]) -> list[MissingAnswer]:
        """What of the payer's answers is missing or wrong, field by field; nothing when a payment can start with them.

        Raises:
            OutsideFailure: see `check_payer` and `choices`.
        """
        try:
            await self.check_payer(answers)
        except InvalidData as error:
            return [
                MissingAnswer(name, message, await self.choices(name))
                for name, message in error.fields.items()
            ]
        return []

    @abstractmethod
    async def initiate(self, request: PaymentRequest) -> Initiated:
        """Start a payment.

        Raises:
            InvalidData: the provider cannot start such a payment.
            PaymentFailed: the provider refused it; nothing was started.
            OutcomeUnknown: it may have been started. Look it up with `status`; never initiate the same invoice again.
                A `StartUnknown` tells what is known of it.
            OutsideFailure: the provider could not be reached: nothing was started.
        """

    @abstractmethod
    async def status(self, session: StartedPayment) -> ProviderReport:
        """What the provider says of the payment now; state UNKNOWN when it does not know or its answer is not certain.

        If it knows the number as another invoice's, the UNKNOWN report names that invoice.

        Raises:
            OutsideFailure: the provider could not be reached.
        """

    @abstractmethod
    def read_notification(
        self, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> Notification:
        """Read a notification. Pure: nothing is asked or written. `headers` are by lower-case name.

        What cannot be read is `MALFORMED`; the inbox takes any exception for that too.
        """

    async def capture(self, session: StartedPayment) -> ProviderReport:
        """Take the authorized money. Unless that is a step of its own, this only asks how the payment stands.

        Raises:
            OutsideFailure: the provider could not be reached.
        """
        return await self.status(session)

    async def cancel(self, session: StartedPayment) -> ProviderReport:
        """Cancel a payment that is not captured, as far as the provider can. Returns how it stands afterwards.

        Raises:
            OutsideFailure: the provider could not be reached.
        """
        return await self.status(session)

    async def refund(self, session: StartedPayment, amount: Cop) -> None:  # noqa: ARG002 (for those that do)
        """Refund captured money. Returns when the provider has certainly accepted that.

        Raises:
            NotImplementedByProvider: always, unless a provider offers it (spec: Errors, refundPayment).
            OutsideFailure: it was not given back.
            OutcomeUnknown: it may have been.
        """
        raise NotImplementedByProvider(f"{self.id}: refundPayment is not implemented")

    async def close(self) -> None:  # noqa: B027 (most have nothing to close)
        """Close the connections when the shop stops."""


Providers = Mapping[str, PaymentProvider]
"""The providers that the shop runs with, by their ids."""
