"""Storage of a spreadsheet that a staff member uploads, until it is imported or discarded."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import OPTION_CELLS
from backend.catalog.importer.formats.mapping import MAPPABLE_COLUMNS, find_contested, find_repeated
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.source_reader import convert_source
from backend.catalog.importer.tables.models import SetAsideReason, SetAsideRow, Table, TableError, TableRow
from backend.catalog.models import Category, Collection
from backend.catalog.products.options import join_values
from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR
from backend.core.db.database import Database
from backend.core.db.tables import JsonObject, table_of
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.core.threads import Threads
from backend.imports.column_mapping import read_mapping, store_mapping
from backend.imports.import_validation import to_stored_messages
from backend.imports.lookup import find_open_import
from backend.imports.models import (
    ImportStatus,
    Plan,
    ProductImport,
    ProductImportRow,
    ProductImportTable,
    RowState,
)
from backend.imports.spreadsheet_parsing import Fault, UnreadableProductFile, read_product_file
from backend.shipping.locations import find_first_location_id
from backend.staff.rights import Actor, Right

MAX_IMPORTS = 20
"""Number of newest imports that are retained."""
MAX_NAME_LENGTH = 200
READERS = Threads("spreadsheets", 2)
"""Threads that read spreadsheets. Each waits for a child process that may use `Limits.max_memory_bytes`."""


async def store_spreadsheet(
    database: Database,
    actor: Actor,
    name: str,
    content: bytes,
    *,
    makes_places: bool,
    may_choose: bool = False,
) -> str:
    """Store a spreadsheet as a new import. The caller then calls `preview_import`, which checks its rows.

    The stock column sets the number of units at the shop's first location. The actor's earlier imports that were
    not started are deleted. For a spreadsheet in an unknown format, the columns that staff chose for the same
    headings before are used, else the suggested ones.

    Args:
        database: the shop's database.
        actor: the staff member.
        name: name of the file, for display.
        content: the file.
        makes_places: True if missing categories and collections are created.
        may_choose: True if a person will choose between several columns for one field (`change_mapping`).

    Returns:
        The id of the import.

    Raises:
        UnreadableProductFile: the file is not a spreadsheet, or exceeds a limit; or several columns are for one
            field, and no person can choose.
    """
    actor.require(Right.CHANGE_CATALOG)
    source = await READERS.run(read_product_file, content)
    table = source.table
    if source.format is SourceFormat.UNKNOWN:
        async with database.read() as session:
            columns = await read_mapping(session, table.headings)
        if columns is not None:
            with suppress(TableError):  # the chosen columns are empty in this file
                source = await READERS.run(convert_source, table, columns)
    contested = find_contested(source.suggestions)
    if contested and not may_choose:
        headings = next(iter(contested.values()))
        raise UnreadableProductFile(Fault.TWICE, ", ".join(f"«{one}»" for one in headings))
    async with database.transaction() as session:
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
        )
        session.add(new_import)
        await session.flush()
        await _store_source(session, new_import, source)
        session.add(ProductImportTable(import_id=new_import.id, content=asdict(table)))
    return new_import.id


async def change_mapping(
    database: Database,
    actor: Actor,
    import_id: str,
    columns: Sequence[str],
    contested: Sequence[str] = (),
) -> None:
    """Set the importer's column for each column of a spreadsheet in an unknown format.

    If no column is contested, the mapping is stored, and the next spreadsheet with the same headings uses it. The
    caller then calls `preview_import`, which checks the rows.

    Args:
        database: the shop's database.
        actor: the staff member.
        import_id: an import that was not started, of a spreadsheet in an unknown format.
        columns: for each column of the spreadsheet one of `MAPPABLE_COLUMNS`, or empty if it is not imported.
        contested: for each column of the spreadsheet, the importer's column if several columns compete for it and a
            person must still choose one, else empty; an empty sequence if no columns compete.

    Raises:
        NotFound: the import does not exist.
        NotAllowed: the import was started already.
        InvalidData: a column does not exist or is there twice, or no column identifies products.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.read() as session:
        found = await find_open_import(session, import_id)
        stored = await session.get(ProductImportTable, import_id)
    is_choice = len(columns) == len(found.mapping) > 0 and set(columns) <= {"", *MAPPABLE_COLUMNS}
    if stored is None or not is_choice:
        raise InvalidData("These are not columns of this file")
    table = parse_table(stored.content)
    if repeated := find_repeated(table, columns):
        headings = ", ".join(f"«{one}»" for one in next(iter(repeated.values())))
        raise InvalidData(
            f"Several columns are for one field: {headings}",
            staff_text=_("Varias columnas son para lo mismo: {columns}. Deja una.").format(columns=headings),
        )
    try:
        source = await READERS.run(convert_source, table, columns, contested)
    except TableError:
        raise InvalidData(
            "No column identifies products",
            staff_text=_("Elige la columna del nombre, del SKU o de la dirección."),
        ) from None
    async with database.transaction() as session:
        found = await find_open_import(session, import_id, lock=True)
        if not any(contested):
            await store_mapping(session, table.headings, columns)
        rows = table_of(ProductImportRow)
        await session.execute(delete(rows).where(rows.c.import_id == import_id))
        await _store_source(session, found, source)


async def _store_source(session: AsyncSession, target: ProductImport, source: SourceFile) -> None:
    """Store the content of a file with its import."""
    await _replace_ids(session, source)
    target.columns, target.headings, target.ignored = source.columns, source.headings, source.ignored
    target.format, target.sheet = source.format.value, source.sheet[:MAX_NAME_LENGTH]
    target.set_aside = [asdict(row) for row in source.set_aside]
    target.notes, target.total = source.notes, len(source.rows)
    target.mapping = [asdict(one) for one in source.suggestions]
    await session.execute(insert(table_of(ProductImportRow)), _to_rows(target.id, source))


def parse_table(content: JsonObject) -> Table:
    """Return the table that was stored with an import."""
    rows = [TableRow(**row) for row in content["rows"]]
    set_aside = [
        SetAsideRow(row["line"], SetAsideReason(row["reason"]), row["text"]) for row in content["set_aside"]
    ]
    return Table(**{**content, "rows": rows, "set_aside": set_aside})


async def _replace_ids(session: AsyncSession, source: SourceFile) -> None:
    """Replace ids of categories and collections in the cells by handles. API clients write such ids."""
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
            "source_problems": to_stored_messages(row.problems),
            "source_notes": to_stored_messages(row.notes),
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
