"""Tables of the embedded sandbox.

Every database has them, so that all schemas are equal; only the sandbox writes them.
"""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, Index, text
from sqlmodel import Field

from backend.core.clock import now
from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps


class SandboxTransaction(Timestamps, table=True):
    """A PSE transaction of the embedded gateway, as the bank sees it.

    `ref_payco` is the gateway's number, and `invoice` the merchant's number. `state` is the gateway's code for the
    state (wire: gateway 1.8).
    """

    __tablename__ = "sandbox_transaction"
    __table_args__: ClassVar = {"sqlite_autoincrement": True}

    ref_payco: int | None = Field(default=None, primary_key=True)
    invoice: str = Field(unique=True)
    transaction_id: str = Field(unique=True)
    """The bank network's trace number (CUS)."""
    ticket_id: str = Field(unique=True)
    """The gateway's receipt number."""
    bank_token: str = Field(unique=True)
    """Unguessable token in the address of the bank's page."""
    browser_reference: str = Field(unique=True)
    """24 hexadecimal digits: the `ref_payco` that a customer's browser returns with."""
    state: int = 3
    decided_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    fields: JsonObject = Field(default_factory=dict, sa_type=Json)
    """The request's fields by their name on the wire, in clear."""


class SandboxNotification(Timestamps, table=True):
    """A notification that is due or delivered to the merchant. It survives a restart."""

    __tablename__ = "sandbox_notification"
    __table_args__ = (
        Index(
            "ix_sandbox_notification_open",
            "due_at",
            sqlite_where=text("delivered_at IS NULL"),
            postgresql_where=text("delivered_at IS NULL"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    ref_payco: int = Field(foreign_key="sandbox_transaction.ref_payco", index=True)
    state: int
    forged: bool = False
    """True if its signature is wrong (a simulated fault)."""
    attempts: int = 0
    due_at: datetime | None = Field(default_factory=now, sa_type=UtcDateTime)
    """Time of the next attempt; None if there is none."""
    delivered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class SandboxLabel(Timestamps, table=True):
    """A label of the embedded carrier, with the state of its shipment."""

    __tablename__ = "sandbox_label"
    __table_args__: ClassVar = {"sqlite_autoincrement": True}

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(sa_type=BigInteger, unique=True)
    """Number of the label in the carrier's API.

    There is only one test label: all requests for test labels share its row.
    """
    tracker: str = Field(unique=True)
    reference: str
    """The merchant's reference."""
    carrier: str
    is_test: bool = False
    status: str
    """State of the shipment, in the carrier's terms (wire: carrier 2.4)."""
    times: JsonObject = Field(default_factory=dict, sa_type=Json)
    """Times of collection and delivery, by the names in the tracking response."""


class SandboxInvoice(Timestamps, table=True):
    """A document of the embedded invoice provider. Each number is issued once."""

    __tablename__ = "sandbox_invoice"

    number: str = Field(primary_key=True)
    kind: str
    code: str
    """CUFE or CUDE of the document."""
    xml: bytes
    issued_at: datetime = Field(sa_type=UtcDateTime)
