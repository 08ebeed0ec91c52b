"""Reading of a product file of any program into the importer's columns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO

from backend.catalog.importer.columns import ID_CELLS
from backend.catalog.importer.formats.convert import convert_table
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.formats.recognition import KNOWN_HEADINGS, recognise
from backend.catalog.importer.headings import find_column, list_headings
from backend.catalog.importer.source_checks import UNREADABLE, check_source_rows
from backend.catalog.importer.tables.models import TableError, TableFault
from backend.catalog.importer.tables.table_search import find_table
from backend.spreadsheet_reader.models import Limits
from backend.spreadsheet_reader.reader import open_spreadsheet


class RepeatedColumn(ValueError):
    """Two columns of the file are for the same column of the importer."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


def read_source_file(file: BinaryIO, limits: Limits, max_rows: int | None = None) -> SourceFile:
    """Read a product file in a child process.

    Args:
        file: an open file on the disk.
        limits: limits of the child process.
        max_rows: maximum number of products.

    Raises:
        UnreadableSpreadsheet: the file is not a spreadsheet, or exceeds a limit.
        TableError: it has no table that can be read.
        RepeatedColumn: it has a column twice.
    """
    known_headings = list_headings() | KNOWN_HEADINGS
    limits = replace(limits, known_headings=tuple(sorted(known_headings)))
    with open_spreadsheet(file, limits) as sheets:
        table = find_table(sheets, known_headings, max_rows)
    if any(UNREADABLE in heading for heading in table.headings):
        raise TableError(TableFault.ENCODING, table.head_line)
    source_format = recognise(table.headings)
    if source_format is SourceFormat.UNKNOWN:
        _require_columns(table.headings)
    source = convert_table(table, source_format)
    check_source_rows(table, source)
    return source


def _require_columns(headings: Sequence[str]) -> None:
    """Check that the headings identify products, and that none is there twice.

    Raises:
        TableError: no column identifies products.
        RepeatedColumn: a column is there twice.
    """
    columns = [column for heading in headings if (column := find_column(heading))]
    if len(columns) < 2 or {"handle", "sku", "title", *ID_CELLS}.isdisjoint(columns):
        raise TableError(TableFault.NO_HEAD)
    if repeated := [column for column in columns if columns.count(column) > 1]:
        raise RepeatedColumn(repeated[0])
