"""The table of attention rows."""

from datetime import datetime

from sqlalchemy import Index, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop


class Attention(Timestamps, table=True):
    """A decision of a staff member, open or resolved. At most one row of a kind and subject is open."""

    __tablename__ = "attention"
    __table_args__ = (
        Index(
            "uq_attention_open",
            "kind",
            "subject_id",
            unique=True,
            sqlite_where=text("resolved_at IS NULL"),
            postgresql_where=text("resolved_at IS NULL"),
        ),
    )

    id: str = Field(default_factory=lambda: new_id("attn"), primary_key=True)
    kind: str = Field(index=True)
    subject_id: str
    """Id of the payment session, order, fulfillment or job that it is about."""
    message: str
    """What happened, for programs and logs, in English. `backend.attention.descriptions` has the sentence for staff."""
    amount: Cop | None = None
    """The disputed money, in whole pesos."""
    order_id: str | None = Field(default=None, index=True)
    payment_session_id: str | None = None
    fulfillment_id: str | None = None
    data: JsonObject = Field(default_factory=dict, sa_type=Json)
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    """Deadline for the decision."""
    resolved_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    resolved_by: str | None = None
    """Id of the staff member, `command line`, or `shop` if no decision was needed any more."""
    resolution: str | None = None
    """The action: `honor`, `refunded` or `dismissed`."""
    reference: str | None = None
    """Reference of the bank transfer of the refund."""
    note: str | None = None
