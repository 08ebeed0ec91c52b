"""Tables of invoices and credit notes, and of the used numbers."""

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import secret_id
from backend.core.money import Cop

_OF_ORDER = text("kind = 'invoice' AND annulled_at IS NULL")


class Invoice(Timestamps, table=True):
    """An invoice of an order, or a credit note. See `backend.invoices.states` for `kind` and `state`.

    A credit note of a refund has a `refund_id`. A credit note without one annuls the invoice `corrects_id`, because the
    order was edited and has a new invoice.

    It gets its number when it is prepared for the provider; from then on `document` is the content for the provider
    (`backend.invoices.documents`).
    """

    __tablename__ = "invoice"
    __table_args__ = (
        UniqueConstraint("prefix", "number"),
        Index(
            "uq_invoice_of_order", "order_id", unique=True, sqlite_where=_OF_ORDER, postgresql_where=_OF_ORDER
        ),
        Index("ix_invoice_order_id", "order_id"),
        Index("ix_invoice_newest", "created_at", "id"),
        Index("ix_invoice_state", "state", "created_at", "id"),
        Index("ix_invoice_issued", "issued_at", "id"),
    )

    id: str = Field(default_factory=lambda: secret_id("inv"), primary_key=True)
    kind: str
    order_id: str
    refund_id: str | None = Field(default=None, unique=True)
    corrects_id: str | None = None
    """The invoice that a credit note corrects; None for an invoice, and for a note of an earlier release."""
    annulled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time when an edit of the order replaced the invoice; its credit note is created in the same transaction."""
    state: str = "pending"
    amount: Cop
    provider_id: str = ""
    """The provider that issues it; empty until it has a number."""
    prefix: str | None = None
    number: int | None = None
    document: JsonObject = Field(default_factory=dict, sa_type=Json)
    asked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time when it was first sent. Before it is sent again, the shop asks the provider if it knows the number."""
    issued_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    code: str = ""
    """The CUFE of an invoice, the CUDE of a credit note. Empty if the provider creates none."""
    reason: str = ""
    """Reason of the rejection, in the provider's words; stored until it is sent again."""
    xml: bytes | None = None

    @property
    def full_number(self) -> str:
        """The prefix and number; empty until the document has a number."""
        return f"{self.prefix}{self.number}" if self.number is not None else ""


class OrderInvoicedElsewhere(SQLModel, table=True):
    """A paid order whose invoice was issued outside the shop, so that the shop creates none."""

    __tablename__ = "order_invoiced_elsewhere"

    order_id: str = Field(primary_key=True)
    marked_at: datetime = Field(sa_type=UtcDateTime)
    marked_by: str
    """Id of the staff member."""


class InvoiceSequence(SQLModel, table=True):
    """The latest used number of a prefix. The row is locked to take the next number."""

    __tablename__ = "invoice_sequence"

    prefix: str = Field(primary_key=True)
    last: int = 0
