"""Files for spreadsheets: comma-separated values and workbooks whose cells no program takes for a formula."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO, StringIO
from itertools import chain, islice

_SPACE = r"""(?:[^\S\t\r\n]|["'\u200b\ufeff])*"""
"""What a spreadsheet may skip before a formula."""
_FORMULA = r"[=+\-@＝＋－＠]"
"""What begins a formula (OWASP, CSV Injection)."""


def _starts(mark: str) -> re.Pattern[str]:
    """Match `mark` where a spreadsheet would begin a formula, also one that splits at another delimiter."""
    first = rf"^{mark}(?={_SPACE}(?:{_FORMULA}|[\t\r\n]))"
    return re.compile(rf"{first}|(?<=[;,\t\r\n]){mark}(?={_SPACE}{_FORMULA})")


_UNSAFE_START, _QUOTED_START = _starts(""), _starts("'")
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
"""The media type of a workbook."""
LONGEST_CELL = 32_767
"""Characters that a cell of a workbook holds."""
MOST_LINES = 1_048_576
"""Of a sheet of a workbook: what is more goes on in another one."""
BYTE_ORDER_MARK = "\ufeff"
"""By it a spreadsheet knows that the text is UTF-8."""


def safe_cell(value: object) -> str:
    """Return the value as text in which each possible start of a formula has an apostrophe before it.

    Numbers are left as they are. `restore_cell` gives every text back.
    """
    text = "" if value is None else str(value)
    return text if isinstance(value, int | float) else _UNSAFE_START.sub("'", text)


def restore_cell(text: str) -> str:
    """Return the text of which `safe_cell` made this one."""
    return _QUOTED_START.sub("", text)


def lines(rows: Iterable[Sequence[object]]) -> str:
    """Return the rows as lines of a CSV. All exports are written here: see `safe_cell`."""
    written = StringIO()
    csv.writer(written, lineterminator="\r\n").writerows([safe_cell(value) for value in row] for row in rows)
    return written.getvalue()


def workbook(*sheets: Iterable[Sequence[object]], widths: Sequence[int] = ()) -> bytes:
    """A workbook of these sheets, each with the names of its columns first. Texts are texts: no cell is a formula.

    A sheet that has more than `MOST_LINES` goes on in others, which begin with the names too.

    Args:
        sheets: the rows of each.
        widths: how many letters wide the first columns are.
    """
    import xlsxwriter  # 2 MiB, for those who export

    written = BytesIO()
    with xlsxwriter.Workbook(written, {"constant_memory": True}) as book:
        bold, as_text = book.add_format({"bold": True}), book.add_format({"num_format": "@"})
        for rows in chain.from_iterable(map(_in_sheets, sheets)):
            sheet = book.add_worksheet()
            sheet.freeze_panes(1, 0)
            for place, width in enumerate(widths):
                sheet.set_column(place, place, width)
            for number, row in enumerate(rows):
                for place, value in enumerate(row):
                    if isinstance(value, int | float):
                        sheet.write_number(number, place, value)
                    elif value:
                        text = str(value)[:LONGEST_CELL]
                        sheet.write_string(number, place, text, bold if number == 0 else as_text)
    return written.getvalue()


def _in_sheets(rows: Iterable[Sequence[object]]) -> Iterator[Iterable[Sequence[object]]]:
    """The rows, as many at a time as a sheet holds, each time below the first of them."""
    left = iter(rows)
    head = list(islice(left, 1))
    yield chain(head, islice(left, MOST_LINES - 1))
    for first in left:
        yield chain(head, [first], islice(left, MOST_LINES - 2))
