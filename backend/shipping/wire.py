"""Warehouses and shipping options as the platform shows them."""

from backend.channels.models import ShippingProfile
from backend.channels.wire import profile_wire
from backend.core.texts import _
from backend.edge.wire import JsonDict, exact, iso, sibling_id, stamps
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

TYPE_NOTE = "type"
"""Where an option's `meta` keeps what the platform calls its type."""


def address_of(location: StockLocation) -> LocationAddress:
    """The address of a warehouse."""
    known = location.address
    extra = {name: value for name, value in known.items() if name not in LocationAddress.__annotations__}
    return {
        "id": sibling_id("laddr", location.id),
        "address_1": known.get("address_1"),
        "address_2": known.get("address_2"),
        "company": known.get("company"),
        "city": known.get("city"),
        "country_code": known.get("country_code"),
        "phone": known.get("phone"),
        "province": known.get("province"),
        "postal_code": known.get("postal_code"),
        "metadata": {**(known.get("metadata") or {}), **extra} or None,
        **stamps(location.created_at, location.updated_at),
        "deleted_at": None,
    }


def location_wire(location: StockLocation) -> LocationOut:
    """A warehouse, without what it is linked to."""
    return {
        "id": location.id,
        "name": location.name,
        "address_id": sibling_id("laddr", location.id),
        "address": address_of(location),
        "metadata": None,
        "created_at": iso(location.created_at),
        "updated_at": iso(location.updated_at),
    }


def option_type(option: ShippingOption) -> OptionType:
    """What kind of shipping it is."""
    is_pickup = bool(option.data.get("pickup"))
    label, code = (_("Recoger en tienda"), "pickup") if is_pickup else (_("Estándar"), "standard")
    said = option.meta.get(TYPE_NOTE) or {"label": label, "description": label, "code": code}
    return {
        "id": sibling_id("sotype", option.id),
        "label": said["label"],
        "description": said.get("description"),
        "code": said["code"],
        **stamps(option.created_at, option.updated_at),
        "deleted_at": None,
    }


def metadata_of(option: ShippingOption) -> JsonDict | None:
    """The option's metadata, without what we keep in it."""
    return {name: value for name, value in option.meta.items() if name != TYPE_NOTE} or None


def option_price(option: ShippingOption) -> OptionPrice:
    """The flat price of an option."""
    amount = option.amount or 0
    return {
        "id": sibling_id("price", option.id),
        "title": None,
        "currency_code": "cop",
        "price_set_id": sibling_id("pset", option.id),
        "amount": amount,
        "raw_amount": exact(amount),
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
    """A shipping option, as staff see it."""
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
        "shipping_option_type_id": sibling_id("sotype", option.id),
        "data": option.data or None,
        "metadata": metadata_of(option),
        "type": option_type(option),
        "rules": [],
        "prices": [option_price(option)] if option.amount is not None else [],
        **stamps(option.created_at, option.updated_at),
    }


def set_wire(fulfillment_set: FulfillmentSet, zones: list[ServiceZone]) -> SetOut:
    """A fulfillment set with its zones."""
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
    """A service zone with its geo zones, all of type country (spec: Entities)."""
    return {
        "id": zone.id,
        "name": zone.name,
        "fulfillment_set_id": zone.fulfillment_set_id,
        "metadata": None,
        "geo_zones": [
            {
                "id": f"{sibling_id('fgz', zone.id)}{code}",
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
