"""Request bodies and parameters of stock locations and shipping options (wire: commerce-api, Admin)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from backend.edge.schemas import (
    Body,
    FilledName,
    FilterParameters,
    Links,
    ListParameters,
    Metadata,
    Name,
    Pesos,
    example,
)
from backend.shipping.terms.own_delivery import MAX_FREE_FROM

MAX_GEO_ZONES = 200
PriceType = Literal["calculated", "flat"]


class LocationAddress(Body):
    """Address of a stock location. `dane_code` (also accepted in `metadata`) is the origin for carriers' prices."""

    address_1: Name | None = None
    address_2: Name | None = None
    company: Name | None = None
    city: Name | None = None
    country_code: Name | None = None
    phone: Name | None = None
    province: Name | None = None
    postal_code: Name | None = None
    dane_code: Name | None = None
    metadata: Metadata | None = None


class LocationChange(Body):
    """Changes of a warehouse; omitted fields are unchanged."""

    model_config = example(
        address={"address_1": "Calle 13 # 68-40", "city": "Bogotá, D.C.", "dane_code": "11001000"}
    )

    name: FilledName | None = None
    address: LocationAddress | None = None


class NewLocation(LocationChange):
    """A new warehouse."""

    model_config = example(
        name="Bodega Medellín",
        address={
            "address_1": "Carrera 50 # 30-12",
            "city": "Medellín",
            "province": "Antioquia",
            "country_code": "co",
            "phone": "6044441234",
            "dane_code": "05001000",
        },
    )

    name: FilledName


class ProviderLinks(Links):
    """Ids of fulfillment providers to link to a location, and of providers to unlink."""

    model_config = example(add=["manual_manual"], remove=[])


class ChannelLinks(Links):
    """Ids of sales channels to link to a location, and of sales channels to unlink."""

    model_config = example(add=["sc_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])


class NewSet(Body):
    """A new fulfillment set of a warehouse."""

    model_config = example(name="Envíos nacionales", type="shipping")

    name: FilledName
    type: FilledName = "shipping"


class GeoZone(Body):
    """A destination in a service zone: a whole country, or a municipality of Colombia (spec: Entities).

    A municipality has the type `city`. It is found by its DANE code (`metadata.dane_code`, or as `city`), or by its
    name and the department (`province_code`: a name, DANE's two digits or ISO 3166-2).
    """

    type: Literal["country", "city"] = "country"
    country_code: Annotated[str, Field(min_length=2, max_length=2)]
    province_code: Name | None = None
    city: Name | None = None
    id: Name | None = None
    metadata: Metadata | None = None


class ZoneChange(Body):
    """Changes of a service zone."""

    model_config = example(name="Toda Colombia")

    name: FilledName | None = None
    geo_zones: Annotated[list[GeoZone], Field(min_length=1, max_length=MAX_GEO_ZONES)] | None = None


class NewZone(Body):
    """A new service zone."""

    model_config = example(name="Colombia", geo_zones=[{"type": "country", "country_code": "co"}])

    name: FilledName
    geo_zones: Annotated[list[GeoZone], Field(min_length=1, max_length=MAX_GEO_ZONES)]


class PriceRule(Body):
    """The condition under which own delivery is free: the goods cost at least `value` pesos after discounts."""

    attribute: Literal["item_total"]
    operator: Literal["gte"] = "gte"
    value: Annotated[int, Field(ge=1, le=MAX_FREE_FROM)]
    id: Name | None = None
    priority: Annotated[int, Field(ge=0, le=100)] | None = None


class OptionPrice(Body):
    """A flat price, in whole pesos."""

    amount: Pesos
    currency_code: Name | None = None
    region_id: Name | None = None
    id: Name | None = None
    rules: Annotated[list[PriceRule], Field(max_length=1)] | None = None


class OptionRule(Body):
    """A rule of a shipping option. Only the two attributes that the platform's own admin adds are accepted."""

    attribute: Literal["enabled_in_store", "is_return"]
    operator: Literal["eq", "ne"] = "eq"
    value: Any = None
    id: Name | None = None


class OptionType(Body):
    """A shipping option type."""

    label: FilledName
    description: Name | None = None
    code: FilledName


class OptionChange(Body):
    """Changes of a shipping option; omitted fields are unchanged.

    For a price calculated by the provider, send both `provider_id` and `price_type` (spec: States and transitions).
    """

    model_config = example(provider_id="carrier_standard", price_type="calculated")

    name: FilledName | None = None
    provider_id: FilledName | None = None
    price_type: PriceType | None = None
    prices: Annotated[list[OptionPrice], Field(max_length=10)] | None = None
    data: Metadata | None = None
    metadata: Metadata | None = None
    shipping_profile_id: FilledName | None = None
    type: OptionType | None = None
    type_id: Name | None = None
    """The type of an existing option, which this option gets too."""
    rules: Annotated[list[OptionRule], Field(max_length=10)] | None = None


class NewOption(OptionChange):
    """A new shipping option."""

    model_config = example(
        name="Mensajero en Bogotá",
        provider_id="manual_manual",
        price_type="flat",
        prices=[{"amount": 12_000, "currency_code": "cop"}],
        service_zone_id="serzo_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
        shipping_profile_id="sp_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
    )

    name: FilledName
    provider_id: FilledName
    price_type: PriceType
    service_zone_id: FilledName
    shipping_profile_id: FilledName


class OptionsParameters(FilterParameters):
    """Filters of shipping options."""

    id: list[Name] | None = None
    q: str | None = Field(None, max_length=200)
    service_zone_id: list[Name] | None = None
    shipping_profile_id: list[Name] | None = None
    provider_id: list[Name] | None = None
    stock_location_id: list[Name] | None = None


class ProvidersParameters(ListParameters):
    """Filters of fulfillment providers."""

    id: list[Name] | None = None
    is_enabled: bool | None = None
    stock_location_id: list[Name] | None = None
