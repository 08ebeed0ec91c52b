"""Check second transactions: a shopper paid an invoice again at the bank.

The gateway gives such a payment a new number, which only a notification contains. The regular checks of the session
do not look up this number. If the outcome is missed here, the shop never learns that it received the money, and the
customer has paid without an order.
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
from backend.payment.sessions import to_started_payment
from backend.payment.transitions import (
    NOT_TAKEN,
    apply_report,
    apply_second_report,
    format_second_invoice,
    lock_session,
)

UNRESOLVED = "the gateway has not reported the outcome of its transaction {reference}; check its own pages"
ANSWERED = "The gateway has now reported: {state}"

_SESSIONS_WITH_REFERENCE = select(PaymentSession).where(
    PaymentSession.provider_id == bindparam("provider_id"),
    PaymentSession.reference == bindparam("reference"),
)


@dataclass(frozen=True, slots=True)
class SecondTransaction:
    """Result of the check of a second transaction of an invoice.

    Attributes:
        report: the provider's report. If its state is UNKNOWN and it has an invoice, the transaction belongs
            to that other invoice.
        session: the payment session of the transaction; None if the transaction has taken no money.
    """

    report: ProviderReport
    session: PaymentSession | None

    @property
    def has_ended(self) -> bool:
        """True if the provider has reported how the transaction ended."""
        return self.report.state in (ProviderState.CAPTURED, *NOT_TAKEN)

    @property
    def is_of_another_invoice(self) -> bool:
        """True if the provider has reported that the transaction belongs to another invoice."""
        return self.report.state is ProviderState.UNKNOWN and self.report.invoice is not None


async def check_second_transaction(
    database: Database, providers: Providers, payment: PaymentSession, reference: str
) -> SecondTransaction:
    """Request a report of another transaction of the session's invoice, and apply the report if it is an approval.

    Apply any report of a transaction that was approved before. Other reports do not change the payment. If the
    transaction has ended, close its attention row.
    """
    facts = replace(to_started_payment(payment), reference=reference, transaction_id=None, ticket_id=None)
    report = await ask_provider(providers, payment, facts)
    if report.state is ProviderState.CAPTURED:
        report = replace(report, reference=report.reference or reference)
        await apply_second_report(database, payment.id, report)
    elif (earlier := await _find_session(database, payment, reference)) is not None:
        await apply_report(database, earlier.id, report)
    checked = SecondTransaction(report, await _find_session(database, payment, reference))
    if checked.has_ended:
        note = ANSWERED.format(state=report.state)
        subject = format_second_invoice(payment, reference)
        async with database.transaction() as session:
            await close_attention(session, AttentionKind.PAYMENT_UNRESOLVED, subject, note=note)
    return checked


async def raise_unresolved(database: Database, payment: PaymentSession, reference: str) -> bool:
    """Open an attention row for a second transaction whose outcome the provider does not report.

    Nothing is opened while such a row is open, or after a staff member has resolved one.

    Returns:
        False if the number belongs to another payment, which is checked separately. Then no row was opened.
    """
    subject = format_second_invoice(payment, reference)
    async with database.transaction() as session:
        locked, cart = await lock_session(session, payment.id)
        sessions = await _list_sessions_with(session, payment.provider_id, reference)
        if any(one.invoice not in (payment.invoice, subject) for one in sessions):
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
    """Return the payment session that has stored this transaction.

    It is `payment` itself, or the session that was created for the second transaction of its invoice. None if no
    session has stored the transaction.
    """
    invoices = (payment.invoice, format_second_invoice(payment, reference))
    async with database.read() as session:
        sessions = await _list_sessions_with(session, payment.provider_id, reference)
    return next((one for one in sessions if one.invoice in invoices), None)


async def _list_sessions_with(
    session: AsyncSession, provider_id: str, reference: str
) -> Sequence[PaymentSession]:
    """Return the payment sessions with this number of the provider."""
    of_number = {"provider_id": provider_id, "reference": reference}
    return (await session.execute(_SESSIONS_WITH_REFERENCE, of_number)).scalars().all()
