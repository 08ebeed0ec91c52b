"""`trompo tidy`: looking after what the shop stores. A command's own module is imported only when it runs."""

from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli_running import with_database
from backend.settings import load_settings

if TYPE_CHECKING:
    from backend.database import Database
    from backend.upkeep.tidy import Tidied


def add_upkeep(app: typer.Typer) -> None:
    """Give the console script these commands."""
    app.command("tidy")(tidy)


def tidy(
    *, dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would go.")] = False
) -> None:
    """Delete what nobody needs any more, as the running shop does once a day. Safe beside it, and twice at once.

    What goes, and when, is listed in docs/operations.md. Orders, payments and refunds never go.

    Examples:
        trompo tidy --dry-run

        trompo tidy
    """
    from backend.catalog.picture_store import PicturesUnavailable, picture_store
    from backend.upkeep.tidy import Tidy

    async def work(database: "Database") -> "list[Tidied]":
        tidying = Tidy(database, picture_store(load_settings().data_dir))
        return await (tidying.look() if dry_run else tidying.tidy())

    try:
        done = with_database(work, changes=not dry_run)
    except PicturesUnavailable as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    for line in done:
        typer.echo(str(line))
    total = sum(one.count for one in done)
    typer.echo(f"{total} would go. Nothing was changed." if dry_run else f"{total} went.")
