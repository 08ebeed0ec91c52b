"""One-line explanations of database errors that stop a start or a command. They never contain a database URL."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from backend.core.errors import CannotStart
from backend.core.outage import to_unavailable

REFUSED_USER, NO_SUCH_DATABASE = ("28", "42501"), "3D"
"""Prefixes of SQLSTATEs (PostgreSQL, appendix A)."""
NO_SUCH_TABLE = frozenset({"42P01", "42703"})
"""PostgreSQL's undefined_table and undefined_column."""
_NO_SUCH_TABLE = re.compile(r"no such (table|column)|has no column named")
"""SQLite's messages for the same errors, which have no code."""
DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


@contextmanager
def explain_database_errors(
    message_prefix: str = "Trompo cannot start", *, migrates: bool = True
) -> Iterator[None]:
    """Convert database errors of the `with` block into `CannotStart`, with a message that begins with `message_prefix`.

    Set `migrates` if the block migrates the database first, so that no table can be missing.

    Raises:
        CannotStart: the database does not answer, refuses the user, does not exist, is damaged, was not migrated,
            or cannot be migrated.
    """
    try:
        yield
    except Exception as error:
        obstacle = (
            _explain_obstacle(error)
            or _explain_damage(error)
            or (None if migrates else _explain_missing_table(error))
        )
        if obstacle is None:
            raise
        raise CannotStart(f"{message_prefix}: {obstacle}") from error


def _explain_obstacle(error: Exception) -> str | None:
    state = _get_sqlstate(error)
    if state.startswith(REFUSED_USER):
        return "the database refuses the user or the password that DATABASE_URL names"
    if state.startswith(NO_SUCH_DATABASE):
        return "the server has no database of the name that is in DATABASE_URL"
    if to_unavailable(error) is not None:
        return f"the database does not answer ({type(error.__cause__ or error).__name__})"

    from backend.migrations.runner import TablesInUse, UnknownRevision  # only a migration loads Alembic

    if isinstance(error, TablesInUse):
        return f"the database could not be migrated ({error})"
    if isinstance(error, UnknownRevision):
        return (
            f"the database does not fit this version ({error}): start the version that made it or a newer one; "
            "from before the baseline no way leads here: see Upgrading in docs/operations.md"
        )
    return None


def _explain_damage(error: Exception) -> str | None:
    code = getattr(_get_cause(error), "sqlite_errorcode", None)
    if isinstance(code, int) and code & 0xFF in DAMAGE_CODES:
        return "the file of the database is damaged: bring a copy back with `trompo restore --replace`"
    return None


def _explain_missing_table(error: Exception) -> str | None:
    message = str(_get_cause(error)) if isinstance(_get_cause(error), sqlite3.OperationalError) else ""
    if _get_sqlstate(error) in NO_SUCH_TABLE or _NO_SUCH_TABLE.search(message):
        return "the database was not migrated to this version: run `trompo migrate`"
    return None


def _get_cause(error: Exception) -> BaseException | None:
    """Return the error of the database's driver, or the error itself."""
    return error.orig if isinstance(error, DBAPIError) else error


def _get_sqlstate(error: Exception) -> str:
    """Return the SQLSTATE of the error; empty if it has none."""
    return getattr(error.orig, "sqlstate", None) or "" if isinstance(error, DBAPIError) else ""
