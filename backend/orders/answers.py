"""Shapes of orders in the responses of the Store and Admin API."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from backend.channels.answers import ChannelOut, RegionOut
from backend.customers.answers import PersonOut
from backend.edge.wire import (
    AddressParts,
    Adjustment,
    AllTotals,
    JsonDict,
    LastingStamps,
    Page,
    Priced,
    Stamps,
    TaxLine,
)
from backend.payment.answers import PaymentCollectionOut, RefundOut


class UnitPrices(TypedDict):
    """The price of one unit. `compare_at_unit_price` is the crossed-out price from before a reduction, if any."""

    unit_price: int | None
    compare_at_unit_price: int | None


class Quantity(TypedDict):
    """A number of units."""

    quantity: int


class RequestedUnits(TypedDict):
    """Units whose return is requested."""

    return_requested_quantity: int


class UnitCounts(Quantity, RequestedUnits):
    """Number of units of a line in each state."""

    fulfilled_quantity: int
    shipped_quantity: int
    delivered_quantity: int
    return_received_quantity: int
    return_dismissed_quantity: int
    written_off_quantity: int


class UnitTotals(TypedDict):
    """Price of a line's units in each state, in pesos."""

    refundable_total_per_unit: int
    refundable_total: int
    fulfilled_total: int
    shipped_total: int
    return_requested_total: int
    return_received_total: int
    return_dismissed_total: int
    write_off_total: int


class LineDetail(UnitCounts, UnitPrices, LastingStamps):
    """Number of units of the line `item_id` in each state."""

    id: str
    order_id: str
    item_id: str
    version: int
    metadata: None


class TaxTotals(TypedDict):
    """The IVA after and before discounts."""

    total: int
    subtotal: int


class SoldTaxLine(TaxLine, TaxTotals, LastingStamps):
    """The IVA of a sold line or shipping method."""

    raw_rate: JsonDict
    tax_rate_id: None


class LineFields(Quantity, Priced):
    """Fields that the lines of carts and of orders have."""

    id: str
    title: str
    subtitle: str
    thumbnail: str | None
    variant_id: str
    product_id: str
    product_description: str | None
    product_subtitle: str | None
    product_collection: str | None
    product_type: str | None
    product_type_id: str | None
    variant_sku: str | None
    variant_barcode: None
    variant_title: str
    requires_shipping: bool
    is_giftcard: bool
    is_discountable: bool
    is_tax_inclusive: bool
    metadata: JsonDict
    adjustments: list[Adjustment]


class OrderItemFields(UnitPrices, LineFields, UnitTotals, LastingStamps):
    """Units of a variant as they were sold."""

    product_title: str
    product_handle: str
    variant_option_values: None
    is_custom_price: bool
    line_item_metadata: JsonDict
    tax_lines: list[SoldTaxLine]
    detail: LineDetail
    variant: JsonDict


class OrderItemOut(OrderItemFields):
    """Units of a variant as they were sold, optionally with their product."""

    product: NotRequired[JsonDict]
    actions: NotRequired[list[JsonDict]]


class OrderLineOut(LineDetail):
    """Number of a line's units in each state, and the line itself."""

    item: OrderItemOut


class AddressOut(AddressParts):
    """The id and the fields of an address."""

    id: str


class OrderAddress(AddressOut, LastingStamps):
    """An address of an order."""

    customer_id: str | None


class MethodDetail(LastingStamps):
    """The order version to which a shipping method belongs."""

    id: str
    order_id: str
    shipping_method_id: str
    version: int
    return_id: None
    exchange_id: None
    claim_id: None


class MethodAmounts(Priced):
    """The price of a shipping method, and its totals."""

    amount: int


class OrderShippingMethod(MethodAmounts, LastingStamps):
    """The order's shipping method."""

    id: str
    order_id: str
    name: str
    description: None
    is_tax_inclusive: bool
    is_custom_amount: bool
    shipping_option_id: str | None
    data: JsonDict
    metadata: None
    tax_lines: list[SoldTaxLine]
    adjustments: list[Adjustment]
    detail: MethodDetail


class Related(TypedDict):
    """A reference to another object by its id."""

    id: str


class FulfillmentData(TypedDict):
    """State of the label (`state`), and of the parcel at the carrier (`stage`)."""

    state: str
    reference: str
    carrier: str | None
    carrier_order_id: int | None
    stage: str | None
    tracking: JsonDict | list[JsonDict] | str | None
    tracked_at: str | None


class FulfillmentLabel(TypedDict):
    """A label, with its parcel's tracking number."""

    id: str
    tracking_number: str
    tracking_url: str
    label_url: str
    fulfillment_id: str


class FulfillmentItem(TypedDict):
    """Units of a line in a fulfillment."""

    id: str
    line_item_id: str | None
    title: str | None
    sku: str | None
    quantity: int | None
    fulfillment_id: str


class FulfillmentOut(LastingStamps):
    """A fulfillment with its label."""

    id: str
    location_id: str
    provider_id: str
    provider: Related
    shipping_option_id: str | None
    shipping_option: Related | None
    delivery_address_id: str
    delivery_address: Related
    requires_shipping: bool
    packed_at: str | None
    shipped_at: str | None
    delivered_at: str | None
    canceled_at: str | None
    marked_shipped_by: None
    created_by: None
    data: FulfillmentData
    metadata: JsonDict | None
    labels: list[FulfillmentLabel]
    items: list[FulfillmentItem]


class OrderSummary(TypedDict):
    """Paid and refunded totals of an order."""

    paid_total: int
    refunded_total: int
    accounting_total: int
    credit_line_total: int
    transaction_total: int
    pending_difference: int
    current_order_total: int
    original_order_total: int


class OrderStatus(Stamps):
    """Fields of an order that are shown to a caller who knows only its id."""

    id: str
    display_id: int | None
    status: str
    payment_status: str
    fulfillment_status: str
    currency_code: str


class OrderStub(OrderStatus):
    """An order without its customer and its items."""

    total: int


class OrderOut(OrderStatus, AllTotals):
    """An order. Amounts are whole pesos and include IVA, except the subtotals."""

    version: int
    custom_display_id: None
    region_id: str
    sales_channel_id: str
    customer_id: str | None
    email: str | None
    locale: str | None
    metadata: JsonDict | None
    canceled_at: str | None
    summary: OrderSummary
    items: list[OrderItemOut]
    shipping_address: OrderAddress
    billing_address: OrderAddress
    shipping_methods: list[OrderShippingMethod]
    payment_collections: list[PaymentCollectionOut]
    fulfillments: list[FulfillmentOut]
    credit_lines: list[JsonDict]
    transactions: list[JsonDict]


class OrderWithPayer(OrderOut):
    """An order with its payer."""

    payer: JsonDict | None


class StaffOrderOut(OrderWithPayer):
    """An order for staff, with the relations that only staff may request."""

    customer: NotRequired[PersonOut | None]
    sales_channel: NotRequired[ChannelOut | None]
    region: NotRequired[RegionOut | None]


class OrderPreview(StaffOrderOut):
    """An order with the draft of a return for it."""

    order_change: JsonDict | None


class PlacedOut(OrderOut):
    """The order that was placed, with the token that gives a guest access to it."""

    access_token: Annotated[str, Field(description="Opens `GET /store/orders/{id}?token=…` without a login.")]


class OrderAnswer(TypedDict):
    """An order. A caller who may not see its customer and items gets an `OrderStub`."""

    order: OrderOut | OrderStub


class OrdersAnswer(Page):
    """A page of the signed-in customer's orders."""

    orders: list[OrderOut]


class StaffOrderAnswer(TypedDict):
    """Response with one order, for staff."""

    order: StaffOrderOut


class StaffOrdersAnswer(Page):
    """A page of orders, for staff."""

    orders: list[StaffOrderOut]


class OrderLinesAnswer(Page):
    """A page of an order's lines."""

    order_items: list[OrderLineOut]


class CompletedAnswer(TypedDict):
    """Response with the order created from the cart. Repeated requests return the same order."""

    type: Literal["order"]
    order: PlacedOut | OrderStub


class NoteOut(Stamps):
    """A staff note on an order."""

    id: str
    text: str
    created_by: str


class NoteAnswer(TypedDict):
    """Response with one staff note."""

    note: NoteOut


class RefundAnswer(TypedDict):
    """Response with one refund, and its order after the refund."""

    refund: RefundOut
    order: StaffOrderOut


class RefundsAnswer(Page):
    """A page of an order's refunds, the oldest first."""

    refunds: list[RefundOut]


class FulfillmentAnswer(TypedDict):
    """Response with one fulfillment."""

    fulfillment: FulfillmentOut


class ReservationOut(Quantity, LastingStamps):
    """Units that are reserved for a cart or an order."""

    id: str
    inventory_item_id: str
    location_id: str
    line_item_id: str | None
    external_id: str
    description: None
    allow_backorder: bool
    created_by: None
    metadata: None


class ReservationAnswer(TypedDict):
    """Response with one reservation."""

    reservation: ReservationOut


class ReservationsAnswer(Page):
    """A page of the reservations."""

    reservations: list[ReservationOut]
