"""The table of wishlists."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime


class WishlistEntry(SQLModel, table=True):
    """The latest change of a product in a customer's wishlist: it was added, or removed.

    A removal is stored too, because another browser may report an older addition later.
    """

    __tablename__ = "wishlist_entry"

    customer_id: str = Field(foreign_key="customer.id", primary_key=True, ondelete="CASCADE")
    product_id: str = Field(foreign_key="product.id", primary_key=True, index=True, ondelete="CASCADE")
    is_saved: bool
    """True if the product was added, False if it was removed."""
    changed_at: datetime = Field(sa_type=UtcDateTime)
    """Moment of the change, by the database's clock. It is never in the future."""
