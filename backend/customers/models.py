"""Tables of customers: accounts, guests, groups, logins, sessions and addresses."""

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import ByteOrdered, Json, JsonObject, Timestamps
from backend.core.ids import new_id, secret_id, timeless_id


class Customer(Timestamps, table=True):
    """A customer with an account. The e-mail address, in lower case, identifies the customer."""

    __tablename__ = "customer"
    __table_args__ = (Index("ix_customer_newest", "created_at", "id"),)

    id: str = Field(default_factory=lambda: secret_id("cus"), primary_key=True)
    email: str = Field(unique=True)
    first_name: str = ""
    last_name: str = ""
    phone: str = ""
    company_name: str = ""
    token_epoch: int = 0
    """Bearer tokens of an earlier epoch are invalid. Signing out everywhere increments it."""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class GuestCustomer(Timestamps, table=True):
    """A customer without an account, one per e-mail address, as on the platform. The row gives access to no data.

    The id is returned to anyone who types the address into a cart. So the id must not reveal whether the guest
    existed before.
    """

    __tablename__ = "guest_customer"
    __table_args__ = (Index("ix_guest_customer_newest", "created_at", "id"),)

    id: str = Field(default_factory=lambda: timeless_id("cus"), primary_key=True)
    email: str = Field(unique=True)
    """The e-mail address, in lower case."""
    first_name: str = ""
    last_name: str = ""
    phone: str = ""
    company_name: str = ""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)
    """Metadata. Only staff write and read it; the same is true of the guest's names."""


class CustomerTerm(SQLModel, table=True):
    """A search term of a customer or guest: a word or number by which a search finds them."""

    __tablename__ = "customer_term"

    term: str = Field(primary_key=True, sa_type=ByteOrdered)
    customer_id: str = Field(primary_key=True, index=True)
    """Id of a customer or of a guest, so it has no foreign key."""


class CustomerNote(Timestamps, table=True):
    """A note of a staff member on a customer or guest, who never sees it."""

    __tablename__ = "customer_note"

    id: str = Field(default_factory=lambda: new_id("cusnote"), primary_key=True)
    customer_id: str = Field(index=True)
    """Id of a customer or of a guest."""
    text: str
    created_by: str
    """Id of the staff member, or `command line`."""


class CustomerGroup(Timestamps, table=True):
    """A group of customers for staff. The shop itself does not use it yet; API clients read it."""

    __tablename__ = "customer_group"

    id: str = Field(default_factory=lambda: new_id("cusgroup"), primary_key=True)
    name: str = Field(unique=True)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class CustomerGroupMember(Timestamps, table=True):
    """Membership of a customer or guest in a group."""

    __tablename__ = "customer_group_member"

    group_id: str = Field(foreign_key="customer_group.id", primary_key=True, ondelete="CASCADE")
    customer_id: str = Field(primary_key=True, index=True)
    """Id of a customer or of a guest, so it has no foreign key."""


class Login(Timestamps, table=True):
    """A login of a customer with a provider.

    `emailpass`: the subject is an e-mail address, and the password an argon2 hash. `google`: the subject is
    Google's id of the person, which stays the same when the address changes. An API client may create the login
    before the customer.
    """

    __tablename__ = "login"
    __table_args__ = (UniqueConstraint("provider", "subject"),)

    id: str = Field(default_factory=lambda: secret_id("authid"), primary_key=True)
    provider: str
    subject: str
    password_hash: str | None = None
    customer_id: str | None = Field(default=None, foreign_key="customer.id", index=True, ondelete="CASCADE")


class CustomerSession(Timestamps, table=True):
    """A signed-in browser. Only the token's hash is stored, so the content of this table is not enough to sign in."""

    __tablename__ = "customer_session"

    token_hash: str = Field(primary_key=True)
    customer_id: str = Field(foreign_key="customer.id", index=True, ondelete="CASCADE")
    expires_at: datetime = Field(sa_type=UtcDateTime)
    token_chain: str = ""
    """Chain of the bearer token that started the session; it is revoked with the session."""


class ResetLink(Timestamps, table=True):
    """A link to choose a new password once. Only its token's hash is stored."""

    __tablename__ = "reset_link"

    token_hash: str = Field(primary_key=True)
    customer_id: str = Field(foreign_key="customer.id", index=True, ondelete="CASCADE")
    expires_at: datetime = Field(sa_type=UtcDateTime)


class CustomerAddress(Timestamps, table=True):
    """An entry of a customer's address book. `address` has the platform's fields, like the address of an order."""

    __tablename__ = "customer_address"

    id: str = Field(default_factory=lambda: secret_id("cuaddr"), primary_key=True)
    customer_id: str = Field(foreign_key="customer.id", index=True, ondelete="CASCADE")
    address: JsonObject = Field(default_factory=dict, sa_type=Json)
    address_name: str | None = None
    is_default_shipping: bool = False
    is_default_billing: bool = False


class CustomerPayer(Timestamps, table=True):
    """Payment data for PSE that a customer asked the shop to save. `bank` is the code of the bank network."""

    __tablename__ = "customer_payer"

    customer_id: str = Field(foreign_key="customer.id", primary_key=True, ondelete="CASCADE")
    person_type: str
    doc_type: str
    doc_number: str
    bank: str
