"""Bodies of order edits. A price in a body is accepted only if it equals the price of the line."""

from typing import Annotated

from pydantic import Field

from backend.edge.schemas import Body, FilledName, ListParameters, Name, Pesos, SmallMetadata, Units, example
from backend.order_edits.editing import MAX_REASON_LENGTH

ORDER, VARIANT = "order_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "variant_01JPZ6V3N8K4T2WQ7RXB5C9MHD"
MAX_ITEMS = 60
Note = Annotated[str, Field(max_length=MAX_REASON_LENGTH)]


class ChangesParameters(ListParameters):
    """Filters of an order's changes."""

    status: list[Name] | None = None
    change_type: list[Name] | None = None


class NewEdit(Body):
    """A new edit of an order."""

    model_config = example(order_id=ORDER, internal_note="The customer called")

    order_id: FilledName
    description: Note | None = None
    internal_note: Note | None = None
    """Only staff see it."""
    metadata: SmallMetadata | None = None


class ChangedEdit(Body):
    """New values of an open edit."""

    model_config = example(internal_note="The customer called again")

    description: Note | None = None
    internal_note: Note | None = None
    carry_over_promotions: bool | None = None
    """Ignored: promotions are always computed again."""


class EditItemFields(Body):
    """The number of units, and the price that the caller expects."""

    quantity: Annotated[Units, Field(ge=0)]
    unit_price: Pesos | None = None
    compare_at_unit_price: Pesos | None = None
    internal_note: Note | None = None


class ChangedEditItem(EditItemFields):
    """The new number of units of a line; 0 removes the line."""

    model_config = example(quantity=2)


class AddedEditItem(EditItemFields):
    """Units of a variant to add to an order."""

    variant_id: FilledName
    quantity: Annotated[Units, Field(ge=1)]
    allow_backorder: bool | None = None
    """Ignored: only units in stock are accepted."""
    metadata: SmallMetadata | None = None


class EditShipping(Body):
    """A shipping option. Its price is the live price: no other `custom_amount` is accepted."""

    model_config = example(shipping_option_id="so_01JPZ6V3N8K4T2WQ7RXB5C9MHD")

    shipping_option_id: FilledName
    custom_amount: Pesos | None = None
    description: Note | None = None
    internal_note: Note | None = None
    metadata: SmallMetadata | None = None


class ChangedEditShipping(Body):
    """The price that the caller expects of the chosen shipping option."""

    model_config = example(internal_note="Sin afán")

    custom_amount: Pesos | None = None
    internal_note: Note | None = None
    metadata: SmallMetadata | None = None


class AddedEditItems(Body):
    """Units of variants to add to an order."""

    model_config = example(items=[{"variant_id": VARIANT, "quantity": 1}])

    items: Annotated[list[AddedEditItem], Field(min_length=1, max_length=MAX_ITEMS)]
