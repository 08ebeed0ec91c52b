"""Files for spreadsheets: comma-separated values whose cells no program takes for a formula."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a cell begins with that a spreadsheet would calculate (OWASP, CSV Injection)."""
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
