"""Types of a product file whose columns are known."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from backend.catalog.importer.row_reader import Note, Problem
from backend.catalog.importer.tables.models import SetAsideRow, Table


class SourceFormat(StrEnum):
    """The program that wrote a file, recognised by its headings."""

    SHOPIFY = "shopify"
    WOOCOMMERCE = "woocommerce"
    PRESTASHOP = "prestashop"
    GOOGLE = "google"
    MERCADOLIBRE = "mercadolibre"
    PLATFORM = "platform"
    TROMPO = "trompo"
    """The shop's own files: the template and the export."""
    UNKNOWN = "unknown"
    """Any other table; a person maps its columns."""


OWN_FORMATS = frozenset({SourceFormat.TROMPO, SourceFormat.PLATFORM})
"""Formats of files that this shop or another shop of the platform wrote.

In these files, an empty cell clears the product's value. In other files, it leaves the value unchanged.
"""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row in the importer's columns.

    Attributes:
        line: number of the row in the spreadsheet.
        texts: cells in the order of the file's columns. None leaves the product's value unchanged; an empty text
            clears it.
        problems: problems of the row as a whole, for example more cells than headings.
        notes: changes that the conversion made, for people.
        source_lines: numbers of all rows of the table that describe its product. They are converted together.
    """

    line: int
    texts: list[str | None]
    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    source_lines: Sequence[int] = ()


@dataclass(slots=True)
class ColumnSuggestion:
    """A column of a table in an unknown format, and the importer's column that is suggested or chosen for it.

    Attributes:
        place: position of the column in the table.
        heading: its heading; empty if it has none.
        samples: up to three different values.
        column: the importer's column; empty if the column is not imported.
        contested: the importer's column that several columns fit, so that a person must choose one of them; empty
            if there is nothing to choose.
    """

    place: int
    heading: str
    samples: list[str] = field(default_factory=list)
    column: str = ""
    contested: str = ""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A product file in the importer's columns.

    Attributes:
        table: the table from which the rows were converted.
        format: the recognised format.
        sheet: name of the sheet; empty for a text file.
        columns: the importer's names of the columns (`backend.catalog.importer.columns.COLUMNS`).
        headings: the file's heading of each column, for messages.
        ignored: headings of the file that are not imported.
        rows: the rows.
        set_aside: rows and sheets that are not imported.
        notes: codes of sentences about the whole file (`backend.imports.messages`).
        suggestions: for a table in an unknown format, its columns; else empty.
    """

    table: Table
    format: SourceFormat
    sheet: str
    columns: list[str]
    headings: list[str]
    ignored: list[str]
    rows: list[SourceRow]
    set_aside: list[SetAsideRow]
    notes: list[str] = field(default_factory=list)
    suggestions: list[ColumnSuggestion] = field(default_factory=list)
