"""Reading of a product file of any program into the importer's columns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO

from backend.catalog.importer.cell_texts import clean_text
from backend.catalog.importer.columns import ID_CELLS
from backend.catalog.importer.formats.convert import convert_table, list_known_headings
from backend.catalog.importer.formats.mapping import convert_mapped, suggest_mapping
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.formats.recognition import is_own_export, recognise
from backend.catalog.importer.source_checks import check_source_rows
from backend.catalog.importer.tables.models import Table, TableError, TableFault
from backend.catalog.importer.tables.table_search import find_table
from backend.spreadsheet_reader.encodings import UNREADABLE
from backend.spreadsheet_reader.models import Limits
from backend.spreadsheet_reader.reader import open_spreadsheet

NAMING_COLUMNS = frozenset({"title", "sku", "handle", *ID_CELLS})
"""Columns that identify a product."""


def read_source_file(file: BinaryIO, limits: Limits, max_rows: int | None = None) -> SourceFile:
    """Read a product file in a child process.

    Args:
        file: an open file on the disk.
        limits: limits of the child process.
        max_rows: maximum number of products.

    Raises:
        UnreadableSpreadsheet: the file is not a spreadsheet, or exceeds a limit.
        TableError: it has no table that can be read.
    """
    known_headings = list_known_headings()
    limits = replace(limits, known_headings=tuple(sorted(known_headings)))
    with open_spreadsheet(file, limits) as sheets:
        table = find_table(sheets, known_headings, max_rows)
    if any(UNREADABLE in heading for heading in table.headings):
        raise TableError(TableFault.ENCODING, table.head_line)
    return convert_source(table)


def convert_source(
    table: Table, columns: Sequence[str] | None = None, contested: Sequence[str] = ()
) -> SourceFile:
    """Convert a table to the importer's columns, and check its rows.

    Args:
        table: the table of a product file.
        columns: for each column of a table in an unknown format, the importer's column; None to use the
            suggestions.
        contested: for each column of the table, the importer's column that several columns fit (see
            `ColumnSuggestion`); an empty sequence if there is nothing to choose.

    Raises:
        TableError: no column identifies products.
    """
    source_format = recognise(table.headings)
    if not is_own_export(source_format, table.headings):
        for row in table.rows:
            row.texts[:] = map(clean_text, row.texts)
    if source_format is SourceFormat.UNKNOWN:
        source = _convert_unknown(table, columns, contested)
    else:
        source = convert_table(table, source_format)
    if NAMING_COLUMNS.isdisjoint(source.columns):
        raise TableError(TableFault.NO_HEAD)
    check_source_rows(source)
    return source


def _convert_unknown(table: Table, columns: Sequence[str] | None, contested: Sequence[str]) -> SourceFile:
    suggestions = suggest_mapping(table)
    if columns is not None:
        suggestions = [
            replace(one, column=column, contested=other)
            for one, column, other in zip(suggestions, columns, contested or [""] * len(columns), strict=True)
        ]
    source = convert_mapped(table, [one.column for one in suggestions])
    return replace(source, suggestions=suggestions)
