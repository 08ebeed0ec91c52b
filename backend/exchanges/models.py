"""Table of exchanges. It has no personal data: those are in the return and in the orders."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop


class ExchangeStatus(StrEnum):
    """Status of an exchange.

    from       to         reason
    ---------  ---------  -------------------------------------------------------------
    open       requested  the customer sends the units back
    open       completed  the units are already here, and it is settled
    requested  completed  the units came back, and it is settled
    open       canceled   staff cancelled it
    requested  canceled   its return was denied, or is refunded in money
    """

    OPEN = "open"
    """Staff are choosing the units."""
    REQUESTED = "requested"
    COMPLETED = "completed"
    CANCELED = "canceled"


UNFINISHED = (ExchangeStatus.OPEN, ExchangeStatus.REQUESTED)


class Exchange(Timestamps, table=True):
    """A return of an order's units, and the new order that replaces its refund.

    The order is locked while one of its exchanges is created or changes its status.
    """

    __tablename__ = "order_exchange"
    __table_args__ = (
        Index("ix_order_exchange_created_at", "created_at", "number"),
        CheckConstraint("credit IS NULL OR credit > 0", name="credit"),
    )

    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(default_factory=lambda: new_id("oexc"), unique=True)
    order_id: str = Field(index=True)
    """The order whose units come back."""
    return_id: str = Field(unique=True)
    """The id of the return: of its draft while the exchange is open."""
    draft_order_id: str = Field(foreign_key="draft_order.id", unique=True, ondelete="CASCADE")
    """The id of the new order: of its draft until the exchange is completed."""
    status: str = ExchangeStatus.OPEN
    credit: Cop | None = None
    """The price of the returned units, which pays the new order; None until the exchange is completed."""
    created_by: str
    """The id of the staff member, or of the key."""
    requested_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """By the database's clock, like the other times of this table."""
    completed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    canceled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
