"""Stock as the Admin API answers with it."""

from typing_extensions import TypedDict

from backend.edge.wire import Deleted, JsonDict, Page, Stamps


class LevelOut(Stamps):
    """Stock at a location: `available_quantity` can be sold, `reserved_quantity` is reserved for buyers."""

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
    """A variant as the warehouse knows it."""

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
    """A variant as the warehouse knows it, with the catalogue's."""

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
    """Result of a batch of levels; the deleted ones as ids."""

    created: list[LevelOut]
    updated: list[LevelOut]
    deleted: list[str]


class LevelDeleted(Deleted):
    """A level that is gone, and its item."""

    parent: ItemOut
