"""The table of reviews."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, Timestamps
from backend.core.ids import new_id
from backend.core.texts import _


class ReviewState(StrEnum):
    """State of a review. Only reviews in the state `SHOWN` are public."""

    WAITING = "waiting"
    """Not decided yet; its customer may still change it."""
    SHOWN = "shown"
    REFUSED = "refused"


STATE_NAMES = {
    ReviewState.WAITING: _("Por leer"),
    ReviewState.SHOWN: _("Publicada"),
    ReviewState.REFUSED: _("No publicada"),
}

_WAITING = text("state = 'waiting'")


class Review(Timestamps, table=True):
    """A customer's review of a product that they have ordered.

    The product stores the number of its shown reviews and the sum of their stars (`backend.reviews.moderation`).
    """

    __tablename__ = "review"
    __table_args__: ClassVar = (
        UniqueConstraint("order_id", "product_id"),
        CheckConstraint("stars BETWEEN 1 AND 5", name="stars"),
        Index("ix_review_of_product", "product_id", "state", "written_at"),
        Index("ix_review_waiting", "written_at", sqlite_where=_WAITING, postgresql_where=_WAITING),
    )

    id: str = Field(default_factory=lambda: new_id("rev"), primary_key=True)
    product_id: str = Field(foreign_key="product.id", ondelete="CASCADE")
    order_id: str | None = None
    """Id of the order; None for reviews of the demo shop."""
    name: str
    """The displayed name: a first name and an initial."""
    stars: int
    text: str
    pictures: list[str] = Field(default_factory=list, sa_type=Json)
    """URLs of files in the shop's store: see `backend.media.picture_widths`."""
    state: str = ReviewState.WAITING
    refusal: str = ""
    """Reason for the refusal, for its customer."""
    answer: str = ""
    """Answer of the shop."""
    answered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    written_at: datetime = Field(sa_type=UtcDateTime)
    """Moment of the latest change, by the database's clock."""
    decided_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    is_demo: bool = False
    """True for an invented review of the demo shop, which is always marked as such."""
