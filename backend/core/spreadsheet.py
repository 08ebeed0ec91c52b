"""Spreadsheet files: CSV and workbooks whose cells no program interprets as formulas."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from io import BytesIO, StringIO
from itertools import chain, islice
from typing import NamedTuple

_SPACE = r"""(?:[^\S\t\r\n]|["'\u200b\ufeff])*"""
"""Characters that a spreadsheet program may skip before a formula."""
_FORMULA = r"[=+\-@＝＋－＠]"
"""First character of a formula (OWASP, CSV Injection)."""


def _formula_start_pattern(mark: str) -> re.Pattern[str]:
    """Return a pattern that matches `mark` (an apostrophe, or empty) before each possible start of a formula.

    A formula may start a cell. Programs separate the cells of a CSV file differently, so a formula may also start
    after `;`, `,`, a tab or a line break in the text.
    """
    first = rf"^{mark}(?={_SPACE}(?:{_FORMULA}|[\t\r\n]))"
    return re.compile(rf"{first}|(?<=[;,\t\r\n]){mark}(?={_SPACE}{_FORMULA})")


_UNSAFE_START, _QUOTED_START = _formula_start_pattern(""), _formula_start_pattern("'")
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
"""Media type of a workbook."""
MAX_CELL_LENGTH = 32_767
"""Maximum number of characters in a cell of a workbook."""
MAX_SHEET_ROWS = 1_048_576
"""Maximum number of rows in a worksheet; further rows go into another worksheet."""
DATE_FORMAT, EXPONENT_FORMAT = "yyyy-mm-dd", "0.00E+00"
BYTE_ORDER_MARK = "\ufeff"
"""Marks a text for spreadsheet programs as UTF-8."""


class FormattedNumber(NamedTuple):
    """A number or a date of a workbook, and its number format."""

    value: float | datetime
    number_format: str


def safe_cell(value: object) -> str:
    """Return the value as text. A text gets an apostrophe before each possible start of a formula, a number does not.

    `restore_cell` removes the apostrophes.
    """
    text = "" if value is None else str(value)
    return text if isinstance(value, int | float) else _UNSAFE_START.sub("'", text)


def restore_cell(text: str) -> str:
    """Return the original text of a cell that `safe_cell` wrote."""
    return _QUOTED_START.sub("", text)


def format_csv(rows: Iterable[Sequence[object]], *, delimiter: str = ",") -> str:
    """Format the rows as lines of a CSV file for programs. Texts never start a formula (`safe_cell`)."""
    written = StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([safe_cell(value) for value in row] for row in rows)
    return written.getvalue()


def format_csv_for_people(rows: Iterable[Sequence[object]], *, is_beginning: bool) -> str:
    """Format the rows as lines of a CSV file that Excel with the regional settings of Colombia opens in columns.

    The cells are separated by `;`, numbers have a decimal comma, and the file begins with a byte order mark.

    Args:
        rows: the rows of one part of the file.
        is_beginning: True for the first part of the file.
    """
    lines = ([_format_decimal_comma(value) for value in row] for row in rows)
    return (BYTE_ORDER_MARK if is_beginning else "") + format_csv(lines, delimiter=";")


def _format_decimal_comma(value: object) -> object:
    return str(value).replace(".", ",") if isinstance(value, float) else value


def build_workbook(*sheets: Iterable[Sequence[object]], widths: Sequence[int] = ()) -> bytes:
    """Build a workbook of these worksheets, whose first rows are column names. Texts are never formulas.

    The rows beyond `MAX_SHEET_ROWS` go into further worksheets, which repeat the column names.

    Args:
        sheets: the rows of each worksheet.
        widths: widths of the first columns, in characters.
    """
    import xlsxwriter  # takes 2 MiB, needed only for exports

    written = BytesIO()
    with xlsxwriter.Workbook(written, {"constant_memory": True}) as book:
        bold, as_text = book.add_format({"bold": True}), book.add_format({"num_format": "@"})
        formats = {code: book.add_format({"num_format": code}) for code in (DATE_FORMAT, EXPONENT_FORMAT)}
        for rows in chain.from_iterable(map(_split_into_worksheets, sheets)):
            sheet = book.add_worksheet()
            sheet.freeze_panes(1, 0)
            for place, width in enumerate(widths):
                sheet.set_column(place, place, width)
            for number, row in enumerate(rows):
                for place, value in enumerate(row):
                    if isinstance(value, FormattedNumber):
                        sheet.write(number, place, value.value, formats[value.number_format])
                    elif isinstance(value, int | float):
                        sheet.write_number(number, place, value)
                    elif value:
                        text = str(value)[:MAX_CELL_LENGTH]
                        sheet.write_string(number, place, text, bold if number == 0 else as_text)
    return written.getvalue()


def _split_into_worksheets(rows: Iterable[Sequence[object]]) -> Iterator[Iterable[Sequence[object]]]:
    """Split the rows into worksheets, and repeat the first row in each."""
    remaining = iter(rows)
    head = list(islice(remaining, 1))
    yield chain(head, islice(remaining, MAX_SHEET_ROWS - 1))
    for first in remaining:
        yield chain(head, [first], islice(remaining, MAX_SHEET_ROWS - 2))
