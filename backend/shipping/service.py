"""Shipping options: which are offered, where their parcels start, and how the shop's staff changes them.

A location serves sales channels and ships with providers; both are links. Without the first an option is not offered,
without the second it cannot be chosen or changed (spec: Errors).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import SalesChannel
from backend.database import locked
from backend.errors import InvalidData, NotAllowed, NotFound
from backend.money import Cop
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.shipping.providers.base import FulfillmentProvider

CALCULATED, FLAT = "calculated", "flat"

CANNOT_CALCULATE = "Cannot calcuate pricing for: [] shipping option(s)."  # so the platform spells it
AMOUNT_MISSING = "Invalid request: Field 'amount' is required"
AMOUNT_NEGATIVE = "Invalid request: Value for field 'amount' too small, expected at least: '0'"


_OFFERS = (
    select(ShippingOption, ServiceZone, FulfillmentSet, StockLocation)
    .join(ServiceZone, ServiceZone.id == ShippingOption.service_zone_id)
    .join(FulfillmentSet, FulfillmentSet.id == ServiceZone.fulfillment_set_id)
    .join(StockLocation, StockLocation.id == FulfillmentSet.location_id)
    .join(LocationSalesChannel, LocationSalesChannel.location_id == StockLocation.id)
    .where(
        LocationSalesChannel.sales_channel_id == bindparam("sales_channel_id"),
        ShippingOption.deleted_at.is_(None),
    )
    .order_by(ShippingOption.created_at, ShippingOption.id)
)
_LINK = select(LocationFulfillmentProvider.provider_id).where(
    LocationFulfillmentProvider.location_id == bindparam("location_id"),
    LocationFulfillmentProvider.provider_id == bindparam("provider_id"),
)


class Offer(NamedTuple):
    """An option with what it hangs on. Its parcels start from the location."""

    option: ShippingOption
    zone: ServiceZone
    fulfillment_set: FulfillmentSet
    location: StockLocation


async def offers_for(session: AsyncSession, sales_channel_id: str, country_code: str) -> list[Offer]:
    """The options that reach a country, the oldest first.

    Only locations that serve the channel count: none at all when none is linked to it (spec: Errors).
    """
    offers = [Offer(*row) for row in await session.execute(_OFFERS, {"sales_channel_id": sales_channel_id})]
    wanted = country_code.casefold()
    return [offer for offer in offers if wanted in map(str.casefold, offer.zone.country_codes)]


async def options_for(
    session: AsyncSession, sales_channel_id: str, country_code: str
) -> Sequence[tuple[ShippingOption, StockLocation]]:
    """The options of `offers_for`, each with the location its parcels start from."""
    offers = await offers_for(session, sales_channel_id, country_code)
    return [(offer.option, offer.location) for offer in offers]


async def location_of(session: AsyncSession, option: ShippingOption) -> StockLocation:
    """The location that the option's parcels start from."""
    rows = await session.execute(
        select(StockLocation)
        .join(FulfillmentSet, FulfillmentSet.location_id == StockLocation.id)
        .join(ServiceZone, ServiceZone.fulfillment_set_id == FulfillmentSet.id)
        .where(ServiceZone.id == option.service_zone_id)
    )
    return rows.scalar_one()


async def require_enabled(session: AsyncSession, option: ShippingOption, location: StockLocation) -> None:
    """Let the option be chosen only if its provider is linked to the location its parcels start from.

    Raises:
        NotAllowed: it is not; the message names the provider (spec: Errors; wire: commerce-api, Error bodies).
    """
    link = {"location_id": location.id, "provider_id": option.provider_id}
    if (await session.execute(_LINK, link)).first() is None:
        raise NotAllowed(f"Providers ({option.provider_id}) are not enabled for the service location")


async def update_option(
    session: AsyncSession,
    providers: Mapping[str, FulfillmentProvider],
    option_id: str,
    *,
    name: str | None = None,
    provider_id: str | None = None,
    price_type: str | None = None,
    amount: Cop | None = None,
) -> ShippingOption:
    """Change an option: what is None stays (spec: States and transitions, to a calculated price).

    Raises:
        NotFound: no option has this id.
        NotAllowed: the provider, new or present, is not linked to the option's location.
        InvalidData: the price type is none, its provider cannot calculate, or a flat price is missing or negative.
    """
    if price_type not in (None, CALCULATED, FLAT):
        raise InvalidData(
            f"Invalid request: Expected: 'calculated, flat' for field 'price_type', but got: '{price_type}'"
        )
    if amount is not None and amount < 0:
        raise InvalidData(AMOUNT_NEGATIVE)
    option = await _locked_option(session, option_id)
    with session.no_autoflush:  # what is not allowed is never written
        option.name = option.name if name is None else name
        option.provider_id = provider_id or option.provider_id
        option.price_type = price_type or option.price_type
        await require_enabled(session, option, await location_of(session, option))
        set_price(option, providers, amount)
    await session.flush()
    return option


async def link_provider(session: AsyncSession, location_id: str, provider_id: str) -> None:
    """Let the location ship with the provider. Linking twice is once; NotFound for an unknown location."""
    await _locked_location(session, location_id)
    if await session.get(LocationFulfillmentProvider, (location_id, provider_id)) is None:
        session.add(LocationFulfillmentProvider(location_id=location_id, provider_id=provider_id))
        await session.flush()


async def unlink_provider(session: AsyncSession, location_id: str, provider_id: str) -> None:
    """Ship no longer with the provider from there; nothing happens when it was not linked."""
    await _locked_location(session, location_id)
    link = LocationFulfillmentProvider
    await session.execute(
        delete(link).where(link.location_id == location_id, link.provider_id == provider_id)
    )


async def link_sales_channel(session: AsyncSession, location_id: str, sales_channel_id: str) -> None:
    """Let the location serve the channel. Linking twice is once; NotFound for an unknown location or channel."""
    await _locked_location(session, location_id)
    if await session.get(SalesChannel, sales_channel_id) is None:
        raise NotFound(f"Sales channel with id: {sales_channel_id} was not found")
    if await session.get(LocationSalesChannel, (location_id, sales_channel_id)) is None:
        session.add(LocationSalesChannel(location_id=location_id, sales_channel_id=sales_channel_id))
        await session.flush()


async def unlink_sales_channel(session: AsyncSession, location_id: str, sales_channel_id: str) -> None:
    """Serve the channel no longer from there; nothing happens when it was not linked."""
    await _locked_location(session, location_id)
    link = LocationSalesChannel
    await session.execute(
        delete(link).where(link.location_id == location_id, link.sales_channel_id == sales_channel_id)
    )


def set_price(
    option: ShippingOption, providers: Mapping[str, FulfillmentProvider], amount: Cop | None
) -> None:
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


async def _locked_option(session: AsyncSession, option_id: str) -> ShippingOption:
    rows = await session.execute(
        locked(
            select(ShippingOption).where(ShippingOption.id == option_id, ShippingOption.deleted_at.is_(None))
        )
    )
    option = rows.scalar_one_or_none()
    if option is None:
        raise NotFound(f"Shipping option with id: {option_id} was not found")
    return option


async def _locked_location(session: AsyncSession, location_id: str) -> StockLocation:
    """The location, held so that two who link the same thing at once do it one after the other."""
    rows = await session.execute(locked(select(StockLocation).where(StockLocation.id == location_id)))
    location = rows.scalar_one_or_none()
    if location is None:
        raise NotFound(f"Stock location with id: {location_id} was not found")
    return location
