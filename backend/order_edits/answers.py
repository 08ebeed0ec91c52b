"""Answers of order edits."""

from typing_extensions import TypedDict

from backend.edge.wire import JsonDict
from backend.orders.answers import OrderPreview


class OrderChangeAnswer(TypedDict):
    """An edit of an order, without the order."""

    order_change: JsonDict


class OrderPreviewAnswer(TypedDict):
    """The order with the changes of its edit, and the edit."""

    order_preview: OrderPreview


class PreviewedOrderAnswer(TypedDict):
    """The order with the changes of its edit, or of the draft of its return."""

    order: OrderPreview
