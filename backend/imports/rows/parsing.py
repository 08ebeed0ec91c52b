"""Parsing of rows that people filled in.

A row with a title but no handle may be matched to a product by the handle that is made from its title.
"""

from collections.abc import Sequence
from dataclasses import replace

from backend.catalog.handles import make_handle
from backend.catalog.importer.row_reader import Problem, Row, parse_row
from backend.imports.spreadsheet_parsing import is_formula_error

NO_NAME = "no name"
"""Code of the problem that a row names no product."""


def parse_typed_row(columns: Sequence[str], line: int, texts: Sequence[str | None]) -> Row:
    """Parse the cells of a row that a person filled in."""
    broken = [
        Problem(line, column, "no value", "formula")
        for column, text in zip(columns, texts, strict=True)
        if text is not None and is_formula_error(text)
    ]
    row = parse_row(line, columns, texts)
    without_value = {one.column for one in broken}
    problems = (*broken, *(one for one in row.problems if one.column not in without_value))
    row = replace(row, problems=problems)
    if any(one.code == NO_NAME for one in problems) and (titled := to_titled_row(row)):
        return replace(titled, problems=tuple(one for one in problems if one.code != NO_NAME))
    return row


def find_titled_rows(rows: Sequence[Row]) -> dict[int, Row]:
    """Return the rows that may be matched by title, by line number. Each has the handle that is made from its title."""
    return {row.line: one for row in rows if (one := to_titled_row(row))}


def to_titled_row(row: Row) -> Row | None:
    """Return the row with a handle made from its title; None if it has a handle, or if its title gives none."""
    handle = make_handle(row.get("title") or "")
    if not handle or row.get("handle") is not None:
        return None
    return replace(row, values={**row.values, "handle": handle})
