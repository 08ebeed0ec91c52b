"""Shapes of returns in the responses of the Admin API."""

from typing_extensions import TypedDict

from backend.edge.wire import JsonDict, LastingStamps, Page
from backend.orders.answers import OrderPreview


class RefundAmount(TypedDict):
    """Amount of the refund; null before it is known."""

    refund_amount: int | None


class ReturnedUnits(TypedDict):
    """Number of units in a return: requested, arrived in good condition, and arrived damaged."""

    quantity: int
    received_quantity: int
    damaged_quantity: int


class ReturnItemOut(ReturnedUnits):
    """Units of an order's line in a return."""

    id: str
    return_id: str
    item_id: str
    reason_id: str | None
    reason: JsonDict | None
    note: str | None
    metadata: None


class ReturnedOrder(TypedDict):
    """The order of a return."""

    id: str
    display_id: int | None


class ReturnOut(RefundAmount, LastingStamps):
    """A return. Its `metadata` contains the kind, the shop's own state (`ReturnState`), and the deadline."""

    id: str
    status: str
    display_id: int | None
    order_id: str
    order: ReturnedOrder
    location_id: None
    metadata: JsonDict
    created_by: str | None
    requested_at: str | None
    received_at: str | None
    order_version: int
    exchange_id: str | None
    claim_id: None
    no_notification: bool
    shipping_methods: list[JsonDict]
    canceled_at: str | None
    items: list[ReturnItemOut]


ReturnField = TypedDict("ReturnField", {"return": ReturnOut})
"""The field of the responses below: its name is a Python keyword."""


class ReturnAnswer(ReturnField):
    """Response with one return."""


class ReturnOfOrder(ReturnAnswer):
    """Response with a return and its order."""

    order: OrderPreview


class ReturnPreview(ReturnAnswer):
    """A return, and its order with the changes of the draft."""

    order_preview: OrderPreview


class ReturnsAnswer(Page):
    """A page of returns, the newest first."""

    returns: list[ReturnOut]
