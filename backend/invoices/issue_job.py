"""The job that issues a document. Each step is stored before the next.

    1  one transaction: take the number, and store the document with it
    2  one transaction: store that the document is being sent (`asked_at`)
    3  send the document to the provider, outside any transaction
    4  one transaction: store the result

After a crash before step 2 is committed, the job continues with the same number, and with the date of the day on which
the document is sent. After a later crash it is unknown if the provider has the document. So the job asks the provider
for the number (`find`), and sends the document again only if the provider does not know the number. This way no step
creates a second number or document.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.descriptions import REASON, TITLE
from backend.attention.kinds import AttentionKind
from backend.attention.service import close_attention, is_dismissed, raise_attention
from backend.core.config.settings import Settings
from backend.core.dates import today_in_colombia
from backend.core.db.database import Database, database_now, lock_rows
from backend.core.db.tables import get_or_404
from backend.core.errors import InvalidData, ShopError
from backend.core.events import publish
from backend.core.money import Cop
from backend.core.texts import _
from backend.invoices.creation import ISSUE, find_invoice_of_order
from backend.invoices.document_lines import (
    build_annulment,
    build_correction,
    build_credit_lines,
    build_invoice_lines,
    compute_prepaid,
    is_paid_by_transfer,
)
from backend.invoices.documents import Document, restore_document
from backend.invoices.events import InvoiceIssued
from backend.invoices.models import Invoice
from backend.invoices.numbering import NoNumber, get_valid_range, take_number
from backend.invoices.parties import build_customer_party, build_seller
from backend.invoices.providers.base import DocumentRejected, InvoiceProvider, Issued
from backend.invoices.states import STEPS, InvoiceKind, InvoiceState
from backend.jobs import JobRun, RunAgain, enqueue, job
from backend.media.picture_store import open_picture_store
from backend.office_settings import read_effective_settings
from backend.office_settings.invoicing import Invoicing, read_invoicing
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.payment.models import Refund

RETRY_INTERVAL = timedelta(hours=1)
"""Time until the next try of a document without a number or a provider.

After the settings are saved, such a document is tried immediately.
"""
INVOICE_CHECK_INTERVAL = timedelta(minutes=1)
"""Time until a credit note checks again if its invoice is issued.

As soon as the invoice is issued, the credit note is tried immediately.
"""
RUN_TIMEOUT = timedelta(seconds=90)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document to send to its provider. `was_asked` is True if an earlier attempt may have sent it already."""

    document: Document
    provider: InvoiceProvider
    was_asked: bool


class Invoices:
    """The service that issues documents through their providers."""

    def __init__(self, database: Database, settings: Settings, providers: dict[str, InvoiceProvider]) -> None:
        self.database = database
        self.providers = providers
        self.settings = settings
        self.pictures = open_picture_store(settings)

    async def close(self) -> None:
        """Close the providers' connections."""
        for provider in self.providers.values():
            await provider.close()

    @job(ISSUE, timeout=RUN_TIMEOUT, give_up_after=None)
    async def issue(self, run: JobRun) -> RunAgain | None:
        """Issue the document. After an interruption, continue with the first step that is not stored.

        Raises:
            ServiceUnavailable: the provider does not respond; the job is retried with its back-off.
        """
        invoice_id = str(run.key)
        try:
            return await self._issue(invoice_id)
        except (NoNumber, InvalidData) as error:
            await self._raise_waiting(invoice_id, error)
            return RunAgain(RETRY_INTERVAL, reset=True)

    async def _issue(self, invoice_id: str) -> RunAgain | None:
        """Issue the document: the steps of the module's docstring.

        Raises:
            NoNumber: no number is available.
            InvalidData: the shop's own data are not valid for an invoice.
            ServiceUnavailable: the provider does not respond.
        """
        prepared = await self._prepare(invoice_id)
        if prepared is None or isinstance(prepared, RunAgain):
            return prepared
        issued = await prepared.provider.find(prepared.document) if prepared.was_asked else None
        if issued is None:
            document = await self._mark_as_sent(invoice_id)
            if document is None:
                return None
            prepared = replace(prepared, document=document)
            send = (
                prepared.provider.issue if document.kind is InvoiceKind.INVOICE else prepared.provider.credit
            )
            try:
                issued = await send(document)
            except DocumentRejected as error:
                await self._store_rejected(invoice_id, error.message)
                return None
        await self._store_issued(invoice_id, prepared, issued)
        return None

    async def _prepare(self, invoice_id: str) -> PreparedDocument | RunAgain | None:
        """Return the document with its number; None if it is no longer pending, `RunAgain` if it must wait.

        A document waits while its provider is not configured; a credit note also waits until the invoice that it
        corrects is issued.

        Raises:
            NoNumber: no number is available.
            InvalidData: the shop's own data are not valid for an invoice.
        """
        async with self.database.transaction() as session:
            row = await _lock_invoice(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING:
                return None
            invoicing = await read_invoicing(session)
            invoice = await _find_corrected(session, row)
            # only the provider of an invoice can issue its credit note
            provider_id = row.provider_id or (invoice.provider_id if invoice else "") or invoicing.provider
            provider = self.providers.get(provider_id)
            if provider is None:
                return RunAgain(RETRY_INTERVAL, reset=True)
            if row.number is None:
                if invoice is not None and invoice.state != InvoiceState.ISSUED:
                    return RunAgain(INVOICE_CHECK_INTERVAL, reset=True)
                await self._assign_number(session, row, invoicing, provider)
            return PreparedDocument(restore_document(row.document), provider, row.asked_at is not None)

    async def _assign_number(
        self, session: AsyncSession, row: Invoice, invoicing: Invoicing, provider: InvoiceProvider
    ) -> None:
        """Assign the next number to the (locked) row, and store its document with this number."""
        today = today_in_colombia(await database_now(session))
        is_invoice = row.kind == InvoiceKind.INVOICE
        within = get_valid_range(invoicing, today) if is_invoice else None
        prefix = invoicing.prefix if is_invoice else invoicing.credit_prefix
        document = await self._build_document(session, row, invoicing)
        number = await take_number(session, prefix, within)
        row.prefix, row.number, row.provider_id = prefix, number, provider.id
        row.document = replace(document, prefix=prefix, number=number, range=within).as_json()
        await session.flush()
        await close_attention(session, AttentionKind.INVOICE_WAITS, row.id, note="it has a number now")

    async def _build_document(self, session: AsyncSession, row: Invoice, invoicing: Invoicing) -> Document:
        """Return the row's document with the current data, without its number."""
        order = await read_order(session, row.order_id)
        shop = await read_effective_settings(session, self.settings)
        refund = await session.get_one(Refund, row.refund_id) if row.refund_id else None
        invoice = await _find_corrected(session, row)
        corrects = None
        if refund is not None and invoice is not None:
            lines = await build_credit_lines(session, order, refund)
            credited_before = await _sum_credited_before(session, row, invoice)
            corrects = build_correction(invoice, refund, lines, credited_before)
        elif invoice is not None:
            lines, corrects = build_annulment(invoice)
        elif row.annulled_at is not None:  # an edit has changed the order's lines since
            lines = restore_document(row.document).lines
        else:
            lines = await build_invoice_lines(session, order)
        return Document(
            kind=InvoiceKind(row.kind),
            prefix="",
            number=0,
            issued_at=(await database_now(session)).replace(microsecond=0),
            order_number=order.number or 0,
            is_transfer=await is_paid_by_transfer(session, order),
            seller=build_seller(shop, invoicing.tax_level),
            buyer=build_customer_party(order),
            lines=lines,
            corrects=corrects,
            prepaid=await _find_prepaid(session, row, order) if corrects is None else None,
        )

    async def _mark_as_sent(self, invoice_id: str) -> Document | None:
        """Store that the document is being sent, and return it; None if it is no longer pending.

        The caller knows that the provider does not have the document. The document is rebuilt from the current data
        if it was rejected, or if its date is not today: the DIAN accepts a document only on its own date
        (Res. 165 of 2023).
        """
        async with self.database.transaction() as session:
            row = await _lock_invoice(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING:
                return None
            moment = await database_now(session)
            document = restore_document(row.document)
            is_old = document.local.date() != today_in_colombia(moment)
            if row.reason or is_old:
                now = await self._build_document(session, row, await read_invoicing(session))
                document = replace(now, prefix=document.prefix, number=document.number, range=document.range)
                row.document = document.as_json()
            row.asked_at, row.reason = row.asked_at or moment, ""
        return document

    async def _store_issued(self, invoice_id: str, prepared: PreparedDocument, issued: Issued) -> None:
        async with self.database.transaction() as session:
            row = await _lock_invoice(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING:
                return
            _move_to(row, InvoiceState.ISSUED)
            row.issued_at, row.code, row.xml = await database_now(session), issued.code, issued.xml
            row.reason = ""
            if issued.issued_at is not None:
                row.document = replace(prepared.document, issued_at=issued.issued_at).as_json()
            await session.flush()
            for kind in (
                AttentionKind.INVOICE_REJECTED,
                AttentionKind.INVOICE_LATE,
                AttentionKind.INVOICE_WAITS,
            ):
                await close_attention(session, kind, row.id, note="it was issued")
            if prepared.provider.is_electronic:
                await publish(session, InvoiceIssued(row.id))
            waiting = select(Invoice.id).where(
                Invoice.order_id == row.order_id, Invoice.state == InvoiceState.PENDING
            )
            for note_id in (await session.execute(waiting)).scalars():
                await enqueue(session, ISSUE, key=note_id)

    async def _store_rejected(self, invoice_id: str, reason: str) -> None:
        async with self.database.transaction() as session:
            row = await _lock_invoice(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING:
                return
            _move_to(row, InvoiceState.REJECTED)
            row.reason = reason[:2000] or "no reason was given"
            await raise_attention(
                session,
                AttentionKind.INVOICE_REJECTED,
                subject_id=row.id,
                order_id=row.order_id,
                amount=row.amount,
                message=f"{row.full_number} was rejected: {row.reason[:500]}",
                data={TITLE: row.full_number, REASON: reason[:500] or _("no dicen por qué")},
            )

    async def _raise_waiting(self, invoice_id: str, error: ShopError) -> None:
        """Open an attention row for a document that cannot be built or numbered, unless staff have dismissed it."""
        kind = AttentionKind.INVOICE_WAITS
        async with self.database.transaction() as session:
            row = await _lock_invoice(session, invoice_id)
            if row is None or row.state != InvoiceState.PENDING or await is_dismissed(session, kind, row.id):
                return
            await raise_attention(
                session,
                kind,
                subject_id=row.id,
                order_id=row.order_id,
                amount=row.amount,
                message=error.message,
                data={REASON: error.staff_text},
            )


async def retry_waiting(session: AsyncSession) -> None:
    """Enqueue the jobs of the documents that were never sent, because the settings have changed."""
    waiting = select(Invoice.id).where(Invoice.state == InvoiceState.PENDING, Invoice.asked_at.is_(None))
    for invoice_id in (await session.execute(waiting)).scalars():
        await enqueue(session, ISSUE, key=invoice_id)


async def read_invoice(session: AsyncSession, invoice_id: str, *, lock: bool = False) -> Invoice:
    """Return the invoice or credit note with this id; with `lock`, lock its row.

    Raises:
        NotFound: there is no such document.
    """
    query = select(Invoice).where(Invoice.id == invoice_id)
    return await get_or_404(session, lock_rows(query) if lock else query, "Invoice", invoice_id)


def _move_to(row: Invoice, state: InvoiceState) -> None:
    row.state = STEPS.require(InvoiceState(row.state), state)


async def _lock_invoice(session: AsyncSession, invoice_id: str) -> Invoice | None:
    query = lock_rows(select(Invoice).where(Invoice.id == invoice_id))
    return (await session.execute(query)).scalar_one_or_none()


async def _find_corrected(session: AsyncSession, row: Invoice) -> Invoice | None:
    """Return the invoice that a credit note corrects; None for an invoice."""
    if row.kind != InvoiceKind.CREDIT_NOTE:
        return None
    if row.corrects_id is not None:
        return await session.get(Invoice, row.corrects_id)
    return await find_invoice_of_order(session, row.order_id)


async def _find_prepaid(session: AsyncSession, row: Invoice, order: Order) -> Cop | None:
    """Return the paid part of a partly paid invoice, in pesos; None if it was paid in full.

    For an annulled invoice, it is the part that its document states.
    """
    if row.annulled_at is not None:
        return restore_document(row.document).prepaid
    return await compute_prepaid(session, order)


async def _sum_credited_before(session: AsyncSession, row: Invoice, invoice: Invoice) -> Cop:
    """Return the total of all credit notes for `invoice` except `row`, in pesos."""
    query = select(Invoice.amount).where(
        Invoice.order_id == row.order_id,
        Invoice.kind == InvoiceKind.CREDIT_NOTE,
        Invoice.id != row.id,
        or_(Invoice.corrects_id == invoice.id, Invoice.corrects_id.is_(None)),
    )
    return sum((await session.execute(query)).scalars())
