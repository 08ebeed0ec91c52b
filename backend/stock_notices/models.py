"""The table of stock notices."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id


class StockNotice(Timestamps, table=True):
    """A request to send one e-mail to an address when units of a variant can be bought again.

    `created_at` is the moment of the newest consent. The row is deleted when it is no longer needed: see
    `backend.operations.tidy.rules`.
    """

    __tablename__ = "stock_notice"
    __table_args__: ClassVar = (UniqueConstraint("variant_id", "email"),)

    id: str = Field(default_factory=lambda: new_id("stknot"), primary_key=True)
    variant_id: str = Field(foreign_key="variant.id", ondelete="CASCADE")
    email: str
    """The e-mail address, in lower case."""
    confirmed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Moment when the owner of the address followed the link of the first mail. Before, no other mail is sent."""
    told_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Moment when the mail was enqueued. It is reset to None if the units were gone before the mail was written."""
