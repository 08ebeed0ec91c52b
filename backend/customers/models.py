"""Shoppers with an account."""

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import ByteOrdered, Json, JsonObject, Timestamps
from backend.core.ids import new_id, secret_id, timeless_id


class Customer(Timestamps, table=True):
    """A shopper with an account. The address is kept in lower case: it is who they are."""

    __tablename__ = "customer"
    __table_args__ = (Index("ix_customer_newest", "created_at", "id"),)

    id: str = Field(default_factory=lambda: secret_id("cus"), primary_key=True)
    email: str = Field(unique=True)
    first_name: str = ""
    last_name: str = ""
    phone: str = ""
    company_name: str = ""
    token_epoch: int = 0
    """Bearer tokens of an earlier epoch are worth nothing: it moves on when the customer signs out everywhere."""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class GuestCustomer(Timestamps, table=True):
    """Who buys without an account: one an address, as the platform has them. It opens nothing.

    Whoever types an address into a cart is told this id, so it must not tell whether somebody did so before.
    """

    __tablename__ = "guest_customer"
    __table_args__ = (Index("ix_guest_customer_newest", "created_at", "id"),)

    id: str = Field(default_factory=lambda: timeless_id("cus"), primary_key=True)
    email: str = Field(unique=True)
    """In lower case."""
    first_name: str = ""
    last_name: str = ""
    phone: str = ""
    company_name: str = ""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)
    """Like the names: what staff know of the guest. Who buys says nothing of it here and sees nothing of it."""


class CustomerTerm(SQLModel, table=True):
    """A word that finds a customer or guest: see `backend.customers.search_index`."""

    __tablename__ = "customer_term"

    term: str = Field(primary_key=True, sa_type=ByteOrdered)
    customer_id: str = Field(primary_key=True, index=True)
    """Of a customer or of a guest: there is no one table to refer to."""


class CustomerNote(Timestamps, table=True):
    """What somebody of the staff wrote on a customer or guest, who never sees it."""

    __tablename__ = "customer_note"

    id: str = Field(default_factory=lambda: new_id("cusnote"), primary_key=True)
    customer_id: str = Field(index=True)
    """Of a customer or of a guest."""
    text: str
    created_by: str
    """The id of the staff member, or `command line`."""


class CustomerGroup(Timestamps, table=True):
    """Customers that staff see as one. Nothing in the shop depends on it yet; programs read it."""

    __tablename__ = "customer_group"

    id: str = Field(default_factory=lambda: new_id("cusgroup"), primary_key=True)
    name: str = Field(unique=True)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class CustomerGroupMember(Timestamps, table=True):
    """A customer or guest is in the group."""

    __tablename__ = "customer_group_member"

    group_id: str = Field(foreign_key="customer_group.id", primary_key=True, ondelete="CASCADE")
    customer_id: str = Field(primary_key=True, index=True)
    """Of a customer or of a guest: there is no one table to refer to."""


class Login(Timestamps, table=True):
    """A way for a customer to prove who they are.

    `emailpass`: the subject is an address, and the password an argon2 hash. `google`: the subject is Google's own id of
    a person, which outlives a change of address. A program may make the login before the customer.
    """

    __tablename__ = "login"
    __table_args__ = (UniqueConstraint("provider", "subject"),)

    id: str = Field(default_factory=lambda: secret_id("authid"), primary_key=True)
    provider: str
    subject: str
    password_hash: str | None = None
    customer_id: str | None = Field(default=None, foreign_key="customer.id", index=True, ondelete="CASCADE")


class CustomerSession(Timestamps, table=True):
    """A browser that is signed in. Only the token's hash is stored: nobody can sign in with this table."""

    __tablename__ = "customer_session"

    token_hash: str = Field(primary_key=True)
    customer_id: str = Field(foreign_key="customer.id", index=True, ondelete="CASCADE")
    expires_at: datetime = Field(sa_type=UtcDateTime)
    token_chain: str = ""
    """The chain of the bearer token that the session was begun with; it ends with the session."""


class ResetLink(Timestamps, table=True):
    """A link to choose a new password with, once. Only its token's hash is stored."""

    __tablename__ = "reset_link"

    token_hash: str = Field(primary_key=True)
    customer_id: str = Field(foreign_key="customer.id", index=True, ondelete="CASCADE")
    expires_at: datetime = Field(sa_type=UtcDateTime)


class CustomerAddress(Timestamps, table=True):
    """An entry of a customer's address book. `address` is as the platform keeps one, like an order's."""

    __tablename__ = "customer_address"

    id: str = Field(default_factory=lambda: secret_id("cuaddr"), primary_key=True)
    customer_id: str = Field(foreign_key="customer.id", index=True, ondelete="CASCADE")
    address: JsonObject = Field(default_factory=dict, sa_type=Json)
    address_name: str | None = None
    is_default_shipping: bool = False
    is_default_billing: bool = False


class CustomerPayer(Timestamps, table=True):
    """With what a customer pays by PSE, who asked the shop to keep it. `bank` is the code of the bank network."""

    __tablename__ = "customer_payer"

    customer_id: str = Field(foreign_key="customer.id", primary_key=True, ondelete="CASCADE")
    person_type: str
    doc_type: str
    doc_number: str
    bank: str
