"""The tables of the shop's content."""

from datetime import datetime

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class ContentVersion(Timestamps, table=True):
    """A version of an area that the office saved. Rows are never changed: an earlier one comes back as a new one.

    Version 0 of each area is what the shop shows by itself, and has no row.
    """

    __tablename__ = "content_version"
    __table_args__ = (UniqueConstraint("area", "version"), CheckConstraint("version > 0", name="version"))

    id: str = Field(default_factory=lambda: new_id("content"), primary_key=True)
    area: str
    version: int
    body: JsonObject = Field(default_factory=dict, sa_type=Json)
    """As `backend.content.areas` has it."""
    created_by: str


class ContentTurn(SQLModel, table=True):
    """When something of an area last began or ended by itself: by this row the database tells pages that it did."""

    __tablename__ = "content_turn"

    area: str = Field(primary_key=True)
    turned_at: datetime = Field(sa_type=UtcDateTime)
    """By the database's clock."""
