"""`trompo tidy`, `backup`, `restore`: what the shop stores. A command's own module is imported only when it runs."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.context import with_database
from backend.core.config.settings import load_settings

if TYPE_CHECKING:
    from backend.core.db.database import Database
    from backend.operations.backup.backup import Made
    from backend.operations.backup.restore import Restored
    from backend.operations.backup.storage import CopyStore
    from backend.operations.tidy.tidy import Tidied


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
    from backend.media.picture_store import PicturesUnavailable, picture_store
    from backend.operations.tidy.tidy import Tidy

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
        str,
        typer.Argument(
            metavar="[FILE]",
            help="A file that is not there yet, or a folder for it; the same in an S3 store. Left out: BACKUP_URL.",
        ),
    ] = "",
    *,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=1, help="Delete all but so many copies in that folder afterwards."),
    ] = None,
) -> None:
    """Copy the shop into one file, while it runs: database, pictures, secrets and its own mail templates.

    The file holds the signing key and people's data: keep it where only you can read it. Settings are not in it.
    A folder of an S3 store is named as PICTURES_URL names one, best by BACKUP_URL: what is typed here others can see.

    Examples:
        trompo backup /var/backups/trompo/ --keep 14

        trompo backup before-the-upgrade.tar.gz
    """
    from backend.media.object_stores import StoreUnavailable
    from backend.media.picture_store import picture_store
    from backend.operations.backup.backup import make_backup
    from backend.operations.backup.database_backup import NotMigrated
    from backend.operations.backup.postgresql_dump import ClientProgramError
    from backend.operations.backup.storage import CopyStore, delete_older_files

    settings = load_settings()
    place = _place(target or settings.backup_url.get_secret_value(), "No copy was made")
    is_one_file = bool(place.name) if isinstance(place, CopyStore) else not place.is_dir()
    if keep is not None and is_one_file:
        raise SystemExit("No copy was made: --keep needs a folder that is there.")

    async def work(database: "Database") -> "Made":
        return await make_backup(settings, database, picture_store(settings), place)

    try:
        made = with_database(work, otherwise="No copy was made")
    except (FileExistsError, ClientProgramError, StoreUnavailable) as error:
        raise SystemExit(f"No copy was made: {error}.") from None
    except NotMigrated:
        raise SystemExit("No copy was made: there is no shop here.") from None
    except OSError as error:
        raise SystemExit(f"No copy was made: {error.strerror or type(error).__name__}.") from None
    typer.echo(f"{made.path}: {made.size / 1e6:.2f} MB, {made.pictures} files of pictures.")
    if keep is None:
        return
    try:
        if isinstance(place, CopyStore):
            gone = asyncio.run(place.delete_older(keep))
        else:
            gone = delete_older_files(place, keep)
    except OSError as error:
        raise SystemExit(f"Older copies could not be deleted: {error.strerror or error}.") from None
    typer.echo(f"{len(gone)} older copies were deleted.")


def restore(
    source: Annotated[
        str,
        typer.Argument(
            metavar="[FILE]",
            help="What trompo backup made: a file, or one in an S3 store. Of a folder in a store, or BACKUP_URL when "
            "it is left out, the newest.",
        ),
    ] = "",
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
    from backend.media.picture_store import picture_store
    from backend.operations.backup import restore as restoring
    from backend.operations.backup.archive import Damaged
    from backend.operations.backup.postgresql_dump import ClientProgramError
    from backend.operations.backup.storage import CopyStore, NoCopy

    settings = load_settings()
    place = _place(source or settings.backup_url.get_secret_value(), "Nothing was restored")

    async def work(database: "Database") -> "Restored":
        pictures = picture_store(settings)
        if isinstance(place, CopyStore):
            return await restoring.restore_from_store(settings, database, pictures, place, replace=replace)
        return await restoring.restore(settings, database, pictures, place, replace=replace)

    try:
        done = with_database(work, otherwise="Nothing was restored")
    except Damaged as error:
        named = place if isinstance(place, Path) else "that"
        raise SystemExit(f"Nothing was restored: {named} is no whole copy: {error}.") from None
    except (restoring.CannotRestore, ClientProgramError, NoCopy) as error:
        raise SystemExit(f"Nothing was restored: {error}.") from None
    except OSError as error:
        raise SystemExit(f"Nothing was restored: {error.strerror or error}.") from None
    typer.echo(f"Restored as it was at {done.made_at}; {done.pictures} files of pictures were not here.")


def _place(said: str, otherwise: str) -> "Path | CopyStore":
    """The place of copies that was named.

    Raises:
        SystemExit: none was, or it is no address. It shows nothing of what was said.
    """
    from backend.operations.backup.storage import copy_place

    if not said:
        raise SystemExit(f"{otherwise}: name a file or a folder, or set BACKUP_URL.")
    try:
        return copy_place(said)
    except ValueError as error:
        raise SystemExit(f"{otherwise}: the address {error}.") from None
