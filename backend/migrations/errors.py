"""What stands in the way of a start or a command, in one line for whoever wanted it; nothing is shown of an address."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from backend.core.errors import CannotStart
from backend.core.outage import as_unavailable

REFUSED_USER, NO_SUCH_DATABASE = ("28", "42501"), "3D"
"""How SQLSTATEs begin (PostgreSQL, appendix A)."""
NO_SUCH_TABLE = frozenset({"42P01", "42703"})
"""PostgreSQL's undefined_table and undefined_column."""
_NO_SUCH_TABLE = re.compile(r"no such (table|column)|has no column named")
"""What SQLite says of them: they have no code of their own."""
DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


@contextmanager
def told_in_one_line(otherwise: str = "Trompo cannot start", *, migrates: bool = True) -> Iterator[None]:
    """Do what is inside; `otherwise` begins the line that says why that cannot be done.

    `migrates`: what is inside brings the database to today's shape first, so that nothing of it can be missing.

    Raises:
        CannotStart: the database does not answer, refuses the user, is not there, is damaged, or cannot be or was not
            migrated.
    """
    try:
        yield
    except Exception as error:
        obstacle = _obstacle(error) or _damage(error) or (None if migrates else _missing(error))
        if obstacle is None:
            raise
        raise CannotStart(f"{otherwise}: {obstacle}") from error


def _obstacle(error: Exception) -> str | None:
    state = _state(error)
    if state.startswith(REFUSED_USER):
        return "the database refuses the user or the password that DATABASE_URL names"
    if state.startswith(NO_SUCH_DATABASE):
        return "the server has no database of the name that is in DATABASE_URL"
    if as_unavailable(error) is not None:
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


def _damage(error: Exception) -> str | None:
    code = getattr(_cause(error), "sqlite_errorcode", None)
    if isinstance(code, int) and code & 0xFF in DAMAGED:
        return "the file of the database is damaged: bring a copy back with `trompo restore --replace`"
    return None


def _missing(error: Exception) -> str | None:
    said = str(_cause(error)) if isinstance(_cause(error), sqlite3.OperationalError) else ""
    if _state(error) in NO_SUCH_TABLE or _NO_SUCH_TABLE.search(said):
        return "the database was not migrated to this version: run `trompo migrate`"
    return None


def _cause(error: Exception) -> BaseException | None:
    """What the database's driver raised, or the error itself."""
    return error.orig if isinstance(error, DBAPIError) else error


def _state(error: Exception) -> str:
    """The SQLSTATE; empty without one."""
    return getattr(error.orig, "sqlstate", None) or "" if isinstance(error, DBAPIError) else ""
