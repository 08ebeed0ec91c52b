"""Check that the installed SQLAlchemy works with the shop's SQLite driver (`backend.core.db.sqlite_inline`).

SQLAlchemy calls functions of a driver that no interface documents, so a new release may call functions that the
shop's driver lacks.
"""

from contextlib import suppress
from tempfile import TemporaryDirectory

import sqlalchemy
from sqlalchemy import text

from backend.core.db.database import Database
from backend.core.db.sqlite_inline import InlineConnection
from backend.core.errors import CannotStart


class _Undo(Exception):
    """Raised to roll a transaction back."""


async def check_sqlite_driver() -> None:
    """Check that SQLAlchemy works with the shop's SQLite driver, by writing and reading a temporary database.

    Raises:
        CannotStart: the installed version of SQLAlchemy does not work with the driver.
    """
    try:
        with TemporaryDirectory(prefix="trompo-driver-") as folder:
            database = Database(f"sqlite+aiosqlite:///{folder}/check.db")
            try:
                await _try_database(database)
            finally:
                await database.close()
    except Exception as error:
        raise CannotStart(
            f"Trompo cannot start: SQLAlchemy {sqlalchemy.__version__} does not fit the shop's SQLite driver "
            f"({type(error).__name__}): install the version that requirements/run.txt names"
        ) from error


async def _try_database(database: Database) -> None:
    async with database.transaction() as session:
        raw = await (await session.connection()).get_raw_connection()
        if not isinstance(raw.driver_connection, InlineConnection):
            raise TypeError("another driver is used")
        await session.execute(text("CREATE TABLE item (n INTEGER)"))
        await session.execute(text("INSERT INTO item (n) VALUES (:n)"), [{"n": 1}, {"n": 2}])
    with suppress(_Undo):
        async with database.transaction() as session:
            await session.execute(text("DELETE FROM item WHERE n = :n"), {"n": 1})
            raise _Undo
    async with database.read() as session:
        if list((await session.execute(text("SELECT n FROM item ORDER BY n"))).scalars()) != [1, 2]:
            raise ValueError("other rows were written")
