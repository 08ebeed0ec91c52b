"""Rows of a product file as people and programs fill them in: parsing, and grouping by product.

A row with a title but no handle may be matched to a product by the handle that is made from its title.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from backend.catalog.handles import make_handle
from backend.catalog.importer.cell_texts import is_formula_error
from backend.catalog.importer.columns import OPTIONS
from backend.catalog.importer.formats.models import SourceRow
from backend.catalog.importer.row_matching import KnownProducts, product_key
from backend.catalog.importer.row_reader import Problem, Row, parse_row
from backend.core.db.database import Database

NO_NAME = "no name"
"""Code of the problem that a row names no product."""


def parse_typed_row(columns: Sequence[str], line: int, texts: Sequence[str | None]) -> Row:
    """Parse the cells of a row that a person filled in. If no cell names the product, its title gives the handle."""
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


def parse_source_row(columns: Sequence[str], source: SourceRow) -> Row:
    """Parse a row, and add the problems and the notes that were found when the file was read."""
    row = parse_typed_row(columns, source.line, source.texts)
    found = {(one.column, one.code) for one in source.problems}
    others = (one for one in row.problems if (one.column, one.code) not in found)
    return replace(row, problems=(*source.problems, *others), notes=(*source.notes, *row.notes))


def find_titled_rows(rows: Sequence[Row]) -> dict[int, Row]:
    """Return copies of the rows without a handle, by line number, with a handle made from their title.

    Rows whose title gives no handle are left out.
    """
    return {row.line: one for row in rows if (one := to_titled_row(row))}


def to_titled_row(row: Row) -> Row | None:
    """Return the row with a handle made from its title; None if it has a handle, or if its title gives none."""
    handle = make_handle(row.get("title") or "")
    if not handle or row.get("handle") is not None:
        return None
    return replace(row, values={**row.values, "handle": handle})


async def find_product_keys(database: Database, rows: Sequence[Row], size: int) -> dict[int, str]:
    """Return the product key of each row with options, by line. `size` rows are looked up at a time."""
    keys: dict[int, str] = {}
    with_options = [row for row in rows if OPTIONS in row.values]
    for start in range(0, len(with_options), size):
        some = with_options[start : start + size]
        titled = find_titled_rows(some)
        async with database.read() as session:
            known = await KnownProducts.read(session, [*some, *titled.values()])
        keys |= {row.line: product_key(known, row, titled) for row in some}
    return keys


def group_batches(rows: Sequence[Row], keys: Mapping[int, str], size: int) -> Iterator[list[Row]]:
    """Yield the rows in batches of at least `size`. Rows with options of one product are in the same batch.

    The final batch may be smaller. `keys` is the result of `find_product_keys`.
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(keys.get(row.line) or f"line {row.line}", []).append(row)
    some: list[Row] = []
    for group in groups.values():
        some += group
        if len(some) >= size:
            yield some
            some = []
    if some:
        yield some
