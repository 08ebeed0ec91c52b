"""Shapes of exchanges in the responses of the Admin API."""

from typing_extensions import TypedDict

from backend.edge.wire import JsonDict, LastingStamps, Page
from backend.orders.answers import OrderPreview
from backend.returns.answers import ReturnField, ReturnItemOut


class DifferenceDue(TypedDict):
    """The price of the new order less that of the returned units; null before both sides are chosen."""

    difference_due: int | None


class AdditionalItem(TypedDict):
    """Units that go out: a line of the new order. `item_id` is the id of the line."""

    id: str
    exchange_id: str
    order_id: str
    item_id: str
    quantity: int
    variant_id: str
    title: str
    unit_price: int
    metadata: None


class ExchangeOut(DifferenceDue, LastingStamps):
    """An exchange. `metadata` has its status, the id of the new order, and the credit of the returned units."""

    id: str
    order_id: str
    return_id: str
    display_id: int | None
    order_version: int
    created_by: str
    no_notification: bool
    allow_backorder: bool
    additional_items: list[JsonDict]
    return_items: list[ReturnItemOut]
    shipping_methods: list[JsonDict]
    canceled_at: str | None
    metadata: JsonDict


class ExchangeAnswer(TypedDict):
    """Response with one exchange."""

    exchange: ExchangeOut


class ExchangesAnswer(Page):
    """A page of exchanges, the newest first."""

    exchanges: list[ExchangeOut]


class ExchangeOfOrder(ExchangeAnswer):
    """Response with an exchange and its order."""

    order: OrderPreview


class ExchangePreview(ExchangeAnswer):
    """An exchange, and its order with the changes of the draft."""

    order_preview: OrderPreview


class ExchangeReturn(ReturnField):
    """The return of an exchange, and its order with the changes of the draft."""

    order_preview: OrderPreview


class RequestedExchange(ExchangePreview, ReturnField):
    """A requested exchange with its return, and its order."""
