"""The tables of files that staff asked for. They go when they have expired."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, Timestamps
from backend.core.ids import secret_id


class FileFormat(StrEnum):
    """How the file is written."""

    XLSX = "xlsx"
    CSV = "csv"


class DataExport(Timestamps, table=True):
    """A file that somebody of the staff asked for. `kind` is one of `backend.exports.kinds.KINDS`."""

    __tablename__ = "data_export"
    __table_args__ = (Index("ix_data_export_newest", "actor_id", "created_at"),)

    id: str = Field(default_factory=lambda: secret_id("export"), primary_key=True)
    actor_id: str
    kind: str
    file_format: str
    since: str
    """The first day in Colombia (`2026-11-21`) of what it holds; `until` is the last."""
    until: str
    query: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """For programs: which products, as `GET /admin/products` is asked."""
    columns: list[str] = Field(
        default_factory=list, sa_type=Json, sa_column_kwargs={"server_default": text("'[]'")}
    )
    """Those of this file, where not all of its kind have the same."""
    total: int = 0
    """How many things it will hold, as they were counted when it was asked for."""
    done: int = 0
    place: str = ""
    """Where the next things are read: which table, and after which of its rows."""
    pieces: int = 0
    is_done: bool = False
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """By the database's clock."""


class DataExportPiece(SQLModel, table=True):
    """A piece of the file; of an XLSX that is not done yet, rows as JSON."""

    __tablename__ = "data_export_piece"

    export_id: str = Field(foreign_key="data_export.id", primary_key=True, ondelete="CASCADE")
    number: int = Field(primary_key=True)
    content: bytes
