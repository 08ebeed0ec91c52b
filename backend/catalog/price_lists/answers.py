"""Responses of the Admin API with price lists."""

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
    """A price list, with its prices on request."""

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
    """Response with one price list."""

    price_list: PriceListOut


class PriceListsAnswer(Page):
    """A page of the price lists."""

    price_lists: list[PriceListOut]


class PricesAnswer(Page):
    """A page of a list's prices."""

    prices: list[PriceListPriceOut]


class PricesChanged(TypedDict):
    """Result of a batch of price changes: the created, changed and deleted prices."""

    created: list[PriceListPriceOut]
    updated: list[PriceListPriceOut]
    deleted: DeletedMany
