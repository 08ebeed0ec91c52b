"""Conversion of a file's prices without IVA to prices with IVA, rounded to the peso."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from backend.catalog.importer.columns import PRICES_WITHOUT_TAX
from backend.catalog.importer.row_reader import Note, Row, find_compare_at_problem
from backend.catalog.schemas.cell_numbers import round_pesos
from backend.pricing import STANDARD_RATE

TAX_ADDED = "tax added"
"""Code of the note that the IVA was added to a price."""


def add_taxes(rows: Sequence[Row], identify: Callable[[Row], tuple[str, int | None]]) -> list[Row]:
    """Return the rows with prices that include IVA.

    If a row has both a price with IVA and one without, the price with IVA is used. The rate is that of the
    row, else of another row of the same product, else of the product in the shop, else the standard rate.

    Args:
        rows: all rows of each product.
        identify: returns a key of the row's product, and the rate that this product has in the shop, or None.
    """
    if not any(_has_price_without_tax(row) for row in rows):
        return list(rows)
    keys = {row.line: identify(row) for row in rows}
    rates = {
        key: row.values["tax_rate"]
        for row in reversed(rows)
        if (key := keys[row.line][0]) and row.get("tax_rate") is not None
    }
    converted = []
    for row in rows:
        key, current_rate = keys[row.line]
        known = (row.get("tax_rate"), rates.get(key), current_rate, STANDARD_RATE)
        rate = next(one for one in known if one is not None)
        converted.append(_add_tax(row, rate) if _has_price_without_tax(row) else row)
    return converted


def _has_price_without_tax(row: Row) -> bool:
    return any(column in row.values for column in PRICES_WITHOUT_TAX)


def _add_tax(row: Row, rate: int) -> Row:
    """Return the row with prices that include IVA at this rate in percent."""
    values = {column: value for column, value in row.values.items() if column not in PRICES_WITHOUT_TAX}
    notes = list(row.notes)
    for column, price_column in PRICES_WITHOUT_TAX.items():
        if column not in row.values or values.get(price_column) is not None:
            continue
        amount: Decimal | None = row.values[column]
        values[price_column] = None if amount is None else round_pesos(amount * (100 + rate) / 100)
        if amount is not None:
            notes.append(Note(price_column, TAX_ADDED, str(rate)))
    problem = find_compare_at_problem(row.line, values)
    problems = row.problems if problem is None or problem in row.problems else (*row.problems, problem)
    return replace(row, values=values, problems=problems, notes=tuple(notes))
