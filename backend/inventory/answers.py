"""Stock in the answers of the Admin API."""

from typing_extensions import TypedDict

from backend.edge.wire import Deleted, JsonDict, Page, Stamps


class LevelOut(Stamps):
    """Stock at a location: `available_quantity` can be sold, `reserved_quantity` is reserved for customers."""

    id: str
    inventory_item_id: str
    location_id: str
    stocked_quantity: int
    reserved_quantity: int
    available_quantity: int
    incoming_quantity: int
    raw_stocked_quantity: JsonDict
    raw_reserved_quantity: JsonDict
    metadata: None


class StockedItem(Stamps):
    """A variant as an inventory item."""

    id: str
    sku: str | None
    title: str
    description: str
    requires_shipping: bool
    metadata: None
    stocked_quantity: int
    reserved_quantity: int
    location_levels: list[LevelOut]


class ItemOut(StockedItem):
    """An inventory item, with its variant in the catalogue."""

    variants: list[JsonDict]


class LinkedItem(TypedDict):
    """The link from a variant to its inventory item."""

    id: str
    variant_id: str
    inventory_item_id: str
    required_quantity: int
    inventory: StockedItem


class ItemAnswer(TypedDict):
    """An inventory item."""

    inventory_item: ItemOut


class ItemsAnswer(Page):
    """A page of the inventory."""

    inventory_items: list[ItemOut]


class LevelsAnswer(Page):
    """An item's stock by location."""

    inventory_levels: list[LevelOut]


class LevelsBatchAnswer(TypedDict):
    """Result of a batch of changes of stock levels, with the ids of the deleted levels."""

    created: list[LevelOut]
    updated: list[LevelOut]
    deleted: list[str]


class LevelDeleted(Deleted):
    """A deleted level, and its item."""

    parent: ItemOut
