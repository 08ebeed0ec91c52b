"""The interface of payment providers: `PaymentProvider`, and the types of its arguments and results.

A provider does not depend on carts, orders or database tables. It is never called inside a database transaction,
because nearly every method may send network requests.

To add one: docs/how-to/payment-provider.md. Its tests: `backend.payment.providers.contract`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotImplementedByProvider, OutcomeUnknown
from backend.core.money import CURRENCY, Cop


class ProviderState(StrEnum):
    """State of a payment at its provider."""

    PENDING = "pending"
    """Not decided yet; check again later."""
    PENDING_AUTHORIZATION = "pending_authorization"
    """Started; the shopper must now authorize it at the bank (spec: States and transitions)."""
    AUTHORIZED = "authorized"
    """Authorized; the shop still has to capture it."""
    CAPTURED = "captured"
    """The money was taken."""
    REJECTED = "rejected"
    CANCELED = "canceled"
    EXPIRED = "expired"
    HELD = "held"
    """Neither paid nor refused: the gateway reviews it (held, suspected fraud)."""
    UNKNOWN = "unknown"
    """Nothing is certain. It is never treated as a refusal."""


class Verdict(StrEnum):
    """The authenticity of a notification.

    Only a genuine notification has an effect: the shop checks its payment session.
    """

    GENUINE = "genuine"
    FORGED = "forged"
    FOREIGN = "foreign"
    """It belongs to another merchant."""
    MALFORMED = "malformed"
    OVERSIZED = "oversized"
    """Too large to be read. Only the inbox sets it."""


@dataclass(frozen=True, kw_only=True)
class Notification:
    """A notification as the provider parsed it, before anything is looked up or written.

    Attributes:
        dedupe_key: a key that all deliveries of one event have; empty if deliveries must be compared by content.
        session_id: the shop's payment session, if the provider sends it.
        invoice: the shop's reference at the provider.
        reference: the provider's number of the payment.
        state: the reported state of the payment; None if none is reported.
        is_final: True if it reports that the payment has ended. If the provider's lookup does not report that yet,
            the lookup is repeated.
        fields: the fields worth storing; the inbox limits their size.
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
    """An option of a field of the payer's form, such as a bank."""

    code: str
    name: str


@dataclass(frozen=True, slots=True)
class PayerField:
    """A field that the checkout page shows for a provider: a select element if `list_choices` returns options.

    `name` begins with the provider's id, so that it differs from the names of all other fields.
    """

    name: str
    label: str
    hint: str = ""


@dataclass(frozen=True)
class MissingAnswer:
    """A field that the payer still has to answer, with the reason in Spanish and the choices, if there are any."""

    field: str
    message: str
    choices: list[Choice]


@dataclass(frozen=True)
class CheckedPayer:
    """A payer whose answers a provider has checked. Only `PaymentProvider.check_payer` creates one from form input.

    Attributes:
        answers: the cleaned answers, by the provider's field names.
    """

    answers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PaymentRequest:
    """The payment session that `initiate` starts.

    Attributes:
        session_id: the shop's payment session; sent with the payment and returned in notifications.
        invoice: the shop's reference at the provider, unique to this session.
        amount: whole pesos, IVA included.
        tax: the IVA that the amount includes.
        payer: the payer that `check_payer` of the same provider returned. It is not checked again.
        ip: the shopper's IP address, as the server saw it.
        return_url: the URL to which the bank sends the shopper's browser back.
        notification_url: the URL to which the provider sends notifications.
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
class InitiationResult:
    """The result of `initiate`.

    Attributes:
        state: PENDING_AUTHORIZATION (the shopper must go to `redirect_url`), or PENDING (there is no bank page;
            completing the cart authorizes the payment).
        reference: the provider's number of the payment (`x_ref_payco`).
        transaction_id: the bank network's trace number, which shoppers know as the CUS.
        ticket_id: the provider's receipt number, used to look up the payment.
        data: details to store with the session; never a secret. The Store API shows the shopper the values in
            `data[SHOWN]`, such as the account for a transfer. `PaymentInstructions.to_data` creates the entry that
            the order's page and its e-mail show.
    """

    state: ProviderState
    redirect_url: str | None = None
    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None
    data: JsonObject = field(default_factory=dict)


SHOWN = "shown"
"""Key in `InitiationResult.data`: an object with the values that the shopper needs to pay."""
INSTRUCTIONS = "instructions"
"""Key in `InitiationResult.data`: the `PaymentInstructions` as JSON."""


@dataclass(frozen=True, slots=True)
class PaymentInstructions:
    """Instructions for a customer who pays an order outside the shop. The order's page and its e-mail show them.

    They are stored with the payment session, so a later change of the provider does not affect them.

    Attributes:
        method: name of the payment method, such as the provider's `shopper_name`.
        text: one or two sentences, in the shop's language.
        facts: names and values, such as the account and the reference.
    """

    method: str
    text: str
    facts: Sequence[tuple[str, str]] = ()

    def to_data(self) -> JsonObject:
        """Return the entry for `InitiationResult.data`."""
        return {
            INSTRUCTIONS: {
                "method": self.method,
                "text": self.text,
                "facts": [list(fact) for fact in self.facts],
            }
        }


def parse_instructions(data: JsonObject) -> PaymentInstructions | None:
    """Return the instructions in the data of a payment session; None if it has none."""
    stored = data.get(INSTRUCTIONS)
    if not stored:
        return None
    facts = tuple((str(name), str(value)) for name, value in stored["facts"])
    return PaymentInstructions(str(stored["method"]), str(stored["text"]), facts)


class StartUnknown(OutcomeUnknown):
    """Error of `initiate`: the payment may have been started.

    Its attributes are the numbers of the payment that are known, as in `InitiationResult`. The payment is looked up
    by these numbers.
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
    """A payment session that was started, with the values that the provider needs to find it."""

    session_id: str
    invoice: str
    amount: Cop
    currency: str = CURRENCY
    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class ProviderReport:
    """A provider's report of a payment's current state.

    The caller compares amount and currency with those of the session.

    Attributes:
        amount: exact, in pesos; None if the provider did not report it.
        currency: upper case (`COP`); None if it was not reported.
        invoice: the shop's reference. In state UNKNOWN: the other invoice to which the payment belongs, if that was
            reported.
        transaction_id: the CUS, if the provider knows it.
        code: the provider's own code or word for the state, stored for reference.
        text: the provider's description of the outcome, in Spanish.
        occurred_at: time of the outcome, in UTC.
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
    """A payment method. Its methods are never called inside a transaction. They raise only `ShopError`s."""

    id: ClassVar[str]
    """A constant of `backend.core.config.modules`."""
    can_refund: ClassVar[bool] = False
    """True if it implements `refund`."""
    leaves_shop: ClassVar[bool] = True
    """True if the shopper pays on a page of the bank; if not, completing the cart authorizes the payment."""
    asks_payer: ClassVar[bool] = True
    """True if `list_missing_answers` may return questions for the payer."""
    asks_document: ClassVar[bool] = False
    """True if the checkout page asks for the payer's identity document, which the invoice then states.

    The shop checks the document itself. If `asks_payer` is True too, `check_payer` must return its fields.
    """
    shopper_name: str = ""
    """Name of the payment method on the shop's checkout page, in the shop's language.

    If it is empty, the page does not offer the provider; programs can still use it with the Store API.
    """
    shopper_note: str = ""
    """A sentence below the name that says what happens when the shopper pays."""
    payer_fields: Sequence[PayerField] = ()
    """The fields that the checkout page shows if the shopper chooses this provider. `check_payer` checks them."""

    async def list_choices(self, field_name: str) -> list[Choice]:  # noqa: ARG002 (for those that offer some)
        """Return the options that the field offers now, in display order.

        Raises:
            OutsideFailure: the options are not available.
        """
        return []

    async def check_payer(self, answers: Mapping[str, Any]) -> CheckedPayer:
        """Check and clean the payer's answers. It is called once for each start of a payment, before `initiate`.

        Raises:
            InvalidData: `fields` has a Spanish message by field name.
            OutsideFailure: data that is needed for the check, such as the list of banks, is not available.
        """
        return CheckedPayer(answers)

    async def list_missing_answers(self, answers: Mapping[str, Any]) -> list[MissingAnswer]:
        """Return the payer's answers that are missing or wrong, by field; empty if a payment can start with them.

        Raises:
            OutsideFailure: see `check_payer` and `list_choices`.
        """
        try:
            await self.check_payer(answers)
        except InvalidData as error:
            return [
                MissingAnswer(name, message, await self.list_choices(name))
                for name, message in error.fields.items()
            ]
        return []

    @abstractmethod
    async def initiate(self, request: PaymentRequest) -> InitiationResult:
        """Start a payment.

        Raises:
            InvalidData: the provider cannot start such a payment.
            PaymentFailed: the provider refused the payment; nothing was started.
            OutcomeUnknown: the payment may have been started. Look it up with `status`; never initiate the same
                invoice again. A `StartUnknown` has the known numbers.
            OutsideFailure: the provider could not be reached: nothing was started.
        """

    @abstractmethod
    async def status(self, session: StartedPayment) -> ProviderReport:
        """Return the provider's current report of the payment.

        The state is UNKNOWN if the provider does not know the payment or its answer is unclear.

        If the provider's number belongs to another invoice, the UNKNOWN report contains that invoice.

        Raises:
            OutsideFailure: the provider could not be reached.
        """

    @abstractmethod
    def read_notification(
        self, raw: bytes, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> Notification:
        """Parse a notification without network requests or database writes. The names of `headers` are in lower case.

        An unreadable notification is `MALFORMED`; the inbox also treats any exception as `MALFORMED`.
        """

    async def capture(self, session: StartedPayment) -> ProviderReport:
        """Capture the authorized money. A provider without a separate capture only returns the status.

        Raises:
            OutsideFailure: the provider could not be reached.
        """
        return await self.status(session)

    async def cancel(self, session: StartedPayment) -> ProviderReport:
        """Cancel a payment that is not captured, if the provider can. Return its status afterwards.

        Raises:
            OutsideFailure: the provider could not be reached.
        """
        return await self.status(session)

    async def refund(self, session: StartedPayment, amount: Cop) -> None:  # noqa: ARG002 (for those that do)
        """Refund captured money. Return only when it is certain that the provider has accepted the refund.

        Raises:
            NotImplementedByProvider: always, unless a provider implements it (spec: Errors, refundPayment).
            OutsideFailure: the money was not refunded.
            OutcomeUnknown: the money may have been refunded.
        """
        raise NotImplementedByProvider(f"{self.id}: refundPayment is not implemented")

    async def close(self) -> None:  # noqa: B027 (most have nothing to close)
        """Close the connections when the shop stops."""


Providers = Mapping[str, PaymentProvider]
"""The providers that the shop runs with, by their ids."""
