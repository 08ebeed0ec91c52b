"""The job that makes a file, some things at a time. A program that ends in between goes on where it was."""

import asyncio
import json
from collections.abc import Sequence
from datetime import date, timedelta

from sqlalchemy import delete, select

from backend.core.db.database import Database, locked
from backend.core.db.tables import table_of
from backend.core.spreadsheet import BYTE_ORDER_MARK, lines, workbook
from backend.exports.kinds import KINDS, Contents, Row, read_some
from backend.exports.models import DataExport, DataExportPiece, FileFormat
from backend.exports.service import JOB, moments_of
from backend.jobs import JobRun, RunAgain, job

WITHIN = 20.0
"""Seconds that one run of the job takes; then others have their turn."""
LONGEST_RUN = timedelta(minutes=10)
PIECE = 1 << 20
"""Bytes of a piece of an XLSX."""


class DataExports:
    """Makes the files that staff ask for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(JOB, at_once=1, timeout=LONGEST_RUN)
    async def make(self, run: JobRun) -> RunAgain | None:
        """Go on with a file until it is done, or for `WITHIN` seconds."""
        clock = asyncio.get_running_loop()
        until = clock.time() + WITHIN
        while await self._step(run.payload["export_id"]):
            if clock.time() > until:
                return RunAgain(timedelta(0), reset=True)
            await asyncio.sleep(0)  # others are served in between
        return None

    async def _step(self, export_id: str) -> bool:
        """Some more of the file. Whether there may be more."""
        async with self._database.read() as session:
            export = await session.get(DataExport, export_id)
            if export is None or export.is_done:
                return False
            kind, place = KINDS[export.kind], export.place
            moments = moments_of(date.fromisoformat(export.since), date.fromisoformat(export.until))
            contents = Contents(*moments, export.query, export.columns)
            count, rows, following = await read_some(session, kind, contents, place)
        is_csv = export.file_format == FileFormat.CSV
        if export.pieces == 0:
            rows = [kind.columns or export.columns, *rows]
        is_marked = export.pieces == 0 and not kind.is_for_programs
        content = _csv(rows, is_marked=is_marked) if is_csv else _json(rows)
        file: list[bytes] | None = None
        if following is None and not is_csv:
            file = await self._workbook(export_id, content)
        async with self._database.transaction() as session:
            row = (
                await session.execute(locked(select(DataExport).where(DataExport.id == export_id)))
            ).scalar_one_or_none()
            if row is None or row.is_done or row.place != place:
                return False  # somebody else makes it
            if file is not None:
                pieces = table_of(DataExportPiece)
                await session.execute(delete(pieces).where(pieces.c.export_id == export_id))
                row.pieces = 0
            for piece in file if file is not None else [content]:
                session.add(DataExportPiece(export_id=export_id, number=row.pieces, content=piece))
                row.pieces += 1
            row.done += count
            row.place, row.is_done = following or "", following is None
        return following is not None

    async def _workbook(self, export_id: str, last: bytes) -> list[bytes]:
        """The XLSX of the rows that were stored, and these last ones, in pieces."""
        query = select(DataExportPiece.content).where(DataExportPiece.export_id == export_id)
        async with self._database.read() as session:
            stored = (await session.execute(query.order_by(DataExportPiece.number))).scalars().all()
        rows = (row for piece in (*stored, last) for row in json.loads(piece))
        content = await asyncio.to_thread(workbook, rows)
        return [content[start : start + PIECE] for start in range(0, len(content), PIECE)]


def _csv(rows: Sequence[Row], *, is_marked: bool) -> bytes:
    return ((BYTE_ORDER_MARK if is_marked else "") + lines(rows)).encode()


def _json(rows: Sequence[Row]) -> bytes:
    return json.dumps([list(row) for row in rows], default=str).encode()
