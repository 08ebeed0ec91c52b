"""What both processes know: limits, the reasons for a refusal, and the rows that pass from one to the other."""

from dataclasses import dataclass
from enum import StrEnum


class Refusal(StrEnum):
    """Why a file cannot be read."""

    TOO_LARGE = "too large"
    TOO_MANY_CELLS = "too many cells"
    TOO_COMPLEX = "too complex"
    """Reading it would take more memory or time than the limits allow."""
    DAMAGED = "damaged"
    """It is neither XLSX nor text with delimiters, or it is damaged or encrypted."""
    NOT_UTF8 = "not utf-8"
    OTHER_FORMAT = "other format"
    """A spreadsheet in a format that is not read; the detail is a `ForeignFormat`."""


class ForeignFormat(StrEnum):
    """A spreadsheet format that is recognised only to say how to save it as XLSX."""

    ODS = "ods"
    XLS = "xls"
    XLSB = "xlsb"
    NUMBERS = "numbers"
    WEB_PAGE = "web page"
    """HTML or XML, which many programs write under the name `.xls`."""


class UnreadableSpreadsheet(ValueError):
    """The file cannot be read.

    Attributes:
        refusal: why.
        detail: a `ForeignFormat`, or what the parser says; may be empty.
        line: where in a text file, from 1; 0 if unknown.
    """

    def __init__(self, refusal: Refusal, detail: str = "", line: int = 0) -> None:
        super().__init__(f"{refusal}: {detail}" if detail else refusal.value)
        self.refusal, self.detail, self.line = refusal, detail, line


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds for one file.

    Attributes:
        max_file_bytes: of the file.
        max_unpacked_bytes: of all parts of a workbook together.
        max_cells: cells that are looked at, empty ones included.
        max_columns: cells beyond this column are left out.
        max_memory_bytes: address space of the child process.
        max_cpu_s: seconds of processor time of the child process.
        timeout_s: seconds until the child process is killed.
        only_utf8: refuse text in another encoding, and read it piece by piece.
    """

    max_file_bytes: int
    max_unpacked_bytes: int
    max_cells: int = 3_000_000
    max_columns: int = 100
    max_memory_bytes: int = 512 << 20
    max_cpu_s: int = 20
    timeout_s: int = 120
    only_utf8: bool = False


class CellKind(StrEnum):
    """What a cell holds, as one letter."""

    TEXT = "t"
    NUMBER = "n"
    DATE = "d"
    DURATION = "h"
    BOOLEAN = "b"
    """Its text is `1` or `0`."""
    ERROR = "e"
    """A formula without a value; its text is the error, as `#REF!`."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row with at least one filled cell.

    Attributes:
        number: as the spreadsheet counts, or the line in which a row of text begins.
        texts: its cells without surrounding space; dates in ISO 8601.
        kinds: a `CellKind` for each cell.
        formats: number formats by place from 0, of numbers and dates that have one other than General.
        is_hidden: True if the row is hidden.
    """

    number: int
    texts: list[str]
    kinds: str
    formats: dict[int, str]
    is_hidden: bool


Area = tuple[int, int, int, int]
"""A merged area: its first row, as the spreadsheet counts, its first column, from 0, its last row and last column."""
