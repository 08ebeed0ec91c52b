"""Rules for the cells of an import file, and the parsers of texts.

Numbers are in `backend.catalog.schemas.cell_numbers`, words and lists in `backend.catalog.schemas.cell_words`.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backend.core.commands import UNCHANGED
from backend.core.web.html_text import to_plain_text

LIST_SEPARATOR = "|"

_VERTICAL_BREAK = re.compile(r"[\v\f]")
"""Line breaks of word processors."""
_HANDLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class CellError(ValueError):
    """An invalid cell; the message describes the valid values. `code` is that of a `Problem`."""

    def __init__(self, message: str, code: str = "cell") -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Noted:
    """A value that differs from its cell, with the code of the note about it (`backend.imports.messages`)."""

    value: Any
    code: str


@dataclass(frozen=True, slots=True)
class Cell:
    """Import rule of a column. `read` parses a filled cell; `empty` is the value of an empty cell.

    `read` returns the value, or a `Noted` if the value differs from the cell. The value `UNCHANGED` leaves the
    product's value unchanged.
    """

    read: Callable[[str], Any]
    empty: Any = UNCHANGED


def parse_handle(cell: str) -> str:
    """Parse a handle.

    Raises:
        CellError: the cell is not a valid handle.
    """
    if len(cell) > 200 or not _HANDLE.fullmatch(cell):
        raise CellError("must be lower-case letters, digits and hyphens, such as mochila-tejida")
    return cell


def make_text_parser(max_length: int) -> Callable[[str], str]:
    """Return a parser of texts with at most `max_length` characters."""

    def read(cell: str) -> str:
        if len(cell) > max_length:
            raise CellError(f"must not be longer than {max_length} letters")
        if any(ord(letter) < 32 and letter not in "\n\r\t" for letter in cell):
            raise CellError("must not hold control characters")
        return cell

    return read


def make_prose_parser(max_length: int) -> Callable[[str], str | Noted]:
    """Return a parser of long texts. HTML is converted; the result has at most `max_length` characters."""
    read_text = make_text_parser(max_length)

    def read(cell: str) -> str | Noted:
        text = _VERTICAL_BREAK.sub("\n", cell)
        plain = read_text(to_plain_text(text))
        return plain if plain == text else Noted(plain, "html")

    return read


def word(max_length: int) -> Callable[[str], str]:
    """Return a parser of names on one line with at most `max_length` characters."""

    def read(cell: str) -> str:
        return normalize_name(make_text_parser(max_length)(cell))

    return read


def normalize_name(name: str) -> str:
    """Return a name in its normalized form for comparison: composed accents, one space between words."""
    return " ".join(unicodedata.normalize("NFC", name).split())
