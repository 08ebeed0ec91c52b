"""Shapes of warehouses, zones and shipping options in the responses of the Store and Admin API."""

from typing import Annotated, NotRequired, get_args

from pydantic import Field
from typing_extensions import TypedDict

from backend.channels.answers import ChannelOut, ProfileOut
from backend.edge.wire import JsonDict, LastingStamps, Page, Stamps
from backend.shipping.schemas import PriceType

OptionPriceType = Annotated[str, Field(json_schema_extra={"enum": [*get_args(PriceType)]})]
"""Type of the price. The database column is a text; the enum documents its values."""


class LocationAddress(LastingStamps):
    """The address of a warehouse."""

    id: str
    address_1: str | None
    address_2: str | None
    company: str | None
    city: str | None
    country_code: str | None
    phone: str | None
    province: str | None
    postal_code: str | None
    metadata: JsonDict | None


class ProviderOut(TypedDict):
    """A fulfillment provider that the shop uses."""

    id: str
    is_enabled: bool


class GeoZone(TypedDict):
    """A country or, with the type `city`, a municipality of a service zone. `metadata` has its DANE code."""

    id: str
    type: str
    country_code: str
    province_code: str | None
    city: str | None
    metadata: JsonDict | None
    service_zone_id: str


class ZoneOut(LastingStamps):
    """A service zone."""

    id: str
    name: str
    fulfillment_set_id: str
    metadata: None
    geo_zones: list[GeoZone]


class SetOut(LastingStamps):
    """A fulfillment set."""

    id: str
    name: str
    type: str
    metadata: None
    service_zones: list[ZoneOut]


class LocationOut(Stamps):
    """A warehouse. Its providers, sales channels and fulfillment sets are present if the request names them."""

    id: str
    name: str
    address_id: str
    address: LocationAddress
    metadata: None
    fulfillment_providers: NotRequired[list[ProviderOut]]
    sales_channels: NotRequired[list[ChannelOut]]
    fulfillment_sets: NotRequired[list[SetOut]]


class OptionType(LastingStamps):
    """The type of a shipping option."""

    id: str
    label: str
    description: str | None
    code: str


class OptionPrice(LastingStamps):
    """The flat price of a shipping option."""

    id: str
    title: None
    currency_code: str
    price_set_id: str
    amount: int
    raw_amount: JsonDict
    min_quantity: None
    max_quantity: None
    raw_min_quantity: None
    raw_max_quantity: None
    price_list_id: None
    price_list: None
    rules_count: int
    price_rules: list[JsonDict]


class SetLocation(TypedDict):
    """The warehouse of a fulfillment set."""

    id: str


class OptionSet(TypedDict):
    """The fulfillment set of an option's zone."""

    id: str
    name: str
    type: str
    location: SetLocation


class OptionZone(TypedDict):
    """The service zone of an option."""

    id: str
    name: str
    fulfillment_set_id: str
    fulfillment_set: OptionSet
    metadata: None


class OptionOut(Stamps):
    """A shipping option for staff."""

    id: str
    name: str
    price_type: OptionPriceType
    provider_id: str
    provider: ProviderOut
    service_zone_id: str
    service_zone: OptionZone
    shipping_profile_id: str
    shipping_profile: ProfileOut
    shipping_option_type_id: str
    data: JsonDict | None
    metadata: JsonDict | None
    type: OptionType
    rules: list[JsonDict]
    prices: list[OptionPrice]


class ProvidedOption(TypedDict):
    """A service of a fulfillment provider."""

    id: str
    is_return: bool


class LocationAnswer(TypedDict):
    """Response with one warehouse."""

    stock_location: LocationOut


class LocationsAnswer(Page):
    """A page of the warehouses."""

    stock_locations: list[LocationOut]


class ProvidersAnswer(Page):
    """A page of the fulfillment providers."""

    fulfillment_providers: list[ProviderOut]


class ProfileAnswer(TypedDict):
    """Response with one shipping profile."""

    shipping_profile: ProfileOut


class ProfilesAnswer(Page):
    """A page of the shipping profiles."""

    shipping_profiles: list[ProfileOut]


class SetAnswer(TypedDict):
    """Response with one fulfillment set."""

    fulfillment_set: SetOut


class ZoneAnswer(TypedDict):
    """Response with one service zone."""

    service_zone: ZoneOut


class OptionAnswer(TypedDict):
    """Response with one shipping option."""

    shipping_option: OptionOut


class OptionsAnswer(Page):
    """A page of the shipping options."""

    shipping_options: list[OptionOut]


class OptionTypeAnswer(TypedDict):
    """Response with one shipping option type."""

    shipping_option_type: OptionType


class OptionTypesAnswer(Page):
    """A page of the types of shipping options."""

    shipping_option_types: list[OptionType]


class ProvidedOptionsAnswer(Page):
    """A page of a provider's services."""

    fulfillment_options: list[ProvidedOption]
