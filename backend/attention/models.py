"""The table of what a person must resolve."""

from datetime import datetime

from sqlalchemy import Index, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop


class Attention(Timestamps, table=True):
    """One thing that somebody must resolve. At most one open row a kind and subject."""

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
    """What it is about: the id of a payment session, an order, a fulfillment or a job."""
    message: str
    """What happened, in plain words for the shop's people."""
    amount: Cop | None = None
    """The money in question, in whole pesos."""
    order_id: str | None = Field(default=None, index=True)
    payment_session_id: str | None = None
    fulfillment_id: str | None = None
    data: JsonObject = Field(default_factory=dict, sa_type=Json)
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    """Until when it should be resolved."""
    resolved_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    resolved_by: str | None = None
    """The id of the staff member, `command line`, or `shop` when nobody needed to resolve it any more."""
    resolution: str | None = None
    """What was done: `honor`, `refunded` or `dismissed`."""
    reference: str | None = None
    """The reference of the bank transfer that gave the money back."""
    note: str | None = None
