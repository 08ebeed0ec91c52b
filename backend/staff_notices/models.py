"""Tables of notices to staff: notices, the kinds that a staff member turned off, and products with low stock."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id


class StaffNotice(SQLModel, table=True):
    """A notice of an event. Staff are notified of each event only once. All times are from the database's clock."""

    __tablename__ = "staff_notice"
    __table_args__: ClassVar = (
        UniqueConstraint("kind", "subject_id"),
        Index("ix_staff_notice_kind_batched_at", "kind", "batched_at"),
    )

    id: str = Field(default_factory=lambda: new_id("snotice"), primary_key=True)
    kind: str
    """A `backend.staff_notices.kinds.NoticeKind`."""
    subject_id: str
    """Id of the order, PQRS request, return, review, attention row, change of a product's low stock, or a day."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    batch_id: str | None = Field(default=None, index=True)
    """Id of the batch with which the notice is sent; None before the notice is put into a batch."""
    batched_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class StaffNoticeChoice(Timestamps, table=True):
    """A kind of notice that a staff member has turned off or on again. Without a row, it is on."""

    __tablename__ = "staff_notice_choice"

    staff_id: str = Field(foreign_key="staff.id", primary_key=True, ondelete="CASCADE")
    kind: str = Field(primary_key=True)
    by_mail: bool = True
    by_push: bool = True


class LowStock(SQLModel, table=True):
    """A product whose stock is low. The row is deleted when its stock is no longer low."""

    __tablename__ = "low_stock"

    product_id: str = Field(foreign_key="product.id", primary_key=True, ondelete="CASCADE")
    notice_id: str = Field(default_factory=lambda: new_id("low"))
    """Subject of the notice that the stock became low.

    The subject of the notice that it sold out ends with `OUT_SUFFIX`.
    """
    is_out: bool = False


OUT_SUFFIX = ":out"
