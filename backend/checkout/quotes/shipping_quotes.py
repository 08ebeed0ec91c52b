"""Request shipping quotes for a cart, and store them until the shopper chooses one.

A provider is called outside any transaction. Its quote is stored with the cart, so a chosen option costs exactly
the price that was listed, and choosing it needs no new request. This is also true on another replica. If a carrier
failed, the fixed price that replaces its quote is stored in the same way.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import Line
from backend.cart.models import Cart, LineItem, ShippingQuote
from backend.catalog.models import Product, Variant
from backend.core.db.database import db_now
from backend.core.db.tables import Json, insert_into, table_of
from backend.core.errors import OutsideFailure, ShopError
from backend.core.money import Cop
from backend.core.web.contact import to_one_line
from backend.pricing import price_cart
from backend.shipping.addresses import find_municipality, find_municipality_code, find_origin
from backend.shipping.models import CALCULATED, ShippingOption, StockLocation
from backend.shipping.offered_options import (
    OFFER_COLUMNS,
    OFFER_TABLES,
    OLDEST_FIRST,
    Offer,
    OptionNotOffered,
    filter_by_destination,
    is_offered_in,
)
from backend.shipping.packages import Item, limit_content_value, pack_items
from backend.shipping.provider_switches import ProviderSwitchedOff
from backend.shipping.providers.base import FulfillmentProvider, Quote, QuoteRequest, ShippingPlace
from backend.shipping.providers.fallback import make_fallback_quote

Providers = Mapping[str, FulfillmentProvider]

MAX_QUOTE_AGE = timedelta(minutes=10)
"""How long a listed price can be chosen. Rates change by the hour (wire: carrier 2.2)."""
UNKNOWN_ADDRESS = "Dirección por confirmar"
UNKNOWN_OPTION = "Shipping Options are invalid for cart."

_STORED_QUOTE = select(ShippingQuote.quote).where(
    ShippingQuote.cart_id == bindparam("cart_id"),
    ShippingQuote.shipping_option_id == bindparam("option_id"),
    ShippingQuote.request == bindparam("request"),
    ShippingQuote.quoted_at > db_now(-MAX_QUOTE_AGE),
)


@dataclass(frozen=True, slots=True)
class QuoteInput:
    """Values that decide the shipping price of a cart.

    `dane_code` is the municipality; empty without a destination. `ready_on` is the day on which the cart's
    preordered units arrive at the shop. It affects only the promised day.
    """

    country_code: str
    dane_code: str
    address: str
    items: tuple[Item, ...]
    value: Cop
    ready_on: date | None = None

    def change_destination(self, dane_code: str, address: str) -> "QuoteInput":
        """Return the same values for another destination."""
        return replace(self, dane_code=dane_code, address=to_one_line(address))

    def build_request(self, location: StockLocation) -> QuoteRequest:
        """Return the request to a provider for a delivery from this location."""
        return QuoteRequest(
            origin=find_origin(location.address),
            destination=ShippingPlace(self.dane_code, self.address or UNKNOWN_ADDRESS),
            packages=pack_items(self.items),
            content_value=self.value,
        )


@dataclass(frozen=True, slots=True)
class PricedOption:
    """A shipping option with its quote, and the request that was sent for the quote.

    The quote is None for a calculated option if the cart has no destination.
    """

    offer: Offer
    quote: Quote | None
    request: QuoteRequest | None = None


def build_quote_input(cart: Cart, lines: Sequence[Line]) -> QuoteInput:
    """Return the values that decide the shipping price of the cart with these lines.

    Raises:
        InvalidData: the address names a destination that is no municipality.
    """
    town = find_municipality(cart.shipping_address)
    return _build_quote_input(cart, lines, town.code if town else "")


def build_lenient_quote_input(cart: Cart, lines: Sequence[Line]) -> QuoteInput:
    """Return the result of `build_quote_input`, treating an address without a valid municipality as missing.

    Used for a cart whose address is about to change.
    """
    return _build_quote_input(cart, lines, find_municipality_code(cart.shipping_address))


def build_sold_quote_input(
    address: Mapping[str, Any], dane_code: str, sold: Sequence[tuple[Product, int]], value: Cop
) -> QuoteInput:
    """Return the values that decide the shipping price of these units to this address. `value` is the units' price."""
    return QuoteInput(
        country_code=str(address.get("country_code") or "co"),
        dane_code=dane_code,
        address=to_one_line(str(address.get("address_1") or "")),
        items=tuple(_to_item(product, units) for product, units in sold),
        value=limit_content_value(value),
        ready_on=max((product.preorder_day for product, _ in sold if product.preorder_day), default=None),
    )


def build_variant_quote_input(variant: Variant, product: Product, dane_code: str) -> QuoteInput:
    """Return the values that decide the shipping price of one unit of a variant."""
    return QuoteInput(
        "co", dane_code, "", (_to_item(product, 1),), limit_content_value(variant.price), product.preorder_day
    )


def add_offer_columns(query: Any) -> Any:
    """Extend a query of a cart and its lines by the shipping options that the cart's sales channel offers.

    The options are in additional columns, which `parse_offers` reads. The query must have the parameter `cart_id`.
    """
    # join the options to the first line only: the rows are lines plus options, not lines times options
    first = select(func.min(LineItem.id)).where(LineItem.cart_id == bindparam("cart_id")).scalar_subquery()
    is_first = LineItem.id.is_(None) | (LineItem.id == first)
    return (
        query.add_columns(*OFFER_COLUMNS)
        .outerjoin(OFFER_TABLES, is_offered_in(Cart.sales_channel_id) & is_first)
        .order_by(*OLDEST_FIRST)
    )


def parse_offers(rows: Iterable[Any]) -> list[Offer]:
    """Return the offers in the rows of a query that `add_offer_columns` extended.

    The added columns must be the final ones of each row.
    """
    ends = [row[-len(OFFER_COLUMNS) :] for row in rows]
    return [Offer(*end) for end in ends if end[0] is not None]


def filter_offers(offers: Sequence[Offer], providers: Providers, contents: QuoteInput) -> list[Offer]:
    """Return the offers that deliver to the cart's destination, and whose provider exists and is switched on."""
    return [offer for offer in _filter_reachable_offers(offers, providers, contents) if offer.is_on]


def _filter_reachable_offers(
    offers: Sequence[Offer], providers: Providers, contents: QuoteInput
) -> list[Offer]:
    reachable = filter_by_destination(offers, contents.country_code, contents.dane_code)
    return [offer for offer in reachable if offer.option.provider_id in providers]


def find_offer(offers: Sequence[Offer], providers: Providers, contents: QuoteInput, option_id: str) -> Offer:
    """Return, from `offers`, the offer of this shipping option.

    Raises:
        ProviderSwitchedOff: its provider is switched off.
        OptionNotOffered: the option is not offered for this cart.
    """
    for offer in _filter_reachable_offers(offers, providers, contents):
        if offer.option.id == option_id:
            if not offer.is_on:
                raise ProviderSwitchedOff(offer.option)
            return offer
    raise OptionNotOffered(UNKNOWN_OPTION)


def needs_live_quote(offer: Offer, contents: QuoteInput) -> bool:
    """Return True if the option's price must be requested from its provider."""
    return offer.option.price_type == CALCULATED and bool(contents.dane_code)


async def price_option(providers: Providers, offer: Offer, contents: QuoteInput) -> PricedOption:
    """Return the option's price, with a live quote for a calculated one. See `FulfillmentProvider.calculate_price`."""
    option = offer.option
    if option.price_type != CALCULATED:
        return PricedOption(offer, Quote(amount=option.amount or 0))
    if not contents.dane_code:
        return PricedOption(offer, None)
    request = contents.build_request(offer.location)
    return PricedOption(offer, await _request_quote(providers[option.provider_id], request), request)


async def _request_quote(provider: FulfillmentProvider, request: QuoteRequest) -> Quote:
    """Return the provider's price; the fixed price if the provider fails, so that no failure stops a purchase.

    Raises:
        ShopError: the provider refuses the request.
    """
    try:
        return await provider.calculate_price(request)
    except Exception as error:  # a provider of another package may raise anything
        if isinstance(error, ShopError) and not isinstance(error, OutsideFailure):
            raise
        return make_fallback_quote(request, error)


async def find_stored_quote(
    session: AsyncSession, cart_id: str, offer: Offer, contents: QuoteInput
) -> PricedOption | None:
    """Return the option's recent quote for exactly this request, or its flat price.

    Return None if the price must be requested from the provider.
    """
    option: ShippingOption = offer.option
    if option.price_type != CALCULATED:
        return PricedOption(offer, Quote(amount=option.amount or 0))
    if not contents.dane_code:
        return None
    request = contents.build_request(offer.location)
    params = {"cart_id": cart_id, "option_id": option.id, "request": _compute_digest(option, request)}
    stored = (await session.execute(_STORED_QUOTE, params)).scalar_one_or_none()
    return PricedOption(offer, Quote(**stored), request) if stored is not None else None


async def store_quotes(session: AsyncSession, cart_id: str, priced: Iterable[PricedOption]) -> None:
    """Store the quotes until the shopper chooses one. Flat prices are not stored."""
    rows = [
        {
            "cart_id": cart_id,
            "shipping_option_id": option.offer.option.id,
            "request": _compute_digest(option.offer.option, option.request),
            "quote": asdict(option.quote),
        }
        for option in priced
        if option.quote is not None and option.request is not None
    ]
    if rows:
        rows.sort(key=lambda row: str(row["shipping_option_id"]))  # a fixed order prevents deadlocks
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


def _compute_digest(option: ShippingOption, request: QuoteRequest) -> str:
    written = json.dumps([option.provider_id, asdict(request)], sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()


def _build_quote_input(cart: Cart, lines: Sequence[Line], dane_code: str) -> QuoteInput:
    sold = [
        (line, line.product) for line in lines if line.product
    ]  # lines that are no longer for sale are not shipped
    return build_sold_quote_input(
        cart.shipping_address or {},
        dane_code,
        [(product, line.item.quantity) for line, product in sold],
        price_cart([line.priced for line, _ in sold]).item_total,
    )


def _to_item(product: Product, units: int) -> Item:
    return Item(units, product.weight, product.length, product.height, product.width)
