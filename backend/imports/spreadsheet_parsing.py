"""The table of products in a spreadsheet: XLSX, or text with `;`, `,` or tabs.

A child process reads the file: see `backend.spreadsheet_reader`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from tempfile import TemporaryFile

from backend.catalog.importer.cell_texts import cell_texts
from backend.catalog.importer.columns import ID_CELLS
from backend.catalog.importer.headings import column_of, numbered_column_of
from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR
from backend.spreadsheet_reader.models import Limits, Refusal, UnreadableSpreadsheet
from backend.spreadsheet_reader.reader import open_spreadsheet

MOST_FILE_BYTES = 10 << 20
MOST_UNPACKED_BYTES = 96 << 20
"""Of an XLSX."""
LIMITS = Limits(max_file_bytes=MOST_FILE_BYTES, max_unpacked_bytes=MOST_UNPACKED_BYTES)
MOST_ROWS = 10_000
HEAD_WITHIN = 20
"""The names of the columns stand in one of so many first rows."""
FORMULA_ERRORS = re.compile(r"#(?:N/[AD]|¡?(?:REF|DIV/0|VALUE|VALOR|NUM|NULL|NULO)!|¿?(?:NAME|NOMBRE)\?)")
"""What a spreadsheet writes where a formula has no value."""
NOTES = frozenset({"problema", "problem", "fila", "row"})
"""Columns of our own files that are not imported."""


class Fault(StrEnum):
    """Why a file cannot be read."""

    TOO_LARGE = "too large"
    TOO_MANY_ROWS = "too many rows"
    NO_SHEET = "no sheet"
    """It is neither XLSX nor CSV, or damaged."""
    OTHER_FORMAT = "other format"
    """The detail is a `ForeignFormat`."""
    TOO_COMPLEX = "too complex"
    NO_HEAD = "no head"
    """No row names a column that products are known by."""
    TWICE = "twice"
    EMPTY = "empty"


FAULTS = {
    Refusal.TOO_LARGE: Fault.TOO_LARGE,
    Refusal.TOO_MANY_CELLS: Fault.TOO_MANY_ROWS,
    Refusal.TOO_COMPLEX: Fault.TOO_COMPLEX,
    Refusal.OTHER_FORMAT: Fault.OTHER_FORMAT,
}
"""What the reader's refusals are here; any other is `NO_SHEET`."""


class UnreadableSheet(ValueError):
    """It cannot be read. `detail` is a column, a `ForeignFormat`, or empty."""

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
    """Read the file's first visible sheet in a child process; call it from a thread.

    Raises:
        UnreadableSheet: it is none, or exceeds a bound.
    """
    if len(content) > MOST_FILE_BYTES:
        raise UnreadableSheet(Fault.TOO_LARGE)
    try:
        with TemporaryFile() as file:
            file.write(content)
            file.flush()
            with open_spreadsheet(file, LIMITS) as sheets:
                lines = ((row.number, cell_texts(row)) for row in next(sheets).rows())
                return _table(lines)
    except UnreadableSpreadsheet as error:
        raise UnreadableSheet(FAULTS.get(error.refusal, Fault.NO_SHEET), error.detail) from None


def _table(lines: Iterator[tuple[int, list[str]]]) -> Sheet:
    head_number, places, ignored = _head(lines)
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
        for place, cell in enumerate(cells):
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


def is_broken(cell: str) -> bool:
    """Whether it is what a spreadsheet shows for a formula without a value."""
    return FORMULA_ERRORS.fullmatch(cell) is not None
