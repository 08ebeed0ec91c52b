"""Resources for commands of the console script: an open database, or a whole shop."""

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


def load_shop_settings(*, is_announced: bool) -> "Settings":
    """Load the settings. With `is_announced`, print on stderr which shop is about to be changed."""
    settings = load_settings()
    if is_announced:
        from backend.core.texts import _

        shop = _("La tienda en {folder}, base de datos {database}")
        values = {"folder": settings.data_dir, "database": settings.redacted_database_url}
        typer.echo(shop.format(**values), err=True)
    return settings


DEFAULT_ERROR = "Trompo cannot start"


def with_database(
    work: Callable[["Database"], Awaitable[T]],
    *,
    migrated: bool = False,
    changes: bool = True,
    otherwise: str = DEFAULT_ERROR,
) -> T:
    """Run `work` with an open database, and return its result.

    With `migrated`, the database is migrated first, and a process that opens the shop waits until `work` has
    ended. The shop's folder and database URL are printed first, unless `changes` is False.

    Raises:
        CannotStart: the database does not answer, was not migrated, or its migration failed. `otherwise` is
            the beginning of the error's message.
    """
    from backend.core.db.database import Database
    from backend.migrations.runner import upgrade
    from backend.operations.opening.database_lock import hold_opening_lock
    from backend.operations.table_registry import all_tables

    settings = load_shop_settings(is_announced=changes)

    async def run() -> T:
        database = Database.from_settings(settings, is_patient=True)
        try:
            if not migrated:
                return await work(database)
            async with hold_opening_lock(database):
                await upgrade(database)
                all_tables()  # foreign keys may refer to tables that `work` does not import
                return await work(database)
        finally:
            await database.close()

    return _run(run(), otherwise, migrates=migrated)


def with_shop(work: Callable[["Shop"], Awaitable[T]], *, changes: bool = True) -> T:
    """Run `work` with a shop that runs no background jobs, and return its result.

    The shop's folder and database URL are printed first, unless `changes` is False.

    Raises:
        CannotStart: the database does not answer, or was not migrated.
    """
    from backend.shop import Shop

    settings = load_shop_settings(is_announced=changes)

    async def run() -> T:
        shop = Shop(settings)
        try:
            return await work(shop)
        finally:
            await shop.stop()

    return _run(run(), DEFAULT_ERROR, migrates=False)


def _run(work: Coroutine[Any, Any, T], otherwise: str, *, migrates: bool) -> T:
    from backend.migrations.errors import explain_database_errors

    with explain_database_errors(otherwise, migrates=migrates):
        return asyncio.run(work)
