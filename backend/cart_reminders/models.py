"""The table of reminders of abandoned carts."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.ids import new_id


class CartReminder(SQLModel, table=True):
    """The requested reminder of a cart; a cart gets at most one. The row is deleted with the cart."""

    __tablename__ = "cart_reminder"

    id: str = Field(default_factory=lambda: new_id("carem"), primary_key=True)
    cart_id: str = Field(foreign_key="cart.id", unique=True, ondelete="CASCADE")
    customer_id: str = Field(foreign_key="customer.id", index=True, ondelete="CASCADE")
    requested_at: datetime = Field(sa_type=UtcDateTime)
    """Moment when the e-mail was enqueued, by the database's clock."""
