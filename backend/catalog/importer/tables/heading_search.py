"""Search of the heading row of a sheet."""

from collections.abc import Sequence
from typing import NamedTuple

from backend.catalog.importer.tables.merged_cells import SheetRow, fill_merged_cells
from backend.spreadsheet_reader.headings import normalize_heading
from backend.spreadsheet_reader.models import Area, CellKind

MAX_HEADING_ROW = 20
"""Number of first rows that are searched for the headings."""
MIN_HEADINGS = 2
MAX_JOINED_ROWS = 3


class HeadingRow(NamedTuple):
    """A row that may contain the headings, with the values by which such rows are compared.

    Attributes:
        known: number of different known headings.
        filled: number of filled cells.
        place: negative position of the row in its sheet: of two similar rows, the earlier one is preferred.
    """

    known: int
    filled: int
    place: int


def find_heading_row(rows: Sequence[SheetRow], known_headings: frozenset[str]) -> HeadingRow | None:
    """Return the row with the most known headings.

    If no row has `MIN_HEADINGS` of them, return the row with the most filled cells among the rows that have
    only texts. The last row is not considered, because it heads no products. Return None if there is no such
    row.
    """
    candidates = [
        HeadingRow(
            len({normalize_heading(text) for text in row.texts} & known_headings), row.source_count, -place
        )
        for place, row in enumerate(rows)
        if row.number <= MAX_HEADING_ROW and row.source_count >= MIN_HEADINGS
    ]
    known = [one for one in candidates if one.known >= MIN_HEADINGS]
    if known:
        return max(known, key=lambda one: (one.known, one.place))
    texts = [one for one in candidates if _has_only_texts(rows[-one.place]) and len(rows) > 1 - one.place]
    return max(texts, key=lambda one: (one.filled, one.place), default=None)


def join_headings(rows: Sequence[SheetRow], place: int, areas: Sequence[Area]) -> tuple[list[str], int]:
    """Return the headings, and the position of the last row of headings.

    If merged cells extend over several rows, the headings of these rows are joined by column. For example, a
    `Código` over two rows, next to a `Precio` above `Mayor` and `Detal`, gives `Código`, `Precio Mayor` and
    `Precio Detal`.
    """
    if not areas and (joined := _join_groups(rows, place)):
        return joined, place + 1
    number = rows[place].number
    joining = [
        (top, bottom)
        for top, _left, bottom, _right in areas
        if top <= number <= bottom and 0 < bottom - top < MAX_JOINED_ROWS
    ]
    first = min((top for top, _bottom in joining), default=number)
    last = max((bottom for _top, bottom in joining), default=number)
    head = [row for row in rows if first <= row.number <= last]
    width = max(len(row.texts) for row in head)
    fill_merged_cells(head if joining else [], areas, width)
    columns = [
        dict.fromkeys(row.texts[column] for row in head if column < len(row.texts) and row.texts[column])
        for column in range(width)
    ]
    headings = [" ".join(parts) for parts in columns]
    while headings and not headings[-1]:
        headings.pop()
    return headings, rows.index(head[-1])


def _join_groups(rows: Sequence[SheetRow], place: int) -> list[str]:
    """Return the headings of this row and the next one, joined by column; empty if they do not belong together.

    They belong together if the next row has texts below the empty cells of this row. For example, `Precio`
    and an empty cell are above `Mayor` and `Detal`. A text file has no merged cells: only the empty cells
    show that `Precio` belongs to both.
    """
    if place + 1 == len(rows):
        return []
    head, below = ([*row.texts] for row in rows[place : place + 2])
    empty = [at for at, text in enumerate(head) if at and not text]
    under = [at for at, text in enumerate(below) if text]
    first = under[0] if under else 0
    if (
        not empty
        or not head[first]
        or under != list(range(first, max(empty) + 1))
        or set(empty) != set(under[1:])
        or any(letter.isdigit() for at in under for letter in below[at])
    ):
        return []
    group = head[first]
    for at in under:
        head[at] = f"{group} {below[at]}"
    return head


def _has_only_texts(row: SheetRow) -> bool:
    return all(
        kind == CellKind.TEXT and any(letter.isalpha() for letter in text)
        for text, kind in zip(row.texts, row.kinds, strict=True)
        if text
    )
