"""Conversion of warehouses and shipping options to the platform's shapes."""

from backend.channels.models import ShippingProfile
from backend.channels.wire import profile_wire
from backend.core.config.modules import OWN_DELIVERY
from backend.core.money import Cop
from backend.core.texts import _
from backend.edge.wire import JsonDict, derive_sibling_id, exact_value, iso, stamps
from backend.shipping.answers import (
    GeoZone,
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
from backend.shipping.municipalities import Municipality, find_municipality_by_code, get_iso_department
from backend.shipping.terms.own_delivery import get_free_from, is_own_delivery, is_pickup

ITEM_TOTAL = "item_total"
"""The platform's attribute of a price rule: the total of the goods, after discounts."""
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


def _geo_zones_wire(zone: ServiceZone) -> list[GeoZone]:
    if not zone.municipality_codes:
        return [_geo_zone_wire(zone, code, None) for code in zone.country_codes]
    towns = [find_municipality_by_code(code) for code in zone.municipality_codes]
    return [_geo_zone_wire(zone, zone.country_codes[0], town) for town in towns if town is not None]


def _geo_zone_wire(zone: ServiceZone, country_code: str, town: Municipality | None) -> GeoZone:
    """Return the geo zone of a municipality, or of the whole country if `town` is None."""
    return {
        "id": f"{derive_sibling_id('fgz', zone.id)}{town.code if town else country_code}",
        "type": "city" if town else "country",
        "country_code": country_code,
        "province_code": f"co-{get_iso_department(town.department_code)}" if town else None,
        "city": town.name if town else None,
        "metadata": {"dane_code": town.code} if town else None,
        "service_zone_id": zone.id,
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
    """Convert the option's type: the stored one, or the default type for pickup, own delivery or a carrier."""
    label, code = _("Estándar"), "standard"
    if is_pickup(option):
        label, code = _("Recoger en tienda"), "pickup"
    elif is_own_delivery(option):
        label, code = _("Entrega propia"), OWN_DELIVERY
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


def option_prices_wire(option: ShippingOption) -> list[OptionPrice]:
    """Convert an option's flat price and, if its own delivery is free from some total on, add a price of 0."""
    if option.amount is None:
        return []
    free_from = get_free_from(option)
    return [
        _price_wire(option, option.amount),
        *([] if free_from is None else [_price_wire(option, 0, free_from)]),
    ]


def _price_wire(option: ShippingOption, amount: Cop, from_item_total: Cop | None = None) -> OptionPrice:
    price_id = derive_sibling_id("price", option.id)
    rules: list[JsonDict] = []
    if from_item_total is not None:
        price_id = f"{price_id}f"
        rules = [
            {
                "id": derive_sibling_id("prule", option.id),
                "attribute": ITEM_TOTAL,
                "operator": "gte",
                "value": str(from_item_total),
                "priority": 0,
            }
        ]
    return {
        "id": price_id,
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
        "rules_count": len(rules),
        "price_rules": rules,
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
        "prices": option_prices_wire(option),
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
    """Convert a service zone and its geo zones: countries or municipalities (spec: Entities)."""
    return {
        "id": zone.id,
        "name": zone.name,
        "fulfillment_set_id": zone.fulfillment_set_id,
        "metadata": None,
        "geo_zones": _geo_zones_wire(zone),
        **stamps(zone.created_at, zone.updated_at),
        "deleted_at": None,
    }
