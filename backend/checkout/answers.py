"""Carts and shipping options in the answers of the Store API."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from backend.channels.answers import RegionOut
from backend.edge.wire import (
    Adjustment,
    AllTotals,
    CalculatedPrice,
    Deleted,
    JsonDict,
    Priced,
    Stamps,
    TaxLine,
)
from backend.orders.answers import AddressOut, LineFields
from backend.payment.answers import PaymentCollectionOut
from backend.promotions.answers import AppliedPromotion
from backend.shipping.answers import LocationAddress, OptionPrice, OptionPriceType, OptionType, ProviderOut


class PricedItemFields(LineFields, Stamps):
    """Units of a variant at the current price, in a cart or in a draft order."""

    product_title: str | None
    product_handle: str | None
    unit_price: int
    compare_at_unit_price: int | None
    tax_lines: list[TaxLine]
    product: JsonDict


class CartItemFields(PricedItemFields):
    """Units of a variant in a cart."""

    cart_id: str


class CartItemOut(CartItemFields):
    """Units of a variant in a cart, with the variant if it was requested."""

    variant: NotRequired[JsonDict]


class CartShippingMethodOut(Priced, Stamps):
    """The cart's shipping method."""

    id: str
    name: str
    amount: int
    is_tax_inclusive: bool
    shipping_option_id: str | None
    data: JsonDict
    tax_lines: list[TaxLine]
    adjustments: list[Adjustment]


class CartCustomer(TypedDict):
    """The customer or guest of a cart."""

    id: str
    email: str | None
    groups: list[JsonDict]


class CartFields(AllTotals, Stamps):
    """A cart, at current prices. Amounts are whole pesos. They include IVA, unless their name contains `subtotal`."""

    id: str
    currency_code: str
    email: str | None
    locale: str | None
    region_id: str
    sales_channel_id: str
    customer_id: str | None
    metadata: JsonDict | None
    completed_at: str | None
    shipping_address_id: str
    billing_address_id: str | None
    items: list[CartItemOut]
    shipping_methods: list[CartShippingMethodOut]
    shipping_address: AddressOut
    billing_address: AddressOut | None
    credit_lines: list[JsonDict]
    promotions: list[AppliedPromotion]
    region: RegionOut
    customer: CartCustomer | None


class CartOut(CartFields):
    """A cart, with its payment collection if it has one."""

    payment_collection: NotRequired[PaymentCollectionOut]


class CartAnswer(TypedDict):
    """Response with one cart."""

    cart: CartOut


class DeletedItem(Deleted):
    """A deleted line and its cart."""

    parent: CartOut


class OfferLocation(TypedDict):
    """The warehouse from which goods with a shipping option are sent."""

    id: str
    address: LocationAddress


class OfferSet(TypedDict):
    """The fulfillment set of a shipping option's zone."""

    id: str
    type: str
    location: OfferLocation


class OfferZone(TypedDict):
    """The service zone of a shipping option."""

    id: str
    fulfillment_set_id: str
    fulfillment_set: OfferSet


class ShippingOptionOut(TypedDict):
    """A shipping option with its current price for the cart."""

    id: str
    name: str
    price_type: OptionPriceType
    service_zone_id: str
    shipping_profile_id: str
    provider_id: str
    provider: ProviderOut
    data: JsonDict | None
    amount: Annotated[
        int | None,
        Field(description="Whole pesos; null for a calculated option while the cart has no destination."),
    ]
    is_tax_inclusive: bool
    insufficient_inventory: bool
    metadata: JsonDict
    type: OptionType
    rules: list[JsonDict]
    calculated_price: CalculatedPrice | None
    prices: list[OptionPrice]
    service_zone: OfferZone


class ShippingOptionsAnswer(TypedDict):
    """The shipping options of a cart; none if no warehouse serves the sales channel."""

    shipping_options: list[ShippingOptionOut]


class ShippingOptionAnswer(TypedDict):
    """Response with one shipping option of a cart."""

    shipping_option: ShippingOptionOut
