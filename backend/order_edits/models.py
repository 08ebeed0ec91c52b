"""Tables of order edits and of their actions."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop

_OPEN = text("status = 'pending' OR status = 'requested'")


class EditStatus(StrEnum):
    """Status of an order edit, in the platform's words."""

    PENDING = "pending"
    """Staff are still preparing it."""
    REQUESTED = "requested"
    """It is complete, and waits for its confirmation."""
    CONFIRMED = "confirmed"
    CANCELED = "canceled"


OPEN_STATUSES = (EditStatus.PENDING, EditStatus.REQUESTED)


class ActionKind(StrEnum):
    """Kind of an action of an edit, in the platform's words."""

    ADD = "ITEM_ADD"
    """Units of a variant at its current price."""
    UPDATE = "ITEM_UPDATE"
    """Another quantity of a line of the order; 0 removes the line."""


class OrderEdit(Timestamps, table=True):
    """Changes of one order that staff prepare and then confirm. An order has at most one open edit."""

    __tablename__ = "order_edit"
    __table_args__: ClassVar = (
        Index("uq_order_edit_open", "order_id", unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN),
        Index("ix_order_edit_order_id", "order_id"),
    )

    id: str = Field(default_factory=lambda: new_id("ordch"), primary_key=True)
    order_id: str
    status: str = EditStatus.PENDING
    reason: str = ""
    """Reason in the words of the staff member. The customer never sees it."""
    created_by: str
    """The id of the staff member, or of the key."""
    confirmed_by: str | None = None
    requested_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """By the database's clock, like the other times of this table."""
    confirmed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    canceled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    total_before: Cop | None = None
    """The order's total before the confirmation; None while the edit is open."""
    total_after: Cop | None = None
    changes: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    """The confirmed changes: objects with `line_id`, `title`, and the units `before` and `after`. The change of the
    shipping has no `line_id`, the names `before` and `after`, and its `amount`."""
    shipping: JsonObject | None = Field(default=None, sa_type=Json)
    """The shipping that replaces the order's: a `backend.order_edits.edited_shipping.EditedShipping`. None: none."""


class OrderEditAction(Timestamps, table=True):
    """One change of an edit: units of a variant to add, or the new quantity of a line."""

    __tablename__ = "order_edit_action"
    __table_args__ = (
        UniqueConstraint("edit_id", "line_id"),
        CheckConstraint("quantity >= 0", name="quantity"),
    )

    id: str = Field(default_factory=lambda: new_id("ordchact"), primary_key=True)
    edit_id: str = Field(foreign_key="order_edit.id", index=True, ondelete="CASCADE")
    kind: str
    """An `ActionKind`."""
    line_id: str | None = None
    """The changed line of the order; None for added units."""
    variant_id: str
    quantity: int
