"""Bodies and parameters of returns (platform: returns)."""

from typing import Annotated, Literal

from pydantic import Field

from backend.edge.schemas import (
    Body,
    FilledName,
    MomentParameters,
    Name,
    Units,
    example,
)
from backend.returns.forms import MAX_REASON_LENGTH
from backend.returns.models import ReturnKind

Count = Annotated[Units, Field(ge=1)]
Note = Annotated[str, Field(max_length=MAX_REASON_LENGTH)]
MAX_ITEMS = 100


class ReturnMetadata(Body):
    """Legal ground of the return; no other metadata is stored. Default: `withdrawal`."""

    kind: Annotated[ReturnKind, Field(strict=False)]


class RequestChange(Body):
    """Data of a return request. The customer is always notified; `no_notification` has no effect.

    Units are restocked at the location from which they were sent: no other `location_id` is accepted.
    """

    model_config = example(metadata={"kind": "warranty"})

    location_id: Name | None = None
    no_notification: bool | None = None
    metadata: ReturnMetadata | None = None


class NewReturn(RequestChange):
    """A return to draft.

    A body with `items` asks for a label to collect the goods, and is refused: no provider creates one.
    """

    model_config = example(order_id="order_01JPZ6V3N8K4T2WQ7RXB5C9MHD", internal_note="Llamó: no le gustó")

    order_id: FilledName
    description: Note | None = None
    internal_note: Note | None = None
    items: list[dict[str, object]] | None = None


class ArrivedItem(Body):
    """Units of an order's line that arrived."""

    id: FilledName
    quantity: Count
    description: Note | None = None
    internal_note: Note | None = None


class ReturnItem(ArrivedItem):
    """Units of an order's line to return."""

    reason_id: Name | None = None


class ReturnItems(Body):
    """Units of an order to return."""

    model_config = example(items=[{"id": "ordli_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}])

    items: Annotated[list[ReturnItem], Field(min_length=1, max_length=MAX_ITEMS)]


class ArrivedItems(Body):
    """Units of an order that arrived."""

    model_config = example(items=[{"id": "ordli_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}])

    items: Annotated[list[ArrivedItem], Field(min_length=1, max_length=MAX_ITEMS)]


class ArrivedChange(Body):
    """A new number of units that arrived."""

    model_config = example(quantity=1)

    quantity: Count | None = None
    internal_note: Note | None = None


class ReturnItemChange(ArrivedChange):
    """New data of units to return; omitted fields are unchanged."""

    model_config = example(quantity=1, internal_note="La caja está abierta")

    reason_id: Name | None = None


class ReturnShipping(Body):
    """A request for a label to collect the goods. It is always refused."""

    model_config = example(shipping_option_id="so_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    shipping_option_id: FilledName
    custom_amount: Annotated[float, Field(ge=0, le=1e9)] | None = None
    description: Note | None = None
    internal_note: Note | None = None


class Confirmation(Body):
    """A confirmation or cancellation. The customer is always notified; `no_notification` has no effect."""

    model_config = example(no_notification=False)

    no_notification: bool | None = None


class ReturnsParameters(MomentParameters):
    """Filters of returns."""

    id: list[Name] | None = None
    order_id: list[Name] | None = None
    status: list[Literal["requested", "received", "partially_received", "canceled"]] | None = None
