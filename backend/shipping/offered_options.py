"""Shipping options as shoppers are offered them.

An option belongs to a service zone, a zone to a fulfillment set, a set to a stock location. A location serves sales
channels and ships with providers; both are links. Without the first link an option is not offered, without the second
it cannot be chosen or changed (spec: Errors).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, ColumnExpressionArgument, bindparam, func, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import table_of
from backend.core.errors import NotAllowed
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ProviderSwitch,
    ServiceZone,
    ShippingOption,
    StockLocation,
)

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


def offered_to(sales_channel_id: ColumnExpressionArgument[str]) -> ColumnElement[bool]:
    """The option is offered in this sales channel: only locations that are linked to it count (spec: Errors)."""
    return (LocationSalesChannel.sales_channel_id == sales_channel_id) & ShippingOption.deleted_at.is_(None)


_OFFERS = (
    select(*OFFER_COLUMNS)
    .select_from(OFFERED)
    .where(offered_to(bindparam("sales_channel_id")))
    .order_by(*OLDEST_FIRST)
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


def not_enabled(option: ShippingOption) -> NotAllowed:
    """The error for an option whose provider is not linked to its location."""
    return NotAllowed(f"Providers ({option.provider_id}) are not enabled for the service location")
