"""Retry of a document after a correction: from the document's screen, and from its attention row."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import Action, AttentionKind
from backend.attention.models import Attention
from backend.attention.service import Decision, Resolver, close_attention
from backend.audit import Subject, SubjectType, record
from backend.core.errors import Conflict
from backend.invoices.creation import ISSUE
from backend.invoices.issue_job import read_invoice
from backend.invoices.models import Invoice
from backend.invoices.states import STEPS, InvoiceState
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right


async def retry_invoice(session: AsyncSession, actor: Actor, invoice_id: str) -> Invoice:
    """Retry the document immediately, with the current data of the order and the shop. Its number does not change.

    Raises:
        NotFound: there is no such document.
        Conflict: the document is already issued.
    """
    actor.require(Right.RETRY_INVOICES)
    row = await read_invoice(session, invoice_id, lock=True)
    if row.state == InvoiceState.ISSUED:
        raise Conflict(f"{row.full_number} was issued already")
    await record(session, actor, "invoice tried again", Subject(SubjectType.ORDER, row.order_id))
    await _enqueue_again(session, row)
    await close_attention(session, AttentionKind.INVOICE_REJECTED, row.id, note="tried again")
    return row


async def _enqueue_again(session: AsyncSession, row: Invoice) -> None:
    if row.state == InvoiceState.REJECTED:
        row.state = STEPS.require(InvoiceState.REJECTED, InvoiceState.PENDING)
    await session.flush()
    await enqueue(session, ISSUE, key=row.id)


class InvoiceRetryResolver(Resolver):
    """Resolver of an attention row about a document. Its action `honor` retries the document."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Lock the document if the decision is to retry it. See `Resolver`."""
        if decision.action is Action.HONOR:
            await read_invoice(session, row.subject_id, lock=True)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Retry to issue the document, if staff chose to and it is still not issued. See `Resolver`."""
        if decision.action is Action.HONOR:
            invoice = await read_invoice(session, row.subject_id)
            if invoice.state != InvoiceState.ISSUED:
                await _enqueue_again(session, invoice)
