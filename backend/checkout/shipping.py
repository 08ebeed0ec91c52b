"""Shipping choices for a cart, priced live, and choosing one.

A price is asked for outside any transaction. It is kept only if the cart still ships the same things to the same place
when the answer comes; otherwise it is asked for again, so nobody is charged the price of another address.
"""

import asyncio
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.cart.service import Line, find_cart, lines_of, open_cart, set_shipping_method, shipping_method
from backend.checkout.address import send_to
from backend.checkout.form import Destination
from backend.checkout.views import ShippingChoice, ShippingOffer
from backend.database import Database
from backend.errors import Conflict, InvalidData, NotFound
from backend.money import Cop, format_cop
from backend.pricing import price_cart
from backend.shipping.models import ShippingOption, StockLocation
from backend.shipping.parcels import Item, content_value, packages_for
from backend.shipping.providers.base import FulfillmentProvider, Place, Quote, QuoteRequest
from backend.shipping.service import Offer, offers_for, options_for, require_enabled

NO_SHIPPING_CHOSEN = "Elige cómo quieres recibir tu pedido."
UNKNOWN_OPTION = "Shipping Options are invalid for cart."
MAX_REQUOTES = 3
UNKNOWN_ADDRESS = "Dirección por confirmar"

Providers = dict[str, FulfillmentProvider]


@dataclass(frozen=True, slots=True)
class Parcelled:
    """What of a cart decides its shipping price."""

    country_code: str
    dane_code: str
    address: str
    items: tuple[Item, ...]
    value: Cop


async def priced_offers(database: Database, providers: Providers, cart_id: str) -> list[tuple[Offer, Quote]]:
    """The options for the cart, each calculated one quoted just now (spec: Endpoints, GET /store/shipping-options).

    Raises:
        NotFound: no cart has this id.
    """
    async with database.read() as session:
        cart = await _cart(session, cart_id)
        parcelled = await _parcelled(session, cart)
        offers = await offers_for(session, cart.sales_channel_id, parcelled.country_code)
    return [(offer, await _quote(providers, offer.option, offer.location, parcelled)) for offer in offers]


async def shipping_choices(database: Database, providers: Providers, cart_id: str) -> list[ShippingChoice]:
    """The same as the storefront shows them. See `priced_offers`."""
    return [
        _choice(offer.option, quote) for offer, quote in await priced_offers(database, providers, cart_id)
    ]


async def choose_shipping(database: Database, providers: Providers, cart_id: str, option_id: str) -> Cop:
    """Ship the cart by this option, at the price of this moment.

    Returns:
        The price.

    Raises:
        NotFound, NotAllowed: see `open_cart`; also when the option's provider is not enabled for the location.
        InvalidData: the option is not offered for this cart.
        Conflict: the cart kept changing while it was being priced.
    """
    for _ in range(MAX_REQUOTES):
        async with database.read() as session:
            cart = await _cart(session, cart_id)
            parcelled = await _parcelled(session, cart)
            option, location = await _offered(session, cart, parcelled, option_id)
            await require_enabled(session, option, location)
        quote = await _quote(providers, option, location, parcelled)
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id)
            if await _parcelled(session, cart) != parcelled:
                continue
            await _keep(session, cart_id, option, quote)
            return quote.amount
    raise Conflict("The cart changed while its shipping was being priced")


async def offer_shipping(
    database: Database, providers: Providers, cart_id: str, wanted: str
) -> ShippingOffer:
    """The options for the cart priced just now, with the wanted one (else the first) chosen at that very price.

    Raises:
        NotFound, NotAllowed: see `open_cart`.
        Conflict: the cart kept changing while it was being priced.
    """
    for _ in range(MAX_REQUOTES):
        async with database.read() as session:
            cart = await _cart(session, cart_id)
            parcelled = await _parcelled(session, cart)
            located = await options_for(session, cart.sales_channel_id, parcelled.country_code)
        options = [option for option, _ in located]
        quotes = await asyncio.gather(
            *(_quote(providers, option, location, parcelled) for option, location in located)
        )
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id)
            if await _parcelled(session, cart) != parcelled:
                continue
            priced = dict(zip((option.id for option in options), quotes, strict=True))
            chosen = next(
                (option for option in options if option.id == wanted), options[0] if options else None
            )
            if chosen is not None:
                await _keep(session, cart_id, chosen, priced[chosen.id])
        choices = [_choice(option, priced[option.id]) for option in options]
        return ShippingOffer(choices, chosen.id if chosen is not None else "")
    raise Conflict("The cart changed while its shipping was being priced")


async def deliver_to(
    database: Database, providers: Providers, cart_id: str, destination: Destination
) -> None:
    """Send the cart here by the option that is chosen for it.

    Where that is another place, the price there is asked for first; address and price change together, so that nobody
    who presses at the same time finds the cart without a price.

    Raises:
        NotFound, NotAllowed: see `open_cart`.
        InvalidData: no shipping is chosen (`fields`), or its option is no longer offered.
        Conflict: the cart kept changing while it was being priced.
    """
    address = destination.as_address()
    for _ in range(MAX_REQUOTES):
        async with database.read() as session:
            cart = await _cart(session, cart_id)
            before = await _parcelled(session, cart)
            chosen = await shipping_method(session, cart_id)
            if chosen is None:
                raise InvalidData(NO_SHIPPING_CHOSEN, fields={"shipping": NO_SHIPPING_CHOSEN})
            there = replace(before, address=destination.address, dane_code=destination.dane_code)
            option, location = await _offered(session, cart, there, chosen.shipping_option_id)
        quote = await _quote(providers, option, location, there) if there != before else None
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id)
            if await _parcelled(session, cart) != before:
                continue
            cart.email = destination.email
            await send_to(session, cart, address)
            if quote is not None:
                await _keep(session, cart_id, option, quote)
            return
    raise Conflict("The cart changed while its shipping was being priced")


async def _cart(session: AsyncSession, cart_id: str) -> Cart:
    """The cart, in the words the platform has where shipping is asked for and there is none."""
    cart = await find_cart(session, cart_id)
    if cart is None:
        raise NotFound(f"Cart id not found: {cart_id}")
    return cart


async def _keep(session: AsyncSession, cart_id: str, option: ShippingOption, quote: Quote) -> None:
    data = {"carrier": quote.carrier, "delivery_days": quote.delivery_days, "is_fallback": quote.is_fallback}
    await set_shipping_method(
        session, cart_id, option_id=option.id, name=option.name, amount=quote.amount, data=data
    )


async def _offered(
    session: AsyncSession, cart: Cart, parcelled: Parcelled, option_id: str
) -> tuple[ShippingOption, StockLocation]:
    for option, location in await options_for(session, cart.sales_channel_id, parcelled.country_code):
        if option.id == option_id:
            return option, location
    raise InvalidData(UNKNOWN_OPTION)


async def _parcelled(session: AsyncSession, cart: Cart) -> Parcelled:
    address = cart.shipping_address or {}
    lines = [line for line in await lines_of(session, cart.id) if line.product]
    return Parcelled(
        country_code=str(address.get("country_code") or "co"),
        dane_code=str((address.get("metadata") or {}).get("dane_code") or ""),
        address=str(address.get("address_1") or ""),
        items=tuple(_item(line) for line in lines),
        value=content_value(price_cart([line.priced for line in lines]).item_total),
    )


def _item(line: Line) -> Item:
    product, units = line.product, line.item.quantity
    if product is None:  # no longer for sale: it is not sent
        return Item(0)
    return Item(units, product.weight, product.length, product.height, product.width)


async def _quote(
    providers: Providers, option: ShippingOption, location: StockLocation, parcelled: Parcelled
) -> Quote:
    if option.price_type == "flat":
        return Quote(amount=option.amount or 0)
    origin = Place(str(location.address.get("dane_code", "")), str(location.address.get("address_1", "")))
    request = QuoteRequest(
        origin=origin,
        destination=Place(parcelled.dane_code, parcelled.address or UNKNOWN_ADDRESS),
        packages=packages_for(parcelled.items),
        content_value=parcelled.value,
    )
    return await providers[option.provider_id].calculate_price(request)


def _choice(option: ShippingOption, quote: Quote) -> ShippingChoice:
    return ShippingChoice(
        id=option.id,
        name=option.name,
        amount=quote.amount,
        amount_label=format_cop(quote.amount),
        is_fallback=quote.is_fallback,
        carrier=quote.carrier or "",
        delivery_days=quote.delivery_days,
        is_pickup=bool(option.data.get("pickup")),
    )
