"""Price lists as the Admin API answers with them."""

from typing import NotRequired

from typing_extensions import TypedDict

from backend.edge.wire import DeletedMany, JsonDict, LastingStamps, Page


class PriceListPriceOut(LastingStamps):
    """A price of a price list."""

    id: str
    title: None
    price_list_id: str
    variant_id: str
    amount: int
    currency_code: str
    min_quantity: None
    max_quantity: None
    rules: JsonDict


class PriceListOut(LastingStamps):
    """A price list, with its prices where they were asked for."""

    id: str
    title: str
    description: str
    type: str
    status: str
    starts_at: str | None
    ends_at: str | None
    rules: JsonDict
    prices: NotRequired[list[PriceListPriceOut]]


class PriceListAnswer(TypedDict):
    """A price list."""

    price_list: PriceListOut


class PriceListsAnswer(Page):
    """The price lists."""

    price_lists: list[PriceListOut]


class PricesAnswer(Page):
    """The prices of a list."""

    prices: list[PriceListPriceOut]


class PricesChanged(TypedDict):
    """Result of a batch of prices."""

    created: list[PriceListPriceOut]
    updated: list[PriceListPriceOut]
    deleted: DeletedMany
