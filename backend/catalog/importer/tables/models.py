"""Types of a table that was found in a spreadsheet."""

from dataclasses import dataclass, field
from enum import StrEnum


class SetAsideReason(StrEnum):
    """Reason why a row is not imported although it has filled cells."""

    TOTAL = "total"
    """A total or a subtotal."""
    GROUP = "group"
    """A heading of a group of rows, such as the name of a category."""
    HIDDEN_ROW = "hidden row"
    HIDDEN_SHEET = "hidden sheet"
    """A hidden sheet as a whole; the line is 0 and the text is the sheet's name."""
    OTHER_SHEET = "other sheet"
    """Another visible sheet that also has headings; the line is 0 and the text is the sheet's name."""
    NO_CODE = "no code"
    """A row without a code in a table whose other rows have codes."""
    REPEATED_HEAD = "repeated head"
    NO_VALUES = "no values"
    """A row of formulas without a value, as below the products of a list whose formulas were filled down."""
    HINTS = "hints"
    """Hints below the headings, such as `Obligatorio` in a list of Mercado Libre."""


class TableFault(StrEnum):
    """Reason why a spreadsheet has no table that can be read."""

    NO_HEAD = "no head"
    """No sheet has a heading row."""
    EMPTY = "empty"
    TOO_MANY_ROWS = "too many rows"
    TOO_COMPLEX = "too complex"
    """Its merged areas cover too many cells."""
    ENCODING = "encoding"
    """A heading has letters that cannot be read."""


class TableError(ValueError):
    """The spreadsheet has no table that can be read. `line` is 0 if unknown."""

    def __init__(self, fault: TableFault, line: int = 0) -> None:
        super().__init__(fault.value)
        self.fault, self.line = fault, line


@dataclass(frozen=True, slots=True)
class SetAsideRow:
    """A row that is not imported. `text` has its first filled cells."""

    line: int
    reason: SetAsideReason
    text: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table.

    Attributes:
        line: number of the row in the spreadsheet.
        texts: the cells below the headings, as a person sees them: `0017` for 17 with the number format `0000`,
            `19%` for 0.19 with a percent format, a date in ISO 8601. None for a cell that is missing in a text
            file, because its row has fewer cells.
        kinds: a `CellKind` for each cell of `texts`.
        extra: filled cells to the right of the headings.
    """

    line: int
    texts: list[str | None]
    kinds: str
    extra: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Table:
    """The table of products in a spreadsheet.

    Attributes:
        sheet: name of the sheet; empty for a text file.
        head_line: number of the heading row.
        headings: the headings as they are written; empty for a column without a heading.
        rows: the rows of products.
        set_aside: rows and sheets that are not imported.
    """

    sheet: str
    head_line: int
    headings: list[str]
    rows: list[TableRow]
    set_aside: list[SetAsideRow]
    is_text: bool = False
    """True for a text with delimiters, whose cells have no kinds."""
