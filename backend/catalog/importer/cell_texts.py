"""Conversion of spreadsheet cells to the texts that a person sees."""

import re
from datetime import date

from backend.catalog.importer.number_formats import display_number
from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.spreadsheet_reader.models import CellKind, Row

ERROR_TEXT = "#REF!"
"""Text for a formula without a value."""
FORMULA_ERRORS = re.compile(r"#(?:N/[AD]|¡?(?:REF|DIV/0|VALUE|VALOR|NUM|NULL|NULO)!|¿?(?:NAME|NOMBRE)\?)")
"""Texts that spreadsheets show for a formula without a value."""
AMOUNT_COLUMNS = (
    "price",
    "compare_at_price",
    "cost",
    "price_without_tax",
    "compare_at_price_without_tax",
    "stock",
)
"""Columns in whose texts a point before three digits separates thousands."""
_THREE_DECIMALS = re.compile(r"([^0-9]*[1-9][0-9]{0,2}\.[0-9]{3})([^0-9]*)")
_INVISIBLE = dict.fromkeys(
    map(ord, "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff")
) | dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f"), " ")
"""Replacements of invisible characters, and of spaces that look like an ordinary one."""
BOOLEANS = {"1": "sí", "0": "no"}


def cell_texts(row: Row) -> list[str]:
    """Return the texts of a row's cells; dates in ISO 8601."""
    if not row.formats and not row.kinds.strip(CellKind.TEXT + CellKind.NUMBER):
        return row.texts
    return [
        _cell_text(text, kind, row.formats.get(place, ""))
        for place, (text, kind) in enumerate(zip(row.texts, row.kinds, strict=True))
    ]


def clean_text(text: str | None) -> str | None:
    """Return a text without the invisible characters that web pages and chats add, for example to a copied SKU."""
    return text if text is None or text.isascii() else text.translate(_INVISIBLE).strip()


def is_formula_error(cell: str) -> bool:
    """Return True if a cell shows the error of a formula, such as `#REF!`."""
    return FORMULA_ERRORS.fullmatch(cell) is not None


def restore_age_range(text: str) -> str:
    """Return the age range that a spreadsheet program converted to a date, such as 3-5 for the third of May.

    Any other text is returned unchanged.
    """
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return text
    candidates = (f"{day.day}-{day.month}", f"{day.month}-{day.day}")
    return next((one for one in candidates if one in AGE_RANGES), text)


def mark_decimals(text: str) -> str:
    """Add a zero to a number with three decimals, so that they are not read as thousands: 546.2180 for 546.218.

    Use it for numbers of a workbook, in which the point always separates the decimals.
    """
    found = _THREE_DECIMALS.fullmatch(text)
    return f"{found[1]}0{found[2]}" if found else text


def _cell_text(text: str, kind: str, code: str) -> str:
    if kind == CellKind.BOOLEAN:
        return BOOLEANS[text]
    if kind == CellKind.ERROR:
        return ERROR_TEXT
    return display_number(text, code) if kind == CellKind.NUMBER and code else text
