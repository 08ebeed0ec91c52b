"""The cart's tables."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id, secret_id
from backend.core.money import Cop


class Cart(Timestamps, table=True):
    """What a shopper means to buy. Its secret id gives access to it (design: decision 8); a customer's only to them.

    `order_id` is the id that its order will have: the bank needs the URL of the order's page before there is an order.
    `draft` is what has been typed at the checkout so far, valid or not, so that a reload loses nothing.
    """

    __tablename__ = "cart"
    __table_args__ = (Index("ix_cart_created_at", "created_at"),)

    id: str = Field(default_factory=lambda: secret_id("cart"), primary_key=True)
    order_id: str = Field(default_factory=lambda: secret_id("order"), unique=True)
    region_id: str = Field(foreign_key="region.id")
    sales_channel_id: str = Field(foreign_key="sales_channel.id")
    customer_id: str | None = Field(default=None, index=True)
    guest_id: str | None = Field(default=None, index=True)
    """The guest whom its e-mail address names, while it has no customer."""
    email: str | None = None
    locale: str | None = None
    """The language a program asked for, as it wrote it."""
    shipping_address: JsonObject | None = Field(default=None, sa_type=Json)
    billing_address: JsonObject | None = Field(default=None, sa_type=Json)
    draft: JsonObject = Field(default_factory=dict, sa_type=Json)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)
    payment_session_id: str | None = None
    """The payment session of this cart that is at the bank: until it ends, the cart cannot be changed."""
    replaces_cart_id: str | None = Field(default=None, index=True)
    """The cart that was restored to this one, after its payment failed or was closed."""
    completed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class LineItem(Timestamps, table=True):
    """Units of one variant in a cart; lines of one variant differ in `meta`.

    The price is the catalogue's until the order.
    """

    __tablename__ = "line_item"
    __table_args__ = (CheckConstraint("quantity > 0", name="quantity"),)

    id: str = Field(default_factory=lambda: new_id("cali"), primary_key=True)
    cart_id: str = Field(foreign_key="cart.id", index=True, ondelete="CASCADE")
    variant_id: str = Field(foreign_key="variant.id", ondelete="CASCADE")
    quantity: int
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class CartNews(SQLModel, table=True):
    """Something that happened to an open cart, until the shopper dismisses it. `detail` depends on `kind`.

    `cart_id` is no foreign key: it would lock the cart, which deleting a variant must not wait for.
    """

    __tablename__ = "cart_news"

    id: str = Field(default_factory=lambda: new_id("canews"), primary_key=True)
    cart_id: str = Field(index=True)
    kind: str
    detail: JsonObject = Field(default_factory=dict, sa_type=Json)
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class ShippingQuote(SQLModel, table=True):
    """What a shipping option was last quoted at for a cart; choosing the option costs that."""

    __tablename__ = "shipping_quote"

    cart_id: str = Field(foreign_key="cart.id", primary_key=True, ondelete="CASCADE")
    shipping_option_id: str = Field(
        foreign_key="shipping_option.id", primary_key=True, index=True, ondelete="CASCADE"
    )
    request: str
    """A digest of the request: the quote is valid for exactly this request."""
    quote: JsonObject = Field(sa_type=Json)
    quoted_at: datetime = Field(sa_type=UtcDateTime)
    """By the database's clock."""


class CartShippingMethod(Timestamps, table=True):
    """The shipping option chosen for a cart, at the amount last quoted for it. One a cart."""

    __tablename__ = "cart_shipping_method"

    id: str = Field(default_factory=lambda: new_id("casm"), primary_key=True)
    cart_id: str = Field(foreign_key="cart.id", unique=True, ondelete="CASCADE")
    shipping_option_id: str = Field(foreign_key="shipping_option.id")
    name: str
    amount: Cop
    data: JsonObject = Field(default_factory=dict, sa_type=Json)
