"""Recording of SQL statements."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

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
