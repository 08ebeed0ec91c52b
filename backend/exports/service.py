"""Request, progress and download of export files.

Only the staff member who requested a file can fetch it, until it expires.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.dates import day_begin, today_in_colombia
from backend.core.db.database import Database, database_now, db_now
from backend.core.errors import InvalidData, NotFound, TooManyRequests, require_found
from backend.core.spreadsheet import XLSX
from backend.exports.kinds import KINDS, Contents, Kind, count_records
from backend.exports.models import DataExport, DataExportPiece, FileFormat
from backend.exports.platform_products import list_current_columns
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right

JOB = "export.make"
EXPIRES_AFTER = timedelta(hours=24)
MAX_RUNNING_EXPORTS = 3
"""Maximum number of files of one staff member that are created at the same time."""
MAX_LISTED_EXPORTS = 5
MEDIA_TYPES = {
    FileFormat.CSV: "text/csv; charset=utf-8",
    FileFormat.XLSX: XLSX,
}


async def request_export(
    session: AsyncSession,
    actor: Actor,
    kind: str,
    file_format: str,
    days: tuple[date, date] | None = None,
    *,
    query: str = "",
) -> str:
    """Request a file about a period of days in Colombia. A job creates the file after the commit.

    Args:
        actor: the staff member. Only they can fetch the file.
        kind: one of `KINDS`.
        file_format: a `FileFormat`. Files for programs are always CSV.
        days: the first and the final day; None means today, for kinds without a period.
        query: for kinds for programs, the query for products as sent to `GET /admin/products`.

    Returns:
        The id of the export.

    Raises:
        Forbidden: the actor may not read reports, or lacks the right of this kind of file.
        InvalidData: the kind or format does not exist.
        TooManyRequests: `MAX_RUNNING_EXPORTS` of the actor's files are being created.
    """
    actor.require(Right.READ_REPORTS)
    if kind not in KINDS or file_format not in tuple(FileFormat):
        raise InvalidData("There is no such file")
    actor.require(KINDS[kind].right)
    running = select(func.count()).where(
        DataExport.actor_id == actor.id, DataExport.is_done.is_(False), DataExport.expires_at > db_now()
    )
    if (await session.execute(running)).scalar_one() >= MAX_RUNNING_EXPORTS:
        raise TooManyRequests("Some files are still being made", retry_after=60)
    moment = await database_now(session)
    since, until = days or (today_in_colombia(moment), today_in_colombia(moment))
    contents = Contents(*to_moments(since, until), query=query)
    export = DataExport(
        actor_id=actor.id,
        kind=kind,
        file_format=FileFormat.CSV if KINDS[kind].is_for_programs else file_format,
        since=since.isoformat(),
        until=until.isoformat(),
        query=query,
        columns=await list_current_columns(session) if not KINDS[kind].columns else [],
        total=await count_records(session, KINDS[kind], contents),
        expires_at=moment + EXPIRES_AFTER,
    )
    await record(session, actor, "exported", Subject(SubjectType.EXPORT, export.id))
    session.add(export)
    await session.flush()
    await enqueue(session, JOB, {"export_id": export.id}, key=export.id)
    return export.id


def to_moments(since: date, until: date) -> tuple[datetime, datetime]:
    """Return the start of the first day, and the end of the final day, both in Colombia's time zone."""
    return day_begin(since), day_begin(until + timedelta(days=1))


def list_kinds(actor: Actor) -> dict[str, Kind]:
    """Return the kinds of files that the actor's role may request in the office."""
    return {name: kind for name, kind in KINDS.items() if kind.is_offered and actor.may(kind.right)}


async def list_own_exports(session: AsyncSession, actor: Actor) -> Sequence[DataExport]:
    """Return the actor's `MAX_LISTED_EXPORTS` newest files that have not expired, newest first."""
    actor.require(Right.READ_REPORTS)
    query = select(DataExport).where(DataExport.actor_id == actor.id, DataExport.expires_at > db_now())
    newest = query.order_by(DataExport.created_at.desc(), DataExport.id.desc()).limit(MAX_LISTED_EXPORTS)
    return (await session.execute(newest)).scalars().all()


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A complete file: its name, its media type and its pieces."""

    name: str
    media_type: str
    pieces: AsyncIterator[bytes]


async def open_export_file(database: Database, actor: Actor, export_id: str) -> ExportFile:
    """Return a complete file of the actor.

    Raises:
        NotFound: the actor has no file with this id, it has expired, or it is not complete.
    """
    actor.require(Right.READ_REPORTS)
    query = select(DataExport).where(
        DataExport.id == export_id,
        DataExport.actor_id == actor.id,
        DataExport.is_done,
        DataExport.expires_at > db_now(),
    )
    async with database.read() as session:
        export = (await session.execute(query)).scalar_one_or_none()
    export = require_found(export, "Export", export_id)
    actor.require(KINDS[export.kind].right)
    name = f"{KINDS[export.kind].title} {export.since} {export.until}.{export.file_format}"
    return ExportFile(name, MEDIA_TYPES[FileFormat(export.file_format)], _read_pieces(database, export))


async def _read_pieces(database: Database, export: DataExport) -> AsyncIterator[bytes]:
    for number in range(export.pieces):
        async with database.read() as session:
            piece = await session.get(DataExportPiece, (export.id, number))
        if piece is None:  # expired during the download: the error breaks off the response
            raise NotFound(f"Export with id: {export.id} was not found")
        yield piece.content
