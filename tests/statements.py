"""Recording of SQL statements, and interruptions between two of them."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database


@contextmanager
def record_statements(database: Database) -> Iterator[list[str]]:
    """Record the statements that the database's sessions run in the block, including those that begin a transaction."""
    statements: list[str] = []

    def record(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        statements.append(statement)

    event.listen(database.engine.sync_engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(database.engine.sync_engine, "before_cursor_execute", record)


@contextmanager
def run_after_query(words: str, act: Callable[[], Awaitable[object]], *, number: int = 1) -> Iterator[None]:
    """Run `act` after query `number` of those that contain `words`, before the caller of the query continues.

    Raises:
        AssertionError: the block ran fewer such queries.
    """
    execute, count = AsyncSession.execute, 0

    async def execute_and_act(session: AsyncSession, statement: Any, *arguments: Any, **options: Any) -> Any:
        nonlocal count
        result = await execute(session, statement, *arguments, **options)
        if words in str(statement):
            count += 1
            if count == number:
                await act()
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AsyncSession, "execute", execute_and_act)
        yield
    assert count >= number, f"{count} queries have the words “{words}”"
