"""The tables of redirects and of unknown addresses."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import CheckConstraint, false, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id


class UrlRedirect(Timestamps, table=True):
    """A redirect from a former address of the shop to a product, category or collection.

    It still works after the handle of its target changes.
    """

    __tablename__ = "url_redirect"
    __table_args__: ClassVar = (
        CheckConstraint(
            "CASE WHEN product_id IS NULL THEN 0 ELSE 1 END + CASE WHEN category_id IS NULL THEN 0 ELSE 1 END"
            " + CASE WHEN collection_id IS NULL THEN 0 ELSE 1 END = 1",
            name="target",
        ),
    )

    id: str = Field(default_factory=lambda: new_id("redir"), primary_key=True)
    former_address: str = Field(unique=True)
    """The normalized address: the text of a `backend.catalog.redirects.addresses.OldAddress`."""
    has_query: bool = Field(default=False, index=True, sa_column_kwargs={"server_default": false()})
    product_id: str | None = Field(default=None, foreign_key="product.id", index=True, ondelete="CASCADE")
    category_id: str | None = Field(default=None, foreign_key="category.id", index=True, ondelete="CASCADE")
    collection_id: str | None = Field(
        default=None, foreign_key="collection.id", index=True, ondelete="CASCADE"
    )


class UnknownAddress(Timestamps, table=True):
    """An address that visitors request, although the shop has neither a page nor a redirect for it."""

    __tablename__ = "unknown_address"

    id: str = Field(default_factory=lambda: new_id("unk"), primary_key=True)
    former_address: str = Field(unique=True)
    """The normalized address, only with parameters that may identify a page."""
    visits: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    seen_at: datetime = Field(sa_type=UtcDateTime, index=True)
    is_dismissed: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if a staff member removed it from the list. It is still counted, so that it does not come back."""
