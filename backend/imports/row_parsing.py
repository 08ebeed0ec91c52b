"""What the cells of a sheet mean: people write them in more ways than the importer's own files have.

A row with a title alone may be known by the handle that its title makes.
"""

from collections.abc import Sequence

from backend.catalog.handles import handle_from
from backend.catalog.importer.row_reader import Problem, Row, row_of
from backend.catalog.schemas.product_fields import AGE_RANGES
from backend.imports.spreadsheet_parsing import is_broken

NO_NAME = "no name"
"""The code of a row that names no product."""


def typed_row(columns: Sequence[str], line: int, texts: Sequence[str]) -> Row:
    """The row of these cells, as people write them."""
    broken = [
        Problem(line, column, "no value", "formula")
        for column, text in zip(columns, texts, strict=True)
        if is_broken(text)
    ]
    cells = dict(zip(columns, texts, strict=True))
    if cells.get("age_range"):
        said = cells["age_range"].casefold().replace("años", "").replace("–", "-").replace(" ", "")
        cells["age_range"] = said if said in AGE_RANGES else cells["age_range"]
    row = row_of(line, list(cells), list(cells.values()))
    without_value = {one.column for one in broken}
    problems = (*broken, *(one for one in row.problems if one.column not in without_value))
    row = Row(line, row.values, problems)
    if any(one.code == NO_NAME for one in problems) and (named := named_by_title(row)):
        return Row(line, named.values, tuple(one for one in problems if one.code != NO_NAME))
    return row


def titled_rows(rows: Sequence[Row]) -> dict[int, Row]:
    """By line, the rows that may be known by their titles, with the handles that those make."""
    return {row.line: one for row in rows if (one := named_by_title(row))}


def named_by_title(row: Row) -> Row | None:
    """The row with the handle that its title makes; None where it has a handle, or its title makes none."""
    handle = handle_from(row.get("title") or "")
    if not handle or row.get("handle") is not None:
        return None
    return Row(row.line, {**row.values, "handle": handle}, row.problems)
