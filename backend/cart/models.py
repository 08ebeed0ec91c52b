"""Tables of carts."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, or_, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps, json_text
from backend.core.ids import new_id, secret_id
from backend.core.money import Cop

_OPEN = text("completed_at IS NULL")


class Cart(Timestamps, table=True):
    """A shopping cart.

    Its secret id gives access to it (design: decision 8); a customer's cart is open only to that customer.

    `order_id` is the id of its future order: the bank needs the URL of the order's page before there is an order.
    `draft` is the current input of the checkout form, valid or not, so that a page reload loses nothing.
    """

    __tablename__ = "cart"
    __table_args__ = (
        Index("ix_cart_created_at", "created_at"),
        # carts of orders are kept: with this index, the job that deletes abandoned carts does not read them
        Index("ix_cart_open", "updated_at", "id", sqlite_where=_OPEN, postgresql_where=_OPEN),
    )

    id: str = Field(default_factory=lambda: secret_id("cart"), primary_key=True)
    order_id: str = Field(default_factory=lambda: secret_id("order"), unique=True)
    region_id: str = Field(foreign_key="region.id")
    sales_channel_id: str = Field(foreign_key="sales_channel.id")
    customer_id: str | None = Field(default=None, index=True)
    guest_id: str | None = Field(default=None, index=True)
    """The guest with the cart's e-mail address; used while the cart has no customer."""
    email: str | None = None
    locale: str | None = None
    """The language that the API client requested, unchanged."""
    shipping_address: JsonObject | None = Field(default=None, sa_type=Json)
    billing_address: JsonObject | None = Field(default=None, sa_type=Json)
    draft: JsonObject = Field(default_factory=dict, sa_type=Json)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)
    origin: str = Field(default="web", sa_column_kwargs={"server_default": "web"})
    """The place where the sale is agreed: an `OrderOrigin`. A draft order of staff has another origin than `web`."""
    staff_discount: Cop = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """Pesos that a staff member deducts from the lines: see `backend.cart.staff_discounts`."""
    staff_discount_terms: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )
    """The discount's `reason`, and the `units` by variant id for which it was given."""
    payable_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time when this cart's payment link expires, by the database's clock; None without a link.

    After this time, customers cannot start a payment, even in a checkout that is already open.
    """
    payment_session_id: str | None = None
    """The payment session of this cart that is at the bank. Until it ends, the cart cannot be changed."""
    replaces_cart_id: str | None = Field(default=None, index=True)
    """The cart whose contents were restored to this one, after its payment failed or was closed."""
    completed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


HAS_DOCUMENT = or_(*(json_text(Cart.draft, name).is_not(None) for name in ("doc_type", "doc_number")))
"""SQL condition: the checkout form of the cart has a payer's document."""
Index(
    "ix_cart_document",
    Cart.updated_at,
    Cart.id,
    sqlite_where=HAS_DOCUMENT,
    postgresql_where=HAS_DOCUMENT,
)  # for the job that deletes the documents of abandoned carts


class LineItem(Timestamps, table=True):
    """Units of one variant in a cart. Several lines of the same variant have different metadata (`meta`).

    The price comes from the catalogue until the order is placed.
    """

    __tablename__ = "line_item"
    __table_args__ = (CheckConstraint("quantity > 0", name="quantity"),)

    id: str = Field(default_factory=lambda: new_id("cali"), primary_key=True)
    cart_id: str = Field(foreign_key="cart.id", index=True, ondelete="CASCADE")
    variant_id: str = Field(foreign_key="variant.id", ondelete="CASCADE")
    quantity: int
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class CartNews(SQLModel, table=True):
    """A message to the shopper about an event of an open cart. `detail` depends on `kind`.

    The row is deleted when the shopper dismisses the message. `cart_id` is not a foreign key. A foreign key
    would lock the cart for each message, and the deletion of a variant would have to wait for requests that
    hold the cart's lock.
    """

    __tablename__ = "cart_news"

    id: str = Field(default_factory=lambda: new_id("canews"), primary_key=True)
    cart_id: str = Field(index=True)
    kind: str
    detail: JsonObject = Field(default_factory=dict, sa_type=Json)
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class ShippingQuote(SQLModel, table=True):
    """The latest quote of a shipping option for a cart. The option can be chosen at this price."""

    __tablename__ = "shipping_quote"

    cart_id: str = Field(foreign_key="cart.id", primary_key=True, ondelete="CASCADE")
    shipping_option_id: str = Field(
        foreign_key="shipping_option.id", primary_key=True, index=True, ondelete="CASCADE"
    )
    request: str
    """A digest of the request: the quote is valid for exactly this request."""
    quote: JsonObject = Field(sa_type=Json)
    quoted_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the quote, by the database's clock."""


class CartShippingMethod(Timestamps, table=True):
    """The shipping option chosen for a cart, at its latest quoted amount. One per cart."""

    __tablename__ = "cart_shipping_method"

    id: str = Field(default_factory=lambda: new_id("casm"), primary_key=True)
    cart_id: str = Field(foreign_key="cart.id", unique=True, ondelete="CASCADE")
    shipping_option_id: str = Field(foreign_key="shipping_option.id")
    name: str
    amount: Cop
    data: JsonObject = Field(default_factory=dict, sa_type=Json)
