"""The tables of price lists."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, and_, or_, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime, db_now
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop


class PriceState(StrEnum):
    """State of a price of a list."""

    WAITING = "waiting"
    ON = "on"
    """The variant has this price now."""
    OVER = "over"
    SKIPPED = "skipped"
    """The price was never applied: see `PriceListPrice.problem`."""


_ON = text("state = 'on'")


class PriceList(Timestamps, table=True):
    """Lower prices from `starts_at` until `ends_at`; without `ends_at`, until a staff member ends the list.

    Attributes:
        description: a text for API clients (wire: commerce-api, Admin).
        rule: the discount rule that the prices were computed from: see
            `backend.catalog.price_lists.price_plan.Rule`.
        ended_at: the time at which a staff member or API client ended it, possibly before its start.
    """

    __tablename__ = "price_list"
    __table_args__: ClassVar = (
        CheckConstraint("ends_at IS NULL OR starts_at < ends_at", name="ends_at"),
        Index("ix_price_list_newest", "created_at", "id"),
    )

    id: str = Field(default_factory=lambda: new_id("plist"), primary_key=True)
    title: str
    description: str = ""
    rule: JsonObject = Field(sa_type=Json)
    starts_at: datetime = Field(sa_type=UtcDateTime)
    ends_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def has_begun(self, moment: datetime) -> bool:
        """Return True if the start of the list has passed."""
        return self.starts_at <= moment

    def is_over(self, moment: datetime) -> bool:
        """Return True if the list was ended, or its end has passed."""
        return self.ended_at is not None or (self.ends_at is not None and self.ends_at <= moment)


IS_OVER = or_(
    PriceList.ended_at.is_not(None), and_(PriceList.ends_at.is_not(None), PriceList.ends_at <= db_now())
)
"""`PriceList.is_over` at the current time, as a SQL condition."""


class PriceListPrice(SQLModel, table=True):
    """Price of a variant while the list is in effect. At most one price of a variant has the state `on`.

    Attributes:
        before: the variant's price when the sale began, which is displayed as struck through. None until then.
        compare_at_before: the price that was struck through before the sale.
        problem: the reason why this variant is skipped: one of `backend.catalog.price_lists.price_plan.Problem`.
    """

    __tablename__ = "price_list_price"
    __table_args__: ClassVar = (
        UniqueConstraint("price_list_id", "variant_id"),
        Index("ix_price_list_price_state", "price_list_id", "state", "product_id"),
        Index("uq_price_list_price_on", "variant_id", unique=True, sqlite_where=_ON, postgresql_where=_ON),
        CheckConstraint("amount > 0", name="amount"),
    )

    id: str = Field(default_factory=lambda: new_id("price"), primary_key=True)
    price_list_id: str = Field(foreign_key="price_list.id", ondelete="CASCADE")
    product_id: str
    variant_id: str = Field(foreign_key="variant.id", index=True, ondelete="CASCADE")
    amount: Cop
    state: str = PriceState.WAITING
    before: Cop | None = None
    compare_at_before: Cop | None = None
    problem: str = ""
