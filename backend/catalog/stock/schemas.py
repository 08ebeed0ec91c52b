"""What staff say and are told of stock."""

from typing import Annotated

from pydantic import BaseModel, Field

from backend.edge.schemas import Answer, Body, FilledName, ListAnswer, ListParameters, Name, Units, example


class ItemsParameters(ListParameters):
    """Which inventory items."""

    q: str | None = Field(None, max_length=200, description="A part of a title or a SKU.")
    id: list[Name] | None = None
    sku: list[Name] | None = None


class LevelChange(Body):
    """How many units lie at a location."""

    model_config = example(stocked_quantity=40)

    stocked_quantity: Annotated[Units, Field(ge=0)]


class NewLevel(LevelChange):
    """Units at a location that had none."""

    model_config = example(location_id="sloc_01JPZ6V3N8K4T2WQ7RXB5C9MHD", stocked_quantity=25)

    location_id: FilledName
    stocked_quantity: Annotated[Units, Field(ge=0)] = 0


class LevelOut(Answer):
    """Stock at a location: `available_quantity` can be sold, `reserved_quantity` is promised to buyers."""

    id: str
    location_id: str
    stocked_quantity: int = 0
    reserved_quantity: int = 0
    available_quantity: int = 0


class ItemOut(Answer):
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


class ItemsAnswer(ListAnswer):
    """A page of the inventory."""

    inventory_items: list[ItemOut]


class LevelsAnswer(ListAnswer):
    """An item's stock by location."""

    inventory_levels: list[LevelOut]
