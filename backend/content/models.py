"""The tables of the shop's content."""

from datetime import datetime

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class ContentVersion(Timestamps, table=True):
    """A version of an area that the office saved. Rows are never changed: restoring one adds a new version.

    Version 0 of each area is the shop's default content, and has no row.
    """

    __tablename__ = "content_version"
    __table_args__ = (UniqueConstraint("area", "version"), CheckConstraint("version > 0", name="version"))

    id: str = Field(default_factory=lambda: new_id("content"), primary_key=True)
    area: str
    version: int
    body: JsonObject = Field(default_factory=dict, sa_type=Json)
    """A body of `backend.content.areas`, as JSON."""
    created_by: str


class ContentTurn(SQLModel, table=True):
    """The latest time at which scheduled content of an area began or ended. Changing this row updates cached pages."""

    __tablename__ = "content_turn"

    area: str = Field(primary_key=True)
    turned_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the latest beginning or end of scheduled content, by the database's clock."""
