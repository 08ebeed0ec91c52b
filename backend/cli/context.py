"""What commands of the console script run with: an open database, or a whole shop."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from backend.core.config.settings import load_settings

if TYPE_CHECKING:
    from backend.core.config.settings import Settings
    from backend.core.db.database import Database
    from backend.shop import Shop

T = TypeVar("T")


def settings_of_the_shop(*, named: bool) -> "Settings":
    """The settings; `named` says on stderr which shop it is that is about to be changed."""
    settings = load_settings()
    if named:
        typer.echo(f"The shop in {settings.data_dir}, database {settings.named_database}", err=True)
    return settings


OTHERWISE = "Trompo cannot start"


def with_database(
    work: Callable[["Database"], Awaitable[T]],
    *,
    migrated: bool = False,
    changes: bool = True,
    otherwise: str = OTHERWISE,
) -> T:
    """What `work` returns. It gets an open database; migrated before and nobody else's to open, if that is wanted.

    With `changes` the shop is named first.

    Raises:
        CannotStart: the database does not answer, or cannot be or was not migrated; `otherwise` begins the line that
            says so.
    """
    from backend.core.db.database import Database
    from backend.migrations.runner import upgrade
    from backend.operations.opening.database_lock import alone
    from backend.operations.table_registry import all_tables

    settings = settings_of_the_shop(named=changes)

    async def run() -> T:
        database = Database.from_settings(settings, is_patient=True)
        try:
            if not migrated:
                return await work(database)
            async with alone(database):
                await upgrade(database)
                all_tables()  # a foreign key may refer to a table that `work` does not import
                return await work(database)
        finally:
            await database.close()

    return _run(run(), otherwise, migrates=migrated)


def with_shop(work: Callable[["Shop"], Awaitable[T]], *, changes: bool = True) -> T:
    """What `work` returns. It gets a shop whose background work does not run. With `changes` it is named first.

    Raises:
        CannotStart: the database does not answer, or was not migrated.
    """
    from backend.shop import Shop

    settings = settings_of_the_shop(named=changes)

    async def run() -> T:
        shop = Shop(settings)
        try:
            return await work(shop)
        finally:
            await shop.stop()

    return _run(run(), OTHERWISE, migrates=False)


def _run(work: Coroutine[Any, Any, T], otherwise: str, *, migrates: bool) -> T:
    from backend.migrations.errors import told_in_one_line

    with told_in_one_line(otherwise, migrates=migrates):
        return asyncio.run(work)
