"""The tables of the legal texts."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id

_STANDS = text("withdrawn_at IS NULL")


class LegalText(Timestamps, table=True):
    """A version of a legal text that the office saved. Rows are never changed: an earlier one comes back as a new one.

    Version 1 of each text is the template, which has no row.
    """

    __tablename__ = "legal_text"
    __table_args__ = (UniqueConstraint("kind", "version"), CheckConstraint("version > 1", name="version"))

    id: str = Field(default_factory=lambda: new_id("legal"), primary_key=True)
    kind: str
    version: int
    source: str
    """Markdown, with the shop's data by name: `{nit}`."""
    is_reviewed: bool = False
    """A lawyer has confirmed it, as whoever saved it says."""
    created_by: str


class KeptText(SQLModel, table=True):
    """A legal text just as people were shown it when somebody agreed to it. It is never changed."""

    __tablename__ = "kept_text"

    digest: str = Field(primary_key=True)
    """The SHA-256 of the text."""
    kind: str
    version: int
    text: str
    kept_at: datetime = Field(sa_type=UtcDateTime)
    """By the database's clock."""


class Consent(SQLModel, table=True):
    """Somebody agreed to something: what, to which text, when and from where.

    It belongs to a cart, and so to the order that it becomes, or to a customer, or both. Only `withdrawn_at` changes,
    and `customer_id` once, when the cart of a guest becomes a customer's. What is agreed to again is a new row.
    """

    __tablename__ = "consent"
    __table_args__ = (
        Index(
            "uq_consent_open",
            "cart_id",
            "kind",
            "version",
            "digest",
            unique=True,
            sqlite_where=_STANDS,
            postgresql_where=_STANDS,
        ),
        CheckConstraint("cart_id IS NOT NULL OR customer_id IS NOT NULL", name="whose"),
    )

    id: str = Field(default_factory=lambda: new_id("consent"), primary_key=True)
    kind: str
    version: str
    """Of the text; a program's is as it was sent."""
    digest: str = ""
    """Of the `KeptText`; empty where a program showed a text of its own."""
    source: str
    """Where: `checkout`, `register`, `google` or `api`."""
    given_at: datetime = Field(sa_type=UtcDateTime)
    """By the database's clock."""
    client_ip: str
    cart_id: str | None = Field(default=None, index=True)
    customer_id: str | None = Field(default=None, index=True)
    withdrawn_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
