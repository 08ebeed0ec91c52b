"""Shipping options that are offered to shoppers.

An option belongs to a service zone, a zone to a fulfillment set, and a set to a stock location. A location is
linked to the sales channels that it serves, and to the providers that it ships with. If the location is not linked
to the sales channel, the option is not offered. If it is not linked to the option's provider, the option cannot be
chosen or changed (spec: Errors).
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
"""The columns of an `Offer`."""
OFFER_TABLES = (
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


def is_offered_in(sales_channel_id: ColumnExpressionArgument[str]) -> ColumnElement[bool]:
    """Return the SQL condition for undeleted options of locations that serve the sales channel (spec: Errors)."""
    return (LocationSalesChannel.sales_channel_id == sales_channel_id) & ShippingOption.deleted_at.is_(None)


_OFFERS = (
    select(*OFFER_COLUMNS)
    .select_from(OFFER_TABLES)
    .where(is_offered_in(bindparam("sales_channel_id")))
    .order_by(*OLDEST_FIRST)
)


class Offer(NamedTuple):
    """A shipping option with its related rows. Its packages are sent from the location.

    Attributes:
        is_enabled: the option's provider is linked to the location; otherwise the option cannot be chosen.
        is_on: staff have not switched the provider off in the shop's settings; otherwise the option is not offered.
    """

    option: ShippingOption
    zone: ServiceZone
    fulfillment_set: FulfillmentSet
    location: StockLocation
    is_enabled: bool
    is_on: bool


async def list_offers_for_country(
    session: AsyncSession, sales_channel_id: str, country_code: str
) -> list[Offer]:
    """Return the options that deliver to a country, oldest first.

    Only options of locations linked to the sales channel are returned (spec: Errors).
    """
    rows = await session.execute(_OFFERS, {"sales_channel_id": sales_channel_id})
    return filter_by_country([Offer(*row) for row in rows], country_code)


def filter_by_country(offers: Sequence[Offer], country_code: str) -> list[Offer]:
    """Return the offers that reach the country."""
    folded_code = country_code.casefold()
    return [offer for offer in offers if folded_code in map(str.casefold, offer.zone.country_codes)]


def provider_not_enabled_error(option: ShippingOption) -> NotAllowed:
    """Return the error for an option whose provider is not linked to its location."""
    return NotAllowed(f"Providers ({option.provider_id}) are not enabled for the service location")
