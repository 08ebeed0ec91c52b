"""Draft orders in the answers of the Admin API."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from backend.channels.answers import ChannelOut, RegionOut
from backend.checkout.answers import CartCustomer, CartShippingMethodOut, PricedItemFields
from backend.edge.wire import AllTotals, JsonDict, Page, Stamps
from backend.orders.answers import AddressOut, OrderSummary, StaffOrderOut
from backend.promotions.answers import AppliedPromotion


class DraftItemOut(PricedItemFields):
    """Units of a variant in a draft order, at the current price."""

    detail: JsonDict
    variant: NotRequired[JsonDict]
    actions: NotRequired[list[JsonDict]]


class DraftMethodOut(CartShippingMethodOut):
    """The shipping method of a draft order."""

    actions: NotRequired[list[JsonDict]]


class DraftOrderOut(AllTotals, Stamps):
    """A draft order at current prices. It has no number before it is an order, so `display_id` is null."""

    id: str
    display_id: None
    status: Literal["draft"]
    is_draft_order: bool
    version: int
    email: str | None
    locale: str | None
    currency_code: str
    region_id: str
    sales_channel_id: str
    customer_id: str | None
    customer: CartCustomer | None
    metadata: JsonDict | None
    payment_status: Literal["not_paid"]
    fulfillment_status: Literal["not_fulfilled"]
    summary: OrderSummary
    items: list[DraftItemOut]
    shipping_address: AddressOut
    billing_address: AddressOut | None
    shipping_methods: list[DraftMethodOut]
    promotions: list[AppliedPromotion]
    payment_collections: list[JsonDict]
    fulfillments: list[JsonDict]
    credit_lines: list[JsonDict]
    transactions: list[JsonDict]
    region: RegionOut
    sales_channel: ChannelOut | None


class DraftOrderPreviewOut(DraftOrderOut):
    """A draft order with the changes of its edit."""

    order_change: JsonDict | None


class DraftOrderAnswer(TypedDict):
    """Response with one draft order."""

    draft_order: DraftOrderOut


class DraftOrdersAnswer(Page):
    """A page of draft orders, the newest first."""

    draft_orders: list[DraftOrderOut]


class DraftOrderPreviewAnswer(TypedDict):
    """Response with one draft order and the changes of its edit."""

    draft_order_preview: DraftOrderPreviewOut


class ConvertedAnswer(TypedDict):
    """Response with the order that a draft has become."""

    order: StaffOrderOut
