"""`trompo tidy`, `backup`, `restore`: what the shop stores. A command's own module is imported only when it runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli_running import with_database
from backend.settings import load_settings

if TYPE_CHECKING:
    from backend.database import Database
    from backend.upkeep.backup import Made
    from backend.upkeep.restore import Restored
    from backend.upkeep.tidy import Tidied


def add_upkeep(app: typer.Typer) -> None:
    """Give the console script these commands."""
    app.command("tidy")(tidy)
    app.command("backup")(backup)
    app.command("restore")(restore)


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
        tidying = Tidy(database, picture_store(load_settings()))
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


def backup(
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file that is not there yet, or a folder for it.")
    ],
) -> None:
    """Copy the shop into one file, while it runs: database, pictures, secrets and its own mail templates.

    The file holds the signing key and people's data: keep it where only you can read it. Settings are not in it.

    Examples:
        trompo backup /var/backups/trompo/

        trompo backup before-the-upgrade.tar.gz
    """
    from backend.catalog.picture_store import PicturesUnavailable, picture_store
    from backend.outage import DatabaseUnavailable
    from backend.upkeep.backup import make_backup
    from backend.upkeep.database_copies import NotMigrated

    settings = load_settings()

    async def work(database: "Database") -> "Made":
        return await make_backup(settings, database, picture_store(settings), target)

    try:
        made = with_database(work)
    except (FileExistsError, PicturesUnavailable, DatabaseUnavailable) as error:
        raise SystemExit(f"No copy was made: {error}.") from None
    except NotMigrated:
        raise SystemExit("No copy was made: there is no shop here.") from None
    except OSError as error:
        raise SystemExit(f"No copy was made: {error.strerror or type(error).__name__}.") from None
    typer.echo(f"{made.path}: {made.size / 1e6:.2f} MB, {made.pictures} files of pictures.")


def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="What trompo backup made.")],
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of the shop that is here, which is closed.")
    ] = False,
) -> None:
    """Make this place, by DATA_DIR and DATABASE_URL, the shop that a copy shows, and bring it to today's version.

    The whole copy is looked through before anything is touched. A place that is not empty is refused without --replace.

    Examples:
        DATA_DIR=/srv/trompo trompo restore trompo-20260102-030405.tar.gz
    """
    from backend.catalog.picture_store import picture_store
    from backend.upkeep import restore as restoring
    from backend.upkeep.archive import Damaged

    settings = load_settings()

    async def work(database: "Database") -> "Restored":
        pictures = picture_store(settings)
        return await restoring.restore(settings, database, pictures, source, replace=replace)

    try:
        done = with_database(work)
    except Damaged as error:
        raise SystemExit(f"Nothing was restored: {source} is no whole copy: {error}.") from None
    except restoring.CannotRestore as error:
        raise SystemExit(f"Nothing was restored: {error}.") from None
    except OSError as error:
        raise SystemExit(f"Nothing was restored: {error.strerror or error}.") from None
    typer.echo(f"Restored as it was at {done.made_at}; {done.pictures} files of pictures were not here.")
