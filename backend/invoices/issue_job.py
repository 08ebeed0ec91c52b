"""The job of a document: its number, then its provider, then what came of it. Each step is stored before the next.

    1  one transaction: the number is taken, and what the document says is stored with it
    2  one transaction: that the provider is told now (`asked_at`)
    3  the provider is told, outside any transaction
    4  one transaction: what came of it

Whoever dies before 2 goes on with the same number. From 2 on nobody knows what the provider did: it is asked for the
number (`find`), and told it once more only when it does not know it. So no step makes a second number or document.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import AttentionKind
from backend.attention.service import close_attention, is_dismissed, raise_attention
from backend.core.config.settings import Settings
from backend.core.dates import today_in_colombia
from backend.core.db.database import Database, database_now, locked
from backend.core.db.tables import get_or_404
from backend.core.errors import InvalidData
from backend.core.events import publish
from backend.core.money import Cop
from backend.invoices.creation import ISSUE, invoice_of
from backend.invoices.document_lines import correction, credit_lines, invoice_lines, is_transfer, prepaid_part
from backend.invoices.documents import Document, document_from
from backend.invoices.events import InvoiceIssued
from backend.invoices.models import Invoice
from backend.invoices.numbering import NoNumber, range_of, take_number
from backend.invoices.parties import buyer_of, seller_of
from backend.invoices.providers.base import DocumentRejected, InvoiceProvider, Issued
from backend.invoices.states import STEPS, InvoiceKind, InvoiceState
from backend.jobs import JobRun, RunAgain, enqueue, job
from backend.office_settings import read_effective_settings
from backend.office_settings.invoicing import Invoicing, read_invoicing
from backend.orders.service import read_order
from backend.payment.models import Refund

LATER = timedelta(hours=1)
"""When a document is tried again that gets no number, or no provider; saving the settings tries it at once."""
FOR_THE_INVOICE = timedelta(minutes=1)
"""When a credit note looks again whether its invoice was made; that it was made wakes it too."""
LONGEST_RUN = timedelta(seconds=90)


@dataclass(frozen=True, slots=True)
class Told:
    """A document that its provider is to be told. `was_asked`: it may know it already."""

    document: Document
    provider: InvoiceProvider
    was_asked: bool


class Invoices:
    """Has documents made by their providers."""

    def __init__(self, database: Database, settings: Settings, providers: dict[str, InvoiceProvider]) -> None:
        self.database = database
        self.providers = providers
        self._settings = settings

    async def close(self) -> None:
        """Give the providers' connections back."""
        for provider in self.providers.values():
            await provider.close()

    @job(ISSUE, timeout=LONGEST_RUN, give_up_after=None)
    async def issue(self, run: JobRun) -> RunAgain | None:
        """Have the document made, from wherever it stands.

        Raises:
            ServiceUnavailable: its provider does not answer: the job's back-off tries it again.
        """
        invoice_id = str(run.key)
        try:
            told = await self._prepare(invoice_id)
        except (NoNumber, InvalidData) as error:
            await self._wait(invoice_id, error.message)
            return RunAgain(LATER, reset=True)
        if told is None or isinstance(told, RunAgain):
            return told
        issued = await told.provider.find(told.document) if told.was_asked else None
        if issued is None:
            document = await self._ask(invoice_id, told)
            if document is None:
                return None
            told = replace(told, document=document)
            tell = told.provider.issue if document.kind is InvoiceKind.INVOICE else told.provider.credit
            try:
                issued = await tell(document)
            except DocumentRejected as error:
                await self._rejected(invoice_id, error.message)
                return None
        await self._issued(invoice_id, told, issued)
        return None

    async def _prepare(self, invoice_id: str) -> Told | RunAgain | None:
        """The document with its number; None when nothing is to be done.

        Raises:
            NoNumber: there is none for it.
            InvalidData: the shop's own data do not do for an invoice.
        """
        async with self.database.transaction() as session:
            row = await _locked(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING:
                return None
            invoicing = await read_invoicing(session)
            invoice = await _corrected(session, row)
            # only who made an invoice knows what its credit note corrects
            made_by = row.provider_id or (invoice.provider_id if invoice else "") or invoicing.provider
            provider = self.providers.get(made_by)
            if provider is None:
                return RunAgain(LATER, reset=True)
            if row.number is None:
                if invoice is not None and invoice.state != InvoiceState.ISSUED:
                    return RunAgain(FOR_THE_INVOICE, reset=True)
                await self._number(session, row, invoicing, provider)
            return Told(document_from(row.document), provider, row.asked_at is not None)

    async def _number(
        self, session: AsyncSession, row: Invoice, invoicing: Invoicing, provider: InvoiceProvider
    ) -> None:
        """Take the number of the (locked) row, and store what its document says."""
        today = today_in_colombia(await database_now(session))
        is_invoice = row.kind == InvoiceKind.INVOICE
        within = range_of(invoicing, today) if is_invoice else None
        prefix = invoicing.prefix if is_invoice else invoicing.credit_prefix
        document = await self._document(session, row, invoicing)
        number = await take_number(session, prefix, within)
        row.prefix, row.number, row.provider_id = prefix, number, provider.id
        row.document = replace(document, prefix=prefix, number=number, range=within).as_json()
        await session.flush()
        await close_attention(session, AttentionKind.INVOICE_WAITS, row.id, note="it has its number")

    async def _document(self, session: AsyncSession, row: Invoice, invoicing: Invoicing) -> Document:
        """What the row's document says as of now, without its number."""
        order = await read_order(session, row.order_id)
        shop = await read_effective_settings(session, self._settings)
        refund = await session.get_one(Refund, row.refund_id) if row.refund_id else None
        invoice = await _corrected(session, row)
        corrects = None
        if refund is not None and invoice is not None:
            lines = await credit_lines(session, order, refund)
            corrects = correction(invoice, refund, lines, await _credited_before(session, row))
        else:
            lines = await invoice_lines(session, order)
        return Document(
            kind=InvoiceKind(row.kind),
            prefix="",
            number=0,
            issued_at=(await database_now(session)).replace(microsecond=0),
            order_number=order.number or 0,
            is_transfer=await is_transfer(session, order),
            seller=seller_of(shop, invoicing.tax_level),
            buyer=buyer_of(order),
            lines=lines,
            corrects=corrects,
            prepaid=await prepaid_part(session, order) if corrects is None else None,
        )

    async def _ask(self, invoice_id: str, told: Told) -> Document | None:
        """Store that the provider is told now, and of what; None when it was settled meanwhile.

        What the provider does not know, and was rejected or is of an earlier day, says how things stand today: the DIAN
        takes a document on the day that it bears (Res. 165 of 2023).
        """
        async with self.database.transaction() as session:
            row = await _locked(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING:
                return None
            moment = await database_now(session)
            document = document_from(row.document)
            is_old = document.local.date() != today_in_colombia(moment)
            if told.was_asked and (row.reason or is_old):
                now = await self._document(session, row, await read_invoicing(session))
                document = replace(now, prefix=document.prefix, number=document.number, range=document.range)
                row.document = document.as_json()
            row.asked_at, row.reason = row.asked_at or moment, ""
        return document

    async def _issued(self, invoice_id: str, told: Told, issued: Issued) -> None:
        async with self.database.transaction() as session:
            row = await _locked(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING:
                return
            _move(row, InvoiceState.ISSUED)
            row.issued_at, row.code, row.xml = await database_now(session), issued.code, issued.xml
            row.reason = ""
            if issued.issued_at is not None:
                row.document = replace(told.document, issued_at=issued.issued_at).as_json()
            await session.flush()
            for kind in (AttentionKind.INVOICE_REJECTED, AttentionKind.INVOICE_LATE):
                await close_attention(session, kind, row.id, note="it was issued")
            if told.provider.is_electronic:
                await publish(session, InvoiceIssued(row.id))
            waiting = select(Invoice.id).where(
                Invoice.order_id == row.order_id, Invoice.state == InvoiceState.PENDING
            )
            for note_id in (await session.execute(waiting)).scalars():
                await enqueue(session, ISSUE, key=note_id)

    async def _rejected(self, invoice_id: str, reason: str) -> None:
        async with self.database.transaction() as session:
            row = await _locked(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING:
                return
            _move(row, InvoiceState.REJECTED)
            row.reason = reason[:2000] or "no reason was given"
            await raise_attention(
                session,
                AttentionKind.INVOICE_REJECTED,
                subject_id=row.id,
                order_id=row.order_id,
                amount=row.amount,
                message=f"{row.full_number} was rejected: {row.reason[:500]}",
            )

    async def _wait(self, invoice_id: str, why: str) -> None:
        """It gets no number: somebody must look. Who has said that nothing is to be done is not told every hour."""
        kind = AttentionKind.INVOICE_WAITS
        async with self.database.transaction() as session:
            row = await _locked(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING or await is_dismissed(session, kind, row.id):
                return
            await raise_attention(
                session, kind, subject_id=row.id, order_id=row.order_id, amount=row.amount, message=why
            )


async def retry_waiting(session: AsyncSession) -> None:
    """Try everything that has no number yet: the settings have changed."""
    waiting = select(Invoice.id).where(Invoice.state == InvoiceState.PENDING, Invoice.number.is_(None))
    for invoice_id in (await session.execute(waiting)).scalars():
        await enqueue(session, ISSUE, key=invoice_id)


async def read_invoice(session: AsyncSession, invoice_id: str, *, lock: bool = False) -> Invoice:
    """The document with this id.

    Raises:
        NotFound: there is none.
    """
    query = select(Invoice).where(Invoice.id == invoice_id)
    return await get_or_404(session, locked(query) if lock else query, "Invoice", invoice_id)


def _move(row: Invoice, state: InvoiceState) -> None:
    row.state = STEPS.require(InvoiceState(row.state), state)


async def _locked(session: AsyncSession, invoice_id: str) -> Invoice | None:
    query = locked(select(Invoice).where(Invoice.id == invoice_id))
    return (await session.execute(query)).scalar_one_or_none()


async def _corrected(session: AsyncSession, row: Invoice) -> Invoice | None:
    """The invoice that a credit note corrects; None for an invoice."""
    return await invoice_of(session, row.order_id) if row.kind == InvoiceKind.CREDIT_NOTE else None


async def _credited_before(session: AsyncSession, row: Invoice) -> Cop:
    """What other credit notes of the order give back."""
    query = select(Invoice.amount).where(
        Invoice.order_id == row.order_id, Invoice.kind == InvoiceKind.CREDIT_NOTE, Invoice.id != row.id
    )
    return sum((await session.execute(query)).scalars())
