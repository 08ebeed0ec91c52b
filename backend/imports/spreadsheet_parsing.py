"""Parsing of a table of products: XLSX, or text with `;`, `,` or tabs.

A child process reads the file: see `backend.spreadsheet_reader`.
"""

from enum import StrEnum
from tempfile import TemporaryFile

from backend.catalog.importer.formats.models import SourceFile
from backend.catalog.importer.source_reader import read_source_file
from backend.catalog.importer.tables.models import TableError
from backend.spreadsheet_reader.models import Limits, Refusal, UnreadableSpreadsheet

MAX_FILE_BYTES = 10 << 20
MAX_UNPACKED_BYTES = 96 << 20
"""Maximum size of an unpacked XLSX."""
LIMITS = Limits(max_file_bytes=MAX_FILE_BYTES, max_unpacked_bytes=MAX_UNPACKED_BYTES, max_columns=500)
MAX_ROWS = 10_000


class Fault(StrEnum):
    """Reason why a file cannot be read."""

    TOO_LARGE = "too large"
    TOO_MANY_ROWS = "too many rows"
    NO_SHEET = "no sheet"
    """The file is neither XLSX nor CSV, or is damaged."""
    QUOTE = "quote"
    """A quotation mark inside a cell of a text file is not doubled, or a closing quotation mark is missing."""
    PASSWORD = "password"  # noqa: S105 - a reason
    OTHER_FORMAT = "other format"
    """Another spreadsheet format. The detail is a `ForeignFormat`."""
    TOO_COMPLEX = "too complex"
    NO_HEAD = "no head"
    """No row contains a heading that identifies products."""
    TWICE = "twice"
    """Several columns of the file fit the same column of the importer. The detail has their headings."""
    EMPTY = "empty"
    ENCODING = "encoding"
    """A heading has letters that cannot be read."""


FAULTS = {
    Refusal.TOO_LARGE: Fault.TOO_LARGE,
    Refusal.TOO_MANY_CELLS: Fault.TOO_MANY_ROWS,
    Refusal.TOO_COMPLEX: Fault.TOO_COMPLEX,
    Refusal.OTHER_FORMAT: Fault.OTHER_FORMAT,
    Refusal.QUOTE: Fault.QUOTE,
    Refusal.PASSWORD: Fault.PASSWORD,
}
"""Faults by the reader's refusals; any other refusal is `NO_SHEET`."""


class UnreadableProductFile(ValueError):
    """The file cannot be read. `detail` is a column, a `ForeignFormat`, or empty; `line` is 0 if unknown."""

    def __init__(self, fault: Fault, detail: str = "", line: int = 0) -> None:
        super().__init__(fault)
        self.fault, self.detail, self.line = fault, detail, line


def read_product_file(content: bytes) -> SourceFile:
    """Read a product file in a child process. Call it from a thread.

    Raises:
        UnreadableProductFile: the file is not a spreadsheet, has no table, or exceeds a limit.
    """
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableProductFile(Fault.TOO_LARGE)
    try:
        with TemporaryFile() as file:
            file.write(content)
            file.flush()
            return read_source_file(file, LIMITS, MAX_ROWS)
    except UnreadableSpreadsheet as error:
        raise UnreadableProductFile(
            FAULTS.get(error.refusal, Fault.NO_SHEET), error.detail, error.line
        ) from None
    except TableError as error:
        raise UnreadableProductFile(Fault(error.fault.value), line=error.line) from None
