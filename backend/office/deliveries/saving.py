"""Save and delete zones of own delivery and pickup points.

Each is a shipping option. A zone of own delivery has its own service zone with its municipalities. A pickup point
uses the service zone of the whole country. Both belong to the fulfillment set of the shop's oldest location, and
the services of `backend.shipping` record the audit.
"""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.products.sales_channels import read_shipping_profile
from backend.core.config.modules import MANUAL, OWN_DELIVERY
from backend.core.db.database import lock_rows
from backend.core.errors import Conflict, NotAllowed, NotFound, require_found
from backend.core.texts import _
from backend.office.deliveries.form import PointForm, ZoneForm
from backend.shipping.locations import find_first_location_id, link_providers, lock_location
from backend.shipping.models import LocationFulfillmentProvider, ServiceZone, ShippingOption
from backend.shipping.options import change_option, create_option, delete_option
from backend.shipping.providers.base import FulfillmentProviders
from backend.shipping.schemas import (
    GeoZone,
    NewOption,
    NewSet,
    NewZone,
    OptionChange,
    OptionPrice,
    PriceRule,
    ZoneChange,
)
from backend.shipping.terms.own_delivery import is_own_delivery, is_pickup
from backend.shipping.zones import change_zone, create_set, create_zone, list_fulfillment_sets, list_zones
from backend.staff.rights import Actor, Right

COUNTRY = "co"
MAX_OPTIONS = 100
"""Maximum number of zones of own delivery, and of pickup points, that the office creates."""


class DeliveryChanged(Conflict):
    """Another staff member changed or deleted the zone or pickup point since the form was shown."""

    staff_text = _("Otra persona la cambió mientras editabas. Mira cómo quedó y guarda otra vez.")


async def save_zone(
    session: AsyncSession,
    actor: Actor,
    providers: FulfillmentProviders,
    form: ZoneForm,
    *,
    option_id: str = "",
    version: str = "",
) -> ShippingOption:
    """Create a zone of own delivery or, with `option_id`, change it. Return its shipping option.

    `version` is the `format_version` of the zone that the form displayed.

    Raises:
        NotFound: there is no such zone; or the shop has no location.
        NotAllowed: the shop has `MAX_OPTIONS` zones.
        DeliveryChanged: the zone has changed since the form was shown; nothing is saved.
    """
    actor.require(Right.CHANGE_SETTINGS)
    geo_zones = [
        GeoZone(type="city", country_code=COUNTRY, metadata={"dane_code": code}) for code in form.towns
    ]
    values = OptionChange(name=form.name, prices=_list_prices(form), data=form.terms.to_data())
    if option_id:
        option, zone = await _lock_seen(session, option_id, version)
        if not is_own_delivery(option):
            raise NotFound(f"{option_id} is no zone of own delivery")
        change = ZoneChange(name=form.name, geo_zones=geo_zones)
        await change_zone(session, actor, zone.fulfillment_set_id, zone.id, change)
        return await change_option(session, actor, providers, option.id, values)
    set_id = await _prepare_set(session, actor, OWN_DELIVERY)
    zone = await create_zone(session, actor, set_id, NewZone(name=form.name, geo_zones=geo_zones))
    return await _create_option(session, actor, providers, zone.id, OWN_DELIVERY, values)


async def save_point(
    session: AsyncSession,
    actor: Actor,
    providers: FulfillmentProviders,
    form: PointForm,
    *,
    option_id: str = "",
    version: str = "",
) -> ShippingOption:
    """Create a pickup point or, with `option_id`, change it. Return its shipping option.

    A new point costs nothing; a changed one keeps its price.

    Raises:
        NotFound, NotAllowed, DeliveryChanged: see `save_zone`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    data = form.point.to_data()
    if option_id:
        option, _zone = await _lock_seen(session, option_id, version)
        if not is_pickup(option):
            raise NotFound(f"{option_id} is no pickup point")
        change = OptionChange(name=form.name, data={**option.data, **data})
        return await change_option(session, actor, providers, option.id, change)
    set_id = await _prepare_set(session, actor, MANUAL)
    zone_id = await _find_country_zone(session, actor, set_id)
    values = OptionChange(name=form.name, prices=[OptionPrice(amount=0)], data=data)
    return await _create_option(session, actor, providers, zone_id, MANUAL, values)


async def delete_delivery(session: AsyncSession, actor: Actor, option_id: str) -> None:
    """Delete a zone of own delivery or a pickup point. Orders that use it are not affected.

    Raises:
        NotFound: no zone and no pickup point has this id.
    """
    actor.require(Right.CHANGE_SETTINGS)
    option = await session.get(ShippingOption, option_id)
    if option is None or not (is_own_delivery(option) or is_pickup(option)):
        raise NotFound(f"{option_id} is neither a zone of own delivery nor a pickup point")
    await delete_option(session, actor, option_id)


def format_version(option: ShippingOption, zone: ServiceZone) -> str:
    """Return a text that differs after each change of a zone of own delivery or of a pickup point."""
    return f"{option.updated_at.isoformat()} {zone.updated_at.isoformat()}"


def _list_prices(form: ZoneForm) -> list[OptionPrice]:
    free_from = form.terms.free_from
    rules = [] if free_from is None else [PriceRule(attribute="item_total", value=free_from)]
    return [OptionPrice(amount=form.price), *([OptionPrice(amount=0, rules=rules)] if rules else [])]


async def _lock_seen(
    session: AsyncSession, option_id: str, version: str
) -> tuple[ShippingOption, ServiceZone]:
    """Lock the option and its zone, and return both.

    Raises:
        DeliveryChanged: one of them has changed since the form was shown.
    """
    query = select(ShippingOption).where(ShippingOption.id == option_id, ShippingOption.deleted_at.is_(None))
    option = (await session.execute(lock_rows(query))).scalar_one_or_none()
    if option is None:
        raise DeliveryChanged(f"{option_id} was deleted")
    zone = await session.get_one(ServiceZone, option.service_zone_id, populate_existing=True)
    if format_version(option, zone) != version:
        raise DeliveryChanged(f"{option_id} has changed since it was shown")
    return option, zone


async def _prepare_set(session: AsyncSession, actor: Actor, provider_id: str) -> str:
    """Return the id of the fulfillment set for a new option, after linking the provider to the set's location.

    Raises:
        NotFound: the shop has no location.
        NotAllowed: the provider has `MAX_OPTIONS` options.
    """
    location_id = await find_first_location_id(session)
    if not location_id:
        raise NotFound("The shop has no stock location yet: run `trompo init`")
    location = await lock_location(session, location_id)  # concurrent requests create no second set
    count = (
        select(func.count())
        .select_from(ShippingOption)
        .where(ShippingOption.provider_id == provider_id, ShippingOption.deleted_at.is_(None))
    )
    if (await session.execute(count)).scalar_one() >= MAX_OPTIONS:
        text = _("Ya hay {n} y no caben más. Borra lo que ya no uses.").format(n=MAX_OPTIONS)
        raise NotAllowed(f"The shop has {MAX_OPTIONS} options of {provider_id}", staff_text=text)
    link = await session.get(LocationFulfillmentProvider, (location_id, provider_id))
    if link is None:
        await link_providers(session, actor, location_id, add=[provider_id])
    sets = await list_fulfillment_sets(session, [location_id])
    if sets:
        return sets[0].id
    return (await create_set(session, actor, location, NewSet(name=_("Envíos a domicilio")))).id


async def _find_country_zone(session: AsyncSession, actor: Actor, set_id: str) -> str:
    for zone in await list_zones(session, [set_id]):
        if not zone.municipality_codes and COUNTRY in zone.country_codes:
            return zone.id
    new = NewZone(name="Colombia", geo_zones=[GeoZone(country_code=COUNTRY)])
    return (await create_zone(session, actor, set_id, new)).id


async def _create_option(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    providers: FulfillmentProviders,
    zone_id: str,
    provider_id: str,
    values: OptionChange,
) -> ShippingOption:
    profile = require_found(await read_shipping_profile(session), "Shipping profile", "")
    new = NewOption(
        name=values.name or "",
        provider_id=provider_id,
        price_type="flat",
        service_zone_id=zone_id,
        shipping_profile_id=profile.id,
        prices=values.prices,
        data=values.data,
    )
    return await create_option(session, actor, providers, new)
