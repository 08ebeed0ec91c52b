"""Bodies and parameters of returns (platform: returns)."""

from typing import Annotated, Literal

from pydantic import Field

from backend.edge.schemas import (
    Body,
    FilledName,
    Moments,
    Name,
    Units,
    example,
)
from backend.returns.forms import LONGEST_REASON
from backend.returns.models import ReturnKind

Count = Annotated[Units, Field(ge=1)]
Note = Annotated[str, Field(max_length=LONGEST_REASON)]
MOST_ITEMS = 100


class ReturnFacts(Body):
    """By which right the money is asked for; nothing else is kept. Without it: `withdrawal`."""

    kind: Annotated[ReturnKind, Field(strict=False)]


class RequestChange(Body):
    """What may be said of a request. The buyer is written to, whatever `no_notification` says.

    Units are stocked again where they were sent from: no other `location_id` is taken.
    """

    model_config = example(metadata={"kind": "warranty"})

    location_id: Name | None = None
    no_notification: bool | None = None
    metadata: ReturnFacts | None = None


class NewReturn(RequestChange):
    """A return to write. Whoever names its `items` here asks for a label that fetches them, and none is made."""

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
    """Units of an order's line that are to come back."""

    reason_id: Name | None = None


class ReturnItems(Body):
    """Units that are to come back."""

    model_config = example(items=[{"id": "ordli_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}])

    items: Annotated[list[ReturnItem], Field(min_length=1, max_length=MOST_ITEMS)]


class ArrivedItems(Body):
    """Units that arrived."""

    model_config = example(items=[{"id": "ordli_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "quantity": 1}])

    items: Annotated[list[ArrivedItem], Field(min_length=1, max_length=MOST_ITEMS)]


class ArrivedChange(Body):
    """Another number of units that arrived."""

    model_config = example(quantity=1)

    quantity: Count | None = None
    internal_note: Note | None = None


class ReturnItemChange(ArrivedChange):
    """Other units that are to come back; what is left out stays."""

    model_config = example(quantity=1, internal_note="La caja está abierta")

    reason_id: Name | None = None


class ReturnShipping(Body):
    """A label that fetches the goods."""

    model_config = example(shipping_option_id="so_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    shipping_option_id: FilledName
    custom_amount: Annotated[float, Field(ge=0, le=1e9)] | None = None
    description: Note | None = None
    internal_note: Note | None = None


class Confirmation(Body):
    """The end of what was written. The buyer is written to, whatever `no_notification` says."""

    model_config = example(no_notification=False)

    no_notification: bool | None = None


class NothingMore(Body):
    """No field is needed."""

    model_config = example()


class ReturnsParameters(Moments):
    """Which returns."""

    id: list[Name] | None = None
    order_id: list[Name] | None = None
    status: list[Literal["requested", "received", "partially_received", "canceled"]] | None = None
