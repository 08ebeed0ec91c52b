"""The tables of the legal texts."""

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field

from backend.ids import new_id
from backend.tables import Timestamps


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
