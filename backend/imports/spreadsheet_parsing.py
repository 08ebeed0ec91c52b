"""Parsing of a table of products: XLSX, or text with `;`, `,` or tabs.

A child process reads the file: see `backend.spreadsheet_reader`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from tempfile import TemporaryFile

from backend.catalog.importer.cell_texts import cell_texts
from backend.catalog.importer.columns import ID_CELLS
from backend.catalog.importer.formats.recognition import NOTE_HEADINGS
from backend.catalog.importer.headings import find_column, find_list_column, normalize_heading
from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR
from backend.spreadsheet_reader.models import Limits, Refusal, UnreadableSpreadsheet
from backend.spreadsheet_reader.reader import open_spreadsheet

MAX_FILE_BYTES = 10 << 20
MAX_UNPACKED_BYTES = 96 << 20
"""Maximum size of an unpacked XLSX."""
LIMITS = Limits(max_file_bytes=MAX_FILE_BYTES, max_unpacked_bytes=MAX_UNPACKED_BYTES)
MAX_ROWS = 10_000
MAX_HEADING_ROW = 20
"""Number of first rows in which the headings are searched."""
FORMULA_ERRORS = re.compile(r"#(?:N/[AD]|¡?(?:REF|DIV/0|VALUE|VALOR|NUM|NULL|NULO)!|¿?(?:NAME|NOMBRE)\?)")
"""Texts that spreadsheets show for a formula without a value."""


class Fault(StrEnum):
    """Reason why a file cannot be read."""

    TOO_LARGE = "too large"
    TOO_MANY_ROWS = "too many rows"
    NO_SHEET = "no sheet"
    """The file is neither XLSX nor CSV, or is damaged."""
    OTHER_FORMAT = "other format"
    """Another spreadsheet format. The detail is a `ForeignFormat`."""
    TOO_COMPLEX = "too complex"
    NO_HEAD = "no head"
    """No row contains a heading that identifies products."""
    TWICE = "twice"
    EMPTY = "empty"


FAULTS = {
    Refusal.TOO_LARGE: Fault.TOO_LARGE,
    Refusal.TOO_MANY_CELLS: Fault.TOO_MANY_ROWS,
    Refusal.TOO_COMPLEX: Fault.TOO_COMPLEX,
    Refusal.OTHER_FORMAT: Fault.OTHER_FORMAT,
}
"""Faults by the reader's refusals; any other refusal is `NO_SHEET`."""


class UnreadableProductFile(ValueError):
    """The file cannot be read. `detail` is a column, a `ForeignFormat`, or empty."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(fault)
        self.fault, self.detail = fault, detail


@dataclass(frozen=True, slots=True)
class ProductSpreadsheet:
    """Content of a spreadsheet.

    Attributes:
        columns: the importer's names of the columns, in the order of the spreadsheet.
        ignored: headings that are not columns of the importer.
        rows: the spreadsheet's row number and the cells under `columns`, for each row that is not empty.
    """

    columns: list[str]
    ignored: list[str]
    rows: list[tuple[int, list[str]]]


def read_product_spreadsheet(content: bytes) -> ProductSpreadsheet:
    """Read the file's first visible worksheet in a child process. Call it from a thread.

    Raises:
        UnreadableProductFile: the file is not a spreadsheet, or exceeds a limit.
    """
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableProductFile(Fault.TOO_LARGE)
    try:
        with TemporaryFile() as file:
            file.write(content)
            file.flush()
            with open_spreadsheet(file, LIMITS) as sheets:
                lines = ((row.number, cell_texts(row)) for row in next(sheets).iter_rows())
                return _parse_table(lines)
    except UnreadableSpreadsheet as error:
        raise UnreadableProductFile(FAULTS.get(error.refusal, Fault.NO_SHEET), error.detail) from None


def _parse_table(lines: Iterator[tuple[int, list[str]]]) -> ProductSpreadsheet:
    head_number, places, ignored = _parse_headings(lines)
    rows: list[tuple[int, list[str]]] = []
    for number, cells in lines:
        if number <= head_number:
            continue
        row = [
            LIST_SEPARATOR.join(cells[place] for place in some if place < len(cells) and cells[place])
            for some in places.values()
        ]
        if not any(row):
            continue
        if len(rows) >= MAX_ROWS:
            raise UnreadableProductFile(Fault.TOO_MANY_ROWS)
        rows.append((number, row))
    if not rows:
        raise UnreadableProductFile(Fault.EMPTY)
    return ProductSpreadsheet(list(places), ignored, rows)


def _parse_headings(lines: Iterator[tuple[int, list[str]]]) -> tuple[int, dict[str, list[int]], list[str]]:
    """Return the number of the heading row, the positions of each column, and the headings that are not columns.

    A list, such as the pictures, may have several columns: `Product Image 1` and `Product Image 2`.
    """
    for number, cells in lines:
        if number > MAX_HEADING_ROW:
            break
        places: dict[str, list[int]] = {}
        ignored: list[str] = []
        twice = ""
        for place, cell in enumerate(cells):
            column = find_column(cell)
            if column and column in places:
                twice = twice or column
            elif column or (column := find_list_column(cell)):
                places.setdefault(column, []).append(place)
            elif cell and normalize_heading(cell) not in NOTE_HEADINGS:
                ignored.append(cell[:60])
        if len(places) < 2 or not {"handle", "sku", "title", *ID_CELLS} & places.keys():
            continue
        if twice:
            raise UnreadableProductFile(Fault.TWICE, twice)
        return number, places, ignored
    raise UnreadableProductFile(Fault.NO_HEAD)


def is_formula_error(cell: str) -> bool:
    """Check whether a cell shows a formula without a value."""
    return FORMULA_ERRORS.fullmatch(cell) is not None
