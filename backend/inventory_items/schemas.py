"""Bodies, parameters and responses of the Admin API's inventory items."""

from typing import Annotated

from pydantic import BaseModel, Field

from backend.edge.schemas import (
    Body,
    FilledName,
    FilterParameters,
    ListResponse,
    Name,
    ResponseModel,
    Units,
    example,
)


class ItemsParameters(FilterParameters):
    """Which inventory items."""

    q: str | None = Field(
        None, max_length=200, description="Part of a title, of the product's too, of a SKU or of a bar code."
    )
    id: list[Name] | None = None
    sku: list[Name] | None = None
    location_id: list[Name] | None = Field(
        None, alias="location_levels[location_id]", description="Only what is stocked at one of these."
    )


class LevelChange(Body):
    """How many units are stocked at a location."""

    model_config = example(stocked_quantity=40)

    stocked_quantity: Annotated[Units, Field(ge=0)]


class NewLevel(Body):
    """Units at a location; without a number, as many as there are: none where it had none."""

    model_config = example(location_id="sloc_01JPZ6V3N8K4T2WQ7RXB5C9MHD", stocked_quantity=25)

    location_id: FilledName
    stocked_quantity: Annotated[Units, Field(ge=0)] | None = None


class LevelOut(ResponseModel):
    """Stock at a location: `available_quantity` can be sold, `reserved_quantity` is reserved for buyers."""

    id: str
    location_id: str
    stocked_quantity: int = 0
    reserved_quantity: int = 0
    available_quantity: int = 0


class ItemOut(ResponseModel):
    """A variant as the warehouse knows it."""

    id: str
    sku: str | None = None
    title: str | None = None
    stocked_quantity: int = 0
    reserved_quantity: int = 0
    location_levels: list[LevelOut] = Field(default_factory=list)


class ItemAnswer(BaseModel):
    """An inventory item."""

    inventory_item: ItemOut


class ItemsAnswer(ListResponse):
    """A page of the inventory."""

    inventory_items: list[ItemOut]


class LevelsAnswer(ListResponse):
    """An item's stock by location."""

    inventory_levels: list[LevelOut]
