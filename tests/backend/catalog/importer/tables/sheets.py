"""Sheets as the child process describes them."""

from collections.abc import Mapping, Sequence
from typing import Any

from backend.catalog.importer.headings import list_headings
from backend.catalog.importer.tables.models import Table
from backend.catalog.importer.tables.table_search import find_table
from backend.spreadsheet_reader.models import Area
from backend.spreadsheet_reader.reader import Sheet


def make_sheet(
    rows: Any,
    *,
    name: str = "Lista",
    is_text: bool = False,
    is_hidden: bool = False,
    hidden_rows: Sequence[int] = (),
    areas: Sequence[Area] = (),
    formats: Mapping[int, Mapping[int, str]] | None = None,
) -> Sheet:
    """Return a sheet of these rows: a list, or a mapping by row number.

    An int or float becomes a cell of numbers; all other values become text.
    """
    numbered = dict(enumerate(rows, start=1)) if not isinstance(rows, Mapping) else rows
    lines: list[Any] = [
        [
            number,
            [str(cell) for cell in cells],
            "".join("n" if isinstance(cell, int | float) else "t" for cell in cells),
            {str(place): code for place, code in (formats or {}).get(number, {}).items()},
            number in hidden_rows,
        ]
        for number, cells in numbered.items()
        if any(cell != "" for cell in cells)
    ]
    lines.append({"areas": [list(area) for area in areas]})
    return Sheet({"sheet": name, "is_text": is_text, "is_hidden": is_hidden}, iter(lines))


def read_table(*sheets: Sheet, max_rows: int | None = None) -> Table:
    """Return the table in these sheets."""
    return find_table(sheets, list_headings(), max_rows)


def list_texts(table: Table) -> list[list[str | None]]:
    """Return the texts of the table's rows."""
    return [row.texts for row in table.rows]


def list_set_aside(table: Table) -> list[tuple[int, str, str]]:
    """Return line, reason and text of each row that is set aside."""
    return [(row.line, row.reason.value, row.text) for row in table.set_aside]
