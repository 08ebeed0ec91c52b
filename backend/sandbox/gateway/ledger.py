"""What the gateway remembers of each transaction. Every change happens under a lock and is told to the merchant."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from backend.core.db.database import Database, database_now, db_now, locked
from backend.migrations.sandbox_tables import SandboxNotification, SandboxTransaction
from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.gateway.faults import Fault, Faults, Kind, Operation

BANK_SESSION = timedelta(minutes=21)
"""After this the bank gives up waiting for the shopper: the transaction is abandoned (wire: gateway 1.8)."""


class DuplicateInvoice(Exception):
    """There is a transaction with this invoice already."""


class Ledger:
    """The gateway's transactions and the notifications they give rise to."""

    def __init__(self, database: Database, faults: Faults) -> None:
        self._database = database
        self._faults = faults

    async def open(self, fields: dict[str, Any]) -> SandboxTransaction:
        """A new pending transaction.

        Raises:
            DuplicateInvoice: its invoice is taken.
        """
        transaction = SandboxTransaction(
            invoice=fields["factura"],
            transaction_id=str(1_000_000_000 + secrets.randbelow(9_000_000_000)),
            # longer than 2^53, as the real ones may be: a merchant that takes it for a float loses digits
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

    async def by_bank_token(self, token: str) -> SandboxTransaction | None:
        """The transaction whose bank page this is."""
        return await self._one(col(SandboxTransaction.bank_token) == token)

    async def by_ticket(self, ticket_id: str) -> SandboxTransaction | None:
        """The transaction with this receipt number."""
        return await self._one(col(SandboxTransaction.ticket_id) == ticket_id)

    async def by_reference(self, reference: str) -> SandboxTransaction | None:
        """The transaction with this number."""
        if not (reference.isascii() and reference.isdigit() and len(reference) <= 9):
            return None
        return await self._one(col(SandboxTransaction.ref_payco) == int(reference))

    async def by_browser_reference(self, reference: str) -> SandboxTransaction | None:
        """The transaction that a browser came back with."""
        return await self._one(col(SandboxTransaction.browser_reference) == reference)

    async def by_invoice(self, invoice: str) -> list[SandboxTransaction]:
        """Every transaction with the merchant's invoice."""
        found = await self._one(col(SandboxTransaction.invoice) == invoice)
        return [found] if found else []

    async def decide(self, bank_token: str, state: GatewayState) -> SandboxTransaction | None:
        """Let the shopper's choice at the bank take effect, once: a final transaction stays as it is."""
        async with self._database.transaction() as session:
            query = select(SandboxTransaction).where(col(SandboxTransaction.bank_token) == bank_token)
            transaction = (await session.execute(locked(query))).scalar_one_or_none()
            if transaction is not None and _changes(transaction, state):
                moment = await database_now(session)
                too_late = moment >= transaction.created_at + BANK_SESSION
                self._set_state(session, transaction, GatewayState.ABANDONED if too_late else state, moment)
        return transaction

    async def abandon_overdue(self) -> int:
        """End the transactions that nobody decided in time. Returns how many."""
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
        return (await session.execute(locked(query))).scalars().all()

    async def _one(self, condition: ColumnElement[bool]) -> SandboxTransaction | None:
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
        """Put the transaction into the state and its notification into the queue."""
        transaction.state, transaction.decided_at = state, moment
        fault = self._faults.take(Operation.NOTIFICATION)
        session.add_all(_notifications(cast("int", transaction.ref_payco), state, moment, fault))


def _changes(transaction: SandboxTransaction, state: GatewayState) -> bool:
    """Whether the choice means anything: what is final stays, and pending is said once."""
    said_before = transaction.decided_at is not None and state is GatewayState.PENDING
    return transaction.state == GatewayState.PENDING and not said_before


def _notifications(
    reference: int, state: GatewayState, moment: datetime, fault: Fault | None
) -> list[SandboxNotification]:
    """What the merchant is told, and when: one notification at once, unless a fault wants it otherwise."""

    def one(state: GatewayState = state, after: float = 0, *, forged: bool = False) -> SandboxNotification:
        due_at = moment + timedelta(seconds=after)
        return SandboxNotification(ref_payco=reference, state=state, due_at=due_at, forged=forged)

    match fault:
        case Fault(kind=Kind.NEVER):
            return []
        case Fault(kind=Kind.TWICE):
            return [one(), one()]
        case Fault(kind=Kind.LATE, seconds=seconds):
            return [one(after=seconds)]
        case Fault(kind=Kind.OUT_OF_ORDER, seconds=seconds):
            return [one(), one(GatewayState.PENDING, after=seconds or 1)]
        case Fault(kind=Kind.FORGED):
            return [one(forged=True)]
        case _:
            return [one()]
