"""The table of alerts."""

from datetime import datetime

from sqlalchemy import Index, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id


class Alert(Timestamps, table=True):
    """A problem, from its beginning to its end. At most one alert of a kind and subject is open.

    All times except `created_at` and `updated_at` are taken from the database's clock.
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
    """The machine or service that has the problem; empty for the shop itself."""
    message: str
    """The problem in plain words, for staff; it contains no personal data and no secret."""
    began_at: datetime = Field(sa_type=UtcDateTime)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    """When the problem was most recently found."""
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
