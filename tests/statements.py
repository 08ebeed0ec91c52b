"""What the database is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from backend.core.db.database import Database


@contextmanager
def statements_of(database: Database) -> Iterator[list[str]]:
    """The statements that its sessions run meanwhile, what begins a transaction too."""
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        found.append(statement)

    event.listen(database.engine.sync_engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(database.engine.sync_engine, "before_cursor_execute", note)
