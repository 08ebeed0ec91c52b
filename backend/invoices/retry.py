"""Trying a document once more, when what was wrong is corrected: from its screen, and from what must be resolved."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import Action, AttentionKind
from backend.attention.models import Attention
from backend.attention.service import Decision, Resolver, close_attention
from backend.audit import Subject, Thing, record
from backend.core.errors import Conflict
from backend.invoices.creation import ISSUE
from backend.invoices.issue_job import read_invoice
from backend.invoices.models import Invoice
from backend.invoices.states import STEPS, InvoiceState
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right


async def retry_invoice(session: AsyncSession, actor: Actor, invoice_id: str) -> Invoice:
    """Have the document tried at once, as the order and the shop stand now; its number stays.

    Raises:
        NotFound: there is none.
        Conflict: it was made meanwhile.
    """
    actor.require(Right.RETRY_INVOICES)
    row = await read_invoice(session, invoice_id, lock=True)
    if row.state == InvoiceState.ISSUED:
        raise Conflict(f"{row.full_number} was issued already")
    await record(session, actor, "invoice tried again", Subject(Thing.ORDER, row.order_id))
    await _again(session, row)
    await close_attention(session, AttentionKind.INVOICE_REJECTED, row.id, note="tried again")
    return row


async def _again(session: AsyncSession, row: Invoice) -> None:
    if row.state == InvoiceState.REJECTED:
        row.state = STEPS.require(InvoiceState.REJECTED, InvoiceState.PENDING)
    await session.flush()
    await enqueue(session, ISSUE, key=row.id)


class InvoiceAgain(Resolver):
    """`honor` tries the document once more."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """See `Resolver`."""
        if decision.action is Action.HONOR:
            await read_invoice(session, row.subject_id, lock=True)

    async def apply(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """See `Resolver`. Nothing happens where the document was made meanwhile."""
        if decision.action is Action.HONOR:
            invoice = await read_invoice(session, row.subject_id)
            if invoice.state != InvoiceState.ISSUED:
                await _again(session, invoice)
