"""The tables of bulk changes."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class BulkStatus(StrEnum):
    """Status of a bulk change."""

    RUNNING = "running"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"


class RowState(StrEnum):
    """Status of one product of a bulk change."""

    WAITING = "waiting"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    UNDONE = "undone"
    KEPT = "kept"
    """Not everything was undone: the product was changed again in the meantime."""


class BulkChange(Timestamps, table=True):
    """A bulk change of products. `value` is the request: see `backend.catalog.bulk.changes.Change`."""

    __tablename__ = "bulk_change"
    __table_args__ = (Index("ix_bulk_change_newest", "created_at", "id"),)

    id: str = Field(default_factory=lambda: new_id("bulk"), primary_key=True)
    actor_id: str
    value: JsonObject = Field(sa_type=Json)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the preview. Prices that were changed after this time stay as they are."""
    status: str = BulkStatus.RUNNING
    total: int = 0
    """Number of selected products."""


class BulkChangeRow(SQLModel, table=True):
    """A product of a bulk change."""

    __tablename__ = "bulk_change_row"
    __table_args__ = (Index("ix_bulk_change_row_state", "bulk_change_id", "state", "product_id"),)

    bulk_change_id: str = Field(foreign_key="bulk_change.id", primary_key=True, ondelete="CASCADE")
    product_id: str = Field(primary_key=True)
    state: str = RowState.WAITING
    problem: str = ""
    """The reason for a refused or incomplete change: one of `backend.catalog.bulk.changes.Problem`."""
    values: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """The changed values: `{"on", "field", "before", "after"}`; see `backend.catalog.bulk.changes.ChangedValue`."""
