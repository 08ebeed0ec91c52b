"""Check of a stored spreadsheet's rows. The planned effect is stored with each row; the shop's data does not change.

The check is repeated when its input changes: pictures were added, or missing categories are to be created.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from operator import itemgetter
from typing import Any

from sqlalchemy import bindparam, select, update

from backend.catalog.importer.categories import ProductGroups
from backend.catalog.importer.formats.models import SourceRow
from backend.catalog.importer.row_reader import Note, Problem, Row
from backend.catalog.importer.source_rows import find_product_keys, group_batches, parse_source_row
from backend.core.db.database import Database
from backend.core.db.tables import JsonObject, table_of
from backend.core.events import publish
from backend.imports.events import ImportProgressed
from backend.imports.import_validation import (
    RepeatedValues,
    RowValidation,
    to_stored_changes,
    to_stored_messages,
    validate_rows,
)
from backend.imports.lookup import find_import
from backend.imports.models import ImportStatus, ProductImport, ProductImportRow
from backend.imports.picture_report import PictureCounter
from backend.imports.rows.losses import CODES

BATCH_SIZE = 500
"""Rows that are checked together."""
MAX_CODE_CHANGES = 50
"""Maximum number of changed codes that an import stores."""


@dataclass
class PreviewTotals:
    """Results of a preview that concern all rows."""

    losses: Counter[str] = field(default_factory=Counter)
    code_changes: list[JsonObject] = field(default_factory=list)
    pictures: PictureCounter = field(default_factory=PictureCounter)

    def add_rows(self, validated: Sequence[RowValidation], titles: Mapping[int, str]) -> None:
        """Add the results of these rows. `titles` has the title of each row, by line."""
        self.pictures.add_rows(validated)
        for one in validated:
            losses = one.losses
            self.losses.update(losses)
            self.code_changes += [
                {"line": one.row.line, "title": titles[one.row.line], **change}
                for change in to_stored_changes(one.changes)
                if change["column"] in CODES and change["column"] in losses
            ]


async def preview_import(database: Database, import_id: str) -> None:
    """Check each row against the current data, and store its planned effect.

    Do nothing if the import was started already.
    """
    async with database.read() as session:
        found = await session.get(ProductImport, import_id)
        if found is None or found.status != ImportStatus.CHECKED:
            return
        query = select(
            ProductImportRow.line,
            ProductImportRow.texts,
            ProductImportRow.source_problems,
            ProductImportRow.source_notes,
            ProductImportRow.title,
        ).where(ProductImportRow.import_id == import_id)
        stored = (await session.execute(query.order_by(ProductImportRow.line))).all()
        places = await ProductGroups.read(session, makes_places=found.makes_places)
    repeats, totals = RepeatedValues(), PreviewTotals()
    titles = {one.line: one.title for one in stored}
    parsed: list[Row] = []
    for start in range(0, len(stored), BATCH_SIZE):
        parsed += await asyncio.to_thread(_parse_rows, found.columns, stored[start : start + BATCH_SIZE])
    keys = await find_product_keys(database, parsed, BATCH_SIZE)
    for rows in group_batches(parsed, keys, BATCH_SIZE):
        async with database.read() as session:
            validated = await validate_rows(session, found, rows, places, repeats)
        totals.add_rows(validated, titles)
        values = [_preview_values(import_id, one, keys.get(one.row.line, "")) for one in validated]
        async with database.transaction() as session:
            now = await find_import(session, import_id, lock=True)
            if now.status != ImportStatus.CHECKED:
                return
            await session.execute(_UPDATE_PREVIEW, values)
    async with database.transaction() as session:
        now = await find_import(session, import_id, lock=True)
        if now.status == ImportStatus.CHECKED:
            now.losses = dict(totals.losses)
            now.code_changes = sorted(totals.code_changes, key=itemgetter("line"))[:MAX_CODE_CHANGES]
            now.pictures = asdict(await totals.pictures.build_report(session, import_id))
        await publish(session, ImportProgressed(import_id))


def _parse_rows(columns: Sequence[str], stored: Sequence[Any]) -> list[Row]:
    return [parse_source_row(columns, _to_source_row(one)) for one in stored]


def _to_source_row(stored: Any) -> SourceRow:
    problems = [
        Problem(stored.line, one["column"], one["code"], one["code"], one["detail"])
        for one in stored.source_problems
    ]
    notes = [Note(**one) for one in stored.source_notes]
    return SourceRow(stored.line, stored.texts, problems, notes)


def _preview_values(import_id: str, validated: RowValidation, of_product: str) -> dict[str, Any]:
    product = validated.match.product if validated.match else None
    return {
        "of_import": import_id,
        "at_line": validated.row.line,
        "new_plan": validated.plan.value,
        "new_product": product.id if product else "",
        "new_key": of_product,
        "new_problems": to_stored_messages(validated.problems),
        "new_notes": to_stored_messages(validated.row.notes),
        "new_losses": validated.losses,
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
        notes=bindparam("new_notes", type_=_ROW.c.notes.type),
        losses=bindparam("new_losses", type_=_ROW.c.losses.type),
        changes=bindparam("new_changes", type_=_ROW.c.changes.type),
    )
)
