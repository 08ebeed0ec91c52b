"""Files for spreadsheets: comma-separated values and workbooks whose cells no program takes for a formula."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO, StringIO
from itertools import chain, islice

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a cell begins with that a spreadsheet would calculate (OWASP, CSV Injection)."""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
"""The media type of a workbook."""
LONGEST_CELL = 32_767
"""Characters that a cell of a workbook holds."""
MOST_LINES = 1_048_576
"""Of a sheet of a workbook: what is more goes on in another one."""
BYTE_ORDER_MARK = "\ufeff"
"""By it a spreadsheet knows that the text is UTF-8."""


def safe_cell(value: object) -> str:
    """The value as text; what a spreadsheet would calculate is quoted by an apostrophe. A number stays one."""
    text = "" if value is None else str(value)
    if isinstance(value, int | float) or not text.lstrip(" ").startswith(STARTS_A_FORMULA):
        return text
    return f"'{text}"


def lines(rows: Iterable[Sequence[object]]) -> str:
    """The rows as lines of the file."""
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
