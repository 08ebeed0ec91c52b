"""Check of a stored spreadsheet's rows. The planned effect is stored with each row; the shop's data does not change.

The check is repeated when its input changes: pictures were added, or missing categories are to be created.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from backend.catalog.importer.categories import ProductGroups
from backend.catalog.importer.columns import OPTIONS
from backend.catalog.importer.row_matching import KnownProducts, product_key
from backend.catalog.importer.row_reader import Row
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.events import publish
from backend.imports.events import ImportProgressed
from backend.imports.import_validation import (
    RepeatedValues,
    RowValidation,
    to_stored_changes,
    to_stored_problems,
    validate_rows,
)
from backend.imports.lookup import find_import
from backend.imports.models import ImportStatus, ProductImport, ProductImportRow
from backend.imports.row_parsing import find_titled_rows, parse_typed_row

BATCH_SIZE = 500
"""Rows that are checked together."""


async def preview_import(database: Database, import_id: str) -> None:
    """Check each row against the current data, and store its planned effect.

    Do nothing if the import was started already.
    """
    async with database.read() as session:
        found = await session.get(ProductImport, import_id)
        if found is None or found.status != ImportStatus.CHECKED:
            return
        query = select(ProductImportRow.line, ProductImportRow.texts).where(
            ProductImportRow.import_id == import_id
        )
        lines = [
            (line, texts) for line, texts in await session.execute(query.order_by(ProductImportRow.line))
        ]
        places = await ProductGroups.read(session, makes_places=found.makes_places)
    repeats = RepeatedValues()
    parsed: list[Row] = []
    for start in range(0, len(lines), BATCH_SIZE):
        parsed += await asyncio.to_thread(_parse_rows, found.columns, lines[start : start + BATCH_SIZE])
    keys = await _find_product_keys(database, parsed)
    for rows in _group_batches(parsed, keys):
        async with database.read() as session:
            validated = await validate_rows(session, found, rows, places, repeats)
        values = [_preview_values(import_id, one, keys.get(one.row.line, "")) for one in validated]
        async with database.transaction() as session:
            now = await find_import(session, import_id, lock=True)
            if now.status != ImportStatus.CHECKED:
                return
            await session.execute(_UPDATE_PREVIEW, values)
    async with database.transaction() as session:
        await publish(session, ImportProgressed(import_id))


def _parse_rows(columns: Sequence[str], lines: Sequence[tuple[int, Sequence[str | None]]]) -> list[Row]:
    return [parse_typed_row(columns, line, texts) for line, texts in lines]


async def _find_product_keys(database: Database, rows: Sequence[Row]) -> dict[int, str]:
    """Return the product key of each row with options, by line."""
    keys: dict[int, str] = {}
    with_options = [row for row in rows if OPTIONS in row.values]
    for start in range(0, len(with_options), BATCH_SIZE):
        some = with_options[start : start + BATCH_SIZE]
        titled = find_titled_rows(some)
        async with database.read() as session:
            known = await KnownProducts.read(session, [*some, *titled.values()])
        keys |= {row.line: product_key(known, row, titled) for row in some}
    return keys


def _group_batches(rows: Sequence[Row], keys: Mapping[int, str]) -> Iterator[list[Row]]:
    """Yield the rows in batches. Rows with options of one product are in the same batch."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(keys.get(row.line) or f"line {row.line}", []).append(row)
    some: list[Row] = []
    for group in groups.values():
        some += group
        if len(some) >= BATCH_SIZE:
            yield some
            some = []
    if some:
        yield some


def _preview_values(import_id: str, validated: RowValidation, of_product: str) -> dict[str, Any]:
    product = validated.match.product if validated.match else None
    return {
        "of_import": import_id,
        "at_line": validated.row.line,
        "new_plan": validated.plan.value,
        "new_product": product.id if product else "",
        "new_key": of_product,
        "new_problems": to_stored_problems(validated.problems),
        "new_changes": to_stored_changes(validated.changes),
    }


_ROW = table_of(ProductImportRow)
_UPDATE_PREVIEW = (
    update(_ROW)
    .where(_ROW.c.import_id == bindparam("of_import"), _ROW.c.line == bindparam("at_line"))
    .values(
        plan=bindparam("new_plan"),
        product_id=bindparam("new_product"),
        of_product=bindparam("new_key"),
        problems=bindparam("new_problems", type_=_ROW.c.problems.type),
        changes=bindparam("new_changes", type_=_ROW.c.changes.type),
    )
)
