"""Answers of order edits."""

from typing_extensions import TypedDict

from backend.draft_orders.api.answers import DraftOrderPreviewOut
from backend.edge.wire import JsonDict, Page
from backend.orders.answers import OrderPreview


class OrderChangeAnswer(TypedDict):
    """An edit of an order, without the order."""

    order_change: JsonDict


class OrderChangesAnswer(Page):
    """The open, confirmed and cancelled edits of an order, or the open edit of a draft order."""

    order_changes: list[JsonDict]


class OrderPreviewAnswer(TypedDict):
    """The order with the changes of its edit, and the edit."""

    order_preview: OrderPreview


class PreviewedOrderAnswer(TypedDict):
    """An order with the changes of its edit or of its drafted return, or a draft order with the changes of its edit."""

    order: OrderPreview | DraftOrderPreviewOut
