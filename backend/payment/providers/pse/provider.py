"""`gateway_pse`: paying from a bank account by PSE, through the payment gateway (spec: Provider operations)."""

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
    Initiated,
    Notification,
    PaymentProvider,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    StartedPayment,
    StartUnknown,
)
from backend.payment.providers.pse.banks import offered_banks
from backend.payment.providers.pse.client import GatewayClient, gateway_client
from backend.payment.providers.pse.payer import COMPANY, DOCUMENT_TYPES, PERSON, bank_line, read_payer
from backend.payment.providers.pse.reports import (
    PROVIDER_STATES,
    GatewayReport,
    GatewayState,
    read_notification,
)
from backend.payment.providers.pse.requests import BankPayment, BankPaymentCreated

log = logging.getLogger(__name__)

BANK_FIELD = "bank"
LONGEST_DESCRIPTION = 80

_RANK = {
    ProviderState.CAPTURED: 0,
    ProviderState.HELD: 1,
    ProviderState.PENDING: 2,
    ProviderState.UNKNOWN: 3,
}
"""Which of several transactions of one invoice counts: paid before undecided before unclear before refused."""


class GatewayPse(PaymentProvider):
    """Starts a debit that the shopper authorizes at the bank; the bank captures it, and the gateway notifies us.

    `capture` and `cancel` only ask how it stands: the bank captures by itself when the shopper authorizes, and a debit
    at the bank cannot be called back, it expires by itself.
    """

    id = GATEWAY_PSE

    def __init__(self, client: GatewayClient, database: Database) -> None:
        self._client = client
        self._database = database

    async def choices(self, field_name: str) -> list[Choice]:
        """The banks by name, never code 0 (spec: Storefront view rules 3); kinds of persons and of documents.

        Raises:
            BankListUnavailable: the gateway fails and there was never a good list.
        """
        if field_name == "person_type":
            return [Choice(PERSON, _("Persona natural")), Choice(COMPANY, _("Persona jurídica"))]
        if field_name == "doc_type":
            return [Choice(kind.code, kind.label) for kind in DOCUMENT_TYPES.values()]
        if field_name != BANK_FIELD:
            return []
        banks = await offered_banks(self._database, self._client, now=now())
        return [Choice(bank.code, bank.name) for bank in banks]

    async def check_payer(self, answers: Mapping[str, Any]) -> CheckedPayer:
        """Return the payer's answers with `bank_name`. See `PaymentProvider.check_payer`."""
        banks = {bank.code: bank.name for bank in await self.choices(BANK_FIELD)}
        payer = read_payer(answers, banks=banks)
        return CheckedPayer({**payer.model_dump(), "bank_name": banks[payer.bank]})

    async def initiate(self, request: PaymentRequest) -> Initiated:
        """Start a PSE payment; the shopper must then go to `redirect_url`. See `PaymentProvider.initiate`."""
        if request.currency.upper() != CURRENCY:
            raise InvalidData(f"PSE pays in {CURRENCY} only")
        try:
            payer = request.payer.answers
            asked = bank_payment(request)
            hide_in_log(payer)
        except ShopError:
            raise
        except Exception as error:
            raise OutsideFailure(
                f"Payment {request.invoice} was not sent: {type(error).__name__}: {error}"
            ) from error
        try:
            created = await self._client.create_bank_payment(asked)
            await self._require_new_reference(created, request)
        except ShopError:
            raise
        except Exception as error:
            raise StartUnknown(
                f"Payment {request.invoice} may have been sent: {type(error).__name__}: {error}"
            ) from error
        return Initiated(
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
        """What the gateway says: by its number, else by its receipt, else by our invoice. See `PaymentProvider.status`.

        An answer counts only when it is about this invoice and names a state; else the next lookup is asked. One that
        is about this invoice and tells of a test at the live gateway ends the search: no other may call it money.
        """
        if session.reference or session.ticket_id:
            return await self._by_number(session)
        return await self._by_invoice(session)

    def read_notification(
        self,
        raw: bytes,
        headers: Mapping[str, str],  # noqa: ARG002 (the signature is in the fields)
        query: Mapping[str, str],
    ) -> Notification:
        """What the gateway's notification says. The signature does not cover the state: see `crypto`."""
        return read_notification(raw, query, self._client.credentials)

    async def refund(self, session: StartedPayment, amount: Cop) -> None:  # noqa: ARG002 (the interface's)
        """Refuse: money paid by PSE is given back outside the shop (spec: Errors)."""
        raise NotImplementedByProvider(
            f"{self.id}: refundPayment is not implemented: PSE payments are refunded by bank transfer, by hand"
        )

    async def close(self) -> None:
        """Close the connections to the gateway."""
        await self._client.close()

    async def _require_new_reference(self, created: BankPaymentCreated, request: PaymentRequest) -> None:
        """Check that the gateway's number of a new payment is no other payment's.

        Raises:
            StartUnknown: it is; so may be the bank's address. The payment is looked up by our invoice.
        """
        async with self._database.read() as session:
            query = select(PaymentSession.invoice).where(
                PaymentSession.provider_id == self.id,
                PaymentSession.reference == created.reference,
                PaymentSession.id != request.session_id,
            )
            known = (await session.execute(query.limit(1))).scalar()
        if created.reference is not None and known is not None:
            raise StartUnknown(
                f"The gateway gave payment {request.invoice} the number {created.reference} of payment {known}"
            )

    async def _by_number(self, session: StartedPayment) -> ProviderReport:
        client = self._client
        failure: OutsideFailure | None = None
        answered, other_invoice = False, None
        for ask, number in (
            (client.transaction_by_reference, session.reference),
            (client.transaction, session.ticket_id),
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
            told = self._report_for(report, session)
            if told is not None:
                return told
            if report.invoice != session.invoice:
                other_invoice = report.invoice
        if failure is not None and not answered:
            raise failure
        return ProviderReport(state=ProviderState.UNKNOWN, invoice=other_invoice)

    async def _by_invoice(self, session: StartedPayment) -> ProviderReport:
        """The answer to bank.create was lost: all that is known is our invoice, which may have several transactions."""
        found: list[ProviderReport] = []
        for reference in await self._client.references_of(session.invoice):
            try:
                report = await self._client.transaction_by_reference(reference)
            except (OutsideFailure, InvalidData) as error:
                log.warning("a lookup of payment %s failed: %s", session.session_id, error.message)
                found.append(ProviderReport(state=ProviderState.UNKNOWN))
                continue
            told = self._report_for(report, session)
            if told is not None and told.state is ProviderState.UNKNOWN:
                return told
            found.append(told or ProviderReport(state=ProviderState.UNKNOWN))
        return _decisive(found)

    def _report_for(self, report: GatewayReport, session: StartedPayment) -> ProviderReport | None:
        """The report of this payment: None when it is about another, UNKNOWN when no other look-up may be asked."""
        if report.invoice is None:
            if report.reference is None or report.reference != session.reference:
                return None
        elif report.invoice != session.invoice:
            log.warning("a lookup of payment %s told of invoice %s", session.session_id, report.invoice)
            return None
        if report.test and not self._client.test_mode:
            log.warning("payment %s is a test at the live gateway: it counts for nothing", session.session_id)
            return ProviderReport(state=ProviderState.UNKNOWN)
        return _provider_report(report, report.state) if report.state is not None else None


def gateway_pse(
    settings: Settings, database: Database, transport: httpx.AsyncBaseTransport | None = None
) -> GatewayPse:
    """The provider with the gateway that the settings call for. `transport`: see `gateway_client`."""
    return GatewayPse(gateway_client(settings, transport), database)


def _decisive(found: Sequence[ProviderReport]) -> ProviderReport:
    unknown = ProviderReport(state=ProviderState.UNKNOWN)
    return min(found, key=lambda told: _RANK.get(told.state, len(_RANK)), default=unknown)


def bank_payment(request: PaymentRequest) -> BankPayment:
    """Return the gateway's request for this session and its payer. Amounts: value = tax base + tax.

    Raises:
        KeyError: the payer was not checked by `GatewayPse.check_payer`.
    """
    payer = request.payer.answers
    return BankPayment(
        bank=payer["bank"],
        invoice=request.invoice,
        description=bank_description(request.description),
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


def bank_description(text: str) -> str:
    """The description as the bank network takes it: one line of 80 characters at most, without `|` and `"`."""
    return bank_line(text)[:LONGEST_DESCRIPTION].rstrip()


def _provider_report(report: GatewayReport, state: GatewayState) -> ProviderReport:
    return ProviderReport(
        state=PROVIDER_STATES[state],
        amount=report.amount,
        currency=report.currency,
        invoice=report.invoice,
        reference=report.reference,
        transaction_id=_cus(report),
        ticket_id=report.ticket_id,
        code=str(int(state)),
        text=report.response_text,
        bank_name=report.bank_name,
        occurred_at=report.transaction_date,
    )


def _cus(report: GatewayReport) -> str | None:
    """The CUS is what the gateway calls the approval code; zeros stand for none (wire: checkout, CUS)."""
    return report.approval if report.approval and report.approval.strip("0") else None
