"""The tables of imports. Their rows are deleted after some days."""

from enum import StrEnum

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class ImportStatus(StrEnum):
    """State of an import."""

    CHECKED = "checked"
    """The preview is ready; nothing is written."""
    RUNNING = "running"
    STOPPED = "stopped"
    """A staff member stopped it. The remaining rows wait until it is continued."""
    DONE = "done"


class Plan(StrEnum):
    """Planned effect of a row."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    WRONG = "wrong"


class RowState(StrEnum):
    """State of a row."""

    WAITING = "waiting"
    DONE = "done"
    PARTIAL = "partial"
    """Written, but without a picture that could not be downloaded."""
    REFUSED = "refused"


class ProductImport(Timestamps, table=True):
    """A spreadsheet of products that a staff member sent."""

    __tablename__ = "product_import"
    __table_args__ = (Index("ix_product_import_newest", "created_at", "id"),)

    id: str = Field(default_factory=lambda: new_id("imp"), primary_key=True)
    actor_id: str
    name: str
    """Name of the sent file, for display only."""
    location_id: str
    """The location whose stock the import sets."""
    makes_places: bool = False
    """True if missing categories and collections are created."""
    columns: list[str] = Field(default_factory=list, sa_type=Json)
    """The importer's names of the spreadsheet's columns, in their order."""
    ignored: list[str] = Field(default_factory=list, sa_type=Json)
    """Headings that are not columns of the importer."""
    format: str = Field(default="trompo")
    """The recognised format: a `backend.catalog.importer.formats.models.SourceFormat`."""
    sheet: str = ""
    """Name of the imported sheet; empty for a text file."""
    headings: list[str] = Field(default_factory=list, sa_type=Json)
    """The file's own heading of each column, for messages."""
    set_aside: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """Rows and sheets that are not imported: a list of `{"line", "reason", "text"}`."""
    notes: list[str] = Field(default_factory=list, sa_type=Json)
    """Codes of sentences about the whole file."""
    mapping: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """Columns of a spreadsheet in an unknown format, as `backend.catalog.importer.formats.models.ColumnSuggestion`."""
    publishes: bool = False
    """True if new products are published. Otherwise they are drafts, unless the spreadsheet publishes them."""
    losses: JsonObject = Field(default_factory=dict, sa_type=Json)
    """Number of rows that empty or take away a value, by column."""
    code_changes: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """The first changed SKUs and bar codes of existing variants: `{"line", "title", "column", "before", "after"}`."""
    pictures: JsonObject = Field(default_factory=dict, sa_type=Json)
    """Pictures that rows name, compared with the sent ones: see `backend.imports.picture_report`."""
    status: str = ImportStatus.CHECKED
    total: int = 0
    """Number of rows."""


class ProductImportRow(SQLModel, table=True):
    """A row of the spreadsheet."""

    __tablename__ = "product_import_row"
    __table_args__ = (
        Index("ix_product_import_row_state", "import_id", "state", "line"),
        Index("ix_product_import_row_plan", "import_id", "plan", "line"),
        Index("ix_product_import_row_product", "import_id", "of_product"),
    )

    import_id: str = Field(foreign_key="product_import.id", primary_key=True, ondelete="CASCADE")
    line: int = Field(primary_key=True)
    """Row number in the spreadsheet."""
    texts: list[str | None] = Field(default_factory=list, sa_type=Json)
    """Cells of the row, in the order of the import's columns. Null leaves the product's value unchanged."""
    source_problems: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """Problems that were found when the file was read; in the form of `problems`."""
    source_notes: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """Notes that were made when the file was read; in the form of `notes`."""
    plan: str = Plan.WRONG
    state: str = RowState.WAITING
    title: str = ""
    """Title, SKU or handle, by which people recognize the row."""
    product_id: str = ""
    """The product that the row changes or created."""
    of_product: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Key of the product in rows with options. Rows with the same key are written together. Empty in other rows."""
    problems: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """A list of `{"column", "code", "detail"}`: see `backend.imports.messages`."""
    notes: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """Notes about cells whose value was changed when it was read: a list of `{"column", "code", "detail"}`."""
    losses: list[str] = Field(default_factory=list, sa_type=Json)
    """Columns whose value the row would empty or take away."""
    changes: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """Planned or written changes: a list of `{"column", "before", "after"}`."""


class ProductImportPicture(SQLModel, table=True):
    """A picture that was uploaded or downloaded for an import. The file is already in the shop's picture store."""

    __tablename__ = "product_import_picture"

    import_id: str = Field(foreign_key="product_import.id", primary_key=True, ondelete="CASCADE")
    name: str = Field(primary_key=True)
    """Name of its file as `backend.imports.picture_matching.picture_key` returns it, or its web address."""
    url: str = ""
    """Address in the store; empty if the picture cannot be used."""
    problem: str = ""
    """Reason why the picture cannot be used."""
    checksum: str = ""
    """Checksum of the content. The same content is not processed again."""


class ProductImportTable(SQLModel, table=True):
    """The table of an uploaded spreadsheet, to map its columns again and to build the file of its refused rows."""

    __tablename__ = "product_import_table"

    import_id: str = Field(foreign_key="product_import.id", primary_key=True, ondelete="CASCADE")
    content: JsonObject = Field(default_factory=dict, sa_type=Json)
    """The fields of a `backend.catalog.importer.tables.models.Table`."""


class ColumnMapping(Timestamps, table=True):
    """The columns that a staff member chose for spreadsheets with certain headings.

    The next spreadsheet with the same headings uses them.
    """

    __tablename__ = "column_mapping"

    id: str = Field(primary_key=True)
    """Digest of the normalized headings."""
    columns: list[str] = Field(default_factory=list, sa_type=Json)
    """The importer's column for each column of the spreadsheet; empty for a column that is not imported."""
