"""Request bodies and parameters of inventory items in the Admin API."""

from typing import Annotated

from pydantic import Field

from backend.edge.schemas import (
    Body,
    FilledName,
    FilterParameters,
    Name,
    Units,
    example,
)


class ItemsParameters(FilterParameters):
    """Filters of the list of inventory items."""

    q: str | None = Field(
        None, max_length=200, description="Part of a title, of the product's too, of a SKU or of a bar code."
    )
    id: list[Name] | None = None
    sku: list[Name] | None = None
    location_id: list[Name] | None = Field(
        None, alias="location_levels[location_id]", description="Only what is stocked at one of these."
    )


class LevelChange(Body):
    """The new number of units stocked at a location."""

    model_config = example(stocked_quantity=40)

    stocked_quantity: Annotated[Units, Field(ge=0)]


class NewLevel(Body):
    """A stock level to create at a location.

    Without a quantity, an existing level is unchanged and a new one has no units.
    """

    model_config = example(location_id="sloc_01JPZ6V3N8K4T2WQ7RXB5C9MHD", stocked_quantity=25)

    location_id: FilledName
    stocked_quantity: Annotated[Units, Field(ge=0)] | None = None
