"""Asking for a file, how far it is, and fetching it: for whoever asked, until it expires."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.dates import day_begin, today_in_colombia
from backend.core.db.database import Database, database_now, db_now
from backend.core.errors import InvalidData, NotFound, TooManyRequests, require_found
from backend.core.spreadsheet import XLSX
from backend.exports.kinds import KINDS, Contents, Kind, count_of
from backend.exports.models import DataExport, DataExportPiece, FileFormat
from backend.exports.platform_products import columns_now
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right

JOB = "export.make"
EXPIRES_AFTER = timedelta(hours=24)
MOST_UNDER_WAY = 3
"""Files of one person that are made at the same time."""
MOST_SHOWN = 5
MEDIA_TYPES = {
    FileFormat.CSV: "text/csv; charset=utf-8",
    FileFormat.XLSX: XLSX,
}


async def ask_for(
    session: AsyncSession,
    actor: Actor,
    kind: str,
    file_format: str,
    days: tuple[date, date] | None = None,
    *,
    query: str = "",
) -> str:
    """Have a file made of what these days in Colombia hold; a job does it after the commit.

    Args:
        actor: who asks. Only they can fetch it.
        kind: one of `KINDS`.
        file_format: a `FileFormat`.
        days: the first and the last; None: today, for what has no days.
        query: of a kind for programs, which products, as `GET /admin/products` is asked.

    Returns:
        The id of the export.

    Raises:
        Forbidden: see `Actor.require`; each kind has a right of its own.
        InvalidData: there is no such kind or format.
        TooManyRequests: `MOST_UNDER_WAY` of the person's files are being made.
    """
    actor.require(Right.READ_REPORTS)
    if kind not in KINDS or file_format not in tuple(FileFormat):
        raise InvalidData("There is no such file")
    actor.require(KINDS[kind].right)
    running = select(func.count()).where(
        DataExport.actor_id == actor.id, DataExport.is_done.is_(False), DataExport.expires_at > db_now()
    )
    if (await session.execute(running)).scalar_one() >= MOST_UNDER_WAY:
        raise TooManyRequests("Some files are still being made", retry_after=60)
    moment = await database_now(session)
    since, until = days or (today_in_colombia(moment), today_in_colombia(moment))
    contents = Contents(*moments_of(since, until), query=query)
    of_programs = KINDS[kind].is_for_programs
    export = DataExport(
        actor_id=actor.id,
        kind=kind,
        file_format=file_format,
        since=since.isoformat(),
        until=until.isoformat(),
        query=query,
        columns=await columns_now(session) if of_programs else [],
        total=await count_of(session, KINDS[kind], contents),
        expires_at=moment + EXPIRES_AFTER,
    )
    await record(session, actor, "exported", Subject(Thing.EXPORT, export.id))
    session.add(export)
    await session.flush()
    await enqueue(session, JOB, {"export_id": export.id}, key=export.id)
    return export.id


def moments_of(since: date, until: date) -> tuple[datetime, datetime]:
    """When the first of these days begins, and when the last is over."""
    return day_begin(since), day_begin(until + timedelta(days=1))


def kinds_for(actor: Actor) -> dict[str, Kind]:
    """The kinds of files for people that the actor's role may have."""
    return {name: kind for name, kind in KINDS.items() if actor.may(kind.right) and not kind.is_for_programs}


async def own_exports(session: AsyncSession, actor: Actor) -> Sequence[DataExport]:
    """The actor's files that have not expired, the newest first."""
    actor.require(Right.READ_REPORTS)
    query = select(DataExport).where(DataExport.actor_id == actor.id, DataExport.expires_at > db_now())
    newest = query.order_by(DataExport.created_at.desc(), DataExport.id.desc()).limit(MOST_SHOWN)
    return (await session.execute(newest)).scalars().all()


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file that is done: its name, its media type and its pieces."""

    name: str
    media_type: str
    pieces: AsyncIterator[bytes]


async def file_of(database: Database, actor: Actor, export_id: str) -> ExportFile:
    """The file, for who asked for it.

    Raises:
        NotFound: there is none of theirs with this id, it has expired, or it is not done.
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
    return ExportFile(name, MEDIA_TYPES[FileFormat(export.file_format)], _pieces(database, export))


async def _pieces(database: Database, export: DataExport) -> AsyncIterator[bytes]:
    for number in range(export.pieces):
        async with database.read() as session:
            piece = await session.get(DataExportPiece, (export.id, number))
        if piece is None:  # it expired meanwhile: a file that breaks off is seen to be broken
            raise NotFound(f"Export with id: {export.id} was not found")
        yield piece.content
