"""Table of the presses that were done."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime


class Press(SQLModel, table=True):
    """A press that was done.

    Attributes:
        id: a digest of the event's name and of the id that the browser gave it.
        subject: the id of the thing that was changed or made, where a second sending has to find it.
        sending: the sending that did it.
    """

    __tablename__ = "press"

    id: str = Field(primary_key=True)
    subject: str
    sending: str
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
