"""Detection of codes, such as SKUs and bar codes, that a spreadsheet program turned into dates or numbers."""

import re

from backend.spreadsheet_reader.models import CellKind

CODE_COLUMNS = frozenset({"sku", "ean", "handle"})
MAX_NUMBER_DIGITS = 15
"""Digits of a number that a spreadsheet stores; further ones are replaced by zeros."""
_EXPONENT = re.compile(r"[0-9](?:[.,][0-9]+)?E[+-][0-9]{2,3}")
_MONTH = "(?:ene|jan|feb|mar|abr|apr|may|jun|jul|ago|aug|sept?|oct|nov|dic|dec)"
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?: 00:00(?::00)?)?|[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}|"
    r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}|"
    rf"[0-9]{{1,2}}-{_MONTH}\.?(?:-[0-9]{{2,4}})?|{_MONTH}-[0-9]{{2}}",
    re.IGNORECASE,
)
"""A code such as 3-3 as spreadsheets write it to a text: 3/03/2026, 03-mar or mar-26."""


def find_code_fault(text: str, kind: str, *, is_text_file: bool) -> str:
    """Return the code of the problem with a code (`backend.imports.messages`), or an empty text.

    Args:
        text: the cell.
        kind: its `CellKind`.
        is_text_file: True if the cell comes from a text of another program, where dates are texts.
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
