"""Checks of converted rows against the original cells of the spreadsheet."""

from collections.abc import Iterator

from backend.catalog.importer.cell_texts import AMOUNT_COLUMNS, mark_decimals, restore_age_range
from backend.catalog.importer.code_cells import CODE_COLUMNS, describe_damaged_code, find_code_fault
from backend.catalog.importer.formats.models import OWN_FORMATS, SourceFile, SourceRow
from backend.catalog.importer.formats.recognition import MIN_OWN_HEADINGS, has_correction_column
from backend.catalog.importer.row_reader import Note, Problem
from backend.catalog.importer.tables.models import TableRow
from backend.spreadsheet_reader.encodings import UNREADABLE
from backend.spreadsheet_reader.models import CellKind

NEEDED_COLUMNS = ("title", "price")
"""Columns that must not be missing in a row with fewer cells, if the file has them."""


def check_source_rows(source: SourceFile) -> None:
    """Add the problems and notes of each row: extra and missing cells, damaged codes, unreadable letters.

    The conversion may join several rows of one product, such as rows that have only a picture. Problems of such
    rows are added to the first row of the product.
    """
    sources = {line: row for row in reversed(source.rows) for line in row.source_lines}
    sources |= {row.line: row for row in source.rows}
    is_foreign_text = _is_foreign_text(source)
    for cells in source.table.rows:
        row = sources.get(cells.line)
        if row is None:
            continue
        if cells.extra:
            place = "" if row.line == cells.line else f"{cells.line}: "
            detail = f"{place}{', '.join(cells.extra)}"[:200]
            message = f"has filled cells beyond the head: {detail}"
            row.problems.append(Problem(row.line, "", message, "extra cells", detail))
        if any(text and UNREADABLE in text for text in cells.texts):
            row.problems.extend(_find_unreadable_cells(source, row, cells))
        if row.line != cells.line:
            continue
        if cells.texts and cells.texts[-1] is None:
            _check_short_row(source, row, cells)
        _restore_age_ranges(source, row, cells)
        _mark_decimals(source, row, cells)
        row.problems.extend(_find_code_problems(source, row, cells, is_foreign_text=is_foreign_text))


def _check_short_row(source: SourceFile, row: SourceRow, cells: TableRow) -> None:
    missing = [
        heading for heading, text in zip(source.table.headings, cells.texts, strict=True) if text is None
    ]
    row.notes.append(Note("", "short row", ", ".join(missing)[:200]))
    row.problems.extend(
        Problem(row.line, column, "is missing: the line has fewer cells than the head", "short row", heading)
        for column, heading, text in zip(source.columns, source.headings, row.texts, strict=True)
        if column in NEEDED_COLUMNS and not text and not {heading, *heading.split(" / ")}.isdisjoint(missing)
    )


def _restore_age_ranges(source: SourceFile, row: SourceRow, cells: TableRow) -> None:
    """Replace age ranges that a spreadsheet turned into dates."""
    if CellKind.DATE not in cells.kinds or "age_range" not in source.columns:
        return
    column = source.columns.index("age_range")
    text = row.texts[column]
    if text and _find_kind(cells, text) == CellKind.DATE:
        row.texts[column] = restore_age_range(text)


def _mark_decimals(source: SourceFile, row: SourceRow, cells: TableRow) -> None:
    """Mark the decimals of a workbook's numbers in columns of amounts, as the function `mark_decimals` does."""
    if CellKind.NUMBER not in cells.kinds:
        return
    for place, (column, text) in enumerate(zip(source.columns, row.texts, strict=True)):
        if column in AMOUNT_COLUMNS and text and _find_kind(cells, text) == CellKind.NUMBER:
            row.texts[place] = mark_decimals(text)


def _find_kind(cells: TableRow, text: str) -> str:
    """Return the kind of the first cell of the row with this text; `CellKind.TEXT` if no cell has it."""
    return next(
        (kind for cell, kind in zip(cells.texts, cells.kinds, strict=True) if cell == text), CellKind.TEXT
    )


def _is_foreign_text(source: SourceFile) -> bool:
    """Return True for a text file of another program, or for a file in which the shop returned refused rows.

    In these files, a code that looks like a date was damaged by a spreadsheet program. In a complete file
    that a shop wrote, such a code is valid.
    """
    is_text_file = source.table.is_text or has_correction_column(source.table.headings)
    is_own = source.format in OWN_FORMATS and len(source.columns) >= MIN_OWN_HEADINGS
    return is_text_file and not is_own


def _find_code_problems(
    source: SourceFile, row: SourceRow, cells: TableRow, *, is_foreign_text: bool
) -> Iterator[Problem]:
    for column, text in zip(source.columns, row.texts, strict=True):
        if column not in CODE_COLUMNS or not text:
            continue
        place = next((place for place, cell in enumerate(cells.texts) if cell == text), None)
        kind = cells.kinds[place] if place is not None else CellKind.TEXT
        if code := find_code_fault(text, kind, is_text_file=is_foreign_text):
            detail = (
                text if source.table.is_text or place is None else f"{_name_cell(row.line, place)}: {text}"
            )
            yield Problem(row.line, column, describe_damaged_code(detail), code, detail)


def _find_unreadable_cells(source: SourceFile, row: SourceRow, cells: TableRow) -> Iterator[Problem]:
    """Yield a problem for each column with unreadable letters, or for the row if only ignored cells have them."""
    message = "has letters that cannot be read"
    columns = [
        (column, text)
        for column, text in zip(source.columns, row.texts, strict=True)
        if text and UNREADABLE in text
    ]
    if not columns:
        columns = [("", next(text for text in cells.texts if text and UNREADABLE in text))]
    for column, text in columns:
        yield Problem(row.line, column, message, "encoding", text[:200])


def _name_cell(line: int, place: int) -> str:
    """Return the name of a cell in a workbook, such as A2."""
    from xlsxwriter.utility import xl_rowcol_to_cell  # takes 2 MiB, needed only for damaged codes

    return str(xl_rowcol_to_cell(line - 1, place))
