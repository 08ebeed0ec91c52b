"""The cells of a file to import: what may stand in one, and what it means."""

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
"""A whole number as spreadsheets write it: with dots, or commas, between the thousands; with decimals of nothing."""
_COUNTRY = re.compile(r"[A-Za-z]{2}")
_YES, _NO = frozenset({"yes", "true", "1", "sí", "si"}), frozenset({"no", "false", "0"})


class CellError(ValueError):
    """A cell holds what it cannot hold; the message says what it may hold."""


@dataclass(frozen=True, slots=True)
class Cell:
    """How a column is imported. `read` makes the value of a filled cell; `empty` is the value of an empty one."""

    read: Callable[[str], Any]
    empty: Any = UNCHANGED


def handle(cell: str) -> str:
    """A handle.

    Raises:
        CellError: it is none.
    """
    if len(cell) > 200 or not _HANDLE.fullmatch(cell):
        raise CellError("must be lower-case letters, digits and hyphens, such as trompo-de-madera")
    return cell


def text(longest: int) -> Callable[[str], str]:
    """Reads a text of at most this many letters."""

    def read(cell: str) -> str:
        if len(cell) > longest:
            raise CellError(f"must not be longer than {longest} letters")
        if any(ord(letter) < 32 and letter not in "\n\r\t" for letter in cell):
            raise CellError("must not hold control characters")
        return cell

    return read


def word(longest: int) -> Callable[[str], str]:
    """Reads a name on one line of at most this many letters."""

    def read(cell: str) -> str:
        return plain(text(longest)(cell))

    return read


def plain(said: str) -> str:
    """A name as it is compared: its accents in one form, one space between its words."""
    return " ".join(unicodedata.normalize("NFC", said).split())


def number(most: int, such_as: str) -> Callable[[str], int]:
    """Reads a whole number from 0 to `most`: `20000`, `20.000`, `20,000` or `$ 20.000,00`."""

    def read(cell: str) -> int:
        digits = cell.removeprefix("$").strip()
        if _GROUPED.fullmatch(digits):
            digits = re.sub(r"[.,]0{1,2}$", "", digits).replace(".", "").replace(",", "")
        if not _DIGITS.fullmatch(digits) or int(digits) > most:
            raise CellError(f"must be a whole number, such as {such_as}, and at most {most}")
        return int(digits)

    return read


def measure(most: int, such_as: str) -> Callable[[str], float]:
    """Reads a number with up to six decimals, after a point or a comma, that is more than 0 and at most `most`."""

    def read(cell: str) -> float:
        value = float(cell.replace(",", ".")) if _DECIMAL.fullmatch(cell) else 0.0
        if not 0 < value <= most:
            raise CellError(f"must be a number such as {such_as}, more than 0 and at most {most}")
        return value

    return read


def yes_or_no(cell: str) -> bool:
    """Reads yes or no.

    Raises:
        CellError: it is neither.
    """
    word = cell.lower()
    if word not in _YES | _NO:
        raise CellError("must be yes or no")
    return word in _YES


def one_of(*values: str, **others: str) -> Callable[[str], str]:
    """Reads one of these values; `others` are words of people for some of them, in any case."""

    def read(cell: str) -> str:
        value = others.get(cell.lower(), cell)
        if value not in values:
            raise CellError(f"must be one of {', '.join(values)}")
        return value

    return read


def tax_rate(cell: str) -> int:
    """Reads a rate of IVA in percent.

    Raises:
        CellError: no product has this rate.
    """
    rates = {str(rate): rate for rate in TAX_RATES}
    rate = rates.get(cell.removesuffix("%").rstrip())
    if rate is None:
        raise CellError(f"must be one of {', '.join(rates)}, the IVA in percent")
    return rate


def country(cell: str) -> str:
    """Reads a country's two letters (ISO 3166), as lower case.

    Raises:
        CellError: they are none.
    """
    if not _COUNTRY.fullmatch(cell):
        raise CellError("must be a country's two letters, such as co")
    return cell.lower()


def bar_code(cell: str) -> str:
    """Reads the number of a bar code.

    Raises:
        CellError: it is none.
    """
    if not is_bar_code(cell):
        raise CellError("must be an EAN-13, an EAN-8 or a UPC-A whose last digit is right")
    return cell


def several(cell: str) -> tuple[str, ...]:
    """Reads a list: its parts in their order, each once."""
    parts = (part.strip() for part in cell.split(LIST_SEPARATOR))
    return tuple(dict.fromkeys(part for part in parts if part))
