"""Tables of draft orders, of their edits, and of their payment links.

Lines, addresses and discount of a draft are those of its cart.
"""

from datetime import datetime, timedelta

from sqlalchemy import Index, false, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop

LINK_LIFETIME = timedelta(days=7)
"""How long a payment link opens the checkout."""


class DraftOrder(Timestamps, table=True):
    """A sale that a staff member prepares. Its `id` is the id of the order that it becomes."""

    __tablename__ = "draft_order"
    __table_args__ = (
        # at most one sale in progress for each staff member: two tabs show the same one
        Index(
            "uq_draft_order_current",
            "created_by",
            unique=True,
            sqlite_where=text("is_current"),
            postgresql_where=text("is_current"),
        ),
        Index("ix_draft_order_created_at", "created_at", "id"),
    )

    id: str = Field(primary_key=True)
    cart_id: str = Field(foreign_key="cart.id", unique=True, ondelete="CASCADE")
    is_current: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if it is the sale that its staff member prepares on the screen «Vender»."""
    created_by: str
    """The id of the staff member, or of the key."""
    exchange_id: str | None = Field(default=None, unique=True)
    """The exchange whose new order this is; it is sold only by this exchange (`backend.exchanges`)."""
    canceled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class DraftOrderEdit(Timestamps, table=True):
    """An unconfirmed edit of a draft order. A draft has one edit at a time.

    The edit is prepared in a copy of the draft's cart, so that it has the prices, stock and shipping of a cart.
    """

    __tablename__ = "draft_order_edit"

    id: str = Field(default_factory=lambda: new_id("ordch"), primary_key=True)
    draft_order_id: str = Field(foreign_key="draft_order.id", unique=True, ondelete="CASCADE")
    cart_id: str = Field(foreign_key="cart.id", unique=True, ondelete="CASCADE")
    """The copy. It is deleted with the edit."""
    base: JsonObject = Field(sa_type=Json)
    """The content of the draft when the edit began."""
    requested_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_by: str


class PaymentLink(Timestamps, table=True):
    """A link with which a customer pays a draft order. Only the hash of its token is stored."""

    __tablename__ = "payment_link"

    id: str = Field(default_factory=lambda: new_id("paylink"), primary_key=True)
    draft_order_id: str = Field(foreign_key="draft_order.id", index=True, ondelete="CASCADE")
    token_hash: str = Field(unique=True)
    total: Cop
    """The total of the draft when the link was made, without shipping that the customer chooses later."""
    expires_at: datetime = Field(sa_type=UtcDateTime)
    """By the database's clock."""
    created_by: str
