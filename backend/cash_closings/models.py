"""Table of the closings of a day."""

from sqlalchemy import Index
from sqlmodel import Field

from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop


class DayClosing(Timestamps, table=True):
    """A closing: a count of the cash drawer. The payments and refunds that it includes store its id."""

    __tablename__ = "day_closing"
    __table_args__ = (Index("ix_day_closing_created_at", "created_at", "id"),)

    id: str = Field(default_factory=lambda: new_id("dayclose"), primary_key=True)
    opening_cash: Cop
    """Cash that the closing before left in the drawer."""
    received: JsonObject = Field(default_factory=dict, sa_type=Json)
    """Pesos by `backend.payment.manual_methods.ManualMethod`."""
    given_back: JsonObject = Field(default_factory=dict, sa_type=Json)
    expected_cash: Cop
    counted_cash: Cop
    left_cash: Cop
    """Cash that stays in the drawer for the next day."""
    reason: str = ""
    """Reason of a difference between the counted and the expected cash."""
    closed_by: str
