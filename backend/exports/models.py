"""The tables of export files. Their rows are deleted when they have expired."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, Timestamps
from backend.core.ids import secret_id


class FileFormat(StrEnum):
    """Format of a file."""

    XLSX = "xlsx"
    CSV = "csv"


class DataExport(Timestamps, table=True):
    """A file that a staff member requested. `kind` is one of `backend.exports.kinds.KINDS`."""

    __tablename__ = "data_export"
    __table_args__ = (Index("ix_data_export_newest", "actor_id", "created_at"),)

    id: str = Field(default_factory=lambda: secret_id("export"), primary_key=True)
    actor_id: str
    kind: str
    file_format: str
    since: str
    """First day of the period in Colombia (`2026-11-21`); `until` is its final day."""
    until: str
    query: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """For programs: the query for products, as sent to `GET /admin/products`."""
    columns: list[str] = Field(
        default_factory=list, sa_type=Json, sa_column_kwargs={"server_default": text("'[]'")}
    )
    """The columns of this file, if its kind has no fixed columns."""
    total: int = 0
    """Number of records, counted when the file was requested."""
    done: int = 0
    place: str = ""
    """Position for the next batch: the number of the source, and the cursor of its previous record."""
    pieces: int = 0
    is_done: bool = False
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """Expiry by the database's clock."""


class DataExportPiece(SQLModel, table=True):
    """A piece of the file. While an XLSX file is incomplete, its pieces contain rows as JSON."""

    __tablename__ = "data_export_piece"

    export_id: str = Field(foreign_key="data_export.id", primary_key=True, ondelete="CASCADE")
    number: int = Field(primary_key=True)
    content: bytes
