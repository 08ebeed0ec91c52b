"""Tables of tests, made from text with delimiters."""

import csv
from io import StringIO
from pathlib import Path

from backend.catalog.importer.formats.models import SourceFile
from backend.catalog.importer.tables.models import Table, TableRow

CASES = Path(__file__).parents[3] / "imports" / "cases"
SEMICOLONS = frozenset({"m-prestashop-list.csv", "56-two.csv"})


def read_table(text: str, delimiter: str = ",") -> Table:
    """Return the table in a text whose first row has the headings."""
    reader = csv.reader(StringIO(text.removeprefix("\ufeff")), delimiter=delimiter)
    headings = next(reader)
    rows = [TableRow(number, list(cells), "t" * len(cells)) for number, cells in enumerate(reader, start=2)]
    return Table("", 1, headings, rows, [])


def read_case(name: str) -> Table:
    """Return the table in this file of the folder `cases`."""
    delimiter = "\t" if name.endswith(".tsv") else ";" if name in SEMICOLONS else ","
    return read_table((CASES / name).read_text("utf-8"), delimiter)


def list_cells(found: SourceFile) -> list[dict[str, str]]:
    """Return the filled cells of each row by column."""
    return [
        {name: text for name, text in zip(found.columns, row.texts, strict=True) if text is not None}
        for row in found.rows
    ]
