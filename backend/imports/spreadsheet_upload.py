"""Keeping a sheet that somebody of the staff sends, until they say what becomes of it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import OPTION_CELLS
from backend.catalog.models import Category, Collection
from backend.catalog.products.options import title_of
from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.threads import Threads
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.imports.spreadsheet_parsing import Sheet, read_sheet
from backend.shipping.locations import first_location
from backend.staff.rights import Actor, Right

MOST_KEPT = 20
"""So many imports are kept: the last ones."""
LONGEST_NAME = 200
READERS = Threads("spreadsheets", 2)
"""Each waits for a child process that may take `Limits.max_memory_bytes`."""


async def keep_sheet(
    database: Database, actor: Actor, name: str, content: bytes, *, makes_places: bool
) -> str:
    """Keep a sheet; its stock is that of the first location. `look` says then what its rows would do.

    Those of the same person that were never begun are forgotten.

    Returns:
        The id of the import.

    Raises:
        UnreadableSheet: it is no sheet, or exceeds a bound.
    """
    actor.require(Right.CHANGE_CATALOG)
    sheet = await READERS.run(read_sheet, content)
    async with database.transaction() as session:
        await _by_handle(session, sheet)
        await session.execute(
            delete(table_of(ProductImport)).where(
                table_of(ProductImport).c.actor_id == actor.id,
                table_of(ProductImport).c.status == ImportStatus.CHECKED,
            )
        )
        await _forget_old(session)
        taken = ProductImport(
            actor_id=actor.id,
            name=name[:LONGEST_NAME],
            location_id=await first_location(session),
            makes_places=makes_places,
            columns=sheet.columns,
            ignored=sheet.ignored,
            total=len(sheet.rows),
        )
        session.add(taken)
        await session.flush()
        rows = _kept(taken.id, sheet)
        await session.execute(insert(table_of(ProductImportRow)), rows)
    return taken.id


async def _by_handle(session: AsyncSession, sheet: Sheet) -> None:
    """Let the sheet name categories and collections by their handles, where a program wrote their ids."""
    for column, table in (("categories", Category), ("collection", Collection)):
        for place in _places_of(sheet.columns, column):
            ids = {part for _line, texts in sheet.rows for part in texts[place].split(LIST_SEPARATOR)}
            query = select(table.id, table.handle).where(table.id.in_(ids))
            handles = dict((await session.execute(query)).all())
            for _line, texts in sheet.rows if handles else ():
                parts = texts[place].split(LIST_SEPARATOR)
                texts[place] = LIST_SEPARATOR.join(handles.get(part, part) for part in parts)


def _places_of(columns: Sequence[str], column: str) -> list[int]:
    return [place for place, one in enumerate(columns) if one == column]


def _kept(import_id: str, sheet: Sheet) -> list[dict[str, Any]]:
    known_by = [place for column in ("title", "sku", "handle") for place in _places_of(sheet.columns, column)]
    values = [place for column in list(OPTION_CELLS)[1::2] for place in _places_of(sheet.columns, column)]
    return [
        {
            "import_id": import_id,
            "line": line,
            "texts": texts,
            "plan": Plan.WRONG.value,
            "state": RowState.WAITING.value,
            "title": " · ".join(
                part
                for part in (
                    next((texts[place] for place in known_by if texts[place]), ""),
                    title_of(texts[place] for place in values if texts[place]),
                )
                if part
            )[:LONGEST_NAME],
            "product_id": "",
            "problems": [],
            "changes": [],
        }
        for line, texts in sheet.rows
    ]


async def _forget_old(session: AsyncSession) -> None:
    """Forget the imports before the last ones. What was done stays in the audit."""
    newest = select(ProductImport.id).order_by(ProductImport.created_at.desc(), ProductImport.id.desc())
    kept = list((await session.execute(newest.limit(MOST_KEPT))).scalars())
    table = table_of(ProductImport)
    await session.execute(delete(table).where(table.c.id.not_in(kept), table.c.status == ImportStatus.DONE))
