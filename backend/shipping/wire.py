"""Conversion of warehouses and shipping options to the platform's shapes."""

from backend.channels.models import ShippingProfile
from backend.channels.wire import profile_wire
from backend.core.texts import _
from backend.edge.wire import JsonDict, derive_sibling_id, exact_value, iso, stamps
from backend.shipping.answers import (
    LocationAddress,
    LocationOut,
    OptionOut,
    OptionPrice,
    OptionType,
    SetOut,
    ZoneOut,
)
from backend.shipping.models import (
    FulfillmentSet,
    ServiceZone,
    ShippingOption,
    StockLocation,
)

TYPE_KEY = "type"
"""Key in an option's `meta` with the platform's type."""


def location_address_wire(location: StockLocation) -> LocationAddress:
    """Convert the address of a warehouse."""
    address = location.address
    extra = {name: value for name, value in address.items() if name not in LocationAddress.__annotations__}
    return {
        "id": derive_sibling_id("laddr", location.id),
        "address_1": address.get("address_1"),
        "address_2": address.get("address_2"),
        "company": address.get("company"),
        "city": address.get("city"),
        "country_code": address.get("country_code"),
        "phone": address.get("phone"),
        "province": address.get("province"),
        "postal_code": address.get("postal_code"),
        "metadata": {**(address.get("metadata") or {}), **extra} or None,
        **stamps(location.created_at, location.updated_at),
        "deleted_at": None,
    }


def location_wire(location: StockLocation) -> LocationOut:
    """Convert a warehouse, without its links."""
    return {
        "id": location.id,
        "name": location.name,
        "address_id": derive_sibling_id("laddr", location.id),
        "address": location_address_wire(location),
        "metadata": None,
        "created_at": iso(location.created_at),
        "updated_at": iso(location.updated_at),
    }


def option_type_wire(option: ShippingOption) -> OptionType:
    """Return the option's type of shipping."""
    is_pickup = bool(option.data.get("pickup"))
    label, code = (_("Recoger en tienda"), "pickup") if is_pickup else (_("Estándar"), "standard")
    stored = option.meta.get(TYPE_KEY) or {"label": label, "description": label, "code": code}
    return {
        "id": derive_sibling_id("sotype", option.id),
        "label": stored["label"],
        "description": stored.get("description"),
        "code": stored["code"],
        **stamps(option.created_at, option.updated_at),
        "deleted_at": None,
    }


def get_option_metadata(option: ShippingOption) -> JsonDict | None:
    """Return the option's metadata without the key `TYPE_KEY`, which only the shop uses."""
    return {name: value for name, value in option.meta.items() if name != TYPE_KEY} or None


def option_price_wire(option: ShippingOption) -> OptionPrice:
    """Convert the flat price of an option."""
    amount = option.amount or 0
    return {
        "id": derive_sibling_id("price", option.id),
        "title": None,
        "currency_code": "cop",
        "price_set_id": derive_sibling_id("pset", option.id),
        "amount": amount,
        "raw_amount": exact_value(amount),
        "min_quantity": None,
        "max_quantity": None,
        "raw_min_quantity": None,
        "raw_max_quantity": None,
        "price_list_id": None,
        "price_list": None,
        "rules_count": 0,
        "price_rules": [],
        **stamps(option.created_at, option.updated_at),
        "deleted_at": None,
    }


def option_wire(
    option: ShippingOption, zone: ServiceZone, profile: ShippingProfile, fulfillment_set: FulfillmentSet
) -> OptionOut:
    """Convert a shipping option for staff."""
    return {
        "id": option.id,
        "name": option.name,
        "price_type": option.price_type,
        "provider_id": option.provider_id,
        "provider": {"id": option.provider_id, "is_enabled": True},
        "service_zone_id": zone.id,
        "service_zone": {
            "id": zone.id,
            "name": zone.name,
            "fulfillment_set_id": zone.fulfillment_set_id,
            "fulfillment_set": {
                "id": fulfillment_set.id,
                "name": fulfillment_set.name,
                "type": fulfillment_set.type,
                "location": {"id": fulfillment_set.location_id},
            },
            "metadata": None,
        },
        "shipping_profile_id": profile.id,
        "shipping_profile": profile_wire(profile),
        "shipping_option_type_id": derive_sibling_id("sotype", option.id),
        "data": option.data or None,
        "metadata": get_option_metadata(option),
        "type": option_type_wire(option),
        "rules": [],
        "prices": [option_price_wire(option)] if option.amount is not None else [],
        **stamps(option.created_at, option.updated_at),
    }


def set_wire(fulfillment_set: FulfillmentSet, zones: list[ServiceZone]) -> SetOut:
    """Convert a fulfillment set with its zones."""
    return {
        "id": fulfillment_set.id,
        "name": fulfillment_set.name,
        "type": fulfillment_set.type,
        "metadata": None,
        "service_zones": [zone_wire(zone) for zone in zones],
        **stamps(fulfillment_set.created_at, fulfillment_set.updated_at),
        "deleted_at": None,
    }


def zone_wire(zone: ServiceZone) -> ZoneOut:
    """Convert a service zone and its geo zones, which are all of the type `country` (spec: Entities)."""
    return {
        "id": zone.id,
        "name": zone.name,
        "fulfillment_set_id": zone.fulfillment_set_id,
        "metadata": None,
        "geo_zones": [
            {
                "id": f"{derive_sibling_id('fgz', zone.id)}{code}",
                "type": "country",
                "country_code": code,
                "province_code": None,
                "city": None,
                "service_zone_id": zone.id,
            }
            for code in zone.country_codes
        ],
        **stamps(zone.created_at, zone.updated_at),
        "deleted_at": None,
    }
