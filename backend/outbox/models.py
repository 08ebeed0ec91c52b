"""What is still to be told."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, Index, Integer
from sqlmodel import Field, SQLModel

from backend.clock import now
from backend.database import UtcDateTime


class OutboxEvent(SQLModel, table=True):
    """A change of a product that the storefront has not been told of. It goes when it is told.

    The database numbers the events: two changes of one product, which wait for each other's lock, are in order.
    `due_at` is when it may be tried (next); whoever tries moves it on and signs with `claim`, so that nobody else does.
    """

    __tablename__ = "outbox_event"
    __table_args__: ClassVar = (
        Index("ix_outbox_event_product_id_id", "product_id", "id"),
        {"sqlite_autoincrement": True},  # a number is never given twice
    )

    id: int | None = Field(
        default=None,
        primary_key=True,
        sa_type=BigInteger().with_variant(Integer, "sqlite"),
    )
    product_id: str
    recorded_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    due_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    attempts: int = 0
    claim: str | None = Field(default=None, index=True)
