"""Types that both processes use: limits, the reasons for a refusal, and the rows of a sheet."""

from dataclasses import dataclass
from enum import StrEnum


class Refusal(StrEnum):
    """The reason why a file cannot be read."""

    TOO_LARGE = "too large"
    TOO_MANY_CELLS = "too many cells"
    TOO_COMPLEX = "too complex"
    """Reading it would take more memory or time than the limits allow."""
    DAMAGED = "damaged"
    """It is neither XLSX nor text with delimiters, or it is damaged or encrypted."""
    NOT_UTF8 = "not utf-8"
    QUOTE = "quote"
    """A quotation mark inside a cell of a text file is not doubled, or a closing quotation mark is missing."""
    PASSWORD = "password"  # noqa: S105 - a reason
    OTHER_FORMAT = "other format"
    """A spreadsheet in a format that is not read; the detail is a `ForeignFormat`."""


class ForeignFormat(StrEnum):
    """A spreadsheet format that the reader recognises but cannot read. The error explains how to save it as XLSX."""

    ODS = "ods"
    XLS = "xls"
    XLSB = "xlsb"
    NUMBERS = "numbers"
    WEB_PAGE = "web page"
    """HTML or XML, which many programs save with the extension `.xls`."""


class UnreadableSpreadsheet(ValueError):
    """The spreadsheet cannot be read.

    Attributes:
        refusal: the reason.
        detail: a `ForeignFormat`, or the parser's message; may be empty.
        line: the line number in a text file, from 1; 0 if unknown.
    """

    def __init__(self, refusal: Refusal, detail: str = "", line: int = 0) -> None:
        super().__init__(f"{refusal}: {detail}" if detail else refusal.value)
        self.refusal, self.detail, self.line = refusal, detail, line


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one file.

    Attributes:
        max_file_bytes: maximum size of the file.
        max_unpacked_bytes: maximum size of all parts of a workbook together.
        max_cells: maximum number of cells that are read, including empty ones.
        max_columns: number of columns that are read; cells beyond them are skipped.
        max_memory_bytes: maximum address space of the child process.
        max_cpu_s: maximum processor time of the child process, in seconds.
        timeout_s: seconds until the child process is killed.
        only_utf8: True to refuse text in other encodings. The file is then read in chunks.
        known_headings: normalized headings, to detect the delimiter of a text file: the one with which a row has the
            most of these headings.
    """

    max_file_bytes: int
    max_unpacked_bytes: int
    max_cells: int = 3_000_000
    max_columns: int = 100
    max_memory_bytes: int = 512 << 20
    max_cpu_s: int = 20
    timeout_s: int = 120
    only_utf8: bool = False
    known_headings: tuple[str, ...] = ()


class CellKind(StrEnum):
    """The type of a cell's value, as one letter."""

    TEXT = "t"
    NUMBER = "n"
    EXPONENT = "x"
    """A number whose format shows an exponent, such as 7.7E+12."""
    DATE = "d"
    DURATION = "h"
    BOOLEAN = "b"
    """True or false; the cell's text is `1` or `0`."""
    ERROR = "e"
    """A formula without a value; the text is the error, such as `#REF!`."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row with at least one filled cell.

    Attributes:
        number: the row's number in the spreadsheet; in a text file, the number of its first line.
        texts: the texts of its cells without surrounding space; dates in ISO 8601.
        kinds: one character of `CellKind` for each cell.
        formats: number formats by column from 0. Only numbers and dates whose format is not General have one.
        is_hidden: True if the row is hidden.
    """

    number: int
    texts: list[str]
    kinds: str
    formats: dict[int, str]
    is_hidden: bool


Area = tuple[int, int, int, int]
"""A merged area: first row (as numbered in the spreadsheet), first column (from 0), final row and final column."""
