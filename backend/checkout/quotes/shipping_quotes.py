"""Quotes for shipping a cart: asking a provider, and storing what it answered for the choice that follows.

A provider is asked outside any transaction. Its quote is stored with the cart: choosing an option costs what the list
before it said and asks nobody again. This holds on another replica too, and for the fixed price that replaces the quote
of a carrier that failed.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import Line
from backend.cart.models import Cart, LineItem, ShippingQuote
from backend.catalog.models import Product, Variant
from backend.core.db.database import db_now
from backend.core.db.tables import Json, insert_into, table_of
from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.core.web.contact import one_line
from backend.pricing import price_cart
from backend.shipping.addresses import municipality_code, municipality_of, origin_of
from backend.shipping.models import CALCULATED, ShippingOption, StockLocation
from backend.shipping.offered_options import OFFER_COLUMNS, OFFERED, OLDEST_FIRST, Offer, offered_to, reaching
from backend.shipping.packages import Item, content_value, packages_for
from backend.shipping.provider_switches import ShippingOff
from backend.shipping.providers.base import FulfillmentProvider, Place, Quote, QuoteRequest

Providers = Mapping[str, FulfillmentProvider]

STORED_FOR = timedelta(minutes=10)
"""How long a choice may cost what the list before it said. Rates drift by the hour (wire: carrier 2.2)."""
UNKNOWN_ADDRESS = "Dirección por confirmar"
UNKNOWN_OPTION = "Shipping Options are invalid for cart."

_STORED = select(ShippingQuote.quote).where(
    ShippingQuote.cart_id == bindparam("cart_id"),
    ShippingQuote.shipping_option_id == bindparam("option_id"),
    ShippingQuote.request == bindparam("request"),
    ShippingQuote.quoted_at > db_now(-STORED_FOR),
)


@dataclass(frozen=True, slots=True)
class QuoteInput:
    """What decides the shipping price of a cart. `dane_code` (municipality) is empty while there is no destination."""

    country_code: str
    dane_code: str
    address: str
    items: tuple[Item, ...]
    value: Cop

    def to(self, dane_code: str, address: str) -> "QuoteInput":
        """The same items to another destination."""
        return replace(self, dane_code=dane_code, address=one_line(address))

    def request(self, location: StockLocation) -> QuoteRequest:
        """The request to a provider for a delivery from this location."""
        return QuoteRequest(
            origin=origin_of(location.address),
            destination=Place(self.dane_code, self.address or UNKNOWN_ADDRESS),
            packages=packages_for(self.items),
            content_value=self.value,
        )


@dataclass(frozen=True, slots=True)
class PricedOption:
    """An option with its price (None: a calculated one without a destination), and what was asked for it."""

    offer: Offer
    quote: Quote | None
    request: QuoteRequest | None = None


def quote_input(cart: Cart, lines: Sequence[Line]) -> QuoteInput:
    """What decides the shipping price of the cart with these lines.

    Raises:
        InvalidData: the address names a destination that is no municipality.
    """
    town = municipality_of(cart.shipping_address)
    return _quote_input(cart, lines, town.code if town else "")


def quote_input_anywhere(cart: Cart, lines: Sequence[Line]) -> QuoteInput:
    """The same, but an address that names no municipality counts as none: for a cart that gets another address."""
    return _quote_input(cart, lines, municipality_code(cart.shipping_address))


def quote_input_of(variant: Variant, product: Product, dane_code: str) -> QuoteInput:
    """What decides the shipping price of one unit of a variant."""
    return QuoteInput("co", dane_code, "", (_item(product, 1),), content_value(variant.price))


def with_offers(query: Any) -> Any:
    """The query of the cart `cart_id` and its lines, with what is offered in its sales channel: see `offers_in`."""
    # beside the first line only, so that the rows are those of the lines and those of the options, not each with each
    first = select(func.min(LineItem.id)).where(LineItem.cart_id == bindparam("cart_id")).scalar_subquery()
    is_first = LineItem.id.is_(None) | (LineItem.id == first)
    return (
        query.add_columns(*OFFER_COLUMNS)
        .outerjoin(OFFERED, offered_to(Cart.sales_channel_id) & is_first)
        .order_by(*OLDEST_FIRST)
    )


def offers_in(rows: Iterable[Any]) -> list[Offer]:
    """The offers in the rows of a query that `with_offers` made: their last columns."""
    ends = [row[-len(OFFER_COLUMNS) :] for row in rows]
    return [Offer(*end) for end in ends if end[0] is not None]


def offers_of(offers: Sequence[Offer], providers: Providers, contents: QuoteInput) -> list[Offer]:
    """Those of the offers that are for the cart; one whose provider is off, or not the shop's, is left out."""
    return [offer for offer in _all_offers(offers, providers, contents) if offer.is_on]


def _all_offers(offers: Sequence[Offer], providers: Providers, contents: QuoteInput) -> list[Offer]:
    there = reaching(offers, contents.country_code)
    return [offer for offer in there if offer.option.provider_id in providers]


def the_offer(offers: Sequence[Offer], providers: Providers, contents: QuoteInput, option_id: str) -> Offer:
    """One of them.

    Raises:
        ShippingOff: its provider is switched off.
        InvalidData: the option is not offered for this cart.
    """
    for offer in _all_offers(offers, providers, contents):
        if offer.option.id == option_id:
            if not offer.is_on:
                raise ShippingOff(offer.option)
            return offer
    raise InvalidData(UNKNOWN_OPTION)


def is_asked_for(offer: Offer, contents: QuoteInput) -> bool:
    """Whether the option's price is its provider's, who can be asked for it."""
    return offer.option.price_type == CALCULATED and bool(contents.dane_code)


async def price_option(providers: Providers, offer: Offer, contents: QuoteInput) -> PricedOption:
    """The option's price; a calculated one is asked for now. See `FulfillmentProvider.calculate_price`."""
    option = offer.option
    if option.price_type != CALCULATED:
        return PricedOption(offer, Quote(amount=option.amount or 0))
    if not contents.dane_code:
        return PricedOption(offer, None)
    request = contents.request(offer.location)
    return PricedOption(offer, await providers[option.provider_id].calculate_price(request), request)


async def stored_quote(
    session: AsyncSession, cart_id: str, offer: Offer, contents: QuoteInput
) -> PricedOption | None:
    """The option as it was priced for the cart lately, when the very same was asked; None when it must be asked for.

    A flat price is known.
    """
    option: ShippingOption = offer.option
    if option.price_type != CALCULATED:
        return PricedOption(offer, Quote(amount=option.amount or 0))
    if not contents.dane_code:
        return None
    request = contents.request(offer.location)
    wanted = {"cart_id": cart_id, "option_id": option.id, "request": _digest(option, request)}
    stored = (await session.execute(_STORED, wanted)).scalar_one_or_none()
    return PricedOption(offer, Quote(**stored), request) if stored is not None else None


async def store_quotes(session: AsyncSession, cart_id: str, priced: Iterable[PricedOption]) -> None:
    """Store the quotes for the choice that follows. A flat price needs none."""
    rows = [
        {
            "cart_id": cart_id,
            "shipping_option_id": one.offer.option.id,
            "request": _digest(one.offer.option, one.request),
            "quote": asdict(one.quote),
        }
        for one in priced
        if one.quote is not None and one.request is not None
    ]
    if rows:
        rows.sort(key=lambda row: str(row["shipping_option_id"]))  # always in this order: no deadlock
        for row in rows:
            await session.execute(_STORE, row)


_INSERT = insert_into(table_of(ShippingQuote)).values(
    cart_id=bindparam("cart_id"),
    shipping_option_id=bindparam("shipping_option_id"),
    request=bindparam("request"),
    quote=bindparam("quote", type_=Json),
    quoted_at=db_now(),
)
_STORE = _INSERT.on_conflict_do_update(
    index_elements=["cart_id", "shipping_option_id"],
    set_={name: _INSERT.excluded[name] for name in ("request", "quote", "quoted_at")},
)


def _digest(option: ShippingOption, request: QuoteRequest) -> str:
    written = json.dumps([option.provider_id, asdict(request)], sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()


def _quote_input(cart: Cart, lines: Sequence[Line], dane_code: str) -> QuoteInput:
    address = cart.shipping_address or {}
    sold = [(line, line.product) for line in lines if line.product]  # what is no longer for sale is not sent
    return QuoteInput(
        country_code=str(address.get("country_code") or "co"),
        dane_code=dane_code,
        address=one_line(str(address.get("address_1") or "")),
        items=tuple(_item(product, line.item.quantity) for line, product in sold),
        value=content_value(price_cart([line.priced for line, _ in sold]).item_total),
    )


def _item(product: Product, units: int) -> Item:
    return Item(units, product.weight, product.length, product.height, product.width)
