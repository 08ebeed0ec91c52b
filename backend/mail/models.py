"""Mails to be sent."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from backend.database import UtcDateTime
from backend.ids import new_id
from backend.tables import Timestamps


class Mail(Timestamps, table=True):
    """A mail, once for what it is `about`. What it says is written when it is sent: no text, and no link, is kept here.

    It stays after it was sent, so that it is not sent again.
    """

    __tablename__ = "mail"
    __table_args__ = (UniqueConstraint("kind", "about"),)

    id: str = Field(default_factory=lambda: new_id("mail"), primary_key=True)
    kind: str
    about: str
    """The id of an order or a parcel; of a reset, an address."""
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
