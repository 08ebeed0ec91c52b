"""Table of product changes that have not been sent to the storefront yet."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, Integer
from sqlmodel import Field, SQLModel

from backend.core.clock import now
from backend.core.db.database import UtcDateTime


class OutboxEvent(SQLModel, table=True):
    """A change of a product. The row is deleted once the storefront has received it.

    The database numbers the events. Two transactions that change the same product wait for each other's lock, so
    their events are numbered in the order of the changes.
    """

    __tablename__ = "outbox_event"
    __table_args__: ClassVar = {"sqlite_autoincrement": True}  # an id is never used twice

    id: int | None = Field(
        default=None,
        primary_key=True,
        sa_type=BigInteger().with_variant(Integer, "sqlite"),
    )
    product_id: str
    recorded_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
