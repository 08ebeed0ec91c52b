"""The commands `trompo tidy`, `backup` and `restore`. A command's own module is imported only when it runs."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.context import with_database
from backend.core.config.settings import load_settings

if TYPE_CHECKING:
    from backend.core.db.database import Database
    from backend.operations.backup.backup import CompletedBackup
    from backend.operations.backup.restore import RestoreResult
    from backend.operations.backup.storage import BackupStore
    from backend.operations.tidy.tidy import TidyResult


def add_maintenance_commands(app: typer.Typer) -> None:
    """Add the commands of this module to the console script."""
    app.command("tidy")(tidy)
    app.command("backup")(backup)
    app.command("restore")(restore)


def tidy(
    *, dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be deleted.")] = False
) -> None:
    """Delete expired data, as the running shop does once a day. The command may run at the same time, and twice.

    docs/operations.md lists the deleted data. Orders, payments and refunds are never deleted.

    Examples:
        trompo tidy --dry-run

        trompo tidy
    """
    from backend.media.picture_store import PicturesUnavailable, open_picture_store
    from backend.operations.tidy.tidy import Tidy

    async def work(database: "Database") -> "list[TidyResult]":
        tidying = Tidy(database, open_picture_store(load_settings()))
        return await (tidying.count_expired() if dry_run else tidying.tidy())

    try:
        done = with_database(work, changes=not dry_run)
    except PicturesUnavailable as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    for line in done:
        typer.echo(str(line))
    total = sum(one.count for one in done)
    typer.echo(f"{total} would be deleted. Nothing was changed." if dry_run else f"{total} were deleted.")


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
        typer.Option("--keep", min=1, help="Then delete all but the newest backups in that folder."),
    ] = None,
) -> None:
    """Write the shop into one file, while it runs: database, pictures, secrets and its own mail templates.

    The file contains the signing key and personal data: store it where only you can read it. Settings are not
    included. The address of a folder in an S3 store has the form of PICTURES_URL. Set it in BACKUP_URL instead of
    an argument, because other users of the machine can see arguments.

    Examples:
        trompo backup /var/backups/trompo/ --keep 14

        trompo backup before-the-upgrade.tar.gz
    """
    from backend.media.object_stores import StoreUnavailable
    from backend.media.picture_store import open_picture_store
    from backend.operations.backup.backup import make_backup
    from backend.operations.backup.database_backup import NotMigrated
    from backend.operations.backup.postgresql_dump import ClientProgramError
    from backend.operations.backup.storage import BackupStore, delete_older_backups

    settings = load_settings()
    place = _parse_target(target or settings.backup_url.get_secret_value(), "No backup was made")
    is_one_file = bool(place.name) if isinstance(place, BackupStore) else not place.is_dir()
    if keep is not None and is_one_file:
        raise SystemExit("No backup was made: --keep needs a folder that is there.")

    async def work(database: "Database") -> "CompletedBackup":
        return await make_backup(settings, database, open_picture_store(settings), place)

    try:
        made = with_database(work, otherwise="No backup was made")
    except (FileExistsError, ClientProgramError, StoreUnavailable) as error:
        raise SystemExit(f"No backup was made: {error}.") from None
    except NotMigrated:
        raise SystemExit("No backup was made: there is no shop here.") from None
    except OSError as error:
        raise SystemExit(f"No backup was made: {error.strerror or type(error).__name__}.") from None
    typer.echo(f"{made.path}: {made.size / 1e6:.2f} MB, {made.pictures} files of pictures.")
    if keep is None:
        return
    try:
        if isinstance(place, BackupStore):
            deleted = asyncio.run(place.delete_older(keep))
        else:
            deleted = delete_older_backups(place, keep)
    except OSError as error:
        raise SystemExit(f"Older backups could not be deleted: {error.strerror or error}.") from None
    typer.echo(f"{len(deleted)} older backups were deleted.")


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
        bool, typer.Option("--replace", help="Replace the closed shop of this place.")
    ] = False,
) -> None:
    """Restore a backup to DATA_DIR and DATABASE_URL, and migrate it to this version.

    The whole backup is checked before anything is changed. If the folder or the database is not empty, the command
    is refused without --replace.

    Examples:
        DATA_DIR=/srv/trompo trompo restore trompo-20260102-030405.tar.gz
    """
    from backend.media.picture_store import open_picture_store
    from backend.operations.backup import restore as restoring
    from backend.operations.backup.archive import DamagedBackup
    from backend.operations.backup.postgresql_dump import ClientProgramError
    from backend.operations.backup.storage import BackupNotFound, BackupStore

    settings = load_settings()
    place = _parse_target(source or settings.backup_url.get_secret_value(), "Nothing was restored")

    async def work(database: "Database") -> "RestoreResult":
        pictures = open_picture_store(settings)
        if isinstance(place, BackupStore):
            return await restoring.restore_from_store(settings, database, pictures, place, replace=replace)
        return await restoring.restore(settings, database, pictures, place, replace=replace)

    try:
        done = with_database(work, otherwise="Nothing was restored")
    except DamagedBackup as error:
        file_name = place if isinstance(place, Path) else "this"
        raise SystemExit(f"Nothing was restored: {file_name} is not a complete backup: {error}.") from None
    except (restoring.RestoreRefused, ClientProgramError, BackupNotFound) as error:
        raise SystemExit(f"Nothing was restored: {error}.") from None
    except OSError as error:
        raise SystemExit(f"Nothing was restored: {error.strerror or error}.") from None
    typer.echo(f"Restored as it was at {done.made_at}; {done.pictures} files of pictures were not here.")


def _parse_target(target: str, otherwise: str) -> "Path | BackupStore":
    """Parse the place of a backup: a local path, or an address in an S3 store.

    Raises:
        SystemExit: no target was given, or it is not an address. The message does not contain the target, because it
            may include a secret.
    """
    from backend.operations.backup.storage import parse_backup_target

    if not target:
        raise SystemExit(f"{otherwise}: name a file or a folder, or set BACKUP_URL.")
    try:
        return parse_backup_target(target)
    except ValueError as error:
        raise SystemExit(f"{otherwise}: the address {error}.") from None
