"""A product file of any program as the command reads it, in batches of rows."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from backend.catalog.importer.formats.mapping import MAPPABLE_COLUMNS, find_contested, take_columns
from backend.catalog.importer.formats.models import ColumnSuggestion, SourceFile, SourceFormat
from backend.catalog.importer.row_reader import (
    BATCH_SIZE,
    LIMITS,
    REFUSALS,
    Problem,
    Row,
    UnreadableFile,
    read_batches,
)
from backend.catalog.importer.source_reader import convert_source, read_source_file
from backend.catalog.importer.source_rows import find_product_keys, group_batches, parse_source_row
from backend.catalog.importer.tables.models import TableError, TableFault
from backend.core.db.database import Database
from backend.spreadsheet_reader.headings import normalize_heading
from backend.spreadsheet_reader.models import UnreadableSpreadsheet

MAX_ROWS_IN_MEMORY = 10_000
"""Maximum number of products of a file in the shop's own format that is read as a whole.

Longer files in this format are read in batches. They must have exactly the layout of the template.
"""
MAX_NAMED = 20
"""Maximum number of rows that a description of a file names."""
FAULTS = {
    TableFault.NO_HEAD: "no row has headings that identify products: a column for the name, the sku or the handle",
    TableFault.EMPTY: "there is no product below the headings",
    TableFault.TOO_COMPLEX: "the merged cells cover too many rows",
    TableFault.ENCODING: "a heading has letters that cannot be read: save the file as XLSX or as CSV in UTF-8",
}
"""Reasons why a file has no table that can be read."""


@dataclass(frozen=True, slots=True)
class ProductFile:
    """An open product file.

    Attributes:
        read: yields the rows in batches, each time from the beginning. All rows of a product are in one batch.
        description: lines about how the file was read, for the operator; empty for the shop's own format.
    """

    read: Callable[[], Iterator[list[Row]]]
    description: Sequence[str] = ()


async def open_product_file(database: Database, path: Path, columns: Mapping[str, str]) -> ProductFile:
    """Open a product file.

    Args:
        database: the shop's database.
        path: the file.
        columns: for a table in an unknown format, the importer's columns by heading; an empty text for a
            column that is not imported.

    Raises:
        UnreadableFile: the file cannot be read, or the columns are not valid for it: see `_choose_columns`.
    """
    source = await asyncio.to_thread(_read_source, path, columns)
    if source is None:
        return ProductFile(partial(read_batches, path))
    rows = await asyncio.to_thread(lambda: [parse_source_row(source.columns, row) for row in source.rows])
    keys = await find_product_keys(database, rows, BATCH_SIZE)
    batches = list(group_batches(rows, keys, BATCH_SIZE))
    return ProductFile(lambda: iter(batches), _describe(source, rows))


def _read_source(path: Path, columns: Mapping[str, str]) -> SourceFile | None:
    """Read a whole file; None for a file in the shop's own format that is longer than `MAX_ROWS_IN_MEMORY`.

    The caller must read such a file in batches.
    """
    limits = replace(LIMITS, only_utf8=False)
    try:
        with path.open("rb") as file:
            try:
                source = read_source_file(file, limits, MAX_ROWS_IN_MEMORY)
            except TableError as error:
                if error.fault is not TableFault.TOO_MANY_ROWS:
                    raise
                if _has_own_head(path):
                    return None
                file.seek(0)
                source = read_source_file(file, limits)
        return _choose_columns(source, columns)
    except TableError as error:
        raise UnreadableFile(Problem(max(1, error.line), "", FAULTS[error.fault])) from None
    except UnreadableSpreadsheet as error:
        message = REFUSALS[error.refusal].format(detail=error.detail)
        raise UnreadableFile(Problem(max(1, error.line), "", message)) from None


def _has_own_head(path: Path) -> bool:
    try:
        next(read_batches(path, 1))
    except UnreadableFile:
        return False
    return True


def _choose_columns(source: SourceFile, columns: Mapping[str, str]) -> SourceFile:
    """Return the file with the columns that the operator chose.

    Raises:
        UnreadableFile: a column does not exist, several columns fit one of the importer's and none is chosen, or
            columns are given although the format is known.
    """
    if source.format is not SourceFormat.UNKNOWN:
        if columns:
            raise UnreadableFile(
                Problem(1, "", f"the columns of a file of {source.format} are known: leave out --column")
            )
        return source
    suggestions = list(source.suggestions)
    for heading, column in columns.items():
        suggestions = _take_column(suggestions, heading, column)
    for column, headings in find_contested(suggestions).items():
        named = " or ".join(f'--column "{heading}={column}"' for heading in headings)
        taken = "\n".join(_describe_columns(suggestions))
        raise UnreadableFile(Problem(1, "", f"several columns may be for {column}: choose {named}\n{taken}"))
    if not columns:
        return source
    chosen = convert_source(source.table, [one.column for one in suggestions])
    return replace(chosen, suggestions=suggestions)


def _take_column(
    suggestions: Sequence[ColumnSuggestion], heading: str, column: str
) -> list[ColumnSuggestion]:
    """Return the suggestions after the operator has chosen a column for a heading: see `take_columns`.

    Raises:
        UnreadableFile: the importer has no such column, or the file has no such heading.
    """
    if column and column not in MAPPABLE_COLUMNS:
        known = ", ".join(MAPPABLE_COLUMNS)
        raise UnreadableFile(Problem(1, "", f"--column: {column} is none of {known}"))
    normalized = normalize_heading(heading)
    places = {one.place for one in suggestions if normalize_heading(one.heading) == normalized}
    if not places:
        headings = ", ".join(one.heading for one in suggestions if one.heading)
        raise UnreadableFile(Problem(1, "", f"--column: the file has no column {heading}, only {headings}"))
    return take_columns(suggestions, places, column)


def _describe(source: SourceFile, rows: Sequence[Row]) -> list[str]:
    lines = []
    if source.format is SourceFormat.UNKNOWN:
        lines += _describe_columns(source.suggestions)
    elif source.format is not SourceFormat.TROMPO:
        lines += [f"The file was recognised as {source.format}."]
    if source.sheet:
        lines += [f"Sheet: {source.sheet}."]
    if source.ignored:
        lines += [f"Columns that are not imported: {', '.join(source.ignored)}."]
    lines += _limit(
        [
            f"Left out ({one.reason}): {f'line {one.line}, ' if one.line else 'sheet '}{one.text}"
            for one in source.set_aside
        ]
    )
    notes = [(row.line, note) for row in rows for note in row.notes]
    return lines + _limit(
        [
            f"Line {line}{f', {note.column}' if note.column else ''}: {note.code} ({note.detail})"
            for line, note in notes
        ]
    )


def _describe_columns(suggestions: Sequence[ColumnSuggestion]) -> list[str]:
    example = next((one.heading for one in suggestions if one.heading), "")
    return [
        "The list was not recognised. Its columns were taken for:",
        *(f"  {one.heading or '(no heading)'} = {one.column or '(left out)'}" for one in suggestions),
        f'Say otherwise with --column "{example}=sku", or --column "{example}=" to leave it out.',
    ]


def _limit(lines: list[str]) -> list[str]:
    """Return the first `MAX_NAMED` lines and, if there are more, a line with the number of omitted lines."""
    return [
        *lines[:MAX_NAMED],
        *([f"… and {len(lines) - MAX_NAMED} more."] if len(lines) > MAX_NAMED else []),
    ]
