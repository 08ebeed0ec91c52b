"""The gateway's stored transactions. Every change of state locks the row and notifies the merchant."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from backend.core.db.database import Database, database_now, db_now, lock_rows
from backend.migrations.sandbox_tables import SandboxNotification, SandboxTransaction
from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.gateway.faults import Fault, FaultKind, Faults, Operation

BANK_SESSION = timedelta(minutes=21)
"""Time after which the bank stops waiting for the customer, and the transaction is abandoned (wire: gateway 1.8)."""


class DuplicateInvoice(Exception):
    """A transaction with this invoice exists already."""


class Ledger:
    """The gateway's transactions and their notifications."""

    def __init__(self, database: Database, faults: Faults) -> None:
        self._database = database
        self._faults = faults

    async def open_transaction(self, fields: dict[str, Any]) -> SandboxTransaction:
        """Create a pending transaction.

        Raises:
            DuplicateInvoice: a transaction with this invoice exists already.
        """
        transaction = SandboxTransaction(
            invoice=fields["factura"],
            transaction_id=str(1_000_000_000 + secrets.randbelow(9_000_000_000)),
            # greater than 2^53, as real ones may be: a merchant that parses it as a float loses digits
            ticket_id=str(10**19 + secrets.randbelow(9 * 10**19)),
            bank_token=secrets.token_urlsafe(24),
            browser_reference=secrets.token_hex(12),
            state=GatewayState.PENDING,
            fields=fields,
        )
        try:
            async with self._database.transaction() as session:
                transaction.created_at = await database_now(session)
                session.add(transaction)
        except IntegrityError:
            raise DuplicateInvoice from None
        return transaction

    async def find_by_bank_token(self, token: str) -> SandboxTransaction | None:
        """Find the transaction by the token in the address of its bank page."""
        return await self._find_one(col(SandboxTransaction.bank_token) == token)

    async def find_by_ticket(self, ticket_id: str) -> SandboxTransaction | None:
        """Find the transaction by its receipt number."""
        return await self._find_one(col(SandboxTransaction.ticket_id) == ticket_id)

    async def find_by_reference(self, reference: str) -> SandboxTransaction | None:
        """Find the transaction by the gateway's number."""
        if not (reference.isascii() and reference.isdigit() and len(reference) <= 9):
            return None
        return await self._find_one(col(SandboxTransaction.ref_payco) == int(reference))

    async def find_by_browser_reference(self, reference: str) -> SandboxTransaction | None:
        """Find the transaction by the reference with which the bank sent the browser back to the shop."""
        return await self._find_one(col(SandboxTransaction.browser_reference) == reference)

    async def list_by_invoice(self, invoice: str) -> list[SandboxTransaction]:
        """Return the transaction with this invoice number of the merchant, as a list; empty if there is none."""
        found = await self._find_one(col(SandboxTransaction.invoice) == invoice)
        return [found] if found else []

    async def decide(self, bank_token: str, state: GatewayState) -> SandboxTransaction | None:
        """Apply the customer's decision at the bank, and return the transaction; None if there is no such transaction.

        A transaction in a final state stays unchanged. If the bank session has ended, the transaction is abandoned
        instead.
        """
        async with self._database.transaction() as session:
            query = select(SandboxTransaction).where(col(SandboxTransaction.bank_token) == bank_token)
            transaction = (await session.execute(lock_rows(query))).scalar_one_or_none()
            if transaction is not None and _has_effect(transaction, state):
                moment = await database_now(session)
                too_late = moment >= transaction.created_at + BANK_SESSION
                self._set_state(session, transaction, GatewayState.ABANDONED if too_late else state, moment)
        return transaction

    async def abandon_overdue(self) -> int:
        """Abandon the transactions that the customer did not decide in time. Return their number."""
        async with self._database.transaction() as session:
            moment = await database_now(session)
            overdue = await self._overdue(session, moment)
            for transaction in overdue:
                self._set_state(session, transaction, GatewayState.ABANDONED, moment)
        return len(overdue)

    async def _overdue(self, session: AsyncSession, moment: datetime) -> Sequence[SandboxTransaction]:
        query = select(SandboxTransaction).where(
            col(SandboxTransaction.state) == int(GatewayState.PENDING),
            col(SandboxTransaction.created_at) <= moment - BANK_SESSION,
        )
        return (await session.execute(lock_rows(query))).scalars().all()

    async def _find_one(self, condition: ColumnElement[bool]) -> SandboxTransaction | None:
        query = select(SandboxTransaction).where(condition)
        async with self._database.read() as session:
            row = (await session.execute(query.add_columns(db_now()))).one_or_none()
        if row is None:
            return None
        found, moment = row
        if found.state != GatewayState.PENDING or moment < found.created_at + BANK_SESSION:
            return cast("SandboxTransaction", found)
        await self.abandon_overdue()
        async with self._database.read() as session:
            return (await session.execute(query)).scalar_one_or_none()

    def _set_state(
        self, session: AsyncSession, transaction: SandboxTransaction, state: GatewayState, moment: datetime
    ) -> None:
        """Change the state of the transaction, and enqueue its notification."""
        transaction.state, transaction.decided_at = state, moment
        fault = self._faults.take(Operation.NOTIFICATION)
        session.add_all(_build_notifications(cast("int", transaction.ref_payco), state, moment, fault))


def _has_effect(transaction: SandboxTransaction, state: GatewayState) -> bool:
    """Return True if the decision changes the transaction.

    A final state never changes. The decision "pending" changes the transaction only if it is the first decision.
    """
    is_repeated = transaction.decided_at is not None and state is GatewayState.PENDING
    return transaction.state == GatewayState.PENDING and not is_repeated


def _build_notifications(
    reference: int, state: GatewayState, moment: datetime, fault: Fault | None
) -> list[SandboxNotification]:
    """Return the notifications about a new state.

    Without a fault, this is one notification that is due immediately.
    """

    def build(state: GatewayState = state, after: float = 0, *, forged: bool = False) -> SandboxNotification:
        due_at = moment + timedelta(seconds=after)
        return SandboxNotification(ref_payco=reference, state=state, due_at=due_at, forged=forged)

    match fault:
        case Fault(kind=FaultKind.NEVER):
            return []
        case Fault(kind=FaultKind.TWICE):
            return [build(), build()]
        case Fault(kind=FaultKind.LATE, seconds=seconds):
            return [build(after=seconds)]
        case Fault(kind=FaultKind.OUT_OF_ORDER, seconds=seconds):
            return [build(), build(GatewayState.PENDING, after=seconds or 1)]
        case Fault(kind=FaultKind.FORGED):
            return [build(forged=True)]
        case _:
            return [build()]
