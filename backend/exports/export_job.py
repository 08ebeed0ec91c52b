"""The job that creates a file in batches. After an interruption, it continues with the next batch."""

import asyncio
import json
from collections.abc import Sequence
from datetime import date, timedelta

from sqlalchemy import delete, select

from backend.core.db.database import Database, lock_rows
from backend.core.db.tables import table_of
from backend.core.spreadsheet import build_workbook, format_csv, format_csv_for_people
from backend.exports.kinds import KINDS, Contents, Row, read_batch
from backend.exports.models import DataExport, DataExportPiece, FileFormat
from backend.exports.service import JOB, to_moments
from backend.jobs import JobRun, RunAgain, job

RUN_TIME_S = 20.0
"""Seconds after which one run of the job ends, so that other jobs can run. The job then continues in another run."""
RUN_TIMEOUT = timedelta(minutes=10)
PIECE_BYTES = 1 << 20
"""Bytes of one stored piece of an XLSX."""


class DataExports:
    """Creates the files that staff request."""

    def __init__(self, database: Database, base_url: str) -> None:
        self._database, self._base_url = database, base_url

    @job(JOB, concurrency=1, timeout=RUN_TIMEOUT)
    async def create_file(self, run: JobRun) -> RunAgain | None:
        """Add batches to the file until it is complete. After `RUN_TIME_S`, continue in another run."""
        clock = asyncio.get_running_loop()
        until = clock.time() + RUN_TIME_S
        while await self._add_batch(run.payload["export_id"]):
            if clock.time() > until:
                return RunAgain(timedelta(0), reset=True)
            await asyncio.sleep(0)  # let other tasks run
        return None

    async def _add_batch(self, export_id: str) -> bool:
        """Add one batch to the file. Return True if there may be more."""
        async with self._database.read() as session:
            export = await session.get(DataExport, export_id)
            if export is None or export.is_done:
                return False
            kind, place = KINDS[export.kind], export.place
            moments = to_moments(date.fromisoformat(export.since), date.fromisoformat(export.until))
            contents = Contents(*moments, export.query, export.columns, self._base_url)
            count, rows, following = await read_batch(session, kind, contents, place)
        is_csv = export.file_format == FileFormat.CSV
        if export.pieces == 0:
            rows = [kind.columns or export.columns, *rows]
        if not is_csv:
            content = _to_json(rows)
        elif kind.is_for_programs:
            content = format_csv(rows).encode()
        else:
            content = format_csv_for_people(rows, is_beginning=export.pieces == 0).encode()
        file: list[bytes] | None = None
        if following is None and not is_csv:
            file = await self._build_workbook(export_id, content)
        async with self._database.transaction() as session:
            row = (
                await session.execute(lock_rows(select(DataExport).where(DataExport.id == export_id)))
            ).scalar_one_or_none()
            if row is None or row.is_done or row.place != place:
                return False  # another worker wrote this batch
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

    async def _build_workbook(self, export_id: str, unstored: bytes) -> list[bytes]:
        """Return an XLSX file, cut into pieces. It has the stored rows, then the rows in `unstored` (JSON)."""
        query = select(DataExportPiece.content).where(DataExportPiece.export_id == export_id)
        async with self._database.read() as session:
            stored = (await session.execute(query.order_by(DataExportPiece.number))).scalars().all()
        rows = (row for piece in (*stored, unstored) for row in json.loads(piece))
        content = await asyncio.to_thread(build_workbook, rows)
        return [content[start : start + PIECE_BYTES] for start in range(0, len(content), PIECE_BYTES)]


def _to_json(rows: Sequence[Row]) -> bytes:
    return json.dumps([list(row) for row in rows], default=str).encode()
