"""The tables of changes of many products."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class BulkStatus(StrEnum):
    """How a change of many products stands."""

    RUNNING = "running"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"


class RowState(StrEnum):
    """How one of its products stands."""

    WAITING = "waiting"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    UNDONE = "undone"
    KEPT = "kept"
    """Somebody has changed it since: not all of it was undone."""


class BulkChange(Timestamps, table=True):
    """A change of many products. `value` holds what it was asked for: see `backend.catalog.bulk.changes.Change`."""

    __tablename__ = "bulk_change"
    __table_args__ = (Index("ix_bulk_change_newest", "created_at", "id"),)

    id: str = Field(default_factory=lambda: new_id("bulk"), primary_key=True)
    actor_id: str
    value: JsonObject = Field(sa_type=Json)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    """When it was shown what it would do: a price that was changed later is left alone."""
    status: str = BulkStatus.RUNNING
    total: int = 0
    """How many products it is for."""


class BulkChangeRow(SQLModel, table=True):
    """One product of it."""

    __tablename__ = "bulk_change_row"
    __table_args__ = (Index("ix_bulk_change_row_state", "bulk_change_id", "state", "product_id"),)

    bulk_change_id: str = Field(foreign_key="bulk_change.id", primary_key=True, ondelete="CASCADE")
    product_id: str = Field(primary_key=True)
    state: str = RowState.WAITING
    problem: str = ""
    """Why it was refused or not undone: one of `backend.catalog.bulk.changes.Problem`."""
    values: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """What was changed: `{"on", "field", "before", "after"}`; see `backend.catalog.bulk.changes.Value`."""
