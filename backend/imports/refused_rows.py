"""The file of the rows with problems: the rows as they were in the spreadsheet, with the corrections that they need."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.formats.models import OWN_FORMATS
from backend.catalog.importer.formats.own import UNCHANGED
from backend.catalog.importer.formats.recognition import CORRECTION_HEADING, ROW_HEADING, list_source_places
from backend.catalog.importer.headings import get_label
from backend.catalog.importer.source_reader import convert_source
from backend.catalog.importer.tables.models import Table, TableRow
from backend.core.db.tables import JsonObject
from backend.core.spreadsheet import DATE_FORMAT, EXPONENT_FORMAT, FormattedNumber, build_workbook
from backend.imports.lookup import find_import
from backend.imports.messages import format_problem
from backend.imports.models import ProductImport, ProductImportRow, ProductImportTable
from backend.imports.row_pages import RowList, list_conditions
from backend.imports.spreadsheet_upload import READERS, parse_table
from backend.spreadsheet_reader.models import CellKind
from backend.staff.rights import Actor, Right

FIRST_DAY = "1901"
"""First year of dates in a workbook. Earlier dates are written as texts."""
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
"""A number as a workbook stores it: without zeros that only a number format shows."""


async def build_refused_file(session: AsyncSession, actor: Actor, import_id: str) -> bytes:
    """Return a workbook of the import's rows with problems, which can be imported again after their correction.

    It has the rows of `RowList.PROBLEMS`, and all other rows that describe the same products, such as rows that have
    only a picture. Its columns are those of the spreadsheet, and two more for the problems and the row's number.

    Raises:
        NotFound: the import does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    found = await find_import(session, import_id)
    query = select(ProductImportRow.line, ProductImportRow.problems).where(
        *list_conditions(found, RowList.PROBLEMS)
    )
    problems: dict[int, list[JsonObject]] = dict((await session.execute(query)).all())
    stored = await session.get_one(ProductImportTable, import_id)
    return await READERS.run(_build_workbook, found, parse_table(stored.content), problems)


def _build_workbook(
    found: ProductImport, table: Table, problems: Mapping[int, Sequence[JsonObject]]
) -> bytes:
    source = convert_source(table, [one["column"] for one in found.mapping] or None)
    lines = {line for row in source.rows if row.line in problems for line in row.source_lines}
    places = list_source_places(table.headings)
    unchanged = UNCHANGED if source.format in OWN_FORMATS else ""

    def build_rows() -> Iterator[Sequence[object]]:
        yield [*(table.headings[place] for place in places), CORRECTION_HEADING, ROW_HEADING]
        for row in table.rows:
            if row.line in lines:
                texts = " ".join(_describe(found, one) for one in problems.get(row.line, ()))
                yield [*(_to_cell(row, place, unchanged) for place in places), texts, row.line, *row.extra]

    return build_workbook(build_rows())


def _describe(found: ProductImport, problem: JsonObject) -> str:
    column = problem["column"]
    text = format_problem(problem)
    if not column:
        return text
    heading = found.headings[found.columns.index(column)] if column in found.columns else ""
    return f"{heading or get_label(column)}: {text}"


def _to_cell(row: TableRow, place: int, unchanged: str) -> object:
    """Return the value to write into a workbook, so that it is read in the same way as the original cell."""
    text, kind = row.texts[place], row.kinds[place]
    if text is None:
        return unchanged
    if kind == CellKind.DATE and text and text >= FIRST_DAY:
        return FormattedNumber(datetime.fromisoformat(text).replace(tzinfo=None), DATE_FORMAT)
    if kind == CellKind.EXPONENT and text:
        return FormattedNumber(float(text), EXPONENT_FORMAT)
    return float(text) if kind == CellKind.NUMBER and _PLAIN_NUMBER.fullmatch(text) else text
