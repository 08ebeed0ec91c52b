"""`gateway_pse`: paying from a bank account by PSE, through the payment gateway (spec: Provider operations)."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from functools import partial

from backend.clock import now
from backend.database import Database
from backend.errors import InvalidData, NotImplementedByProvider, OutsideFailure
from backend.money import CURRENCY, Cop
from backend.payment.providers.base import (
    Initiated,
    PaymentRequest,
    ProviderReport,
    ProviderState,
    SessionFacts,
)
from backend.payment.providers.pse.banks import PROVIDER_ID, offered_banks
from backend.payment.providers.pse.client import GatewayClient
from backend.payment.providers.pse.payer import Payer, read_payer
from backend.payment.providers.pse.reports import GatewayReport, GatewayState
from backend.payment.providers.pse.wire import BankPayment

log = logging.getLogger(__name__)

GATEWAY_PSE_ID = PROVIDER_ID

BANK_SESSION = timedelta(minutes=21)
"""How long the bank's page can be used (wire: gateway 1.8: a PSE session lasts 21 minutes, pending up to 20)."""
DECIDED_WITHIN = timedelta(minutes=30)
"""When no approval is awaited any more: the bank session and some minutes for its news (design: decision 4)."""

LONGEST_DESCRIPTION = 80

_STATES = {
    GatewayState.ACCEPTED: ProviderState.CAPTURED,
    GatewayState.REJECTED: ProviderState.REJECTED,
    GatewayState.FAILED: ProviderState.REJECTED,
    GatewayState.PENDING: ProviderState.PENDING,
    GatewayState.STARTED: ProviderState.PENDING,
    GatewayState.HELD: ProviderState.HELD,
    GatewayState.FRAUD: ProviderState.HELD,  # a person decides: the money may have left the shopper's account
    GatewayState.EXPIRED: ProviderState.EXPIRED,
    GatewayState.ABANDONED: ProviderState.CANCELED,
    GatewayState.CANCELED: ProviderState.CANCELED,
    GatewayState.REVERSED: ProviderState.CANCELED,  # the money went back to the shopper
}

Lookup = Callable[[], Awaitable[GatewayReport]]


class GatewayPse:
    """Starts a debit that the shopper authorizes at the bank; the bank captures it, and the gateway tells."""

    id = GATEWAY_PSE_ID

    def __init__(self, client: GatewayClient, database: Database) -> None:
        self._client = client
        self._database = database

    async def initiate(self, request: PaymentRequest) -> Initiated:
        """Start a PSE payment; the shopper must then go to `redirect_url`. See `PaymentProvider.initiate`."""
        moment = now()
        if request.currency.upper() != CURRENCY:
            raise InvalidData(f"PSE pays in {CURRENCY} only")
        banks = {
            bank.code: bank.name for bank in await offered_banks(self._database, self._client, now=moment)
        }
        payer = read_payer({**request.payer, "ip": request.ip}, banks=banks)
        created = await self._client.create_bank_payment(bank_payment(request, payer))
        return Initiated(
            state=ProviderState.PENDING_AUTHORIZATION,
            redirect_url=created.redirect_url,
            reference=created.reference,
            transaction_id=created.transaction_id,
            ticket_id=created.ticket_id,
            data={"bank_code": payer.bank, "bank_name": banks[payer.bank], "payer_ip": payer.ip},
            expires_at=moment + DECIDED_WITHIN,
        )

    async def authorize(self, session: SessionFacts) -> ProviderReport:
        """The shopper authorizes at the bank: this only asks how it stands."""
        return await self.status(session)

    async def capture(self, session: SessionFacts) -> ProviderReport:
        """The bank captures by itself when the shopper authorizes: this only asks how it stands."""
        return await self.status(session)

    async def cancel(self, session: SessionFacts) -> ProviderReport:
        """A debit at the bank cannot be called back, it lapses by itself: this only asks how it stands."""
        return await self.status(session)

    async def status(self, session: SessionFacts) -> ProviderReport:
        """What the gateway says: by its number, else by its receipt, else by our invoice. See `PaymentProvider.status`.

        An answer counts only when it is about this invoice and names a state; else the next lookup is asked.
        """
        failure: OutsideFailure | None = None
        answered = False
        async for lookup in self._lookups(session):
            try:
                report = await lookup()
            except OutsideFailure as error:
                log.warning("a lookup of payment %s failed: %s", session.session_id, error.message)
                failure = error
                continue
            answered = True
            if report.state is not None and self._counts(report, session):
                return _provider_report(report, report.state)
        if failure is not None and not answered:
            raise failure
        return ProviderReport(state=ProviderState.UNKNOWN)

    async def refund(self, session: SessionFacts, amount: Cop) -> None:  # noqa: ARG002 (the interface's)
        """Refuse: money paid by PSE is given back outside the shop (spec: Errors)."""
        raise NotImplementedByProvider(
            f"{self.id}: refundPayment is not implemented: PSE payments are refunded by bank transfer, by hand"
        )

    async def _lookups(self, session: SessionFacts) -> AsyncIterator[Lookup]:
        client = self._client
        if session.reference:
            yield partial(client.transaction_by_reference, session.reference)
        if session.ticket_id:
            yield partial(client.transaction, session.ticket_id)
        if not session.reference and not session.ticket_id:
            # the answer to bank.create was lost: all that is known is our own number
            for reference in await client.references_of(session.invoice):
                yield partial(client.transaction_by_reference, reference)

    def _counts(self, report: GatewayReport, session: SessionFacts) -> bool:
        """Whether the report is about this payment, and about money."""
        if report.invoice is None:
            if report.reference is None or report.reference != session.reference:
                return False
        elif report.invoice != session.invoice:
            log.warning("a lookup of payment %s told of invoice %s", session.session_id, report.invoice)
            return False
        if report.test and not self._client.test_mode:
            log.warning("payment %s is a test at the live gateway: it counts for nothing", session.session_id)
            return False
        return True


def bank_payment(request: PaymentRequest, payer: Payer) -> BankPayment:
    """The gateway's request for this try and this payer. Amounts: value = tax base + tax."""
    return BankPayment(
        bank=payer.bank,
        invoice=request.invoice,
        description=bank_description(request.description),
        value=request.amount,
        tax=request.tax,
        tax_base=request.amount - request.tax,
        type_person=payer.person_type,
        doc_type=payer.doc_type,
        doc_number=payer.doc_number,
        name=payer.first_name,
        last_name=payer.last_name,
        email=payer.email,
        department=payer.department,
        city=payer.city,
        phone=payer.phone,
        cell_phone=payer.phone,
        address=payer.address,
        ip=payer.ip,
        url_response=request.return_url,
        url_confirmation=request.notification_url,
        extra1=request.session_id,
    )


def bank_description(text: str) -> str:
    """The description as the bank network takes it: one line of 80 characters at most, without `|` and `"`."""
    plain = " ".join("".join(c if c.isprintable() and c not in '|"' else " " for c in text).split())
    return plain[:LONGEST_DESCRIPTION].rstrip()


def _provider_report(report: GatewayReport, state: GatewayState) -> ProviderReport:
    return ProviderReport(
        state=_STATES[state],
        amount=report.amount,
        currency=report.currency,
        invoice=report.invoice,
        reference=report.reference,
        transaction_id=_cus(report),
        ticket_id=report.ticket_id,
        code=int(state),
        text=report.response_text,
        bank_name=report.bank_name,
        occurred_at=report.transaction_date,
        raw=report.raw,
    )


def _cus(report: GatewayReport) -> str | None:
    """The CUS is what the gateway calls the approval code; zeros stand for none (wire: checkout, CUS)."""
    return report.approval if report.approval and report.approval.strip("0") else None
