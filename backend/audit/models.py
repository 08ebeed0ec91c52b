"""Tables of the audit.

Database triggers refuse to change or delete an entry, and to change a personal value.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject
from backend.core.ids import new_id


class AuditEntry(SQLModel, table=True):
    """An action on an object by a staff member or by the shop. It has no personal data except ids."""

    __tablename__ = "audit_entry"
    __table_args__ = (
        Index("ix_audit_entry_newest", "created_at", "id"),
        Index("ix_audit_entry_subject", "subject_id", "created_at", "id"),
        Index("ix_audit_entry_actor", "actor_id", "created_at", "id"),
    )

    id: str = Field(default_factory=lambda: new_id("audit"), primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Moment of the action, by the database's clock."""
    actor_id: str
    """The id of the staff member, `command line`, or `shop` for an automatic action."""
    action: str
    """A verb in the past tense, such as `changed`."""
    subject_type: str
    subject_id: str
    changes: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """Changes, each `{"field", "before", "after"}`.

    For a change of another row than the subject's, `"on"` has its table and id.

    A personal value is not stored here: its field has neither `before` nor `after`.
    """


class AuditPersonalValue(SQLModel, table=True):
    """The personal values of a changed field, before and after. Unlike an entry, the row may be deleted."""

    __tablename__ = "audit_personal_value"

    entry_id: str = Field(foreign_key="audit_entry.id", primary_key=True)
    place: int = Field(primary_key=True)
    """Index in the entry's `changes`, from 0."""
    before: Any = Field(default=None, sa_type=Json, nullable=True)
    after: Any = Field(default=None, sa_type=Json, nullable=True)
