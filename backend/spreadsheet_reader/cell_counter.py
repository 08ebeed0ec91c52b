"""Limit on the cells of a file."""

from backend.spreadsheet_reader.models import Limits, Refusal, UnreadableSpreadsheet


class CellCounter:
    """Counts the cells of a file, in all its sheets."""

    def __init__(self, limits: Limits) -> None:
        self._remaining = limits.max_cells

    def add(self, number: int) -> None:
        """Add this number of cells to the count.

        Raises:
            UnreadableSpreadsheet: there are more cells than the limit allows.
        """
        self._remaining -= number
        if self._remaining < 0:
            raise UnreadableSpreadsheet(Refusal.TOO_MANY_CELLS)
