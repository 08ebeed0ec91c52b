"""What stands in the way of a start or a command, in one line for whoever wanted it; nothing is shown of an address."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from backend.errors import CannotStart
from backend.outage import as_unavailable

REFUSED_USER, NO_SUCH_DATABASE = ("28", "42501"), "3D"
"""How SQLSTATEs begin (PostgreSQL, appendix A)."""


@contextmanager
def told_in_one_line(otherwise: str = "Trompo cannot start") -> Iterator[None]:
    """Do what is inside; `otherwise` begins the line that says why that cannot be done.

    Raises:
        CannotStart: the database does not answer, refuses the user, is not there, or cannot be migrated.
    """
    try:
        yield
    except Exception as error:
        if (obstacle := _obstacle(error)) is None:
            raise
        raise CannotStart(f"{otherwise}: {obstacle}") from error


def _obstacle(error: Exception) -> str | None:
    state = getattr(error.orig, "sqlstate", None) or "" if isinstance(error, DBAPIError) else ""
    if state.startswith(REFUSED_USER):
        return "the database refuses the user or the password that DATABASE_URL names"
    if state.startswith(NO_SUCH_DATABASE):
        return "the server has no database of the name that is in DATABASE_URL"
    if as_unavailable(error) is not None:
        return f"the database does not answer ({type(error.__cause__ or error).__name__})"

    from alembic.util import CommandError  # Alembic is loaded by who migrates

    from backend.migrations.runner import TablesInUse

    if isinstance(error, TablesInUse):
        return f"the database could not be migrated ({error})"
    if isinstance(error, CommandError):
        return f"the database does not fit this version ({error})"
    return None
