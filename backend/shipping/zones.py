"""Fulfillment sets of stock locations, and their service zones: countries or municipalities to which they ship."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import raise_on_conflict
from backend.core.errors import InvalidData, NotAllowed, NotFound, require_found
from backend.shipping.models import FulfillmentSet, ServiceZone, ShippingOption, StockLocation
from backend.shipping.municipalities import find_municipality_by_name
from backend.shipping.schemas import GeoZone, NewSet, NewZone, ZoneChange
from backend.staff.rights import Actor, Right


async def create_set(
    session: AsyncSession, actor: Actor, location: StockLocation, new: NewSet
) -> FulfillmentSet:
    """Create a fulfillment set of the location."""
    actor.require(Right.CHANGE_SETTINGS)
    fulfillment_set = FulfillmentSet(name=new.name, type=new.type, location_id=location.id)
    await record(session, actor, "created", Subject(SubjectType.FULFILLMENT_SET, fulfillment_set.id))
    session.add(fulfillment_set)
    await session.flush()
    return fulfillment_set


async def delete_set(session: AsyncSession, actor: Actor, set_id: str) -> None:
    """Delete the fulfillment set with its zones, if they have no shipping options.

    Raises:
        NotFound: there is no such set.
        NotAllowed: a zone has shipping options, or carts still use one of its deleted options.
    """
    actor.require(Right.CHANGE_SETTINGS)
    fulfillment_set = await find_set(session, set_id)
    await record(session, actor, "deleted", Subject(SubjectType.FULFILLMENT_SET, set_id))
    for zone in await list_zones(session, [set_id]):
        await _delete_zone(session, zone)
    await session.delete(fulfillment_set)
    await session.flush()


async def find_set(session: AsyncSession, set_id: str) -> FulfillmentSet:
    """Return the fulfillment set.

    Raises:
        NotFound: there is no such set.
    """
    return require_found(await session.get(FulfillmentSet, set_id), "Fulfillment set", set_id)


async def list_fulfillment_sets(
    session: AsyncSession, location_ids: Sequence[str]
) -> Sequence[FulfillmentSet]:
    """Return the fulfillment sets of these locations."""
    query = select(FulfillmentSet).where(FulfillmentSet.location_id.in_(location_ids))
    return (await session.execute(query.order_by(FulfillmentSet.id))).scalars().all()


async def list_zones(session: AsyncSession, set_ids: Sequence[str]) -> Sequence[ServiceZone]:
    """Return the service zones of these fulfillment sets."""
    query = select(ServiceZone).where(ServiceZone.fulfillment_set_id.in_(set_ids)).order_by(ServiceZone.id)
    return (await session.execute(query)).scalars().all()


async def create_zone(session: AsyncSession, actor: Actor, set_id: str, new: NewZone) -> ServiceZone:
    """Create a service zone of the fulfillment set.

    Raises:
        NotFound: there is no such set.
        InvalidData: see `parse_geo_zones`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    await find_set(session, set_id)
    countries, towns = parse_geo_zones(new.geo_zones)
    zone = ServiceZone(
        name=new.name, fulfillment_set_id=set_id, country_codes=countries, municipality_codes=towns
    )
    await record(session, actor, "created", Subject(SubjectType.SERVICE_ZONE, zone.id))
    session.add(zone)
    await session.flush()
    return zone


async def change_zone(
    session: AsyncSession, actor: Actor, set_id: str, zone_id: str, change: ZoneChange
) -> ServiceZone:
    """Change the service zone; fields of None are unchanged.

    Raises:
        NotFound: the set has no such zone.
        InvalidData: see `parse_geo_zones`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    zone = await find_zone(session, set_id, zone_id)
    await record(session, actor, "changed", Subject(SubjectType.SERVICE_ZONE, zone_id))
    zone.name = change.name or zone.name
    if change.geo_zones is not None:
        zone.country_codes, zone.municipality_codes = parse_geo_zones(change.geo_zones)
    await session.flush()
    return zone


async def delete_zone(session: AsyncSession, actor: Actor, set_id: str, zone_id: str) -> None:
    """Delete the zone, if it has no shipping options. Rows of options that are marked as deleted are removed with it.

    Raises:
        NotFound: the set has no such zone.
        NotAllowed: the zone has shipping options, or carts still use one of its deleted options.
    """
    actor.require(Right.CHANGE_SETTINGS)
    zone = await find_zone(session, set_id, zone_id)
    await record(session, actor, "deleted", Subject(SubjectType.SERVICE_ZONE, zone_id))
    await _delete_zone(session, zone)


async def find_zone(session: AsyncSession, set_id: str, zone_id: str) -> ServiceZone:
    """Return the service zone of the fulfillment set.

    Raises:
        NotFound: the set has no such zone.
    """
    zone = await session.get(ServiceZone, zone_id)
    if zone is None or zone.fulfillment_set_id != set_id:
        raise NotFound(f"Service zone with id: {zone_id} was not found")
    return zone


async def _delete_zone(session: AsyncSession, zone: ServiceZone) -> None:
    offered = select(ShippingOption.id).where(
        ShippingOption.service_zone_id == zone.id, ShippingOption.deleted_at.is_(None)
    )
    if (await session.execute(offered.limit(1))).first():
        raise NotAllowed("Delete the zone's shipping options first")
    async with raise_on_conflict(
        session, NotAllowed("Carts use an option of this zone: it cannot be deleted")
    ):
        await session.delete(zone)


def parse_geo_zones(zones: Sequence[GeoZone]) -> tuple[list[str], list[str]]:
    """Return the codes of the zone's countries and of its municipalities.

    Without municipalities, the zone covers the whole countries.

    Raises:
        InvalidData: whole countries and municipalities are mixed, or a municipality is not known.
    """
    if len({zone.type for zone in zones}) > 1:
        raise InvalidData("A service zone has whole countries or municipalities, not both")
    towns = {_find_town_code(zone) for zone in zones if zone.type == "city"}
    return sorted({zone.country_code.casefold() for zone in zones}), sorted(towns)


def _find_town_code(zone: GeoZone) -> str:
    name = str((zone.metadata or {}).get("dane_code") or zone.city or "")
    found = find_municipality_by_name(name, zone.province_code or "")
    if found is None or zone.country_code.casefold() != "co":
        raise InvalidData(
            f"{name!r} is not one municipality of Colombia: send its DANE code in metadata.dane_code"
        )
    return found.code
