"""Parsers of the cells of an import file."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backend.catalog.bar_codes import is_bar_code
from backend.core.commands import UNCHANGED
from backend.pricing import TAX_RATES

LIST_SEPARATOR = "|"

_HANDLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DECIMAL = re.compile(r"[0-9]{1,6}(?:[.,][0-9]{1,6})?")
_DIGITS = re.compile(r"[0-9]{1,12}")
_GROUPED = re.compile(
    r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,0{1,2})?|[0-9]{1,3}(?:,[0-9]{3})+(?:\.0{1,2})?|[0-9]{1,12},0{1,2}"
)
"""A whole number in a spreadsheet's format: dots or commas between the thousands, or decimals that are zero."""
_COUNTRY = re.compile(r"[A-Za-z]{2}")
_YES, _NO = frozenset({"yes", "true", "1", "sí", "si"}), frozenset({"no", "false", "0"})


class CellError(ValueError):
    """An invalid cell; the message describes the valid values."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Import rule of a column. `read` parses a filled cell; `empty` is the value of an empty cell."""

    read: Callable[[str], Any]
    empty: Any = UNCHANGED


def parse_handle(cell: str) -> str:
    """Parse a handle.

    Raises:
        CellError: the cell is not a valid handle.
    """
    if len(cell) > 200 or not _HANDLE.fullmatch(cell):
        raise CellError("must be lower-case letters, digits and hyphens, such as trompo-de-madera")
    return cell


def make_text_parser(max_length: int) -> Callable[[str], str]:
    """Return a parser of texts with at most this many letters."""

    def read(cell: str) -> str:
        if len(cell) > max_length:
            raise CellError(f"must not be longer than {max_length} letters")
        if any(ord(letter) < 32 and letter not in "\n\r\t" for letter in cell):
            raise CellError("must not hold control characters")
        return cell

    return read


def word(max_length: int) -> Callable[[str], str]:
    """Return a parser of names on one line with at most `max_length` characters."""

    def read(cell: str) -> str:
        return normalize_name(make_text_parser(max_length)(cell))

    return read


def normalize_name(name: str) -> str:
    """Return a name in its normalized form for comparison: composed accents, one space between words."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def make_number_parser(maximum: int, example: str) -> Callable[[str], int]:
    """Return a parser of whole numbers from 0 to `maximum`: `20000`, `20.000`, `20,000` or `$ 20.000,00`."""

    def read(cell: str) -> int:
        digits = cell.removeprefix("$").strip()
        if _GROUPED.fullmatch(digits):
            digits = re.sub(r"[.,]0{1,2}$", "", digits).replace(".", "").replace(",", "")
        if not _DIGITS.fullmatch(digits) or int(digits) > maximum:
            raise CellError(f"must be a whole number, such as {example}, and at most {maximum}")
        return int(digits)

    return read


def make_measure_parser(maximum: int, example: str) -> Callable[[str], float]:
    """Return a parser of numbers above 0 and up to `maximum`, with at most six decimals after a point or a comma."""

    def read(cell: str) -> float:
        value = float(cell.replace(",", ".")) if _DECIMAL.fullmatch(cell) else 0.0
        if not 0 < value <= maximum:
            raise CellError(f"must be a number such as {example}, more than 0 and at most {maximum}")
        return value

    return read


def parse_yes_or_no(cell: str) -> bool:
    """Parse yes or no.

    Raises:
        CellError: the cell is neither yes nor no.
    """
    word = cell.lower()
    if word not in _YES | _NO:
        raise CellError("must be yes or no")
    return word in _YES


def make_choice_parser(*values: str, **others: str) -> Callable[[str], str]:
    """Return a parser that accepts one of these values.

    `others` maps further accepted words, in any case, to values.
    """

    def read(cell: str) -> str:
        value = others.get(cell.lower(), cell)
        if value not in values:
            raise CellError(f"must be one of {', '.join(values)}")
        return value

    return read


def parse_tax_rate(cell: str) -> int:
    """Parse a rate of IVA in percent.

    Raises:
        CellError: the rate does not exist.
    """
    rates = {str(rate): rate for rate in TAX_RATES}
    rate = rates.get(cell.removesuffix("%").rstrip())
    if rate is None:
        raise CellError(f"must be one of {', '.join(rates)}, the IVA in percent")
    return rate


def parse_country(cell: str) -> str:
    """Parse a country code (ISO 3166) and return it in lower case.

    Raises:
        CellError: the cell is not two letters.
    """
    if not _COUNTRY.fullmatch(cell):
        raise CellError("must be a country's two letters, such as co")
    return cell.lower()


def parse_bar_code(cell: str) -> str:
    """Parse a bar code number.

    Raises:
        CellError: the number is invalid.
    """
    if not is_bar_code(cell):
        raise CellError("must be an EAN-13, an EAN-8 or a UPC-A whose last digit is right")
    return cell


def parse_list(cell: str) -> tuple[str, ...]:
    """Parse a list: return its parts in order, without duplicates."""
    parts = (part.strip() for part in cell.split(LIST_SEPARATOR))
    return tuple(dict.fromkeys(part for part in parts if part))
