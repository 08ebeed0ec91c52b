"""Detection of codes, such as SKUs and bar codes, that a spreadsheet program turned into dates or numbers."""

import re

from backend.spreadsheet_reader.models import CellKind

CODE_COLUMNS = frozenset({"sku", "ean", "handle"})
MAX_NUMBER_DIGITS = 15
"""Maximum number of digits of a number in a spreadsheet. The program replaces further digits by zeros."""
_EXPONENT = re.compile(r"[0-9](?:[.,][0-9]+)?E[+-][0-9]{2,3}")
_MONTH = "(?:ene|jan|feb|mar|abr|apr|may|jun|jul|ago|aug|sept?|oct|nov|dic|dec)"
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?: 00:00(?::00)?)?|[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}|"
    r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}|"
    rf"[0-9]{{1,2}}-{_MONTH}\.?(?:-[0-9]{{2,4}})?|{_MONTH}-[0-9]{{2}}",
    re.IGNORECASE,
)
"""A date as spreadsheet programs write it for a code such as 3-3: 3/03/2026, 03-mar or mar-26."""


def find_code_fault(text: str, kind: str, *, is_text_file: bool) -> str:
    """Return the problem of a damaged SKU, bar code or handle; empty if it is not damaged.

    The problem is a code of `backend.imports.messages`.

    Args:
        text: text of the cell.
        kind: its `CellKind`.
        is_text_file: True if the cell comes from a text file of another program. Such a cell has no kind, so
            a date is recognised by its form.
    """
    if kind in (CellKind.DATE, CellKind.DURATION):
        return "code is date"
    if kind == CellKind.EXPONENT or _EXPONENT.fullmatch(text):
        return "code is exponent"
    if kind == CellKind.NUMBER and len(text) > MAX_NUMBER_DIGITS and text.isdecimal():
        return "code is rounded"
    # MAR-03 may be a code; spreadsheets write months in lower case or with one capital
    return "code is date" if is_text_file and not text.isupper() and _DATE.fullmatch(text) else ""


def describe_damaged_code(detail: str) -> str:
    """Return the message about a damaged code and how to repair it."""
    return f"is no code any more ({detail}): set the column's format to text and type the code again"
