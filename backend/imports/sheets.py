"""Reading a sheet: XLSX, or CSV in UTF-8 or Windows' Western letters, with `;`, `,` or tabs. All of it is bounded.

An XLSX is unpacked once in bounds, before the library sees it: a small file may hold gigabytes.
"""

import csv
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from io import BytesIO, StringIO
from typing import Any

from backend.catalog.cells import LIST_SEPARATOR
from backend.catalog.importer.columns import ID_CELLS
from backend.catalog.importer.headings import column_of, numbered_column_of
from backend.catalog.product_fields import AGE_RANGES
from backend.spreadsheet import STARTS_A_FORMULA

MOST_FILE_BYTES = 10 << 20
MOST_UNPACKED_BYTES = 96 << 20
"""Of an XLSX."""
MOST_PARTS = 500
MOST_ROWS = 10_000
MOST_COLUMNS = 100
HEAD_WITHIN = 20
"""The names of the columns stand in one of so many first rows."""
FORMULA_ERRORS = re.compile(r"#(?:N/[AD]|¡?(?:REF|DIV/0|VALUE|VALOR|NUM|NULL|NULO)!|¿?(?:NAME|NOMBRE)\?)")
"""What a spreadsheet writes where a formula has no value."""
BROKEN = "#REF!"
NOTES = frozenset({"problema", "problem", "fila", "row"})
"""Columns of our own files that are not imported."""
_ZIP = b"PK\x03\x04"
MOST_CELLS = 3_000_000
"""Of the rectangle that holds all cells: the library keeps one for each place in it."""
_REFERENCE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,3})([0-9]{1,9})["']""")
_BROKEN_CELL = re.compile(rb'<(?:\w+:)?c\s(?=[^>]*\bt="e")[^>]*\br="([A-Z]{1,3})([0-9]{1,7})"')


class Fault(StrEnum):
    """Why a file cannot be read."""

    TOO_LARGE = "too large"
    TOO_MANY_ROWS = "too many rows"
    NO_SHEET = "no sheet"
    """It is neither XLSX nor CSV, or damaged."""
    NO_HEAD = "no head"
    """No row names a column that products are known by."""
    TWICE = "twice"
    EMPTY = "empty"


class UnreadableSheet(ValueError):
    """It cannot be read. `detail` is a column, or empty."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(fault)
        self.fault, self.detail = fault, detail


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a sheet holds.

    Attributes:
        columns: the importer's names of its columns, in their order.
        ignored: headings that name none.
        rows: of each row that is not empty its number, as the spreadsheet counts, and its cells under `columns`.
    """

    columns: list[str]
    ignored: list[str]
    rows: list[tuple[int, list[str]]]


def read_sheet(content: bytes) -> Sheet:
    """The file's first sheet.

    Raises:
        UnreadableSheet: it is none, or exceeds a bound.
    """
    if len(content) > MOST_FILE_BYTES:
        raise UnreadableSheet(Fault.TOO_LARGE)
    lines = _workbook_lines(content) if content.startswith(_ZIP) else _text_lines(content)
    filled = ((number, cells) for number, cells in lines if any(cells))
    head_number, places, ignored = _head(filled)
    rows: list[tuple[int, list[str]]] = []
    for number, cells in filled:
        if number <= head_number:
            continue
        row = [
            LIST_SEPARATOR.join(cells[place] for place in some if place < len(cells) and cells[place])
            for some in places.values()
        ]
        if not any(row):
            continue
        if len(rows) >= MOST_ROWS:
            raise UnreadableSheet(Fault.TOO_MANY_ROWS)
        rows.append((number, row))
    if not rows:
        raise UnreadableSheet(Fault.EMPTY)
    return Sheet(list(places), ignored, rows)


def _head(lines: Iterator[tuple[int, list[str]]]) -> tuple[int, dict[str, list[int]], list[str]]:
    """The number of the row that names the columns, where each of them is, and headings that are none.

    The places of a list may have a column each, as `Product Image 1` and `Product Image 2`.
    """
    for number, cells in lines:
        if number > HEAD_WITHIN:
            break
        places: dict[str, list[int]] = {}
        ignored: list[str] = []
        twice = ""
        for place, cell in enumerate(cells[:MOST_COLUMNS]):
            column = column_of(cell)
            if column and column in places:
                twice = twice or column
            elif column or (column := numbered_column_of(cell)):
                places.setdefault(column, []).append(place)
            elif cell and cell.lower() not in NOTES:
                ignored.append(cell[:60])
        if len(places) < 2 or not {"handle", "sku", "title", *ID_CELLS} & places.keys():
            continue
        if twice:
            raise UnreadableSheet(Fault.TWICE, twice)
        return number, places, ignored
    raise UnreadableSheet(Fault.NO_HEAD)


def _text_lines(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV, by the line each begins in."""
    text = _decoded(content)
    first = next((line for line in text.splitlines() if line.strip(" ;,\t")), "")
    delimiter = max((";", ",", "\t"), key=first.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 1
    try:
        for cells in reader:
            yield number, [_unquoted(cell.strip()) for cell in cells]
            number = reader.line_num + 1
    except csv.Error:
        raise UnreadableSheet(Fault.NO_SHEET) from None


def _decoded(content: bytes) -> str:
    encodings = ("utf-16",) if content.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            return text
    raise UnreadableSheet(Fault.NO_SHEET)


def _unquoted(cell: str) -> str:
    """The cell without the apostrophe by which our own files keep a spreadsheet from calculating it."""
    kept = cell.removeprefix("'")
    return kept if kept != cell and kept.lstrip(" ").startswith(STARTS_A_FORMULA) else cell


def _workbook_lines(content: bytes) -> Iterator[tuple[int, list[str]]]:
    from python_calamine import CalamineError, CalamineWorkbook  # loads the library

    broken = _inspect(content)
    try:
        with CalamineWorkbook.from_filelike(BytesIO(content)) as book:
            shown = [one.name for one in book.sheets_metadata if str(one.visible).endswith("Visible")]
            sheet = book.get_sheet_by_name(shown[0] if shown else book.sheet_names[0])
            if sheet.end is None:
                raise UnreadableSheet(Fault.EMPTY)
            for number, row in enumerate(sheet.iter_rows(), 1):
                cells = [_text_of(value) for value in row[:MOST_COLUMNS]]
                for place in broken.get(number, ()):
                    if place < len(cells) and not cells[place]:
                        cells[place] = BROKEN
                yield number, cells
    except (CalamineError, IndexError, ValueError) as error:
        if isinstance(error, UnreadableSheet):
            raise
        raise UnreadableSheet(Fault.NO_SHEET) from None


def _inspect(content: bytes) -> dict[int, set[int]]:
    """Unpack all of the workbook in bounds, and find the cells whose formula has no value: by row, their places.

    Raises:
        UnreadableSheet: it is damaged, encrypted, or larger than the bounds.
    """
    broken: dict[int, set[int]] = {}
    left = MOST_UNPACKED_BYTES
    try:
        with zipfile.ZipFile(BytesIO(content)) as packed:
            parts = packed.infolist()
            if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > left:
                raise UnreadableSheet(Fault.TOO_LARGE)
            for part in parts:
                with packed.open(part) as file:
                    unpacked = file.read(left + 1)  # its checksum is looked at: it is as long as it says
                left -= len(unpacked)
                if left < 0:
                    raise UnreadableSheet(Fault.TOO_LARGE)
                _require_dense(unpacked)
                if part.filename.startswith("xl/worksheets/"):
                    for letters, number in _BROKEN_CELL.findall(unpacked):
                        broken.setdefault(int(number), set()).add(_place_of(letters))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ArithmeticError):
        raise UnreadableSheet(Fault.NO_SHEET) from None
    except Exception as error:
        if isinstance(error, UnreadableSheet):
            raise
        raise UnreadableSheet(Fault.NO_SHEET) from None
    return broken


def _require_dense(part: bytes) -> None:
    """Refuse a part with a cell so far out that the rectangle up to it would not fit in memory."""
    columns, row = {b"A"}, 1
    for letters, number in _REFERENCE.findall(part):
        columns.add(letters.upper())
        row = max(row, int(number))
    if row * (max(map(_place_of, columns)) + 1) > MOST_CELLS:
        raise UnreadableSheet(Fault.TOO_MANY_ROWS)


def _place_of(letters: bytes) -> int:
    """The place of a column from 0 by its letters: A is 0."""
    place = 0
    for letter in letters:
        place = place * 26 + letter - 64
    return place - 1


def _text_of(value: Any) -> str:
    """A cell's value as somebody would type it."""
    if isinstance(value, bool):
        return "sí" if value else "no"
    if isinstance(value, float):
        return f"{value:.15g}" if abs(value) < 1e15 else f"{value:.0f}"
    if isinstance(value, datetime | date):
        return _age_of(value) or value.isoformat()
    if isinstance(value, time | timedelta):
        return str(value)
    return str(value).strip()


def _age_of(day: date) -> str:
    """The ages that a spreadsheet took for a day of the year: 3-5 for the third of May; empty for another day."""
    said = (f"{day.day}-{day.month}", f"{day.month}-{day.day}")
    return next((one for one in said if one in AGE_RANGES), "")


def is_broken(cell: str) -> bool:
    """Whether it is what a spreadsheet shows for a formula without a value."""
    return FORMULA_ERRORS.fullmatch(cell) is not None
