"""Prices of own delivery: the amount from which it is free, and the check that a chosen zone is still the same.

The price of a zone is a flat price of its shipping option, so no provider is asked for it. The zone's free-from
amount is compared with the goods after discounts, which only the cart knows.
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import read_contents
from backend.cart.shipping_method import FREE_FROM
from backend.cart.totals import read_goods_total
from backend.core.db.tables import JsonObject
from backend.core.errors import TotalChanged
from backend.core.money import Cop
from backend.orders.service import SoldShipping
from backend.shipping.models import ServiceZone, ShippingOption
from backend.shipping.offered_options import Offer, OptionNotOffered
from backend.shipping.providers.base import Quote
from backend.shipping.terms.own_delivery import get_free_from, is_own_delivery

ZONE_PRICE = "zone_price"
"""Key in the data of a shipping method of own delivery: the price of its zone when it was chosen."""


async def read_goods_total_for(session: AsyncSession, cart_id: str, offers: Sequence[Offer]) -> Cop:
    """Return the price of the cart's goods after discounts; 0 if no price of these offers depends on it."""
    if all(get_free_from(offer.option) is None for offer in offers):
        return 0
    return await read_goods_total(session, cart_id, await read_contents(session, cart_id))


def apply_free_from(option: ShippingOption, quote: Quote, goods_total: Cop) -> Quote:
    """Return the quote, with a price of 0 if the goods cost enough for free own delivery."""
    free_from = get_free_from(option)
    return quote if free_from is None or goods_total < free_from else replace(quote, amount=0)


def build_zone_data(option: ShippingOption) -> JsonObject:
    """Return the data of a shipping method that depend on the zone of own delivery; empty for other options."""
    if not is_own_delivery(option):
        return {}
    free_from = get_free_from(option)
    return {ZONE_PRICE: option.amount or 0, **({} if free_from is None else {FREE_FROM: free_from})}


async def require_unchanged_zone(session: AsyncSession, sold: SoldShipping, dane_code: str) -> None:
    """Check that own delivery still goes to this municipality, at the price at which it was chosen.

    Other shipping methods are not checked.

    Raises:
        OptionNotOffered: the shipping option was deleted, or its zone no longer has the municipality.
        TotalChanged: the price, or the amount from which delivery is free, has changed.
    """
    if ZONE_PRICE not in sold.data:
        return
    query = (
        select(ShippingOption, ServiceZone)
        .join(ServiceZone, ServiceZone.id == ShippingOption.service_zone_id)
        .where(ShippingOption.id == sold.option_id, ShippingOption.deleted_at.is_(None))
    )
    found = (await session.execute(query)).one_or_none()
    codes = found[1].municipality_codes if found else []
    if found is None or not is_own_delivery(found[0]) or (codes and dane_code not in codes):
        raise OptionNotOffered(f"Shipping option {sold.option_id} no longer delivers to {dane_code}")
    if build_zone_data(found[0]) != {
        name: sold.data[name] for name in (ZONE_PRICE, FREE_FROM) if name in sold.data
    }:
        raise TotalChanged(f"The price of shipping option {sold.option_id} has changed: choose it again")
