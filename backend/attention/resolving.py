"""Settling what a person decided about: each row once, in the transaction that does what the decision says.

What a decision does to orders, stock, payments and labels is known by the packages above, which give a `Resolver` for
each kind. A row is locked last: whoever raises one holds the locks of what it is about already.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import RULES, Action, AttentionKind
from backend.attention.models import Attention
from backend.database import Database, database_now, locked
from backend.errors import Conflict, InvalidData, NotFound
from backend.jobs import forget, run_again
from backend.tables import JsonObject


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody decided.

    Attributes:
        by: the id of the staff member, or `command line`.
        reference: of the bank transfer that gave the money back.
        label: what was found at the carrier, for a label in doubt.
    """

    action: Action
    by: str
    reference: str | None = None
    note: str | None = None
    label: JsonObject = field(default_factory=dict)


class Resolver:
    """What the decisions about one kind do. Every method may refuse by raising; then the row stays open."""

    async def prepare(self, row: Attention, decision: Decision) -> None:
        """Ask the world outside what has to be known first. No transaction is open."""

    async def lock(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Lock what the row is about, before the row is locked."""

    async def settle(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """Do what the decision says, with the row locked and still open."""

    async def finish(self, row: Attention, decision: Decision) -> None:
        """Do what needs the world outside, after the row was resolved."""


class FailedJob(Resolver):
    """A job that was given up: it runs once more, or is forgotten."""

    async def settle(self, session: AsyncSession, row: Attention, decision: Decision) -> None:
        """See `Resolver`. InvalidData: the job is gone and cannot run."""
        job_id = int(row.subject_id)
        if decision.action is Action.DISMISSED:
            await forget(session, job_id)
        elif not await run_again(session, job_id):
            raise InvalidData("This job is done or gone: there is nothing to run. Dismiss it with a note")


class AttentionDesk:
    """Resolves rows, with the resolver of each kind; a kind without one only keeps the note."""

    def __init__(self, database: Database, resolvers: Mapping[AttentionKind, Resolver]) -> None:
        self.database = database
        self._resolvers = {AttentionKind.JOB_FAILED: FailedJob(), **resolvers}

    async def resolve(self, attention_id: str, decision: Decision) -> Attention:
        """Do what was decided, once.

        Raises:
            NotFound: there is no such row.
            Conflict: it is resolved already.
            InvalidData: the kind does not allow the action, or the action lacks its reference or note.
            ShopError: what the resolver of the kind raises; the row stays open.
        """
        async with self.database.read() as session:
            row = await read_attention(session, attention_id)
        require_open(row)
        require_complete(row, decision)
        resolver = self._resolvers.get(AttentionKind(row.kind)) or Resolver()
        await resolver.prepare(row, decision)
        async with self.database.transaction() as session:
            await resolver.lock(session, row, decision)
            row = await read_attention(session, attention_id, lock=True)
            require_open(row)
            await resolver.settle(session, row, decision)
            row.resolved_at = await database_now(session)
            row.resolved_by, row.resolution = decision.by, decision.action
            row.reference, row.note = decision.reference, decision.note
        await resolver.finish(row, decision)
        return row


async def read_attention(session: AsyncSession, attention_id: str, *, lock: bool = False) -> Attention:
    """The row with this id.

    Raises:
        NotFound: there is none.
    """
    query = select(Attention).where(Attention.id == attention_id)
    row = (await session.execute(locked(query) if lock else query)).scalar_one_or_none()
    if row is None:
        raise NotFound(f"Attention with id: {attention_id} was not found")
    return row


def require_open(row: Attention) -> None:
    """Nothing is settled twice.

    Raises:
        Conflict: the row is resolved.
    """
    if row.resolved_at is not None:
        raise Conflict(f"Attention {row.id} is resolved already: {row.resolution} by {row.resolved_by}")


def require_complete(row: Attention, decision: Decision) -> None:
    """The kind allows the action, and the action has what it needs.

    Raises:
        InvalidData: the message names the actions that are allowed, or what is missing.
    """
    allowed = RULES[AttentionKind(row.kind)].actions
    if decision.action not in allowed:
        raise InvalidData(f"{row.kind} allows {', '.join(allowed)}, not {decision.action}")
    if decision.action is Action.REFUNDED and not decision.reference:
        raise InvalidData("refunded needs `reference`: that of the bank transfer")
    if decision.action is Action.DISMISSED and not decision.note:
        raise InvalidData("dismissed needs `note`: why nothing is to be done")
