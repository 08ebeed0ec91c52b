"""Setting up warehouses and ways to ship. Links and changes of options are in `backend.shipping.service`."""

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.clock import now
from backend.database import locked
from backend.errors import InvalidData, NotAllowed, NotFound
from backend.inventory.models import InventoryLevel
from backend.money import Cop
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ServiceZone,
    ShippingOption,
    ShippingProfile,
    StockLocation,
)
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.schemas import (
    GeoZone,
    LocationAddress,
    LocationChange,
    NewLocation,
    NewOption,
    NewSet,
    NewZone,
    OptionChange,
    OptionPrice,
    ZoneChange,
)
from backend.shipping.service import location_of, require_enabled, set_price, update_option
from backend.shipping.wire import TYPE_NOTE
from backend.tables import JsonObject

LOCATION_IN_USE = "Units lie at this location, or fulfillments started from it: it cannot be deleted"


async def create_location(session: AsyncSession, new: NewLocation) -> StockLocation:
    """A new warehouse, linked to nothing yet."""
    location = StockLocation(name=new.name, address=_address({}, new.address) if new.address else {})
    session.add(location)
    await session.flush()
    return location


async def change_location(session: AsyncSession, location_id: str, change: LocationChange) -> StockLocation:
    """Change what was said of the warehouse. NotFound: there is none."""
    location = await find_location(session, location_id)
    location.name = change.name or location.name
    if change.address is not None:
        location.address = _address(location.address, change.address)
    await session.flush()
    return location


async def delete_location(session: AsyncSession, location_id: str) -> None:
    """Take the warehouse away, with its ways to ship.

    Raises:
        NotFound: there is none.
        NotAllowed: units lie there, or fulfillments started from there.
    """
    location = await find_location(session, location_id)
    stock = select(InventoryLevel.id).where(
        InventoryLevel.location_id == location_id, InventoryLevel.stocked > 0
    )
    if (await session.execute(stock.limit(1))).first():
        raise NotAllowed(LOCATION_IN_USE)
    for fulfillment_set in await sets_of(session, [location_id]):
        await delete_set(session, fulfillment_set.id)
    for link in (LocationSalesChannel, LocationFulfillmentProvider):
        await session.execute(delete(link).where(link.location_id == location_id))
    await session.execute(delete(InventoryLevel).where(InventoryLevel.location_id == location_id))
    try:
        async with session.begin_nested():
            await session.delete(location)
    except IntegrityError:  # a fulfillment refers to it
        raise NotAllowed(LOCATION_IN_USE) from None


async def find_location(session: AsyncSession, location_id: str) -> StockLocation:
    """The warehouse, locked. NotFound: there is none."""
    query = locked(select(StockLocation).where(StockLocation.id == location_id))
    location = (await session.execute(query)).scalar_one_or_none()
    if location is None:
        raise NotFound(f"Stock location with id: {location_id} was not found")
    return location


async def sets_of(session: AsyncSession, location_ids: Sequence[str]) -> Sequence[FulfillmentSet]:
    """The fulfilment sets of these warehouses."""
    query = select(FulfillmentSet).where(FulfillmentSet.location_id.in_(location_ids))
    return (await session.execute(query.order_by(FulfillmentSet.id))).scalars().all()


async def create_set(session: AsyncSession, location_id: str, new: NewSet) -> FulfillmentSet:
    """A new fulfilment set of the warehouse. NotFound: there is no such warehouse."""
    await find_location(session, location_id)
    fulfillment_set = FulfillmentSet(name=new.name, type=new.type, location_id=location_id)
    session.add(fulfillment_set)
    await session.flush()
    return fulfillment_set


async def delete_set(session: AsyncSession, set_id: str) -> None:
    """Take the fulfilment set away, with its zones.

    Raises:
        NotFound: there is none.
        NotAllowed: carts or orders ship by one of its options.
    """
    fulfillment_set = await find_set(session, set_id)
    for zone in await zones_of(session, [set_id]):
        await _delete_zone(session, zone)
    await session.delete(fulfillment_set)
    await session.flush()


async def find_set(session: AsyncSession, set_id: str) -> FulfillmentSet:
    """The fulfilment set. NotFound: there is none."""
    fulfillment_set = await session.get(FulfillmentSet, set_id)
    if fulfillment_set is None:
        raise NotFound(f"Fulfillment set with id: {set_id} was not found")
    return fulfillment_set


async def zones_of(session: AsyncSession, set_ids: Sequence[str]) -> Sequence[ServiceZone]:
    """The zones of these fulfilment sets."""
    query = select(ServiceZone).where(ServiceZone.fulfillment_set_id.in_(set_ids)).order_by(ServiceZone.id)
    return (await session.execute(query)).scalars().all()


async def create_zone(session: AsyncSession, set_id: str, new: NewZone) -> ServiceZone:
    """A new zone of the fulfilment set. NotFound: there is no such set."""
    await find_set(session, set_id)
    zone = ServiceZone(name=new.name, fulfillment_set_id=set_id, country_codes=_countries(new.geo_zones))
    session.add(zone)
    await session.flush()
    return zone


async def change_zone(session: AsyncSession, set_id: str, zone_id: str, change: ZoneChange) -> ServiceZone:
    """Change what was said of the zone. NotFound: the set has no such zone."""
    zone = await find_zone(session, set_id, zone_id)
    zone.name = change.name or zone.name
    if change.geo_zones is not None:
        zone.country_codes = _countries(change.geo_zones)
    await session.flush()
    return zone


async def delete_zone(session: AsyncSession, set_id: str, zone_id: str) -> None:
    """Take the zone away, with its options. NotFound, NotAllowed: see `delete_set`."""
    await _delete_zone(session, await find_zone(session, set_id, zone_id))


async def find_zone(session: AsyncSession, set_id: str, zone_id: str) -> ServiceZone:
    """The zone of the fulfilment set. NotFound: it has no such zone."""
    zone = await session.get(ServiceZone, zone_id)
    if zone is None or zone.fulfillment_set_id != set_id:
        raise NotFound(f"Service zone with id: {zone_id} was not found")
    return zone


async def create_option(
    session: AsyncSession, providers: Mapping[str, FulfillmentProvider], new: NewOption
) -> ShippingOption:
    """A new way to ship.

    Raises:
        NotFound: there is no such zone or profile.
        NotAllowed: the provider is not linked to the zone's warehouse (wire: commerce-api, Error bodies).
        InvalidData: a flat price is missing, or the provider cannot calculate.
    """
    zone = await session.get(ServiceZone, new.service_zone_id)
    if zone is None:
        raise NotFound(f"Service zone with id: {new.service_zone_id} was not found")
    option = ShippingOption(
        name=new.name,
        price_type=new.price_type,
        provider_id=new.provider_id,
        service_zone_id=zone.id,
        shipping_profile_id=(await _profile(session, new.shipping_profile_id)).id,
        data=new.data or {},
        meta=_noted({}, new),
    )
    await require_enabled(session, option, await location_of(session, option))
    set_price(option, providers, flat_price(new.prices))
    session.add(option)
    await session.flush()
    return option


async def change_option(
    session: AsyncSession,
    providers: Mapping[str, FulfillmentProvider],
    option_id: str,
    change: OptionChange,
) -> ShippingOption:
    """Change what was said of the option. See `backend.shipping.service.update_option`."""
    option = await update_option(
        session,
        providers,
        option_id,
        name=change.name,
        provider_id=change.provider_id,
        price_type=change.price_type,
        amount=flat_price(change.prices),
    )
    if change.shipping_profile_id is not None:
        option.shipping_profile_id = (await _profile(session, change.shipping_profile_id)).id
    option.data = option.data if change.data is None else change.data
    option.meta = _noted(option.meta, change)
    await session.flush()
    return option


async def delete_option(session: AsyncSession, option_id: str) -> None:
    """Offer the option no longer. Carts and orders that ship by it go on. NotFound: there is none."""
    query = select(ShippingOption).where(ShippingOption.id == option_id, ShippingOption.deleted_at.is_(None))
    option = (await session.execute(locked(query))).scalar_one_or_none()
    if option is None:
        raise NotFound(f"Shipping option with id: {option_id} was not found")
    option.deleted_at = now()
    await session.flush()


def flat_price(prices: Sequence[OptionPrice] | None) -> Cop | None:
    """The one price in pesos that was said, if any; a region's price is the same, as there is one region.

    Raises:
        InvalidData: there are others.
    """
    if not prices:
        return None
    amounts = {price.amount for price in prices}
    if len(amounts) > 1 or any((price.currency_code or "cop").casefold() != "cop" for price in prices):
        raise InvalidData("A shipping option has one price, in cop")
    return amounts.pop()


async def _delete_zone(session: AsyncSession, zone: ServiceZone) -> None:
    offered = select(ShippingOption.id).where(
        ShippingOption.service_zone_id == zone.id, ShippingOption.deleted_at.is_(None)
    )
    if (await session.execute(offered.limit(1))).first():
        raise NotAllowed("Delete the zone's shipping options first")
    try:
        async with session.begin_nested():
            await session.delete(zone)
    except IntegrityError:
        raise NotAllowed("Carts ship by an option of this zone: it cannot be deleted") from None


async def _profile(session: AsyncSession, profile_id: str) -> ShippingProfile:
    profile = await session.get(ShippingProfile, profile_id)
    if profile is None:
        raise NotFound(f"Shipping profile with id: {profile_id} was not found")
    return profile


def _noted(known: JsonObject, said: OptionChange) -> JsonObject:
    """The option's metadata, and in it the platform's type of option."""
    noted = known if said.metadata is None else {**said.metadata, TYPE_NOTE: known.get(TYPE_NOTE)}
    if said.type is not None:
        noted = {**noted, TYPE_NOTE: said.type.model_dump()}
    return {name: value for name, value in noted.items() if name != TYPE_NOTE or value}


def _address(known: JsonObject, said: LocationAddress) -> JsonObject:
    told = said.model_dump(exclude_unset=True)
    dane_code = told.get("dane_code") or (told.get("metadata") or {}).get("dane_code")
    return {**known, **told, **({"dane_code": str(dane_code)} if dane_code else {})}


def _countries(zones: Sequence[GeoZone]) -> list[str]:
    return sorted({zone.country_code.casefold() for zone in zones})
