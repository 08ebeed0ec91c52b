"""Counting the cells of a file."""

from backend.spreadsheet_reader.models import Limits, Refusal, UnreadableSpreadsheet


class CellCounter:
    """Counts the cells of a file, in all its sheets."""

    def __init__(self, limits: Limits) -> None:
        self._left = limits.max_cells

    def add(self, number: int) -> None:
        """Count cells.

        Raises:
            UnreadableSpreadsheet: there are more than the limit allows.
        """
        self._left -= number
        if self._left < 0:
            raise UnreadableSpreadsheet(Refusal.TOO_MANY_CELLS)
