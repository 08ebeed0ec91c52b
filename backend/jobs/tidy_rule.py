"""Deleting what nobody needs any more: a rule says which rows of a table go, and is followed in small batches.

A batch is a transaction of its own, and a row that somebody else holds is left for the next time. So a rule may be
followed beside a running shop, and by several at once.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

from backend.core.db.database import Database
from backend.core.db.tables import table_of

BATCH = 200
MAX_BATCHES = 100
"""Of one run; what is left waits for the next."""

Change = Callable[[AsyncSession, Sequence[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Rule:
    """Which rows of a table go.

    Attributes:
        name: what they are, for people.
        table: where they are.
        where: what is true of each of them, by the database's clock.
        change: what is done to a batch of rows, by their primary keys, instead of deleting them.
    """

    name: str
    table: type[SQLModel]
    where: tuple[ColumnElement[bool], ...]
    change: Change | None = None

    async def count(self, database: Database) -> int:
        """How many rows there are."""
        async with database.read() as session:
            query = select(func.count()).select_from(table_of(self.table)).where(*self.where)
            return (await session.execute(query)).scalar_one()

    async def follow(self, database: Database, max_batches: int | None = None) -> int:
        """Do it, for `MAX_BATCHES` batches at most. Returns how many rows it was done to."""
        count = 0
        for _batch in range(MAX_BATCHES if max_batches is None else max_batches):
            done = await self._follow_batch(database)
            count += done
            if done < BATCH:
                break
        return count

    async def _follow_batch(self, database: Database) -> int:
        table = table_of(self.table)
        columns = table.primary_key.columns.values()
        batch = select(*columns).where(*self.where).limit(BATCH).with_for_update(of=table, skip_locked=True)
        async with database.transaction() as session:
            keys = (await session.execute(batch)).all()
            if keys and self.change is not None:
                await self.change(session, [key[0] for key in keys])
            elif keys:
                of_batch = (
                    columns[0].in_([key[0] for key in keys])
                    if len(columns) == 1
                    else tuple_(*columns).in_([tuple(key) for key in keys])
                )
                await session.execute(delete(table).where(of_batch))
        return len(keys)
