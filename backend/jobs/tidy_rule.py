"""Rules for deleting old rows in small batches.

Each batch is a separate transaction, and skips rows that other transactions have locked. So a rule can be applied
while the shop is running, and by several processes at once.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

from backend.core.db.database import Database
from backend.core.db.tables import table_of

BATCH_SIZE = 200
MAX_BATCHES = 100
"""Maximum number of batches in one run; the remaining rows wait for the next run."""

Change = Callable[[AsyncSession, Sequence[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class TidyRule:
    """A rule that selects old rows of a table, to delete or change them.

    Attributes:
        name: the kind of rows, as shown to people.
        table: the table of the rows.
        where: SQL conditions that each row meets; times are compared with the database's clock.
        change: called with the primary keys of a batch of rows, instead of deleting the rows; None to delete them.
    """

    name: str
    table: type[SQLModel]
    where: tuple[ColumnElement[bool], ...]
    change: Change | None = None

    async def count(self, database: Database) -> int:
        """Return the number of rows that match the rule."""
        async with database.read() as session:
            query = select(func.count()).select_from(table_of(self.table)).where(*self.where)
            return (await session.execute(query)).scalar_one()

    async def apply(self, database: Database, max_batches: int | None = None) -> int:
        """Delete or change the selected rows, in at most `max_batches` batches. Return the number of these rows."""
        count = 0
        for _batch in range(MAX_BATCHES if max_batches is None else max_batches):
            done = await self._apply_to_batch(database)
            count += done
            if done < BATCH_SIZE:
                break
        return count

    async def _apply_to_batch(self, database: Database) -> int:
        table = table_of(self.table)
        columns = table.primary_key.columns.values()
        batch = (
            select(*columns).where(*self.where).limit(BATCH_SIZE).with_for_update(of=table, skip_locked=True)
        )
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
