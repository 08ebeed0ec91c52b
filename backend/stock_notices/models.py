"""Who waits for which toy."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id


class StockNotice(Timestamps, table=True):
    """An address that is to be told, once, when units of a variant can be bought again.

    `created_at` is when its owner last agreed to that. The row goes when it has served: see
    `backend.operations.tidy.rules`.
    """

    __tablename__ = "stock_notice"
    __table_args__: ClassVar = (UniqueConstraint("variant_id", "email"),)

    id: str = Field(default_factory=lambda: new_id("stknot"), primary_key=True)
    variant_id: str = Field(foreign_key="variant.id", ondelete="CASCADE")
    email: str
    """In small letters."""
    confirmed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the owner of the address followed the link in the first mail. Before that, nothing more is sent."""
    told_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the one mail was noted that tells it; None again where the units were gone before it was written."""
