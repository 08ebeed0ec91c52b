"""Stock by location, and its reservations. `stocked - reserved` units can be sold."""

from datetime import datetime

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field

from backend.database import UtcDateTime
from backend.ids import new_id
from backend.tables import Timestamps


class InventoryLevel(Timestamps, table=True):
    """How many units of a variant lie at a location, and how many of those are reserved."""

    __tablename__ = "inventory_level"
    __table_args__ = (
        UniqueConstraint("variant_id", "location_id"),
        CheckConstraint("stocked >= 0", name="stocked"),
        CheckConstraint("reserved >= 0 AND reserved <= stocked", name="reserved"),
    )

    id: str = Field(default_factory=lambda: new_id("iitem"), primary_key=True)
    variant_id: str = Field(foreign_key="variant.id", index=True, ondelete="CASCADE")
    location_id: str = Field(index=True)
    stocked: int = 0
    reserved: int = 0


class Reservation(Timestamps, table=True):
    """Units reserved for a cart that is paying, or for an order.

    `holder` is the cart's id, also after the cart has become an order. One reservation a holder and level.
    `expires_at` is None once the payment is confirmed: a paid order's reservation does not expire.
    """

    __tablename__ = "reservation"
    __table_args__ = (
        UniqueConstraint("holder", "level_id"),
        CheckConstraint("quantity > 0", name="quantity"),
    )

    id: str = Field(default_factory=lambda: new_id("resitem"), primary_key=True)
    level_id: str = Field(foreign_key="inventory_level.id", index=True, ondelete="CASCADE")
    holder: str = Field(index=True)
    quantity: int
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
