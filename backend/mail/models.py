"""Tables of mails, and of the slots that limit the number of mails to an address."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id

SEND = "mail.send"
"""The job that sends a mail; its key is the id of the mail."""


class MailKind(StrEnum):
    """The kind of a mail. Its template is `templates/{kind}.jinja`."""

    ORDER_PLACED = "order_placed"
    ORDER_PAID = "order_paid"
    ORDER_LOST = "order_lost"
    ORDER_UNCONFIRMED = "order_unconfirmed"
    ORDER_EDITED = "order_edited"
    ORDER_SHIPPED = "order_shipped"
    REFUNDED = "refunded"
    PASSWORD_RESET = "password_reset"  # noqa: S105 - a kind of mail
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - a kind of mail
    STAFF_PASSWORD_CHANGED = "staff_password_changed"  # noqa: S105 - a kind of mail
    ATTENTION = "attention"
    ORDER_LINK = "order_link"
    ACCOUNT_LINK = "account_link"
    NOTICE_ASKED = "notice_asked"
    BACK_IN_STOCK = "back_in_stock"
    REVIEWS_ASKED = "reviews_asked"
    CART_REMINDER = "cart_reminder"
    PAYMENT_LINK = "payment_link"
    PQRS_RECEIVED = "pqrs_received"
    PQRS_ANSWERED = "pqrs_answered"
    RETURN_REQUESTED = "return_requested"
    RETURN_RECEIVED = "return_received"
    RETURN_APPROVED = "return_approved"
    RETURN_DENIED = "return_denied"
    ALERT = "alert"
    STAFF_INVITE = "staff_invite"
    STAFF_NOTICE = "staff_notice"
    INVOICE_ISSUED = "invoice_issued"
    ACKNOWLEDGEMENTS = "acknowledgements"
    """Several orders and messages in one mail. No row has this kind: see `backend.mail.limits`."""


class Mail(Timestamps, table=True):
    """A mail of a kind about one subject. Its text is rendered when it is sent: neither the text nor a link is stored.

    The row is retained after the mail was sent, so that it is not sent again.
    """

    __tablename__ = "mail"
    __table_args__ = (UniqueConstraint("kind", "about"),)

    id: str = Field(default_factory=lambda: new_id("mail"), primary_key=True)
    kind: str
    about: str
    """Id of the subject: an order, a fulfillment, a refund, a return, attention, an alert, an invoice, and so on.

    For a password reset, an address; for a requested order link, the order's number and an address; for a payment link,
    the id of the draft order and an address; for notices to a staff member, the ids of the batch and the staff member.
    """
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    address_key: str | None = Field(default=None, index=True)
    """Keyed hash of the address for which the mail waits or has waited; None if it never had to."""
    joined_to: str | None = Field(default=None, index=True)
    """Id of the mail that includes this one."""


class MailSlot(SQLModel, table=True):
    """A slot: a mail that counts towards the limits of its address. See `backend.mail.limits`."""

    __tablename__ = "mail_slot"
    __table_args__ = (Index("ix_mail_slot_address_key", "address_key", "taken_at"),)

    id: str = Field(default_factory=lambda: new_id("mslot"), primary_key=True)
    address_key: str
    mail_id: str
    asked_at: datetime = Field(sa_type=UtcDateTime)
    """The mail's `updated_at` when it took the slot.

    If the mail is requested again, `updated_at` changes: it takes another.
    """
    taken_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """Time at which the slot was taken, by the database's clock."""
