"""The table of alerts."""

from datetime import datetime

from sqlalchemy import Index, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id


class Alert(Timestamps, table=True):
    """Something that is wrong, from its beginning to its end. At most one that lasts a kind and subject.

    All moments but `created_at` and `updated_at` are the database's.
    """

    __tablename__ = "alert"
    __table_args__ = (
        Index(
            "uq_alert_lasting",
            "kind",
            "subject",
            unique=True,
            sqlite_where=text("ended_at IS NULL"),
            postgresql_where=text("ended_at IS NULL"),
        ),
    )

    id: str = Field(default_factory=lambda: new_id("alert"), primary_key=True)
    kind: str
    subject: str
    """What it is about: a machine's name, a service; empty when it is the shop."""
    message: str
    """What was found, in plain words for the shop's people; it names no person and no secret."""
    began_at: datetime = Field(sa_type=UtcDateTime)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    """When it was found last."""
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
