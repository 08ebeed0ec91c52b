"""Shipping options that are offered to shoppers.

An option belongs to a service zone, a zone to a fulfillment set, and a set to a stock location. A location is
linked to the sales channels that it serves, and to the providers that it ships with. If the location is not linked
to the sales channel, the option is not offered. If it is not linked to the option's provider, the option cannot be
chosen or changed (spec: Errors).
"""

from collections.abc import Sequence
from datetime import datetime
from math import inf
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, ColumnExpressionArgument, bindparam, func, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.money import Cop
from backend.core.texts import _
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ProviderSwitch,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.shipping.terms.own_delivery import get_free_from, is_own_delivery

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


class OptionNotOffered(InvalidData):
    """The shipping option does not exist, or is not offered for this cart or destination."""

    shopper_text = _("Este envío ya no se ofrece para tu dirección. Elige otra forma de recibir tu compra.")


class Offer(NamedTuple):
    """A shipping option with its zone, its fulfillment set, and the location from which packages are sent.

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


def filter_by_destination(offers: Sequence[Offer], country_code: str, dane_code: str) -> list[Offer]:
    """Return the offers that deliver to the municipality. If `dane_code` is empty, return those for whole countries.

    Of the own-delivery offers that can be chosen, only the cheapest one is returned (`get_cheaper_key`).
    """
    reachable = [offer for offer in filter_by_country(offers, country_code) if _reaches(offer, dane_code)]
    own = [offer for offer in reachable if is_own_delivery(offer.option) and offer.is_enabled and offer.is_on]
    cheapest = min(own, key=lambda offer: get_cheaper_key(offer.option), default=None)
    return [offer for offer in reachable if offer not in own or offer is cheapest]


def get_cheaper_key(option: ShippingOption) -> tuple[Cop, float, datetime, str]:
    """Return a sort key that puts the own-delivery option that costs the shopper least first.

    It compares the price, then the goods total from which delivery is free, then the age: the oldest is first.
    """
    free_from = get_free_from(option)
    return (option.amount or 0, inf if free_from is None else free_from, option.created_at, option.id)


def _reaches(offer: Offer, dane_code: str) -> bool:
    return not offer.zone.municipality_codes or dane_code in offer.zone.municipality_codes


def provider_not_enabled_error(option: ShippingOption) -> NotAllowed:
    """Return the error for an option whose provider is not linked to its location."""
    return NotAllowed(f"Providers ({option.provider_id}) are not enabled for the service location")
