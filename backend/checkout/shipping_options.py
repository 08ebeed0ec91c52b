"""Shipping choices for a cart, priced live, and choosing one.

A provider is asked outside any transaction. Its price is stored only if the cart still ships the same things to the
same place when the answer comes; otherwise it is asked again. So nobody is charged the price of another address.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller, accessible, open_cart
from backend.cart.contents import CART_AND_LINES, Line, lines_of
from backend.cart.models import Cart, CartShippingMethod
from backend.cart.owners import set_email
from backend.cart.shipping_method import changed, set_shipping_method, shipping_method
from backend.checkout.answers import ShippingOptionOut
from backend.checkout.cart_snapshot import require_address
from backend.checkout.carts.changes import set_shipping_address
from backend.checkout.carts.wire import WholeCart, read_cart_and_offers
from backend.checkout.form import NO_TOWN, Destination
from backend.checkout.quotes.quote_limits import Quoting
from backend.checkout.quotes.shipping_quotes import (
    UNKNOWN_OPTION,
    PricedOption,
    Providers,
    QuoteInput,
    offers_in,
    offers_of,
    quote_input,
    quote_input_anywhere,
    store_quotes,
    stored_quote,
    the_offer,
    with_offers,
)
from backend.checkout.quotes.unquoted_delivery import NO_COURIER, NoCourier
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.edge.wire import price, sibling_id
from backend.orders.gifts import GIFT_MESSAGE, with_message
from backend.shipping.models import ShippingOption
from backend.shipping.offered_options import Offer, not_enabled
from backend.shipping.providers.base import Quote
from backend.shipping.wire import address_of, metadata_of, option_price, option_type


@dataclass(frozen=True, slots=True)
class ShippingChoice:
    """A shipping option offered for a cart, priced for its address just now."""

    id: str
    name: str
    amount: Cop
    amount_label: str
    is_fallback: bool
    """The carrier did not answer and the fixed price stands in (spec: Errors, calculatePrice fails)."""
    carrier: str
    delivery_days: int | None
    is_pickup: bool = False
    """The shopper fetches it: nothing is sent."""
    no_courier: bool = False
    """The carrier answered, and no courier offered to go there: the fixed price stands in."""


@dataclass(frozen=True, slots=True)
class ShippingOffer:
    """The shipping options of a cart, and which of them it ships by; empty when there is none.

    Attributes:
        notice: why an option is missing, in a shopper's words.
    """

    choices: list[ShippingChoice]
    chosen: str
    notice: str = ""


NO_SHIPPING_CHOSEN = _("Elige cómo quieres recibir tu pedido.")


CART_CHANGED = "The cart changed while its shipping was being priced"


MAX_QUOTES = 3


async def priced_offers(
    quoting: Quoting,
    cart_id: str,
    option_id: str | None = None,
    caller: Caller | None = None,
) -> list[tuple[Offer, Quote | None]]:
    """The options for the cart, each calculated one quoted just now (spec: Endpoints, GET /store/shipping-options).

    A calculated option has no price while the cart has no destination. `option_id`: only this one. An option is left
    out if no courier goes there and the office refuses such deliveries.

    Raises:
        NoCourier: so it is of the only option asked for.
        NotFound: no cart has this id, or it is not the caller's.
        InvalidData: the address names a destination that is no municipality; or the option is not offered.
        TooManyQuotations: see `Quoting.ask`.
    """
    database, providers = quoting.database, quoting.providers
    async with database.read() as session:
        cart, lines, known = await _read(session, cart_id, caller)
        contents = quote_input(cart, lines)
    offers = offers_of(known, providers, contents)
    if option_id is not None:
        offers = [offer for offer in offers if offer.option.id == option_id]
        if not offers:
            raise InvalidData(UNKNOWN_OPTION)
    priced = await quoting.ask(cart_id, offers, contents)
    if any(one.request is not None for one in priced) and cart.completed_at is None:
        async with database.transaction() as session:
            await store_quotes(session, cart_id, priced)
    kept = [one for one in priced if not await quoting.is_refused(one.quote)]
    if option_id is not None and not kept:
        raise NoCourier(contents.dane_code)
    return [(one.offer, one.quote) for one in kept]


async def choose_shipping(
    quoting: Quoting, cart_id: str, option_id: str, caller: Caller | None = None
) -> WholeCart:
    """Ship the cart by this option, at the price of the list that was just shown, else at the price of now.

    Returns:
        The cart as it is now.

    Raises:
        NotFound, NotAllowed: see `open_cart`; also when the option's provider is not enabled for the location.
        InvalidData: a step before is not done (`backend.checkout.cart_snapshot`), or the option is not offered for this
            cart.
        NoCourier: no courier goes there, and the office refuses such deliveries.
        Conflict: the cart kept changing while it was being priced.
        TooManyQuotations: see `Quoting.ask`.
    """
    database, providers = quoting.database, quoting.providers
    asked: QuoteInput | None = None
    priced: PricedOption | None = None
    for turn in range(MAX_QUOTES + 1):
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id, caller)
            whole, all_offers = await read_cart_and_offers(session, cart_id)
            contents = quote_input(cart, whole.contents.lines)
            require_address(cart, has_items=bool(contents.items))
            offer = the_offer(all_offers, providers, contents, option_id)
            if not offer.is_enabled:
                raise not_enabled(offer.option)
            if priced is None or contents != asked:
                priced = await stored_quote(session, cart_id, offer, contents)
            if priced is not None:
                quote = _quoted(priced)
                if await quoting.is_refused(quote):
                    raise NoCourier(contents.dane_code)
                method = await _choose(session, cart, offer.option, quote)
                return replace(whole, contents=replace(whole.contents, method=method))
        if turn < MAX_QUOTES:
            asked, [priced] = contents, await quoting.ask(cart_id, [offer], contents)
    raise Conflict(CART_CHANGED)


async def offer_shipping(quoting: Quoting, cart_id: str, wanted: str, *, is_choice: bool) -> ShippingOffer:
    """The options for the cart, with the wanted one (else the first) chosen at the price that is shown.

    `is_choice`: the shopper chooses from a list that is shown already, whose prices stand; otherwise each is asked for
    now.

    Raises:
        NotFound, NotAllowed: see `open_cart`.
        InvalidData: the cart has no destination yet (`fields`).
        Conflict: the cart kept changing while it was being priced.
        TooManyQuotations: see `Quoting.ask`.
    """
    database, providers = quoting.database, quoting.providers
    for _turn in range(MAX_QUOTES):
        async with database.read() as session:
            cart, lines, all_offers = await _read(session, cart_id)
            contents = quote_input(cart, lines)
            if not contents.dane_code:
                raise InvalidData(NO_TOWN, fields={"dane_code": NO_TOWN})
            offers = offers_of(all_offers, providers, contents)
            stored = [await stored_quote(session, cart_id, offer, contents) for offer in offers if is_choice]
        known = {one.offer.option.id: one for one in stored if one is not None}
        priced = await quoting.ask(cart_id, [o for o in offers if o.option.id not in known], contents)
        known |= {one.offer.option.id: one for one in priced}
        refused = [one.offer.option.id for one in known.values() if await quoting.is_refused(one.quote)]
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id)
            if quote_input(cart, await lines_of(session, cart_id)) != contents:
                continue
            await store_quotes(session, cart_id, priced)
            quoted = [(offer.option, _quoted(known[offer.option.id])) for offer in offers]
            shown = [one for one in quoted if one[0].id not in refused]
            chosen = _wanted(shown, wanted)
            if chosen is not None:
                await _choose(session, cart, *chosen)
            elif quoted:
                await changed(session, cart)
        notice = NoCourier(contents.dane_code).shopper_text if len(shown) < len(quoted) else ""
        choices = [shipping_choice(*one) for one in shown]
        return ShippingOffer(choices, chosen[0].id if chosen else "", notice)
    raise Conflict(CART_CHANGED)


async def offered_options(database: Database, providers: Providers, cart_id: str) -> frozenset[str]:
    """The ids of the options that are offered for the cart, wherever it goes. Nobody is asked for prices.

    Raises:
        NotFound: no cart has this id.
    """
    async with database.read() as session:
        cart, lines, all_offers = await _read(session, cart_id)
    offers = offers_of(all_offers, providers, quote_input_anywhere(cart, lines))
    return frozenset(offer.option.id for offer in offers)


async def deliver_to(quoting: Quoting, cart_id: str, destination: Destination) -> None:
    """Send the cart here by the option that is chosen for it, with the message of a gift.

    Where that is another place, the price there is asked for first; address and price change together, so that nobody
    who presses at the same time finds the cart without a price.

    Raises:
        NotFound, NotAllowed: see `open_cart`.
        InvalidData: no shipping is chosen (`fields`), or its option is no longer offered.
        NoCourier: no courier goes there, and the office refuses such deliveries.
        Conflict: the cart kept changing while it was being priced.
        TooManyQuotations: see `Quoting.ask`.
    """
    database, providers = quoting.database, quoting.providers
    address = destination.as_address()
    for _turn in range(MAX_QUOTES):
        async with database.read() as session:
            cart, lines, all_offers = await _read(session, cart_id)
            before = quote_input_anywhere(cart, lines)
            chosen = await shipping_method(session, cart_id)
            if chosen is None:
                raise InvalidData(NO_SHIPPING_CHOSEN, fields={"shipping": NO_SHIPPING_CHOSEN})
            there = before.to(destination.dane_code, destination.address)
            offer = the_offer(all_offers, providers, there, chosen.shipping_option_id)
            known = await stored_quote(session, cart_id, offer, there) if there != before else None
        if there != before and known is None:
            [known] = await quoting.ask(cart_id, [offer], there)
        quote = _quoted(known) if known is not None else None
        if await quoting.is_refused(quote):
            raise NoCourier(there.dane_code)
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id)
            if quote_input_anywhere(cart, await lines_of(session, cart_id)) != before:
                continue
            await set_email(session, cart, destination.email)
            await set_shipping_address(session, cart, address)
            if destination.gift_message or GIFT_MESSAGE in cart.draft:  # else a program's stays
                cart.meta = with_message(cart.meta, destination.gift_message)
            if quote is not None:
                await _choose(session, cart, offer.option, quote)
            return
    raise Conflict(CART_CHANGED)


_CART_LINES_AND_OFFERS = with_offers(CART_AND_LINES)


async def _read(
    session: AsyncSession, cart_id: str, caller: Caller | None = None
) -> tuple[Cart, list[Line], list[Offer]]:
    """The caller's cart, its lines, and what is offered in its sales channel."""
    rows = (await session.execute(_CART_LINES_AND_OFFERS, {"cart_id": cart_id})).all()
    cart = accessible(rows[0][0] if rows else None, cart_id, caller)
    lines = {row[1].id: Line(*row[1:4]) for row in rows if row[1] is not None}
    return cart, list(lines.values()), offers_in(rows)


def _quoted(priced: PricedOption) -> Quote:
    """The price of an option for a cart that has a destination."""
    if priced.quote is None:
        raise InvalidData(NO_TOWN, fields={"dane_code": NO_TOWN})
    return priced.quote


def _wanted(
    shown: Sequence[tuple[ShippingOption, Quote]], option_id: str
) -> tuple[ShippingOption, Quote] | None:
    return next((one for one in shown if one[0].id == option_id), shown[0] if shown else None)


async def _choose(
    session: AsyncSession, cart: Cart, option: ShippingOption, quote: Quote
) -> CartShippingMethod:
    data = {"carrier": quote.carrier, "delivery_days": quote.delivery_days, "is_fallback": quote.is_fallback}
    if quote.no_courier:
        data[NO_COURIER] = True
    return await set_shipping_method(
        session, cart, option_id=option.id, name=option.name, amount=quote.amount, data=data
    )


def shipping_choice(option: ShippingOption, quote: Quote) -> ShippingChoice:
    """The option at this price, as shoppers choose it."""
    return ShippingChoice(
        id=option.id,
        name=option.name,
        amount=quote.amount,
        amount_label=format_cop(quote.amount),
        is_fallback=quote.is_fallback,
        carrier=quote.carrier or "",
        delivery_days=quote.delivery_days,
        is_pickup=bool(option.data.get("pickup")),
        no_courier=quote.no_courier,
    )


def offer_wire(offer: Offer, quote: Quote | None) -> ShippingOptionOut:
    """The option at the price it was quoted for; without one (None) while the cart has no destination."""
    option, zone, fulfillment_set, location = offer[:4]
    return {
        "id": option.id,
        "name": option.name,
        "price_type": option.price_type,
        "service_zone_id": zone.id,
        "shipping_profile_id": option.shipping_profile_id,
        "provider_id": option.provider_id,
        "provider": {"id": option.provider_id, "is_enabled": True},
        "data": option.data or None,
        "amount": quote.amount if quote else None,
        "is_tax_inclusive": True,
        "insufficient_inventory": False,
        "metadata": {
            **(metadata_of(option) or {}),
            "carrier": (quote.carrier if quote else None) or None,
            "delivery_days": quote.delivery_days if quote else None,
            "is_fallback": quote.is_fallback if quote else False,
        },
        "type": option_type(option),
        "rules": [],
        "calculated_price": price(sibling_id("pset", option.id), quote.amount) if quote else None,
        "prices": [option_price(option)] if option.amount is not None else [],
        "service_zone": {
            "id": zone.id,
            "fulfillment_set_id": fulfillment_set.id,
            "fulfillment_set": {
                "id": fulfillment_set.id,
                "type": fulfillment_set.type,
                "location": {"id": location.id, "address": address_of(location)},
            },
        },
    }
