"""Conversion of spreadsheet cells to the texts that a person sees."""

from datetime import date

from backend.catalog.importer.number_formats import display_number
from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.spreadsheet_reader.models import CellKind, Row

ERROR_TEXT = "#REF!"
"""Text for a formula without a value."""
BOOLEANS = {"1": "sí", "0": "no"}


def cell_texts(row: Row) -> list[str]:
    """Return the texts of a row's cells; dates in ISO 8601."""
    if not row.formats and not row.kinds.strip(CellKind.TEXT + CellKind.NUMBER):
        return row.texts
    return [
        _cell_text(text, kind, row.formats.get(place, ""))
        for place, (text, kind) in enumerate(zip(row.texts, row.kinds, strict=True))
    ]


def restore_age_range(text: str) -> str:
    """Return the age range that a spreadsheet converted to a date: 3-5 for the third of May; else the text."""
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return text
    candidates = (f"{day.day}-{day.month}", f"{day.month}-{day.day}")
    return next((one for one in candidates if one in AGE_RANGES), text)


def _cell_text(text: str, kind: str, code: str) -> str:
    if kind == CellKind.BOOLEAN:
        return BOOLEANS[text]
    if kind == CellKind.ERROR:
        return ERROR_TEXT
    return display_number(text, code) if kind == CellKind.NUMBER and code else text
