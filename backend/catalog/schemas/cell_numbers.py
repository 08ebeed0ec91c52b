"""Parsers of the numbers in cells, in the notations of people and programs: amounts, units, percentages, measures.

A number is ambiguous if its only separator has three digits after it: `1.500` is 1500 as an amount or as units, and
1.5 as a measure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from backend.catalog.schemas.cell_parsers import CellError, Noted
from backend.core.collation import fold
from backend.core.commands import UNCHANGED
from backend.core.money import MAX_AMOUNT
from backend.pricing import TAX_RATES

MAX_UNITS = 1_000_000
MAX_NUMBER_LENGTH = 60
GROUP_SIZE = 3
"""Number of digits between two separators of thousands."""
MIN_AMOUNT_WITH_CENTS = 1000
"""Minimum amount in pesos whose one or two decimals are read as cents.

In a smaller amount, a spreadsheet program probably dropped zeros: 89.9 for 89.900.
"""
_APOSTROPHES = "'’´`"
_SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}\N{FIGURE SPACE}"
_SEPARATOR = re.compile(f"[.,{_APOSTROPHES}{_SPACES}]")
_NUMBER = re.compile(rf"[0-9]{{1,12}}(?:{_SEPARATOR.pattern}[0-9]{{1,12}}){{0,6}}")
_MONEY = re.compile(
    r"(?:col ?\$|cop ?\$?|\$ ?(?:cop)?)?(.*?)(?:\$|cop|pesos?|pesos colombianos)?", re.IGNORECASE
)
_FOREIGN = re.compile(r"us ?\$|usd|eur|€|mxn|dolar|euro")
_UNITS = re.compile(
    r"(.*?)(?:unds?|uds?|un|u|unid|unidad|unidades|pzas?|piezas?|pcs|units?)?\.?", re.IGNORECASE
)
_SOLD_OUT = frozenset(
    {"agotado", "agotada", "sin existencias", "sin stock", "no hay", "out of stock", "sold out"}
)
_NEGATIVE = re.compile(r"[-−–] ?(.+)|(.+)-|\((.+)\)")
_PERCENT = re.compile(r"([0-9]{1,4}(?:[.,][0-9]{1,6})?)(%?)")
_TAX_WORDS = re.compile(
    r"\b(?:iva|vat|tax|impuestos?|gravado|tarifa|general|reducid[ao]|al|a|del|de|la|el)\b|[():]"
)
_MEASURE = re.compile(r"(.*?)([a-z\"”]*)\.?", re.IGNORECASE)
_GRAMS, _POUND, _INCH = Decimal("0.001"), Decimal("0.45359237"), Decimal("2.54")
_WEIGHT_UNITS = {
    **dict.fromkeys(("kg", "kgs", "k", "kilo", "kilos", "kilogramo", "kilogramos"), Decimal(1)),
    **dict.fromkeys(("g", "gr", "grs", "gm", "gms", "gramo", "gramos", "grams"), _GRAMS),
    **dict.fromkeys(("lb", "lbs"), _POUND),
    "oz": _POUND / 16,
}
"""Kilograms by unit. `libra` is missing, because in Colombia it may mean 500 g or a pound."""
_LENGTH_UNITS = {
    **dict.fromkeys(("cm", "cms", "centimetro", "centimetros"), Decimal(1)),
    **dict.fromkeys(("mm", "milimetro", "milimetros"), Decimal("0.1")),
    **dict.fromkeys(("m", "mt", "mts", "metro", "metros"), Decimal(100)),
    **dict.fromkeys(("in", "pulgada", "pulgadas", '"', "”"), _INCH),
}
"""Centimetres by unit."""
_SMALL_UNITS = frozenset(
    unit for units in (_WEIGHT_UNITS, _LENGTH_UNITS) for unit, factor in units.items() if factor < 1
)
"""Units in which `1.500` has a separator of thousands."""
_EXEMPT, _EXCLUDED = re.compile(r"exent"), re.compile(r"exclu|no grava|no causa")
_WITHOUT_TAX = re.compile(rf"{_EXEMPT.pattern}|{_EXCLUDED.pattern}|sin (?:iva|impuesto)|ninguno")


def parse_number(text: str, *, groups: bool = True) -> Decimal | None:
    """Parse a number that is not negative: `1.250.000`, `1'250.000`, `89 900,5`, `89900.00`.

    Args:
        text: the number.
        groups: True to read `1.500` as 1500, False to read it as 1.5.

    Returns:
        The number; None if the text is not a number.
    """
    if len(text) > MAX_NUMBER_LENGTH or not _NUMBER.fullmatch(text):
        return None
    parts, signs = _SEPARATOR.split(text), _SEPARATOR.findall(text)
    decimals = ""
    if signs and _is_decimal(parts, signs, groups=groups):
        decimals, sign = parts.pop(), signs.pop()
        if sign in signs and len(decimals) >= GROUP_SIZE:
            return None
    if len(parts) > 1 and not (
        1 <= len(parts[0]) <= GROUP_SIZE
        and all(len(part) == GROUP_SIZE for part in parts[1:])
        and len(set(signs) - {*_APOSTROPHES}) <= 1
    ):
        return None
    return Decimal(f"{''.join(parts)}.{decimals or '0'}")


def _is_decimal(parts: list[str], signs: list[str], *, groups: bool) -> bool:
    """Return True if the last separator separates the decimals, not a group of digits."""
    if signs[-1] not in ".,":
        return False
    others = {*signs[:-1]}
    if others & {".", ","} and signs[-1] not in others:
        return True
    if others:
        return len(parts[-1]) != GROUP_SIZE
    return not (
        groups and len(parts[-1]) == GROUP_SIZE and len(parts[0]) <= GROUP_SIZE and parts[0].strip("0")
    )


def parse_price(cell: str) -> int | Noted:
    """Parse an amount in pesos, rounded to the peso: `20000`, `20.000`, `$ 20.000,00`, `COP 20,000` or `20'000`.

    Raises:
        CellError: the cell is no amount, has another currency, exceeds the maximum, or seems to have lost digits.
    """
    amount = parse_exact_price(cell)
    pesos = round_pesos(amount)
    return pesos if pesos == amount else Noted(pesos, "rounded")


def parse_former_price(cell: str) -> int | Noted | None:
    """Parse the price before a sale; None for 0. It raises the errors of `parse_price`."""
    return parse_price(cell) or None


def parse_exact_price(cell: str) -> Decimal:
    """Parse an amount in pesos that may have cents. It raises the errors of `parse_price`.

    A hyphen next to a currency sign is read as 0, because accounting formats display 0 in this way.
    """
    if _FOREIGN.search(fold(cell)):
        raise CellError("must be in Colombian pesos", "currency")
    found = _MONEY.fullmatch(cell) if len(cell) <= MAX_NUMBER_LENGTH else None
    text = found[1].strip(_SPACES) if found else ""
    amount = Decimal(0) if text == "-" != cell else parse_number(text)
    if amount is None or amount > MAX_AMOUNT:
        raise CellError(f"must be an amount of pesos, such as 89900, and at most {MAX_AMOUNT}")
    if amount < MIN_AMOUNT_WITH_CENTS and 0 < _count_decimals(amount) < GROUP_SIZE:
        raise CellError(
            "may have lost digits: write all digits without decimals, such as 89900", "lost digits"
        )
    return amount


def _count_decimals(amount: Decimal) -> int:
    return max(0, -int(amount.normalize().as_tuple().exponent))


def round_pesos(amount: Decimal) -> int:
    """Return the amount rounded to the peso; half a peso is rounded up."""
    return int(amount.quantize(Decimal(1), ROUND_HALF_UP))


def parse_units(cell: str) -> int | Noted:
    """Parse a number of units: `12`, `12.00`, `1.200` or `12 und`. A negative number or `Agotado` is 0, with a note.

    Raises:
        CellError: the cell is not a whole number, or exceeds the maximum.
    """
    if fold(cell) in _SOLD_OUT:
        return Noted(0, "sold out")
    negative = _NEGATIVE.fullmatch(cell) if len(cell) <= MAX_NUMBER_LENGTH else None
    plain = next(part for part in negative.groups() if part) if negative else cell
    found = _UNITS.fullmatch(plain) if len(cell) <= MAX_NUMBER_LENGTH else None
    text = found[1].strip(_SPACES) if found else ""
    units = parse_number(text)
    if units is None or units != int(units) or units > MAX_UNITS:
        raise CellError(f"must be a whole number, such as 12, and at most {MAX_UNITS}")
    if negative and units:
        return Noted(0, "negative stock")
    if units and len(_SEPARATOR.split(text)) > 1 and len(_SEPARATOR.split(text)[-1]) == GROUP_SIZE:
        return Noted(int(units), "thousands")
    return int(units)


def parse_tax_rate(cell: str) -> int:
    """Parse a rate of IVA in percent: `19`, `19,0 %`, `0.19`, `IVA 19%`, `exento` or `excluido`.

    Raises:
        CellError: the rate does not exist.
    """
    folded = fold(cell)
    if _WITHOUT_TAX.search(folded):
        return 0
    found = _PERCENT.fullmatch(_TAX_WORDS.sub(" ", folded).replace(" ", ""))
    rate = Decimal(found[1].replace(",", ".")) if found else Decimal(-1)
    if found and 0 < rate < 1 and not found[2]:  # the cell of a spreadsheet with a percent format
        rate *= 100
    if rate not in TAX_RATES:
        rates = ", ".join(map(str, TAX_RATES))
        raise CellError(f"must be one of {rates}, the IVA in percent, or exento or excluido")
    return int(rate)


def find_exclusion(cell: str) -> bool | None:
    """Return True if a tax rate cell says that the product is excluded from IVA, else False.

    Return None for the rate 0, which may mean excluded or exempt.

    Raises:
        CellError: the rate does not exist.
    """
    folded = fold(cell)
    if _EXCLUDED.search(folded):
        return True
    return False if _EXEMPT.search(folded) or parse_tax_rate(cell) else None


@dataclass(frozen=True, slots=True)
class Measure:
    """The rules of a measure, such as the weight: its units with their factors, its maximum, and an example."""

    units: Mapping[str, Decimal]
    maximum: int
    example: str
    suspicious: int
    """A value above this without a unit gets a note, because it may be in a smaller unit."""

    def parse(self, text: str) -> float:
        """Parse a weight in kilograms or a length in centimetres: `0,35`, `350 g`, `12.5 cm`.

        Raises:
            CellError: the text is not a measure, or is 0 or too large.
        """
        value, unit = self._split(text)
        if not 0 < value <= self.maximum:
            is_unit_missing = value > self.maximum and not unit
            message = f"must be a number such as {self.example}, more than 0 and at most {self.maximum}"
            raise CellError(message, "unit" if is_unit_missing else "cell")
        return float(round(value, 6))

    def read(self, cell: str) -> Any:
        """Parse a cell.

        A zero leaves the product's value unchanged: programs write it for a measure that was not entered.

        Raises:
            CellError: see `parse`.
        """
        value, unit = self._split(cell)
        if value == 0:
            return Noted(UNCHANGED, "no measure")
        measure = self.parse(cell)
        return Noted(measure, "large measure") if measure > self.suspicious and not unit else measure

    def _split(self, text: str) -> tuple[Decimal, str]:
        """Return the value in kilograms or centimetres, and the unit; -1 for a text that is no measure."""
        found = _MEASURE.fullmatch(text) if len(text) <= MAX_NUMBER_LENGTH else None
        unit = fold(found[2]) if found else ""
        number = parse_number(found[1].strip(_SPACES), groups=unit in _SMALL_UNITS) if found else None
        if number is None or unit not in {"", *self.units}:
            return Decimal(-1), unit
        return number * self.units.get(unit, 1), unit


WEIGHT = Measure(_WEIGHT_UNITS, 100, "0.35", suspicious=20)
"""Weights in kilograms."""
LENGTH = Measure(_LENGTH_UNITS, 500, "24", suspicious=300)
"""Lengths in centimetres."""
