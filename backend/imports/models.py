"""The tables of imports. They go after some days."""

from enum import StrEnum

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class ImportStatus(StrEnum):
    """How an import stands."""

    CHECKED = "checked"
    """It was looked at; nothing of it is in the shop."""
    RUNNING = "running"
    DONE = "done"


class Plan(StrEnum):
    """What a row would do."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    WRONG = "wrong"


class RowState(StrEnum):
    """How a row stands."""

    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"


class ProductImport(Timestamps, table=True):
    """A sheet that somebody sent."""

    __tablename__ = "product_import"
    __table_args__ = (Index("ix_product_import_newest", "created_at", "id"),)

    id: str = Field(default_factory=lambda: new_id("imp"), primary_key=True)
    actor_id: str
    name: str
    """The file's, as the sender calls it; only shown."""
    location_id: str
    """The location that is stocked."""
    makes_places: bool = False
    """Whether categories and collections that the shop does not have are made."""
    columns: list[str] = Field(default_factory=list, sa_type=Json)
    """The sheet's columns in their order, by the importer's names."""
    ignored: list[str] = Field(default_factory=list, sa_type=Json)
    """The headings that it has beside them."""
    status: str = ImportStatus.CHECKED
    total: int = 0
    """How many rows it has."""


class ProductImportRow(SQLModel, table=True):
    """A row of the sheet."""

    __tablename__ = "product_import_row"
    __table_args__ = (
        Index("ix_product_import_row_state", "import_id", "state", "line"),
        Index("ix_product_import_row_plan", "import_id", "plan", "line"),
        Index("ix_product_import_row_product", "import_id", "of_product"),
    )

    import_id: str = Field(foreign_key="product_import.id", primary_key=True, ondelete="CASCADE")
    line: int = Field(primary_key=True)
    """As the spreadsheet counts it."""
    texts: list[str] = Field(default_factory=list, sa_type=Json)
    """Its cells under the import's columns."""
    plan: str = Plan.WRONG
    state: str = RowState.WAITING
    title: str = ""
    """What people know it by."""
    product_id: str = ""
    """The product that it changes, or made."""
    of_product: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """The same in all rows with options of one product, which are written together; empty in others."""
    problems: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """`{"column", "code", "detail"}` each: see `backend.imports.messages`."""
    changes: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """What it changes, or has changed: `{"column", "before", "after"}` each."""


class ProductImportPicture(SQLModel, table=True):
    """A picture that was sent for it, or was fetched for it; it is in the shop's store already."""

    __tablename__ = "product_import_picture"

    import_id: str = Field(foreign_key="product_import.id", primary_key=True, ondelete="CASCADE")
    name: str = Field(primary_key=True)
    """Its file's name as `backend.imports.picture_matching.key_of` has it, or its address."""
    url: str = ""
    """Where it is in the store; empty when it could not be used."""
    problem: str = ""
    """Why it could not be used."""
    checksum: str = ""
    """Of the content, so that what is sent again is not made again."""
