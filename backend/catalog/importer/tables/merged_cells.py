"""Merged areas of a sheet: each cell of an area has the area's value."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.catalog.importer.tables.models import TableError, TableFault
from backend.spreadsheet_reader.models import Area, CellKind

MAX_FILLED_CELLS = 3_000_000


@dataclass(slots=True)
class SheetRow:
    """A row of a sheet with its displayed texts.

    Attributes:
        number: the row's number in the spreadsheet.
        texts: the displayed texts.
        kinds: a `CellKind` for each text.
        is_hidden: True if the row is hidden.
        source_count: number of different cells that its texts come from: a merged area counts once.
    """

    number: int
    texts: list[str]
    kinds: str
    is_hidden: bool
    source_count: int = field(init=False)

    def __post_init__(self) -> None:
        self.source_count = sum(map(bool, self.texts))

    def fill(self, first: int, last: int, text: str, kind: str) -> bool:
        """Write the text into the empty cells from column `first` to `last`. Return True if one was empty."""
        missing = last + 1 - len(self.texts)
        texts = [*self.texts, *[""] * missing]
        kinds = list(self.kinds.ljust(len(texts), CellKind.TEXT))
        empty = [place for place in range(first, last + 1) if not texts[place]]
        for place in empty:
            texts[place], kinds[place] = text, kind
        self.texts, self.kinds = texts, "".join(kinds)
        return bool(empty)


def fill_merged_cells(rows: Sequence[SheetRow], areas: Sequence[Area], width: int) -> None:
    """Fill all cells of merged areas with the area's value, in the first `width` columns of these rows.

    The rows must be sorted by number.

    Raises:
        TableError: the areas cover too many cells.
    """
    numbers = [row.number for row in rows]
    remaining = MAX_FILLED_CELLS
    for top, left, bottom, right in areas:
        start, end = bisect_left(numbers, top), bisect_right(numbers, bottom)
        last = min(right, width - 1)
        if start == end or numbers[start] != top or last < left or left >= len(rows[start].texts):
            continue
        text, kind = rows[start].texts[left], rows[start].kinds[left]
        if not text:
            continue
        remaining -= (end - start) * (last + 1 - left)
        if remaining < 0:
            raise TableError(TableFault.TOO_COMPLEX)
        for row in rows[start:end]:
            if row.fill(left, last, text, kind) and row.number != top:
                row.source_count += 1
