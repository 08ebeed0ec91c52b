"""Second transactions: the shopper paid an invoice again at the bank, and the gateway gave that its own number.

Only a notification names such a number. The checks of the session do not ask about it, so an end that is missed here
is never found, and an approval without an order is lost money.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention, is_resolved_by_staff, raise_attention
from backend.core.db.database import Database
from backend.payment.checks import ask_provider
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderReport, Providers, ProviderState
from backend.payment.sessions import started_payment
from backend.payment.transitions import (
    NOT_TAKEN,
    apply_report,
    apply_second_report,
    invoice_beside,
    lock_session,
)

UNRESOLVED = "the gateway has not said how its transaction {reference} ended; look at its own pages"
ANSWERED = "The gateway said so after all: {state}"

_OF_TRANSACTION = select(PaymentSession).where(
    PaymentSession.provider_id == bindparam("provider_id"),
    PaymentSession.reference == bindparam("reference"),
)


@dataclass(frozen=True, slots=True)
class SecondTransaction:
    """A second transaction of an invoice, as it is after a check.

    Attributes:
        report: the provider's. In state UNKNOWN it names an invoice if the transaction is that invoice's.
        session: the payment session that took the transaction; None if it has taken no money.
    """

    report: ProviderReport
    session: PaymentSession | None

    @property
    def has_ended(self) -> bool:
        """Return True if the provider has said how the transaction ended."""
        return self.report.state in (ProviderState.CAPTURED, *NOT_TAKEN)

    @property
    def is_of_another_invoice(self) -> bool:
        """Return True if the provider has said that the transaction is another invoice's."""
        return self.report.state is ProviderState.UNKNOWN and self.report.invoice is not None


async def check_second_transaction(
    database: Database, providers: Providers, payment: PaymentSession, reference: str
) -> SecondTransaction:
    """Ask about another transaction of the session's invoice. Apply an approval, and later reports about it.

    The refusal of a transaction that has taken no money says nothing of the payment.
    """
    facts = replace(started_payment(payment), reference=reference, transaction_id=None, ticket_id=None)
    report = await ask_provider(providers, payment, facts)
    if report.state is ProviderState.CAPTURED:
        report = replace(report, reference=report.reference or reference)
        await apply_second_report(database, payment.id, report)
    elif (known := await _find_session(database, payment, reference)) is not None:
        await apply_report(database, known.id, report)
    checked = SecondTransaction(report, await _find_session(database, payment, reference))
    if checked.has_ended:
        note = ANSWERED.format(state=report.state)
        subject = invoice_beside(payment, reference)
        async with database.transaction() as session:
            await close_attention(session, AttentionKind.PAYMENT_UNRESOLVED, subject, note=note)
    return checked


async def raise_unresolved(database: Database, payment: PaymentSession, reference: str) -> bool:
    """Raise attention for a second transaction whose provider does not say how it ended.

    Nothing is raised while such a row is open, or after a staff member has resolved one.

    Returns:
        False if the number is another payment's, whose own checks ask about it: there is nothing to raise.
    """
    subject = invoice_beside(payment, reference)
    async with database.transaction() as session:
        locked, cart = await lock_session(session, payment.id)
        known = await _sessions_with(session, payment.provider_id, reference)
        if any(one.invoice not in (payment.invoice, subject) for one in known):
            return False
        if await is_resolved_by_staff(session, AttentionKind.PAYMENT_UNRESOLVED, subject):
            return True
        await raise_attention(
            session,
            AttentionKind.PAYMENT_UNRESOLVED,
            subject_id=subject,
            message=f"Payment {payment.invoice}: {UNRESOLVED.format(reference=reference)}",
            amount=locked.amount,
            order_id=cart.order_id if cart.completed_at is not None else None,
            payment_session_id=locked.id,
            data={"state": locked.state, "reference": reference},
        )
    return True


async def _find_session(database: Database, payment: PaymentSession, reference: str) -> PaymentSession | None:
    """Return the session that has taken the transaction: its own, or the one of the invoice."""
    invoices = (payment.invoice, invoice_beside(payment, reference))
    async with database.read() as session:
        known = await _sessions_with(session, payment.provider_id, reference)
    return next((one for one in known if one.invoice in invoices), None)


async def _sessions_with(session: AsyncSession, provider_id: str, reference: str) -> Sequence[PaymentSession]:
    """Return the payment sessions that have this number of the provider's."""
    of_number = {"provider_id": provider_id, "reference": reference}
    return (await session.execute(_OF_TRANSACTION, of_number)).scalars().all()
