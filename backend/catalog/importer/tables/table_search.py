"""Search of the table of products in a spreadsheet."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from backend.catalog.importer.cell_texts import cell_texts
from backend.catalog.importer.tables.heading_search import (
    MAX_HEADING_ROW,
    MIN_HEADINGS,
    HeadingRow,
    find_heading_row,
    join_headings,
)
from backend.catalog.importer.tables.merged_cells import SheetRow, fill_merged_cells
from backend.catalog.importer.tables.models import (
    SetAsideReason,
    SetAsideRow,
    Table,
    TableError,
    TableFault,
    TableRow,
)
from backend.catalog.importer.tables.row_kinds import RowClassifier
from backend.spreadsheet_reader.models import Area, CellKind, Row
from backend.spreadsheet_reader.mojibake import repair_text
from backend.spreadsheet_reader.reader import Sheet

MAX_OTHER_ROWS = 2_000
"""Maximum number of rows of a sheet in addition to its products: titles, totals and hidden rows."""
MAX_SET_ASIDE_TEXT = 120


@dataclass(frozen=True, slots=True)
class _FoundSheet:
    """A sheet with a heading row. `is_too_long` is True if the sheet has more rows than were read."""

    name: str
    is_text: bool
    head: HeadingRow
    rows: list[SheetRow]
    areas: list[Area]
    is_too_long: bool = False


def find_table(sheets: Iterable[Sheet], known_headings: frozenset[str], max_rows: int | None = None) -> Table:
    """Return the table below the row with the most known headings, in any visible sheet.

    Args:
        sheets: the sheets of an open spreadsheet; their rows are read.
        known_headings: normalized headings of all formats.
        max_rows: maximum number of products.

    Raises:
        TableError: no sheet has a table that can be read.
        UnreadableSpreadsheet: the file cannot be read.
    """
    found: _FoundSheet | None = None
    others: list[SetAsideRow] = []
    for sheet in sheets:
        if sheet.is_hidden:
            others.append(SetAsideRow(0, SetAsideReason.HIDDEN_SHEET, sheet.name))
            continue
        other = _read_sheet(sheet, known_headings, found, max_rows)
        if other is not None and (found is None or other.head[:2] > found.head[:2]):
            found, other = other, found
        if other is not None and other.head.known >= MIN_HEADINGS:
            others.append(SetAsideRow(0, SetAsideReason.OTHER_SHEET, other.name))
    if found is None:
        raise TableError(TableFault.NO_HEAD)
    if found.is_too_long:
        raise TableError(TableFault.TOO_MANY_ROWS)
    return _build_table(found, others, max_rows)


def _read_sheet(
    sheet: Sheet, known_headings: frozenset[str], best: _FoundSheet | None, max_rows: int | None
) -> _FoundSheet | None:
    """Return the sheet if it has a heading row, else None.

    If `best` is more likely to be the table of products, only the first rows of this sheet are read.
    """
    rows: list[SheetRow] = []
    source = sheet.iter_rows()
    following = next(source, None)
    while following is not None and following.number <= MAX_HEADING_ROW:
        rows.append(_to_sheet_row(following))
        following = next(source, None)
    head = find_heading_row(rows, known_headings)
    if head is None:
        return None
    is_too_long = False
    if best is None or head[:2] > best.head[:2]:
        while following is not None and not is_too_long:
            rows.append(_to_sheet_row(following))
            is_too_long = max_rows is not None and len(rows) > max_rows + MAX_OTHER_ROWS
            following = next(source, None)
    return _FoundSheet(sheet.name, sheet.is_text, head, rows, sheet.areas, is_too_long)


def _to_sheet_row(row: Row) -> SheetRow:
    return SheetRow(row.number, list(map(repair_text, cell_texts(row))), row.kinds, row.is_hidden)


def _build_table(found: _FoundSheet, others: list[SetAsideRow], max_rows: int | None) -> Table:
    headings, place = join_headings(found.rows, -found.head.place, found.areas)
    head_line = found.rows[place].number
    rows = found.rows[place + 1 :]
    if not found.is_text:
        fill_merged_cells(rows, found.areas, len(headings))
    classifier = RowClassifier(headings)
    products: list[SheetRow] = []
    set_aside: list[SetAsideRow] = []
    for distance, row in enumerate(rows, start=1):
        if reason := classifier.classify(row, distance):
            set_aside.append(_set_aside(row, reason))
        elif any(row.texts[: len(headings)]):
            products.append(row)
    for reason, numbers in (
        (SetAsideReason.TOTAL, classifier.find_rows_of_sums(products)),
        (SetAsideReason.NO_CODE, classifier.find_rows_without_code(products)),
    ):
        set_aside += [_set_aside(row, reason) for row in products if row.number in numbers]
        products = [row for row in products if row.number not in numbers]
    if not products:
        raise TableError(TableFault.EMPTY)
    if max_rows is not None and len(products) > max_rows:
        raise TableError(TableFault.TOO_MANY_ROWS)
    return Table(
        found.name,
        head_line,
        headings,
        [_to_table_row(row, len(headings), is_text=found.is_text) for row in products],
        [*others, *sorted(set_aside, key=lambda row: row.line)],
        is_text=found.is_text,
    )


def _set_aside(row: SheetRow, reason: SetAsideReason) -> SetAsideRow:
    texts = [text for text, _cells in groupby(row.texts) if text]  # a merged area repeats its text
    text = " · ".join(texts)
    return SetAsideRow(row.number, reason, text[:MAX_SET_ASIDE_TEXT])


def _to_table_row(row: SheetRow, width: int, *, is_text: bool) -> TableRow:
    """Return the cells below the headings, and the extra cells to the right of them.

    In a text file, all cells to the right are extra. In a workbook, they are extra only if they begin directly next
    to the table: a legend that is further to the right is ignored.
    """
    texts: list[str | None] = [*row.texts[:width]]
    texts += [None if is_text else ""] * (width - len(texts))
    beyond = row.texts[width:]
    extra = [text for text in beyond if text] if is_text or (beyond and beyond[0]) else []
    return TableRow(row.number, texts, row.kinds[:width].ljust(width, CellKind.TEXT), extra)
