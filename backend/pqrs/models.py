"""The table of PQRS requests: peticiones, quejas, reclamos and sugerencias."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import secret_id
from backend.core.texts import _


class PqrsKind(StrEnum):
    """Kind of a PQRS request."""

    PETITION = "peticion"
    COMPLAINT = "queja"
    CLAIM = "reclamo"
    SUGGESTION = "sugerencia"


KIND_NAMES = {
    PqrsKind.PETITION: _("Petición"),
    PqrsKind.COMPLAINT: _("Queja"),
    PqrsKind.CLAIM: _("Reclamo"),
    PqrsKind.SUGGESTION: _("Sugerencia"),
}


class Pqrs(Timestamps, table=True):
    """A PQRS request that was sent with the form, with the deadline for the answer, and the answer."""

    __tablename__ = "pqrs"
    __table_args__ = (
        Index(
            "ix_pqrs_open",
            "due_at",
            sqlite_where=text("answered_at IS NULL"),
            postgresql_where=text("answered_at IS NULL"),
        ),
    )

    number: int | None = Field(default=None, primary_key=True)
    """The number shown to people."""
    id: str = Field(default_factory=lambda: secret_id("pqrs"), unique=True)
    kind: str
    name: str
    email: str
    text: str
    order_number: str = ""
    """The typed text. It is not verified that the order belongs to the sender."""
    asked_at: datetime = Field(sa_type=UtcDateTime)
    """Moment of the request, by the database's clock."""
    due_at: datetime = Field(sa_type=UtcDateTime)
    """End of the final day for the answer."""
    answer: str = ""
    answered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
