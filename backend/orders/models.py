"""Tables of orders: the sold lines with their prices at the time of the sale, and the fulfillments.

Orders store everything they need, so they do not depend on the current catalogue.
"""

from datetime import date, datetime
from typing import ClassVar

from sqlalchemy import BigInteger, ColumnElement, Index, UniqueConstraint, and_, false, or_, text
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime, planned_literal
from backend.core.db.tables import ByteOrdered, Json, JsonObject, Timestamps, json_text
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
"""The condition `backend.orders.search.TO_PACK` with identical SQL text; otherwise the partial index is not used."""


_ERASED = text("erased_at IS NOT NULL")
_UNINVOICED = text("invoice_skipped_at IS NOT NULL")


class Order(Timestamps, table=True):
    """An order. A cart has at most one order.

    `number` is for customers and staff (`backend.orders.numbers`); `id` is for programs. Statuses: see
    `backend.orders.states`.
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
            "status",  # constant here, but SQLite then prefers this index to one of the status alone
            "paid_at",
            "number",
            sqlite_where=_TO_PACK,
            postgresql_where=_TO_PACK,
        ),
        Index("ix_order_erased", "created_at", "number", sqlite_where=_ERASED, postgresql_where=_ERASED),
        Index("ix_order_uninvoiced", "number", sqlite_where=_UNINVOICED, postgresql_where=_UNINVOICED),
        {"sqlite_autoincrement": True},
    )

    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    cart_id: str = Field(foreign_key="cart.id", unique=True)
    region_id: str = Field(foreign_key="region.id")
    sales_channel_id: str = Field(foreign_key="sales_channel.id")
    customer_id: str | None = Field(default=None, index=True)
    guest_id: str | None = Field(default=None, index=True)
    """Id of the guest who placed the order without an account. It gives no access: only a customer owns an order."""
    email: str = Field(index=True)
    """Empty if it is unknown, as in a sale at the counter, and after an erasure."""
    locale: str | None = None
    origin: str = Field(default="web", sa_column_kwargs={"server_default": "web"})
    """A `backend.orders.origins.OrderOrigin`."""
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
    """Discounts on its lines and shipping: `backend.pricing.Adjustment`s that target the order's own lines."""
    shipping_name: str
    shipping_tax_rate: int = Field(
        default=SHIPPING_RATE, sa_column_kwargs={"server_default": str(SHIPPING_RATE)}
    )
    """Rate of IVA included in the shipping price, in percent."""
    shipping_option_id: str | None = None
    shipping_data: JsonObject = Field(default_factory=dict, sa_type=Json)
    shipping_address: JsonObject = Field(default_factory=dict, sa_type=Json)
    billing_address: JsonObject = Field(default_factory=dict, sa_type=Json)
    address_corrected_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of the latest correction of the shipping address by staff. A later payment does not replace that address."""
    payer: JsonObject | None = Field(default=None, sa_type=Json)
    """The payer, for the invoice: person type, document type and number, e-mail. Never shown to shoppers."""
    erased_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time when the customer's data were deleted. Data that the invoice needs are retained until they expire too."""
    paid_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    invoice_skipped_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time when it was paid while the shop issued no invoices, so that it has none; None again with its invoice."""
    promised_day: date | None = None
    """Latest day of delivery in Colombia, counted from the approval of the payment (`backend.orders.promised_days`)."""
    canceled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    canceled_by: str | None = None
    """Id of the staff member who cancelled it, or `command line`. None: its payment or its customer cancelled it."""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


def names_differ(name: str) -> ColumnElement[bool]:
    """Return the SQL condition that the field `name` is set in both addresses of an order, and its values differ."""
    payer, recipient = (
        json_text(address, name) for address in (Order.billing_address, Order.shipping_address)
    )
    empty = planned_literal("")
    return and_(payer != empty, recipient != empty, payer != recipient)


MAY_BE_GIFT = or_(
    json_text(Order.meta, "gift_message").is_not(None), names_differ("first_name"), names_differ("last_name")
)
"""SQL condition: the order has a gift message, or its recipient is not the payer."""
Index(
    "ix_order_gift", Order.created_at, Order.cart_id, sqlite_where=MAY_BE_GIFT, postgresql_where=MAY_BE_GIFT
)  # for the job that deletes the data of recipients


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
    unit_cost: Cop | None = None
    """Cost of a unit when it was sold, without IVA; None if it was unknown. Only reports for staff use it."""
    tax_rate: int = Field(default=STANDARD_RATE, sa_column_kwargs={"server_default": str(STANDARD_RATE)})
    """Rate of IVA included in its price, in percent."""
    tax_excluded: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if the product was excluded from IVA. Then its invoice line has no IVA entry, not even one of 0 %."""
    fulfilled: int = 0
    withdrawn: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """Units that a refund removed from the order before they were sent."""
    returned: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """Units that came back with a refund after they were sent."""
    facts: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )
    """Description, subtitle, collection and type of the product when it was sold, under the platform's names."""
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)


class OrderTerm(SQLModel, table=True):
    """A search term of an order: see `backend.customers.search_terms`."""

    __tablename__ = "order_term"
    __table_args__ = (Index("ix_order_term_order_number", "order_number", "term"),)

    term: str = Field(primary_key=True, sa_type=ByteOrdered)
    order_number: int = Field(foreign_key="order.number", primary_key=True, ondelete="CASCADE")


class OrderNote(Timestamps, table=True):
    """A staff member's note on an order. The customer never sees it."""

    __tablename__ = "order_note"

    id: str = Field(default_factory=lambda: new_id("ordnote"), primary_key=True)
    order_number: int = Field(foreign_key="order.number", index=True, ondelete="CASCADE")
    text: str
    created_by: str
    """The id of the staff member, or `command line`."""


class Fulfillment(Timestamps, table=True):
    """Units of an order that are sent together, and their label.

    `state` is a `backend.orders.states.LabelState`; its transitions are in `backend.fulfillment.label_states`.
    `items` is a list of objects with `line_item_id`, `variant_id`, `title`, `sku` and `quantity`.
    """

    __tablename__ = "fulfillment"
    __table_args__ = (UniqueConstraint("order_id", "reference"),)

    id: str = Field(default_factory=lambda: new_id("ful"), primary_key=True)
    order_id: str = Field(index=True)
    reference: str
    """Reference printed on the label: the order's number, a dash, and the fulfillment's position in the order."""
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
    """A `backend.shipping.providers.base.TrackingStage` reported by the carrier. None: not requested yet."""
    tracked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of the latest tracking request. The replica that updates this time sends the request."""
    shipped_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    delivered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    canceled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class RefundReason(PlainRow, table=True):
    """A reason for a refund that API clients offer to staff. `code` identifies it."""

    __tablename__ = "refund_reason"

    id: str = Field(default_factory=lambda: new_id("refr"), primary_key=True)
    code: str = Field(unique=True)
    label: str
    description: str | None = None


class ReturnReason(PlainRow, table=True):
    """A reason for a return that API clients offer. `value` identifies it."""

    __tablename__ = "return_reason"

    id: str = Field(default_factory=lambda: new_id("rr"), primary_key=True)
    value: str = Field(unique=True)
    label: str
    description: str | None = None
