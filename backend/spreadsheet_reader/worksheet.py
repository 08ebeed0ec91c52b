"""Rows of one sheet of an XLSX."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any
from xml.etree.ElementTree import Element

from openpyxl.utils.cell import column_index_from_string, range_boundaries
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel, from_ISO8601

from backend.spreadsheet_reader.cell_counter import CellCounter
from backend.spreadsheet_reader.markup import get_local_name, iter_elements
from backend.spreadsheet_reader.models import Area, CellKind, Limits, Refusal, Row, UnreadableSpreadsheet
from backend.spreadsheet_reader.workbook import GENERAL, SheetPart, Workbook, join_text

MAX_ROW = 1_048_576
MAX_AREAS = 100_000
MAX_CHARACTERS = 32_767
"""Maximum length of a cell's text, as in Excel."""
NOT_CALCULATED = "#N/A"
"""Text of a formula that was stored without its result, as programs write it that do not calculate."""
TRUE_VALUES = frozenset({"1", "true", "on"})


class Worksheet:
    """Reader of the rows of one sheet. Its `areas` are complete only after all rows have been read."""

    def __init__(self, book: Workbook, sheet: SheetPart, limits: Limits, counter: CellCounter) -> None:
        self._book, self._sheet, self._limits, self._counter = book, sheet, limits, counter
        self._epoch = CALENDAR_MAC_1904 if book.is_from_1904 else CALENDAR_WINDOWS_1900
        self._last_row = self._last_place = 0
        self.areas: list[Area] = []

    def iter_rows(self) -> Iterator[Row]:
        """Yield the rows that have a filled cell.

        Raises:
            UnreadableSpreadsheet: the sheet exceeds a limit.
            ParseError, BadZipFile: the file is damaged.
        """
        number = place = 0
        is_hidden = is_in_row = False
        cells: dict[int, tuple[str, CellKind, str]] = {}
        with self._book.open(self._sheet.part) as file:
            for event, element in iter_elements(file):
                name = get_local_name(element)
                if event == "start" and name == "row":
                    number, place, is_in_row = _parse_row_number(element.get("r"), number), -1, True
                    is_hidden = element.get("hidden", "") in TRUE_VALUES
                    cells = {}
                elif event == "end" and name == "c" and is_in_row:
                    self._counter.add(1)
                    row, place = _parse_position(element.get("r"), number, place)
                    self._require_dense(row, place)
                    if place < self._limits.max_columns and (cell := self._parse_cell(element))[0]:
                        cells[place] = cell
                elif event == "end" and name == "row":
                    is_in_row = False
                    if cells:
                        yield _to_row(number, cells, is_hidden=is_hidden)
                elif event == "start" and name == "mergeCell":
                    self._add_area(element.get("ref", ""))

    def _require_dense(self, row: int, place: int) -> None:
        """Raise UnreadableSpreadsheet if the cell is too distant.

        A cell is too distant if the rectangle from the first cell to it would have more cells than the limit.
        """
        self._last_row, self._last_place = max(self._last_row, row), max(self._last_place, place)
        if self._last_row * (self._last_place + 1) > self._limits.max_cells:
            raise UnreadableSpreadsheet(Refusal.TOO_MANY_CELLS)

    def _add_area(self, reference: str) -> None:
        try:
            first_column, first_row, last_column, last_row = range_boundaries(reference)
        except ValueError:
            return
        if first_column and first_row and last_column and last_row:
            self.areas.append((first_row, first_column - 1, last_row, last_column - 1))
        if len(self.areas) > MAX_AREAS:
            raise UnreadableSpreadsheet(Refusal.TOO_LARGE)

    def _parse_cell(self, element: Element) -> tuple[str, CellKind, str]:
        """Return a cell's text, kind and number format. A value that cannot be parsed is returned as stored."""
        kind = element.get("t", "n")
        if kind == "inlineStr":
            return _text_cell(next((join_text(one) for one in element if get_local_name(one) == "is"), ""))
        raw = next((one.text for one in element if get_local_name(one) == "v"), None)
        if raw is None or not (raw if kind == "str" else raw.strip()):
            # a formula whose result is an empty text has the kind "str"; others were never calculated
            is_formula = any(get_local_name(one) == "f" for one in element)
            return (NOT_CALCULATED, CellKind.ERROR, "") if is_formula and kind != "str" else _text_cell("")
        try:
            return self._parse_value(kind, raw, element.get("s"))
        except (ValueError, IndexError, OverflowError):
            return _text_cell(raw)

    def _parse_value(self, kind: str, raw: str, style: str | None) -> tuple[str, CellKind, str]:
        code = self._book.formats.get_code(style)
        match kind:
            case "s":
                cell = _text_cell(self._book.texts[max(0, int(raw))])
            case "b":
                cell = "1" if raw.strip() in TRUE_VALUES else "0", CellKind.BOOLEAN, ""
            case "e":
                cell = raw.strip(), CellKind.ERROR, ""
            case "d":
                cell = _date_cell(from_ISO8601(raw.strip()), code)  # type: ignore[no-untyped-call]
            case "n":
                cell = self._number_cell(float(raw), code)
            case _:
                cell = _text_cell(raw)
        return cell

    def _number_cell(self, number: float, code: str) -> tuple[str, CellKind, str]:
        is_duration = code in self._book.formats.durations
        if is_duration or code in self._book.formats.dates:
            return _date_cell(from_excel(number, self._epoch, timedelta=is_duration), code)
        kind = CellKind.EXPONENT if "E+" in code or "E-" in code else CellKind.NUMBER
        return _format_number(number), kind, "" if code == GENERAL else code


def _to_row(number: int, cells: dict[int, tuple[str, CellKind, str]], *, is_hidden: bool) -> Row:
    empty = _text_cell("")
    filled = [cells.get(place, empty) for place in range(max(cells) + 1)]
    formats = {place: code for place, (_said, _kind, code) in enumerate(filled) if code}
    return Row(number, [cell[0] for cell in filled], "".join(cell[1] for cell in filled), formats, is_hidden)


def _text_cell(raw: str) -> tuple[str, CellKind, str]:
    return raw[:MAX_CHARACTERS].strip(), CellKind.TEXT, ""


def _date_cell(value: Any, code: str) -> tuple[str, CellKind, str]:
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, time | timedelta):
        return str(value), CellKind.DURATION, code
    return value.isoformat(), CellKind.DATE, code


def _format_number(value: float) -> str:
    """Return the number as text, with at most the 15 digits that a spreadsheet stores and without an exponent."""
    return f"{value:.15g}" if abs(value) < 1e15 else f"{value:.0f}"


def _parse_row_number(raw: str | None, before: int) -> int:
    number = int(raw) if raw is not None and raw.isdecimal() and len(raw) < 10 else before + 1
    if not 0 < number <= MAX_ROW:
        raise UnreadableSpreadsheet(Refusal.DAMAGED, "a row beyond the last")
    return number


def _parse_position(reference: str | None, row: int, before: int) -> tuple[int, int]:
    """Return the row, and the column from 0, of a cell reference such as `B7`.

    If the reference is missing or invalid, return the position after the previous cell.
    """
    raw = (reference or "")[:12]
    letters = raw.rstrip("0123456789")
    try:
        return int(raw[len(letters) :]), column_index_from_string(letters) - 1
    except ValueError:
        return row, before + 1
