"""Orders: what was sold, at the prices of that moment, and what was sent of it.

Nothing here is looked up in the catalogue again.
"""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import ByteOrdered, Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop
from backend.plain_tables.models import PlainRow
from backend.pricing import SHIPPING_RATE, STANDARD_RATE

_TO_PACK = text(
    "status = 'pending' AND (payment_status = 'captured' OR payment_status = 'partially_captured' OR "
    "payment_status = 'partially_refunded') AND "
    "(fulfillment_status = 'not_fulfilled' OR fulfillment_status = 'partially_fulfilled' OR "
    "fulfillment_status = 'partially_shipped' OR fulfillment_status = 'partially_delivered')"
)
"""What `backend.orders.search.TO_PACK` asks of an order, in the same words: else no index of them is used."""


_ERASED = text("erased_at IS NOT NULL")


class Order(Timestamps, table=True):
    """An order. `number` is what people read (`backend.orders.numbers`); `id` is what programs use. One order a cart.

    Statuses: see `backend.orders.states`.
    """

    __tablename__ = "order"
    __table_args__: ClassVar = (
        Index("ix_order_created_at", "created_at", "number"),
        Index("ix_order_status", "status", "created_at", "number"),
        Index("ix_order_payment_status", "payment_status", "created_at", "number"),
        Index("ix_order_fulfillment_status", "fulfillment_status", "created_at", "number"),
        Index("ix_order_sold", "status", "paid_at", "total"),
        Index(
            "ix_order_to_pack",
            "status",  # the same for all: with it SQLite takes this index before one of the status alone
            "paid_at",
            "number",
            sqlite_where=_TO_PACK,
            postgresql_where=_TO_PACK,
        ),
        Index("ix_order_erased", "created_at", "number", sqlite_where=_ERASED, postgresql_where=_ERASED),
        {"sqlite_autoincrement": True},
    )

    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    cart_id: str = Field(foreign_key="cart.id", unique=True)
    region_id: str = Field(foreign_key="region.id")
    sales_channel_id: str = Field(foreign_key="sales_channel.id")
    customer_id: str | None = Field(default=None, index=True)
    guest_id: str | None = Field(default=None, index=True)
    """Who bought it without an account. It opens nothing: only its customer owns an order."""
    email: str
    locale: str | None = None
    status: str = "pending"
    payment_status: str = "awaiting"
    fulfillment_status: str = "not_fulfilled"
    currency_code: str = "cop"
    item_total: Cop
    shipping_total: Cop
    total: Cop
    adjustments: list[JsonObject] = Field(
        default_factory=list, sa_type=Json, sa_column_kwargs={"server_default": text("'[]'")}
    )
    """What was taken off its lines and its shipping: `backend.pricing.Adjustment`s, whose targets are its own lines."""
    shipping_name: str
    shipping_tax_rate: int = Field(
        default=SHIPPING_RATE, sa_column_kwargs={"server_default": str(SHIPPING_RATE)}
    )
    """The IVA that is in the shipping, in percent."""
    shipping_option_id: str | None = None
    shipping_data: JsonObject = Field(default_factory=dict, sa_type=Json)
    shipping_address: JsonObject = Field(default_factory=dict, sa_type=Json)
    billing_address: JsonObject = Field(default_factory=dict, sa_type=Json)
    address_corrected_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When staff last corrected the shipping address. From then on what was paid for does not change it."""
    payer: JsonObject | None = Field(default=None, sa_type=Json)
    """Who paid, for the invoice: person type, document type and number, e-mail. Never shown to shoppers."""
    erased_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When its buyer's data were deleted: since then it holds of them what the invoice needs, and later nothing."""
    paid_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    canceled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    canceled_by: str | None = None
    """The id of the staff member who cancelled it, or `command line`. None: its payment or its buyer ended it."""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class OrderLine(Timestamps, table=True):
    """Units of one variant as they were sold."""

    __tablename__ = "order_line"

    id: str = Field(default_factory=lambda: new_id("ordli"), primary_key=True)
    order_id: str = Field(foreign_key="order.id", index=True, ondelete="CASCADE")
    product_id: str
    variant_id: str
    title: str
    product_handle: str
    variant_title: str = ""
    sku: str | None = None
    thumbnail: str | None = None
    quantity: int
    unit_price: Cop
    compare_at_price: Cop | None = None
    tax_rate: int = Field(default=STANDARD_RATE, sa_column_kwargs={"server_default": str(STANDARD_RATE)})
    """The IVA that is in its price, in percent."""
    fulfilled: int = 0
    withdrawn: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """Units that a refund took out of the order before they were sent."""
    returned: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """Units that came back with a refund after they were sent."""
    facts: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )
    """What else was said of the product: its description, subtitle, collection and type, by the platform's names."""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class OrderTerm(SQLModel, table=True):
    """A word that finds an order: see `backend.customers.search_terms`."""

    __tablename__ = "order_term"
    __table_args__ = (Index("ix_order_term_order_number", "order_number", "term"),)

    term: str = Field(primary_key=True, sa_type=ByteOrdered)
    order_number: int = Field(foreign_key="order.number", primary_key=True, ondelete="CASCADE")


class OrderNote(Timestamps, table=True):
    """What somebody of the staff wrote on an order. Its buyer never sees it."""

    __tablename__ = "order_note"

    id: str = Field(default_factory=lambda: new_id("ordnote"), primary_key=True)
    order_number: int = Field(foreign_key="order.number", index=True, ondelete="CASCADE")
    text: str
    created_by: str
    """The id of the staff member, or `command line`."""


class Fulfillment(Timestamps, table=True):
    """Units of an order that are sent together, and the label they travel with.

    `state` is a `backend.orders.states.LabelState`; the steps between them are in `backend.fulfillment.label_states`.
    `items` holds objects with `line_item_id`, `variant_id`, `title`, `sku` and `quantity`.
    """

    __tablename__ = "fulfillment"
    __table_args__ = (UniqueConstraint("order_id", "reference"),)

    id: str = Field(default_factory=lambda: new_id("ful"), primary_key=True)
    order_id: str = Field(index=True)
    reference: str
    """Ours, and printed on the label: the order's number, a dash, and which of its fulfillments it is."""
    location_id: str = Field(foreign_key="stock_location.id")
    provider_id: str
    state: str = "creating"
    items: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    carrier_order_id: int | None = Field(default=None, index=True, sa_type=BigInteger)
    tracking_number: str | None = Field(default=None, index=True)
    label_url: str | None = None
    label_pdf: bytes | None = None
    data: JsonObject = Field(default_factory=dict, sa_type=Json)
    stage: str | None = None
    """A `backend.shipping.providers.base.TrackingStage`: where the carrier says it is. None: not asked yet."""
    tracked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the carrier was last asked. Of several replicas, the one that moves it on asks."""
    shipped_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    delivered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    canceled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class RefundReason(PlainRow, table=True):
    """A reason to give money back that programs offer. They know it by its code."""

    __tablename__ = "refund_reason"

    id: str = Field(default_factory=lambda: new_id("refr"), primary_key=True)
    code: str = Field(unique=True)
    label: str
    description: str | None = None


class ReturnReason(PlainRow, table=True):
    """A reason to give goods back that programs offer. They know it by its value."""

    __tablename__ = "return_reason"

    id: str = Field(default_factory=lambda: new_id("rr"), primary_key=True)
    value: str = Field(unique=True)
    label: str
    description: str | None = None
