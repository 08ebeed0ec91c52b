"""The tables of the audit. Triggers refuse to change or delete an entry; of personal values, to change them."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject
from backend.core.ids import new_id


class AuditEntry(SQLModel, table=True):
    """Somebody did something to a thing. Of persons it holds nothing but ids."""

    __tablename__ = "audit_entry"
    __table_args__ = (
        Index("ix_audit_entry_newest", "created_at", "id"),
        Index("ix_audit_entry_subject", "subject_id", "created_at", "id"),
        Index("ix_audit_entry_actor", "actor_id", "created_at", "id"),
    )

    id: str = Field(default_factory=lambda: new_id("audit"), primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    """By the database's clock."""
    actor_id: str
    """The id of the staff member, `command line`, or `shop` for the shop by itself."""
    action: str
    """A verb in the past, such as `changed`."""
    subject_type: str
    subject_id: str
    changes: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """`{"field", "before", "after"}` each, and `"on"`, the table and id of a row that belongs to the thing.

    A personal value is not here: its field has neither `before` nor `after`.
    """


class AuditPersonalValue(SQLModel, table=True):
    """What a field of an entry was before and after, where that says something about a person. It may be deleted."""

    __tablename__ = "audit_personal_value"

    entry_id: str = Field(foreign_key="audit_entry.id", primary_key=True)
    place: int = Field(primary_key=True)
    """Which of the entry's `changes` it belongs to, from 0."""
    before: Any = Field(default=None, sa_type=Json, nullable=True)
    after: Any = Field(default=None, sa_type=Json, nullable=True)
