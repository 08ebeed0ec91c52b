"""Address of the shop's warehouse, and the default names that contain its city."""

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.modules import MANUAL
from backend.core.config.settings import Settings
from backend.core.texts import _
from backend.shipping.locations import change_location
from backend.shipping.models import ShippingOption, StockLocation
from backend.shipping.municipalities import find_municipality_by_code
from backend.staff.rights import Actor

WAREHOUSE_SETTINGS = {"carrier_origin_dane_code", "carrier_origin_address", "carrier_origin_phone"}
"""Names of the settings with the warehouse's address."""


async def move_warehouse(session: AsyncSession, actor: Actor, effective: Settings) -> bool:
    """Set the address of the shop's only warehouse from the settings, so that shipping prices use it as the origin.

    Nothing changes if there is not exactly one warehouse, or if the settings name no known municipality. Default
    names of the warehouse and of pickup options that contain the old city are changed to the new city.

    Returns:
        True if the address changed.
    """
    locations = (await session.execute(select(StockLocation).limit(2))).scalars().all()
    address = build_warehouse_address(effective)
    if len(locations) != 1 or not address["city"]:
        return False
    (location,) = locations
    if address.items() <= location.address.items():
        return False
    old, new = str(location.address.get("city") or ""), address["city"]
    name = format_warehouse_name(new) if location.name == format_warehouse_name(old) else None
    await change_location(session, actor, location.id, name=name, address=address)
    pickups = (
        update(ShippingOption)
        .where(ShippingOption.name == format_pickup_name(old), ShippingOption.provider_id == MANUAL)
        .values(name=format_pickup_name(new))
    )
    await session.execute(pickups)
    return True


def build_warehouse_address(settings: Settings) -> dict[str, str]:
    """Return the warehouse's address with the API's field names; unknown parts are empty."""
    place = find_municipality_by_code(settings.carrier_origin_dane_code)
    return {
        "address_1": settings.carrier_origin_address,
        "city": place.name if place else "",
        "province": place.department if place else "",
        "country_code": "co",
        "phone": settings.carrier_origin_phone,
        "dane_code": settings.carrier_origin_dane_code,
    }


def format_warehouse_name(city: str) -> str:
    """Return the default name of a warehouse in the city."""
    return _("Bodega {city}").format(city=_shorten_city(city)).strip()


def format_pickup_name(city: str) -> str:
    """Return the default name of the pick-up option in the city."""
    return _("Recoger en la tienda ({city})").format(city=_shorten_city(city))


def _shorten_city(city: str) -> str:
    """Return the city's name up to the first comma: `Bogotá` for `Bogotá, D.C.`."""
    return city.partition(",")[0]
