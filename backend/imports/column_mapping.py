"""Column mappings that staff members chose for spreadsheets in an unknown format, stored by the headings."""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.formats.mapping import MAPPABLE_COLUMNS
from backend.catalog.importer.formats.recognition import list_source_places
from backend.core.clock import now
from backend.core.db.tables import insert_into, table_of
from backend.imports.models import ColumnMapping
from backend.spreadsheet_reader.headings import normalize_heading

MAX_MAPPINGS = 200
"""Maximum number of stored mappings: those that staff members chose most recently."""


async def read_mapping(session: AsyncSession, headings: Sequence[str]) -> list[str] | None:
    """Return the importer's columns that staff chose for a spreadsheet with these headings; None if they chose none."""
    places = list_source_places(headings)
    found = await session.get(ColumnMapping, _digest(headings[place] for place in places))
    if found is None or len(found.columns) != len(places):
        return None
    columns = [""] * len(headings)
    for place, column in zip(places, found.columns, strict=True):
        columns[place] = column if column in MAPPABLE_COLUMNS else ""
    return columns


async def store_mapping(session: AsyncSession, headings: Sequence[str], columns: Sequence[str]) -> None:
    """Store the chosen columns of a spreadsheet with these headings, and delete all but the newest `MAX_MAPPINGS`.

    The columns that the shop adds to a file of refused rows are ignored, so that this file uses the mapping of the
    original spreadsheet.
    """
    places = list_source_places(headings)
    digest, chosen = _digest(headings[place] for place in places), [columns[place] for place in places]
    moment = now()
    values = {"id": digest, "columns": chosen, "created_at": moment, "updated_at": moment}
    statement = insert_into(ColumnMapping).values(values)
    changed = {name: statement.excluded[name] for name in ("columns", "updated_at")}
    await session.execute(statement.on_conflict_do_update(index_elements=["id"], set_=changed))
    table = table_of(ColumnMapping)
    newest = select(table.c.id).order_by(table.c.updated_at.desc(), table.c.id).limit(MAX_MAPPINGS)
    await session.execute(delete(table).where(table.c.id.not_in(newest)))


def _digest(headings: Iterable[str]) -> str:
    return sha256("\n".join(map(normalize_heading, headings)).encode()).hexdigest()
