"""`gateway_pse`: payments from a bank account by PSE, through the payment gateway (spec: Provider operations)."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from sqlalchemy import select

from backend.core.clock import now
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotImplementedByProvider, OutsideFailure, ShopError
from backend.core.money import CURRENCY, Cop
from backend.core.observability.logs import hide_in_log
from backend.core.texts import _
from backend.payment.models import PaymentSession
from backend.payment.providers.base import (
    CheckedPayer,
    Choice,
    InitiationResult,
    Notification,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    StartedPayment,
    StartUnknown,
)
from backend.payment.providers.pse.banks import list_offered_banks
from backend.payment.providers.pse.client import GatewayClient, create_gateway_client
from backend.payment.providers.pse.payer import COMPANY, DOCUMENT_TYPES, PERSON, parse_payer, to_bank_line
from backend.payment.providers.pse.reports import (
    PROVIDER_STATES,
    GatewayReport,
    GatewayState,
    read_notification,
)
from backend.payment.providers.pse.requests import BankPayment, BankPaymentCreated

log = logging.getLogger(__name__)

BANK_FIELD = "bank"
MAX_DESCRIPTION_LENGTH = 80

_RANK = {
    ProviderState.CAPTURED: 0,
    ProviderState.HELD: 1,
    ProviderState.PENDING: 2,
    ProviderState.UNKNOWN: 3,
}
"""Priority of the states when an invoice has several transactions: paid, undecided, unclear, then refused."""


class GatewayPse(PaymentProvider):
    """A provider of PSE debits: the shopper authorizes at the bank, and the gateway notifies the shop.

    `capture` and `cancel` only return the status: the bank captures when the shopper authorizes, and a debit at the
    bank cannot be canceled; it expires.
    """

    id = GATEWAY_PSE
    shopper_name = _("PSE, débito bancario")
    shopper_note = _("Te llevamos a la página de tu banco, donde autorizas el débito desde tu cuenta.")

    def __init__(self, client: GatewayClient, database: Database) -> None:
        self.client = client
        self._database = database

    async def list_choices(self, field_name: str) -> list[Choice]:
        """Return the options of the field: banks in alphabetical order, person types or document types.

        The placeholder with bank code 0 is left out (spec: Storefront view rules 3).

        Raises:
            BankListUnavailable: the gateway fails and no earlier list is stored.
        """
        if field_name == "person_type":
            return [Choice(PERSON, _("Persona natural")), Choice(COMPANY, _("Persona jurídica"))]
        if field_name == "doc_type":
            return [Choice(kind.code, kind.label) for kind in DOCUMENT_TYPES.values()]
        if field_name != BANK_FIELD:
            return []
        banks = await list_offered_banks(self._database, self.client, now=now())
        return [Choice(bank.code, bank.name) for bank in banks]

    async def check_payer(self, answers: Mapping[str, Any]) -> CheckedPayer:
        """Check the payer's answers, and add the name of the chosen bank. See `PaymentProvider.check_payer`."""
        banks = {bank.code: bank.name for bank in await self.list_choices(BANK_FIELD)}
        payer = parse_payer(answers, banks=banks)
        return CheckedPayer({**payer.model_dump(), "bank_name": banks[payer.bank]})

    async def initiate(self, request: PaymentRequest) -> InitiationResult:
        """Start a PSE payment; the shopper must then go to `redirect_url`. See `PaymentProvider.initiate`."""
        if request.currency.upper() != CURRENCY:
            raise InvalidData(f"PSE pays in {CURRENCY} only")
        try:
            payer = request.payer.answers
            bank_request = to_bank_payment(request)
            hide_in_log(payer)
        except ShopError:
            raise
        except Exception as error:
            raise OutsideFailure(
                f"Payment {request.invoice} was not sent: {type(error).__name__}: {error}"
            ) from error
        try:
            created = await self.client.create_bank_payment(bank_request)
            await self._require_new_reference(created, request)
        except ShopError:
            raise
        except Exception as error:
            raise StartUnknown(
                f"Payment {request.invoice} may have been sent: {type(error).__name__}: {error}"
            ) from error
        return InitiationResult(
            state=ProviderState.PENDING_AUTHORIZATION,
            redirect_url=created.redirect_url,
            reference=created.reference,
            transaction_id=created.transaction_id,
            ticket_id=created.ticket_id,
            data={
                "bank_code": payer["bank"],
                "bank_name": payer["bank_name"],
                "payer_ip": payer["ip"],
            },
        )

    async def status(self, session: StartedPayment) -> ProviderReport:
        """Return the gateway's report: see `PaymentProvider.status`.

        The payment is looked up by the gateway's number of the payment, then by the receipt number. If the session
        has neither, it is looked up by the shop's invoice.

        An answer is used only if it is about this invoice and has a state; otherwise the next lookup is used. If
        an answer about this invoice reports a test payment at the live gateway, no other lookup is made: a test
        payment must not count as real money.
        """
        if session.reference or session.ticket_id:
            return await self._look_up_by_number(session)
        return await self._look_up_by_invoice(session)

    def read_notification(
        self,
        raw: bytes,
        headers: Mapping[str, str],  # noqa: ARG002 (the signature is in the fields)
        query: Mapping[str, str],
    ) -> Notification:
        """Parse the gateway's notification. Its signature does not cover the state: see `reports`."""
        return read_notification(raw, query, self.client.credentials)

    async def refund(self, session: StartedPayment, amount: Cop) -> None:  # noqa: ARG002 (the interface's)
        """Raise `NotImplementedByProvider` always: PSE payments are refunded outside the shop (spec: Errors)."""
        raise NotImplementedByProvider(
            f"{self.id}: refundPayment is not implemented: PSE payments are refunded by bank transfer, by hand"
        )

    async def close(self) -> None:
        """Close the connections to the gateway."""
        await self.client.close()

    async def _require_new_reference(self, created: BankPaymentCreated, request: PaymentRequest) -> None:
        """Check that the gateway's number of a new payment is not the number of another payment.

        Raises:
            StartUnknown: another payment has this number, so the bank's URL in the answer may be wrong too. The
                shop then looks the new payment up by its invoice.
        """
        async with self._database.read() as session:
            query = select(PaymentSession.invoice).where(
                PaymentSession.provider_id == self.id,
                PaymentSession.reference == created.reference,
                PaymentSession.id != request.session_id,
            )
            other_invoice = (await session.execute(query.limit(1))).scalar()
        if created.reference is not None and other_invoice is not None:
            raise StartUnknown(
                f"The gateway gave payment {request.invoice} the number {created.reference} of payment {other_invoice}"
            )

    async def _look_up_by_number(self, session: StartedPayment) -> ProviderReport:
        client = self.client
        failure: OutsideFailure | None = None
        answered, other_invoice = False, None
        for ask, number in (
            (client.get_transaction_by_reference, session.reference),
            (client.get_transaction, session.ticket_id),
        ):
            if not number:
                continue
            try:
                report = await ask(number)
            except (OutsideFailure, InvalidData) as error:
                log.warning("a lookup of payment %s failed: %s", session.session_id, error.message)
                failure = error if isinstance(error, OutsideFailure) else failure
                continue
            answered = True
            own_report = self._to_own_report(report, session)
            if own_report is not None:
                return own_report
            if report.invoice != session.invoice:
                other_invoice = report.invoice
        if failure is not None and not answered:
            raise failure
        return ProviderReport(state=ProviderState.UNKNOWN, invoice=other_invoice)

    async def _look_up_by_invoice(self, session: StartedPayment) -> ProviderReport:
        """Look up the payment by the shop's invoice, which may have several transactions.

        This lookup is needed if the answer to `bank.create` was lost.
        """
        found: list[ProviderReport] = []
        for reference in await self.client.list_references(session.invoice):
            try:
                report = await self.client.get_transaction_by_reference(reference)
            except (OutsideFailure, InvalidData) as error:
                log.warning("a lookup of payment %s failed: %s", session.session_id, error.message)
                found.append(ProviderReport(state=ProviderState.UNKNOWN))
                continue
            own_report = self._to_own_report(report, session)
            if own_report is not None and own_report.state is ProviderState.UNKNOWN:
                return own_report
            found.append(own_report or ProviderReport(state=ProviderState.UNKNOWN))
        return _choose_report(found)

    def _to_own_report(self, report: GatewayReport, session: StartedPayment) -> ProviderReport | None:
        """Convert the gateway's report of this payment to the report that `status` returns.

        Return None if it has no state or is about another payment, so that the next lookup is used. For a test
        payment at the live gateway, return a report in state UNKNOWN, which ends the search.
        """
        if report.invoice is None:
            if report.reference is None or report.reference != session.reference:
                return None
        elif report.invoice != session.invoice:
            log.warning("a lookup of payment %s returned invoice %s", session.session_id, report.invoice)
            return None
        if report.test and not self.client.test_mode:
            log.warning("payment %s is a test at the live gateway: it is ignored", session.session_id)
            return ProviderReport(state=ProviderState.UNKNOWN)
        return _to_provider_report(report, report.state) if report.state is not None else None


def create_gateway_pse(
    settings: Settings, database: Database, transport: httpx.AsyncBaseTransport | None = None
) -> GatewayPse:
    """Create the provider for the configured gateway. `transport`: see `create_gateway_client`."""
    return GatewayPse(create_gateway_client(settings, transport), database)


def _choose_report(found: Sequence[ProviderReport]) -> ProviderReport:
    unknown = ProviderReport(state=ProviderState.UNKNOWN)
    return min(found, key=lambda report: _RANK.get(report.state, len(_RANK)), default=unknown)


def to_bank_payment(request: PaymentRequest) -> BankPayment:
    """Return the gateway's request for this session and its payer. The amounts satisfy: value = tax base + tax.

    Raises:
        KeyError: the payer was not checked by `GatewayPse.check_payer`.
    """
    payer = request.payer.answers
    return BankPayment(
        bank=payer["bank"],
        invoice=request.invoice,
        description=format_bank_description(request.description),
        value=request.amount,
        tax=request.tax,
        tax_base=request.amount - request.tax,
        type_person=payer["person_type"],
        doc_type=payer["doc_type"],
        doc_number=payer["doc_number"],
        name=payer["first_name"],
        last_name=payer["last_name"],
        email=payer["email"],
        department=payer["department"],
        city=payer["city"],
        phone=payer["phone"],
        cell_phone=payer["phone"],
        address=payer["address"],
        ip=payer["ip"],
        url_response=request.return_url,
        url_confirmation=request.notification_url,
        extra1=request.session_id,
    )


def format_bank_description(text: str) -> str:
    """Return the description for the bank network: one line of at most 80 characters, without `|` and `"`."""
    return to_bank_line(text)[:MAX_DESCRIPTION_LENGTH].rstrip()


def _to_provider_report(report: GatewayReport, state: GatewayState) -> ProviderReport:
    return ProviderReport(
        state=PROVIDER_STATES[state],
        amount=report.amount,
        currency=report.currency,
        invoice=report.invoice,
        reference=report.reference,
        transaction_id=_read_cus(report),
        ticket_id=report.ticket_id,
        code=str(int(state)),
        text=report.response_text,
        bank_name=report.bank_name,
        occurred_at=report.transaction_date,
    )


def _read_cus(report: GatewayReport) -> str | None:
    """Return the CUS, which the gateway calls the approval code.

    A code of only zeros means that the payment has no CUS (wire: checkout, CUS).
    """
    return report.approval if report.approval and report.approval.strip("0") else None
