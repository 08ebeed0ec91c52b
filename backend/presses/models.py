"""Table of the presses that were executed."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime


class Press(SQLModel, table=True):
    """A press (a form submission or button click that changes data) that was executed.

    Attributes:
        id: a hash of the event's name and of the id that the browser gave the press.
        subject: the id of the object that was changed or created, so that a repeated request finds it.
        sending: the id of the request from the browser that executed the press.
    """

    __tablename__ = "press"

    id: str = Field(primary_key=True)
    subject: str
    sending: str
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
