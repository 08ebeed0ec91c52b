"""Looking at the rows of a sheet that is kept: with each is stored what it would do. Nothing of the shop is changed.

They are looked at again whenever something about them changes: pictures came, or categories are to be made.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from backend.catalog.importer.categories import Places
from backend.catalog.importer.columns import OPTIONS
from backend.catalog.importer.row_matching import Known, product_key
from backend.catalog.importer.row_reader import Row
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.events import publish
from backend.imports.events import ImportMoved
from backend.imports.import_validation import Judged, Repeated, as_changes, as_problems, judge
from backend.imports.lookup import find_import
from backend.imports.models import ImportStatus, ProductImport, ProductImportRow
from backend.imports.row_parsing import titled_rows, typed_row

AT_ONCE = 500
"""Rows that are looked at together."""


async def look(database: Database, import_id: str) -> None:
    """Say of each row what it would do now. Of an import that was begun nothing is changed."""
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
        places = await Places.read(session, makes_places=found.makes_places)
    repeats = Repeated()
    typed: list[Row] = []
    for start in range(0, len(lines), AT_ONCE):
        typed += await asyncio.to_thread(_typed, found.columns, lines[start : start + AT_ONCE])
    keys = await _keys_of(database, typed)
    for rows in _together(typed, keys):
        async with database.read() as session:
            judged = await judge(session, found, rows, places, repeats)
        values = [_outcome(import_id, one, keys.get(one.row.line, "")) for one in judged]
        async with database.transaction() as session:
            now = await find_import(session, import_id, lock=True)
            if now.status != ImportStatus.CHECKED:
                return
            await session.execute(_JUDGED, values)
    async with database.transaction() as session:
        await publish(session, ImportMoved(import_id))


def _typed(columns: Sequence[str], lines: Sequence[tuple[int, Sequence[str]]]) -> list[Row]:
    return [typed_row(columns, line, texts) for line, texts in lines]


async def _keys_of(database: Database, rows: Sequence[Row]) -> dict[int, str]:
    """By line, of the rows with options, what those of one product have in common."""
    keys: dict[int, str] = {}
    with_options = [row for row in rows if OPTIONS in row.values]
    for start in range(0, len(with_options), AT_ONCE):
        some = with_options[start : start + AT_ONCE]
        titled = titled_rows(some)
        async with database.read() as session:
            known = await Known.read(session, [*some, *titled.values()])
        keys |= {row.line: product_key(known, row, titled) for row in some}
    return keys


def _together(rows: Sequence[Row], keys: Mapping[int, str]) -> Iterator[list[Row]]:
    """The rows, some at a time; those with options of one product at the same time."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(keys.get(row.line) or f"line {row.line}", []).append(row)
    some: list[Row] = []
    for group in groups.values():
        some += group
        if len(some) >= AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _outcome(import_id: str, judged: Judged, of_product: str) -> dict[str, Any]:
    product = judged.match.product if judged.match else None
    return {
        "of_import": import_id,
        "at_line": judged.row.line,
        "new_plan": judged.plan.value,
        "new_product": product.id if product else "",
        "new_key": of_product,
        "new_problems": as_problems(judged.problems),
        "new_changes": as_changes(judged.changes),
    }


_ROW = table_of(ProductImportRow)
_JUDGED = (
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
