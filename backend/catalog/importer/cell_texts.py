"""Cells of a spreadsheet as a person would have typed them."""

from datetime import date

from backend.catalog.schemas.product_fields import AGE_RANGES
from backend.spreadsheet_reader.models import CellKind, Row

BROKEN = "#REF!"
"""The text of a formula without a value."""
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
        return BROKEN
    return _age_of(text) or text if kind == CellKind.DATE else text


def _age_of(moment: str) -> str:
    """Return the ages that a spreadsheet took for a day of the year: 3-5 for the third of May; else nothing."""
    day = date.fromisoformat(moment[:10])
    said = (f"{day.day}-{day.month}", f"{day.month}-{day.day}")
    return next((one for one in said if one in AGE_RANGES), "")
