"""Tables of the stock by location, and of its reservations. `stocked + incoming - reserved` units can be sold."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ColumnElement, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id


class InventoryLevel(Timestamps, table=True):
    """The units of a variant that are stocked at a location, and how many of them are reserved.

    `incoming` units are announced by a preorder and can be sold before they arrive, so `reserved` may be as high as
    `stocked + incoming` (`backend.catalog.products.preorders`).
    """

    __tablename__ = "inventory_level"
    __table_args__ = (
        UniqueConstraint("variant_id", "location_id"),
        # for the office's list of levels with few units left
        Index("ix_inventory_level_free", text("(stocked - reserved)"), "id"),
        CheckConstraint("stocked >= 0", name="stocked"),
        CheckConstraint("reserved >= 0 AND reserved <= stocked + incoming", name="reserved"),
        CheckConstraint("incoming >= 0", name="incoming"),
    )

    id: str = Field(default_factory=lambda: new_id("iitem"), primary_key=True)
    variant_id: str = Field(foreign_key="variant.id", index=True, ondelete="CASCADE")
    location_id: str = Field(index=True)
    stocked: int = 0
    reserved: int = 0
    incoming: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})

    @property
    def free(self) -> int:
        """The units that can be sold, including announced ones."""
        return self.stocked + self.incoming - self.reserved

    @property
    def unreserved(self) -> int:
        """The stocked units that are not reserved; 0 if preorders have reserved more units than are stocked."""
        return max(self.stocked - self.reserved, 0)


FREE_UNITS: ColumnElement[int] = InventoryLevel.stocked - InventoryLevel.reserved
"""Units of the level that are stocked and not reserved: the expression of `ix_inventory_level_free`.

It is negative while units of a preorder are sold.
"""
SELLABLE_UNITS: ColumnElement[int] = (
    InventoryLevel.stocked + InventoryLevel.incoming - InventoryLevel.reserved
)
"""Units of the level that can be sold, including announced ones."""


class Reservation(Timestamps, table=True):
    """Units reserved for a cart that is being paid, or for an order.

    `holder` is the cart's id, also after the cart has become an order. A cart has at most one reservation per
    level. `expires_at` is None once the payment is confirmed: a paid order's reservation does not expire.
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


class StockMovement(SQLModel, table=True):
    """A movement of units to or from a location. A reservation is not a movement."""

    __tablename__ = "stock_movement"
    __table_args__ = (
        Index("ix_stock_movement_variant", "variant_id", "created_at", "id"),
        Index("ix_stock_movement_newest", "created_at", "id"),
        Index("ix_stock_movement_order_id", "order_id"),
    )

    id: str = Field(default_factory=lambda: new_id("stkmov"), primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time by the database's clock."""
    variant_id: str
    location_id: str
    delta: int
    """Units added; negative for units removed."""
    stocked: int
    """Units that are stocked there after the movement."""
    reason: str
    """A `backend.inventory.movements.Reason`."""
    actor_id: str
    """The id of the staff member, `command line`, or `shop` for the shop itself."""
    note: str = ""
    supplier: str = ""
    document: str = ""
    """The number of the supplier's invoice or delivery note."""
    order_id: str | None = None
