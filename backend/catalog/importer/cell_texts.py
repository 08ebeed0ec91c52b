"""Conversion of spreadsheet cells to the texts that a person would have typed."""

from datetime import date

from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.spreadsheet_reader.models import CellKind, Row

ERROR_TEXT = "#REF!"
"""Text for a formula without a value."""
BOOLEANS = {"1": "sí", "0": "no"}


def cell_texts(row: Row) -> list[str]:
    """Return the texts of a row's cells."""
    if not row.kinds.strip(CellKind.TEXT + CellKind.NUMBER):
        return row.texts
    return [_cell_text(text, kind) for text, kind in zip(row.texts, row.kinds, strict=True)]


def _cell_text(text: str, kind: str) -> str:
    if kind == CellKind.BOOLEAN:
        return BOOLEANS[text]
    if kind == CellKind.ERROR:
        return ERROR_TEXT
    return _age_range_from_date(text) or text if kind == CellKind.DATE else text


def _age_range_from_date(moment: str) -> str:
    """Return the age range that a spreadsheet program converted to a date, such as 3-5 for the third of May.

    Return an empty text if the date was not an age range.
    """
    day = date.fromisoformat(moment[:10])
    candidates = (f"{day.day}-{day.month}", f"{day.month}-{day.day}")
    return next((one for one in candidates if one in AGE_RANGES), "")
