"""Tables of payments: collections, sessions, refunds, notifications, and the list of banks."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id, secret_id
from backend.core.money import Cop


class PaymentCollection(Timestamps, table=True):
    """The amount owed for one cart. A cart has at most one payment collection."""

    __tablename__ = "payment_collection"

    id: str = Field(default_factory=lambda: secret_id("pay_col"), primary_key=True)
    cart_id: str = Field(foreign_key="cart.id", unique=True, ondelete="CASCADE")
    amount: Cop
    currency_code: str = "cop"
    status: str = "not_paid"


class PaymentSession(Timestamps, table=True):
    """One attempt to pay a collection with one provider. States: `backend.payment.states`.

    `amount` is the total of `snapshot`. It is requested from the bank and compared with the amount that the bank
    confirms. `invoice` is the shop's unique reference at the gateway; `reference` (x_ref_payco) and
    `transaction_id` (CUS) are the gateway's numbers.
    """

    __tablename__ = "payment_session"
    __table_args__ = (
        # at most one live session per collection: a second browser tab must not start a second debit
        Index(
            "uq_payment_session_live",
            "collection_id",
            unique=True,
            sqlite_where=text("state IN ('pending', 'initiating', 'pending_authorization')"),
            postgresql_where=text("state IN ('pending', 'initiating', 'pending_authorization')"),
        ),
        # `backend.reports` reads the captures of a period from this index alone
        Index("ix_payment_session_captured", "captured_at", "captured_amount", "collection_id"),
        # `backend.checkout.payment.stock_holds` looks up a client's recent payments that hold stock
        Index(
            "ix_payment_session_client",
            "expires_at",
            "client_address",
            "client_device",
            "client_email",
            "client_phone",
        ),
        # `backend.cash_closings` reads the money that no closing has counted yet
        Index(
            "ix_payment_session_uncounted",
            "method",
            sqlite_where=text("method IS NOT NULL AND closing_id IS NULL"),
            postgresql_where=text("method IS NOT NULL AND closing_id IS NULL"),
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
    """Details for the provider: bank, payer, the gateway's latest answer. Never a secret."""
    snapshot: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )
    """The content of the purchase: lines, prices, addresses, shipping and totals when the payment started."""
    units: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )
    """Number of units that the payment is for, by variant id."""
    holds_stock: bool = Field(default=True, sa_column_kwargs={"server_default": text("true")})
    """True if its units are reserved. False if other customers can buy them until it is paid (see `stock_holds`)."""
    client_address: str | None = None
    """Keyed hash of the client's address (IPv6: /64). The next three columns are keyed hashes too."""
    client_device: str | None = None
    client_email: str | None = None
    client_phone: str | None = None
    captured_amount: Cop | None = None
    """Pesos that the provider reported as taken. They pay an order only in state `captured`."""
    method: str | None = None
    """The `backend.payment.manual_methods.ManualMethod` in which staff received the money; None for other payments."""
    closing_id: str | None = None
    """The `DayClosing` that counted this money; None before, and without a `method`."""
    close_reason: str | None = None
    """Why we stopped waiting (`backend.payment.transitions.CloseReason`); None if the session was never closed."""
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    """End of its reservation, by the database's clock."""
    checked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of the latest check for a returning shopper. The process that updates it makes the check."""
    authorized_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    captured_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Refund(Timestamps, table=True):
    """A refund of one payment session that staff made by one of the `ManualMethod`s, or as exchange credit.

    The refunds of a session never exceed its captured amount. `lines` are the returned units: `{line_id, quantity,
    restock}`.
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
    """None if the money paid no order."""
    amount: Cop
    reference: str
    """The bank's reference of the transfer."""
    reason: str = ""
    note: str | None = None
    method: str = Field(default="transfer", sa_column_kwargs={"server_default": "transfer"})
    """The `backend.payment.manual_methods.ManualMethod` in which staff gave the money back, or `EXCHANGE_CREDIT`."""
    closing_id: str | None = None
    """The `DayClosing` that counted this money; None before."""
    lines: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    created_by: str
    """The id of the staff member, or `command line`."""


class PaymentNotification(Timestamps, table=True):
    """A notification that the webhook received. It is stored before it is handled (design: decision 6)."""

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
    """Our payment session, if the provider sends it. It is not a foreign key, as the sender may send any text."""
    is_final: bool = False
    """True if it reports that the payment was decided."""
    said_state: str | None = None
    """The state in the notification, a `ProviderState`. It is only a hint: the signature may not cover the state."""
    fields: JsonObject = Field(default_factory=dict, sa_type=Json)
    times_received: int = 1
    handled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it was handled; None before (see the job `payment.notification`), or if there is nothing to do."""


class BankList(Timestamps, table=True):
    """The newest valid list of PSE banks, used when the gateway fails. There is one row per provider."""

    __tablename__ = "bank_list"

    provider_id: str = Field(primary_key=True)
    source: str
    """The gateway that sent the list. A list of the test gateway is never offered in production."""
    banks: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    fetched_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the gateway most recently sent a good list; None if it never did."""
    tried_at: datetime = Field(sa_type=UtcDateTime)
    """When the list was most recently requested, with or without success."""
