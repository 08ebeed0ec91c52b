"""Tables of legal texts and consents."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id

_IS_OPEN = text("withdrawn_at IS NULL")


class LegalText(Timestamps, table=True):
    """A saved version of a legal text. Rows are never changed: restoring an old version adds a new row.

    Version 1 of each text is the built-in template, which has no row.
    """

    __tablename__ = "legal_text"
    __table_args__ = (UniqueConstraint("kind", "version"), CheckConstraint("version > 1", name="version"))

    id: str = Field(default_factory=lambda: new_id("legal"), primary_key=True)
    kind: str
    version: int
    source: str
    """Markdown with placeholders for the shop's data: `{nit}`."""
    is_reviewed: bool = False
    """True if a lawyer has confirmed it, according to the staff member who saved it."""
    created_by: str


class AgreedText(SQLModel, table=True):
    """The exact legal text that was shown when a consent was given. It is never changed."""

    __tablename__ = "kept_text"

    digest: str = Field(primary_key=True)
    """SHA-256 of the text, in hexadecimal digits."""
    kind: str
    version: int
    text: str
    kept_at: datetime = Field(sa_type=UtcDateTime)
    """Moment when the text was stored, by the database's clock."""


class Consent(SQLModel, table=True):
    """A consent of a person: kind, text, time and source.

    It belongs to a cart (and later to its order), to a customer, or to both. Only `withdrawn_at` changes, and
    `customer_id` once, when a guest's cart becomes a customer's. A cart has at most one consent of a kind to the
    same text that is not withdrawn.
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
            sqlite_where=_IS_OPEN,
            postgresql_where=_IS_OPEN,
        ),
        CheckConstraint("cart_id IS NOT NULL OR customer_id IS NOT NULL", name="whose"),
    )

    id: str = Field(default_factory=lambda: new_id("consent"), primary_key=True)
    kind: str
    version: str
    """Version of the text; an API client's version is stored as it was sent."""
    digest: str = ""
    """Digest of the `AgreedText`; empty for an API client's own text."""
    source: str
    """A `backend.legal.consents.ConsentSource`."""
    given_at: datetime = Field(sa_type=UtcDateTime)
    """Moment of the consent, by the database's clock."""
    client_ip: str
    cart_id: str | None = Field(default=None, index=True)
    customer_id: str | None = Field(default=None, index=True)
    withdrawn_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
