"""Storage of a spreadsheet that a staff member uploads, until it is imported or discarded."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import OPTION_CELLS
from backend.catalog.importer.formats.models import SourceFile
from backend.catalog.models import Category, Collection
from backend.catalog.products.options import join_values
from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.threads import Threads
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.imports.spreadsheet_parsing import read_product_file
from backend.shipping.locations import find_first_location_id
from backend.staff.rights import Actor, Right

MAX_IMPORTS = 20
"""Number of newest imports that are retained."""
MAX_NAME_LENGTH = 200
READERS = Threads("spreadsheets", 2)
"""Each thread waits for a child process that may use `Limits.max_memory_bytes`."""


async def store_spreadsheet(
    database: Database, actor: Actor, name: str, content: bytes, *, makes_places: bool
) -> str:
    """Store a spreadsheet as a new import. The caller then calls `preview_import`, which checks its rows.

    The stock column is the number of units at the shop's first location. The actor's earlier imports that were not
    started are deleted.

    Returns:
        The id of the import.

    Raises:
        UnreadableProductFile: the file is not a spreadsheet, or exceeds a limit.
    """
    actor.require(Right.CHANGE_CATALOG)
    source = await READERS.run(read_product_file, content)
    async with database.transaction() as session:
        await _replace_ids(session, source)
        await session.execute(
            delete(table_of(ProductImport)).where(
                table_of(ProductImport).c.actor_id == actor.id,
                table_of(ProductImport).c.status == ImportStatus.CHECKED,
            )
        )
        await _delete_old_imports(session)
        new_import = ProductImport(
            actor_id=actor.id,
            name=name[:MAX_NAME_LENGTH],
            location_id=await find_first_location_id(session),
            makes_places=makes_places,
            columns=source.columns,
            ignored=source.ignored,
            format=source.format.value,
            sheet=source.sheet[:MAX_NAME_LENGTH],
            headings=source.headings,
            set_aside=[asdict(row) for row in source.set_aside],
            notes=source.notes,
            total=len(source.rows),
        )
        session.add(new_import)
        await session.flush()
        rows = _to_rows(new_import.id, source)
        await session.execute(insert(table_of(ProductImportRow)), rows)
    return new_import.id


async def _replace_ids(session: AsyncSession, source: SourceFile) -> None:
    """Replace the ids of categories and collections in the cells, which API clients write, by their handles."""
    for column, table in (("categories", Category), ("collection", Collection)):
        for place in _find_positions(source.columns, column):
            parts = [(row.texts[place] or "").split(LIST_SEPARATOR) for row in source.rows]
            query = select(table.id, table.handle).where(
                table.id.in_({part for some in parts for part in some})
            )
            handles = dict((await session.execute(query)).all())
            for row, some in zip(source.rows, parts, strict=True):
                if not handles.keys().isdisjoint(some):
                    row.texts[place] = LIST_SEPARATOR.join(handles.get(part, part) for part in some)


def _find_positions(columns: Sequence[str], column: str) -> list[int]:
    return [place for place, one in enumerate(columns) if one == column]


def _to_rows(import_id: str, source: SourceFile) -> list[dict[str, Any]]:
    known_by = [
        place for column in ("title", "sku", "handle") for place in _find_positions(source.columns, column)
    ]
    values = [
        place for column in list(OPTION_CELLS)[1::2] for place in _find_positions(source.columns, column)
    ]
    return [
        {
            "import_id": import_id,
            "line": row.line,
            "texts": row.texts,
            "plan": Plan.WRONG.value,
            "state": RowState.WAITING.value,
            "title": _describe_row(
                [text for place in known_by if (text := row.texts[place])],
                [text for place in values if (text := row.texts[place])],
            ),
            "product_id": "",
            "source_problems": [
                {"column": one.column, "code": one.code, "detail": one.detail} for one in row.problems
            ],
            "source_notes": [asdict(one) for one in row.notes],
            "problems": [],
            "notes": [],
            "losses": [],
            "changes": [],
        }
        for row in source.rows
    ]


def _describe_row(names: Sequence[str], values: Sequence[str]) -> str:
    parts = (next(iter(names), ""), join_values(values))
    return " · ".join(part for part in parts if part)[:MAX_NAME_LENGTH]


async def _delete_old_imports(session: AsyncSession) -> None:
    """Delete finished imports except the newest ones. The changes that they made remain in the audit log."""
    newest = select(ProductImport.id).order_by(ProductImport.created_at.desc(), ProductImport.id.desc())
    newest_ids = list((await session.execute(newest.limit(MAX_IMPORTS))).scalars())
    table = table_of(ProductImport)
    await session.execute(
        delete(table).where(table.c.id.not_in(newest_ids), table.c.status == ImportStatus.DONE)
    )
