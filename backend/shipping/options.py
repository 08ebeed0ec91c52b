"""Shipping options: which are offered, where their packages start, and how staff set them up.

An option belongs to a service zone, a zone to a fulfillment set, a set to a stock location. A location serves sales
channels and ships with providers; both are links. Without the first link an option is not offered, without the second
it cannot be chosen or changed (spec: Errors).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, ColumnExpressionArgument, bindparam, exists, func, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.places_of_products import require_profile
from backend.clock import now
from backend.database import constrained, locked
from backend.edge.wire import JsonDict
from backend.errors import InvalidData, NotAllowed, NotFound
from backend.money import Cop
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ProviderSwitch,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.shipping.providers.base import FulfillmentProviders
from backend.shipping.schemas import (
    GeoZone,
    NewOption,
    NewSet,
    NewZone,
    OptionChange,
    OptionPrice,
    ZoneChange,
)
from backend.shipping.wire import TYPE_NOTE, option_type
from backend.staff.rights import Actor, Right
from backend.tables import JsonObject, table_of
from backend.texts import _

CALCULATED = "calculated"


def offered_to(sales_channel_id: ColumnExpressionArgument[str]) -> ColumnElement[bool]:
    """The option is offered in this sales channel: only locations that are linked to it count (spec: Errors)."""
    return (LocationSalesChannel.sales_channel_id == sales_channel_id) & ShippingOption.deleted_at.is_(None)


CANNOT_CALCULATE = "Cannot calcuate pricing for: [] shipping option(s)."  # so the platform spells it
AMOUNT_MISSING = "Invalid request: Field 'amount' is required"

OFFER_COLUMNS: tuple[Any, ...] = (
    ShippingOption,
    ServiceZone,
    FulfillmentSet,
    StockLocation,
    LocationFulfillmentProvider.provider_id.is_not(None),
    func.coalesce(ProviderSwitch.is_enabled, true()),
)
"""What an `Offer` is made of."""
OFFERED = (
    table_of(ShippingOption)
    .join(table_of(ServiceZone), ServiceZone.id == ShippingOption.service_zone_id)
    .join(table_of(FulfillmentSet), FulfillmentSet.id == ServiceZone.fulfillment_set_id)
    .join(table_of(StockLocation), StockLocation.id == FulfillmentSet.location_id)
    .join(table_of(LocationSalesChannel), LocationSalesChannel.location_id == StockLocation.id)
    .outerjoin(
        table_of(LocationFulfillmentProvider),
        (LocationFulfillmentProvider.location_id == StockLocation.id)
        & (LocationFulfillmentProvider.provider_id == ShippingOption.provider_id),
    )
    .outerjoin(table_of(ProviderSwitch), ProviderSwitch.id == ShippingOption.provider_id)
)
"""The tables of `OFFER_COLUMNS`."""
OLDEST_FIRST = (ShippingOption.created_at, ShippingOption.id)
_OFFERS = (
    select(*OFFER_COLUMNS)
    .select_from(OFFERED)
    .where(offered_to(bindparam("sales_channel_id")))
    .order_by(*OLDEST_FIRST)
)
_LINK = select(LocationFulfillmentProvider.provider_id).where(
    LocationFulfillmentProvider.location_id == bindparam("location_id"),
    LocationFulfillmentProvider.provider_id == bindparam("provider_id"),
)


_OFF = (
    select(ShippingOption)
    .join(ProviderSwitch, ProviderSwitch.id == ShippingOption.provider_id)
    .where(ShippingOption.id == bindparam("option_id"), ProviderSwitch.is_enabled.is_(False))
)


def is_switched_off(option_id: ColumnExpressionArgument[str]) -> ColumnElement[bool]:
    """Whether the office has switched the provider of this option off, as a part of another statement."""
    return (
        exists()
        .where(ShippingOption.id == option_id, ProviderSwitch.id == ShippingOption.provider_id)
        .where(ProviderSwitch.is_enabled.is_(False))
    )


class Offer(NamedTuple):
    """An option with what it belongs to. Its packages start from the location.

    `is_enabled`: its provider is linked to the location; without that it cannot be chosen. `is_on`: the office has not
    switched its provider off; without that it is not offered.
    """

    option: ShippingOption
    zone: ServiceZone
    fulfillment_set: FulfillmentSet
    location: StockLocation
    is_enabled: bool
    is_on: bool


async def offers_for(session: AsyncSession, sales_channel_id: str, country_code: str) -> list[Offer]:
    """The options that reach a country, the oldest first.

    Only locations that serve the channel count: there is no option while none is linked to it (spec: Errors).
    """
    rows = await session.execute(_OFFERS, {"sales_channel_id": sales_channel_id})
    return reaching([Offer(*row) for row in rows], country_code)


def reaching(offers: Sequence[Offer], country_code: str) -> list[Offer]:
    """Those of them that reach the country."""
    wanted = country_code.casefold()
    return [offer for offer in offers if wanted in map(str.casefold, offer.zone.country_codes)]


async def location_of(session: AsyncSession, option: ShippingOption) -> StockLocation:
    """The location that the option's packages start from."""
    rows = await session.execute(
        select(StockLocation)
        .join(FulfillmentSet, FulfillmentSet.location_id == StockLocation.id)
        .join(ServiceZone, ServiceZone.fulfillment_set_id == FulfillmentSet.id)
        .where(ServiceZone.id == option.service_zone_id)
    )
    return rows.scalar_one()


async def require_enabled(session: AsyncSession, option: ShippingOption, location: StockLocation) -> None:
    """Refuse the option unless its provider is linked to the location.

    Raises:
        NotAllowed: it is not; the message names the provider (spec: Errors; wire: commerce-api, Error bodies).
    """
    link = {"location_id": location.id, "provider_id": option.provider_id}
    if (await session.execute(_LINK, link)).first() is None:
        raise not_enabled(option)


class ShippingOff(InvalidData):
    """The office has switched the provider of a shipping option off."""

    shopper_text = _("Este envío ya no se ofrece. Elige otra forma de recibir tu pedido.")

    def __init__(self, option: ShippingOption) -> None:
        super().__init__(f"Shipping option {option.id} is not offered: {option.provider_id} is switched off")


async def require_on(session: AsyncSession, option_id: str | None) -> None:
    """Refuse a shipping option whose provider is switched off. One that is deleted stays good where it was chosen.

    Raises:
        ShippingOff: it is.
    """
    option = (await session.execute(_OFF, {"option_id": option_id})).scalar_one_or_none()
    if option is not None:
        raise ShippingOff(option)


def not_enabled(option: ShippingOption) -> NotAllowed:
    """The error for an option whose provider is not linked to its location."""
    return NotAllowed(f"Providers ({option.provider_id}) are not enabled for the service location")


async def create_option(
    session: AsyncSession, actor: Actor, providers: FulfillmentProviders, new: NewOption
) -> ShippingOption:
    """A new shipping option.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such zone or profile.
        NotAllowed: the provider is not linked to the zone's location (wire: commerce-api, Error bodies).
        InvalidData: a flat price is missing, or the provider cannot calculate.
    """
    actor.require(Right.CHANGE_SETTINGS)
    zone = await session.get(ServiceZone, new.service_zone_id)
    if zone is None:
        raise NotFound(f"Service zone with id: {new.service_zone_id} was not found")
    await require_profile(session, new.shipping_profile_id)
    option = ShippingOption(
        name=new.name,
        price_type=new.price_type,
        provider_id=new.provider_id,
        service_zone_id=zone.id,
        shipping_profile_id=new.shipping_profile_id,
        data=new.data or {},
        meta=await _with_type(session, {}, new),
    )
    await require_enabled(session, option, await location_of(session, option))
    _set_price(option, providers, flat_price(new.prices))
    await record(session, actor, "created", Subject(Thing.SHIPPING_OPTION, option.id))
    session.add(option)
    await session.flush()
    return option


async def change_option(
    session: AsyncSession, actor: Actor, providers: FulfillmentProviders, option_id: str, change: OptionChange
) -> ShippingOption:
    """Change an option: what is None stays (spec: States and transitions, to a calculated price).

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such option or profile.
        NotAllowed: the provider, new or present, is not linked to the option's location.
        InvalidData: a flat price is missing, or the provider cannot calculate.
    """
    actor.require(Right.CHANGE_SETTINGS)
    option = await _lock_option(session, option_id)
    await record(session, actor, "changed", Subject(Thing.SHIPPING_OPTION, option_id))
    with session.no_autoflush:  # what is not allowed is never written
        option.name = option.name if change.name is None else change.name
        option.provider_id = change.provider_id or option.provider_id
        option.price_type = change.price_type or option.price_type
        await require_enabled(session, option, await location_of(session, option))
        _set_price(option, providers, flat_price(change.prices))
        if change.shipping_profile_id is not None:
            await require_profile(session, change.shipping_profile_id)
            option.shipping_profile_id = change.shipping_profile_id
        option.data = option.data if change.data is None else change.data
        option.meta = await _with_type(session, option.meta, change)
    await session.flush()
    return option


async def delete_option(session: AsyncSession, actor: Actor, option_id: str) -> None:
    """Offer the option no longer. Carts and orders that ship by it go on. NotFound: there is none.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    option = await _lock_option(session, option_id)
    await record(session, actor, "deleted", Subject(Thing.SHIPPING_OPTION, option_id))
    option.deleted_at = now()
    await session.flush()


def flat_price(prices: Sequence[OptionPrice] | None) -> Cop | None:
    """The one price in pesos that was sent, if any; a region's price is the same, as there is one region.

    Raises:
        InvalidData: there are others.
    """
    if not prices:
        return None
    amounts = {price.amount for price in prices}
    if len(amounts) > 1 or any((price.currency_code or "cop").casefold() != "cop" for price in prices):
        raise InvalidData("A shipping option has one price, in cop")
    return amounts.pop()


# fulfillment sets and service zones


async def create_set(
    session: AsyncSession, actor: Actor, location: StockLocation, new: NewSet
) -> FulfillmentSet:
    """A new fulfillment set of the location.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    fulfillment_set = FulfillmentSet(name=new.name, type=new.type, location_id=location.id)
    await record(session, actor, "created", Subject(Thing.FULFILLMENT_SET, fulfillment_set.id))
    session.add(fulfillment_set)
    await session.flush()
    return fulfillment_set


async def delete_set(session: AsyncSession, actor: Actor, set_id: str) -> None:
    """Delete the fulfillment set with its zones.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is none.
        NotAllowed: carts or orders ship by one of its options.
    """
    actor.require(Right.CHANGE_SETTINGS)
    fulfillment_set = await find_set(session, set_id)
    await record(session, actor, "deleted", Subject(Thing.FULFILLMENT_SET, set_id))
    for zone in await zones_of(session, [set_id]):
        await _delete_zone(session, zone)
    await session.delete(fulfillment_set)
    await session.flush()


async def find_set(session: AsyncSession, set_id: str) -> FulfillmentSet:
    """The fulfillment set. NotFound: there is none."""
    fulfillment_set = await session.get(FulfillmentSet, set_id)
    if fulfillment_set is None:
        raise NotFound(f"Fulfillment set with id: {set_id} was not found")
    return fulfillment_set


async def sets_of(session: AsyncSession, location_ids: Sequence[str]) -> Sequence[FulfillmentSet]:
    """The fulfillment sets of these locations."""
    query = select(FulfillmentSet).where(FulfillmentSet.location_id.in_(location_ids))
    return (await session.execute(query.order_by(FulfillmentSet.id))).scalars().all()


async def zones_of(session: AsyncSession, set_ids: Sequence[str]) -> Sequence[ServiceZone]:
    """The zones of these fulfillment sets."""
    query = select(ServiceZone).where(ServiceZone.fulfillment_set_id.in_(set_ids)).order_by(ServiceZone.id)
    return (await session.execute(query)).scalars().all()


async def create_zone(session: AsyncSession, actor: Actor, set_id: str, new: NewZone) -> ServiceZone:
    """A new zone of the fulfillment set. NotFound: there is no such set.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    await find_set(session, set_id)
    zone = ServiceZone(name=new.name, fulfillment_set_id=set_id, country_codes=_countries(new.geo_zones))
    await record(session, actor, "created", Subject(Thing.SERVICE_ZONE, zone.id))
    session.add(zone)
    await session.flush()
    return zone


async def change_zone(
    session: AsyncSession, actor: Actor, set_id: str, zone_id: str, change: ZoneChange
) -> ServiceZone:
    """Change the zone: what is None stays. NotFound: the set has no such zone.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    zone = await find_zone(session, set_id, zone_id)
    await record(session, actor, "changed", Subject(Thing.SERVICE_ZONE, zone_id))
    zone.name = change.name or zone.name
    if change.geo_zones is not None:
        zone.country_codes = _countries(change.geo_zones)
    await session.flush()
    return zone


async def delete_zone(session: AsyncSession, actor: Actor, set_id: str, zone_id: str) -> None:
    """Delete the zone with its options. NotFound, NotAllowed: see `delete_set`.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    zone = await find_zone(session, set_id, zone_id)
    await record(session, actor, "deleted", Subject(Thing.SERVICE_ZONE, zone_id))
    await _delete_zone(session, zone)


async def find_zone(session: AsyncSession, set_id: str, zone_id: str) -> ServiceZone:
    """The zone of the fulfillment set. NotFound: it has no such zone."""
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
    async with constrained(session, NotAllowed("Carts ship by an option of this zone: it cannot be deleted")):
        await session.delete(zone)


def _set_price(option: ShippingOption, providers: FulfillmentProviders, amount: Cop | None) -> None:
    """Give the option a price that its type allows: a flat one an amount, a calculated one a provider that can."""
    if option.price_type == CALCULATED:
        provider = providers.get(option.provider_id)
        if provider is None or not provider.can_calculate:
            raise InvalidData(CANNOT_CALCULATE)
        option.amount = None
    else:
        option.amount = option.amount if amount is None else amount
        if option.amount is None:
            raise InvalidData(AMOUNT_MISSING)


async def undeleted_options(session: AsyncSession) -> Sequence[ShippingOption]:
    """The options that are not deleted, the oldest first."""
    query = select(ShippingOption).where(ShippingOption.deleted_at.is_(None))
    query = query.order_by(ShippingOption.created_at, ShippingOption.id)
    return (await session.execute(query)).scalars().all()


async def type_with_id(session: AsyncSession, type_id: str) -> JsonDict:
    """The type with this id: each option has its own.

    Raises:
        NotFound: there is none.
    """
    for option in await undeleted_options(session):
        if (shown := option_type(option))["id"] == type_id:
            return shown
    raise NotFound(f"Shipping option type with id: {type_id} was not found")


async def _lock_option(session: AsyncSession, option_id: str) -> ShippingOption:
    query = select(ShippingOption).where(ShippingOption.id == option_id, ShippingOption.deleted_at.is_(None))
    option = (await session.execute(locked(query))).scalar_one_or_none()
    if option is None:
        raise NotFound(f"Shipping option with id: {option_id} was not found")
    return option


async def _with_type(session: AsyncSession, known: JsonObject, sent: OptionChange) -> JsonObject:
    """The option's metadata, and in it what the platform calls its type.

    Raises:
        InvalidData: both a type and an id of one are said.
        NotFound: no option has the type that is named.
    """
    if sent.type is not None and sent.type_id is not None:
        raise InvalidData("A shipping option has one type: say `type` or `type_id`")
    meta = known if sent.metadata is None else {**sent.metadata, TYPE_NOTE: known.get(TYPE_NOTE)}
    if sent.type is not None:
        meta = {**meta, TYPE_NOTE: sent.type.model_dump()}
    if sent.type_id is not None:
        same = await type_with_id(session, sent.type_id)
        meta = {**meta, TYPE_NOTE: {name: same[name] for name in ("label", "description", "code")}}
    return {name: value for name, value in meta.items() if name != TYPE_NOTE or value}


def _countries(zones: Sequence[GeoZone]) -> list[str]:
    return sorted({zone.country_code.casefold() for zone in zones})
