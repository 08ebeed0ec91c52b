"""The tables of payments: collections, sessions, refunds, notifications, and the list of banks."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id, secret_id
from backend.core.money import Cop


class PaymentCollection(Timestamps, table=True):
    """What is owed for one cart. One a cart."""

    __tablename__ = "payment_collection"

    id: str = Field(default_factory=lambda: secret_id("pay_col"), primary_key=True)
    cart_id: str = Field(foreign_key="cart.id", unique=True, ondelete="CASCADE")
    amount: Cop
    currency_code: str = "cop"
    status: str = "not_paid"


class PaymentSession(Timestamps, table=True):
    """A payment session: a collection is paid with one provider, once. States: `backend.payment.states`.

    `amount` is the total of `snapshot`: what the bank is asked for and what a confirmation is compared with.
    `invoice` is our unique reference at the gateway; `reference` (x_ref_payco) and `transaction_id` (CUS) are its own.
    """

    __tablename__ = "payment_session"
    __table_args__ = (
        # at most one live session a collection: the second tab gets the first one's, not a second debit
        Index(
            "uq_payment_session_live",
            "collection_id",
            unique=True,
            sqlite_where=text("state IN ('pending', 'initiating', 'pending_authorization')"),
            postgresql_where=text("state IN ('pending', 'initiating', 'pending_authorization')"),
        ),
        # what was captured in a period is read from this index alone: see `backend.reports`
        Index("ix_payment_session_captured", "captured_at", "captured_amount", "collection_id"),
        # the payments of a client that hold stock, or did a short time ago: see `backend.checkout.payment.stock_holds`
        Index(
            "ix_payment_session_client",
            "expires_at",
            "client_address",
            "client_device",
            "client_email",
            "client_phone",
        ),
    )

    id: str = Field(default_factory=lambda: secret_id("payses"), primary_key=True)
    collection_id: str = Field(foreign_key="payment_collection.id", index=True, ondelete="CASCADE")
    provider_id: str
    state: str = Field(default="pending", index=True)
    amount: Cop
    currency_code: str = "cop"
    invoice: str = Field(unique=True)
    reference: str | None = Field(default=None, index=True)
    transaction_id: str | None = Field(default=None, index=True)
    ticket_id: str | None = None
    redirect_url: str | None = None
    data: JsonObject = Field(default_factory=dict, sa_type=Json)
    """What is stored for the provider: bank, payer, the gateway's last answer. Never a secret."""
    snapshot: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )
    """What is paid for: lines, prices, addresses, shipping and totals when the payment started."""
    units: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )
    """The units by variant id that it is for."""
    holds_stock: bool = Field(default=True, sa_column_kwargs={"server_default": text("true")})
    """False if its units stay for sale until it is paid: see `backend.checkout.payment.stock_holds`."""
    client_address: str | None = None
    """Keyed hash of the address (IPv6: /64) that started it; so are the next three of what they name."""
    client_device: str | None = None
    client_email: str | None = None
    client_phone: str | None = None
    captured_amount: Cop | None = None
    """What the provider said that it took, in pesos. It pays an order only in state `captured`."""
    close_reason: str | None = None
    """Why we stopped waiting (`backend.payment.transitions.CloseReason`); None while we never did."""
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    """When its reservation ends, by the database's clock."""
    checked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it was last checked because a shopper came back. Who moves it does the check."""
    authorized_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    captured_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Refund(Timestamps, table=True):
    """Money of one payment session that was given back by hand, by a bank transfer.

    The refunds of a session never come to more than was captured. `lines` are the units that came back with it:
    `{line_id, quantity, restock}`.
    """

    __tablename__ = "refund"
    __table_args__ = (
        UniqueConstraint("payment_session_id", "reference"),
        Index("ix_refund_booked", "created_at", "amount"),
        CheckConstraint("amount > 0", name="amount"),
    )

    id: str = Field(default_factory=lambda: new_id("ref"), primary_key=True)
    payment_session_id: str = Field(foreign_key="payment_session.id", ondelete="CASCADE")
    order_id: str | None = Field(default=None, index=True)
    """None where the money paid no order."""
    amount: Cop
    reference: str
    """The bank's, for the transfer."""
    reason: str = ""
    note: str | None = None
    lines: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    created_by: str
    """The id of the staff member, or `command line`."""


class PaymentNotification(Timestamps, table=True):
    """A row of the webhook's inbox: stored before it is handled (design: decision 6)."""

    __tablename__ = "payment_notification"
    __table_args__ = (UniqueConstraint("provider_id", "dedupe_key"),)

    id: str = Field(default_factory=lambda: new_id("paynot"), primary_key=True)
    provider_id: str
    dedupe_key: str
    """Reference, transaction, state, invoice and session of a genuine notification; else a digest of the content."""
    verdict: str
    """`genuine`, `forged`, `malformed`, `foreign` (another merchant's) or `oversized`."""
    reference: str | None = Field(default=None, index=True)
    invoice: str | None = Field(default=None, index=True)
    session_id: str | None = None
    """Our payment session, where the provider carries it. Not a foreign key: it is what somebody sent."""
    is_final: bool = False
    """Whether it says that the payment was decided."""
    said_state: str | None = None
    """A `ProviderState`: how it says that the payment stands. A hint, as its signature need not cover it."""
    fields: JsonObject = Field(default_factory=dict, sa_type=Json)
    times_received: int = 1
    handled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it was handled; None before (see the job `payment.notification`), or when there is nothing to do."""


class BankList(Timestamps, table=True):
    """The last good list of PSE banks, kept for when the gateway fails. One row a provider."""

    __tablename__ = "bank_list"

    provider_id: str = Field(primary_key=True)
    source: str
    """Which gateway the list came from: a list of the test gateway is never offered in production."""
    banks: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    fetched_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the gateway last gave a good list; None when it never did."""
    tried_at: datetime = Field(sa_type=UtcDateTime)
    """When the gateway was last asked, with or without success."""
