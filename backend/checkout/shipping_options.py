"""List a cart's shipping options with live prices and promised days, and choose one.

A provider is called outside any transaction. When its answer arrives, the price is stored only if the cart still
has the same items and destination; otherwise the price is requested again. So a shopper never pays the price of
another address.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller, open_cart, require_access
from backend.cart.contents import CART_AND_LINES, Line, read_lines
from backend.cart.models import Cart, CartShippingMethod
from backend.cart.owners import set_email
from backend.cart.shipping_method import find_shipping_method, mark_cart_changed, set_shipping_method
from backend.checkout.answers import ShippingOptionOut
from backend.checkout.cart_snapshot import require_address
from backend.checkout.carts.changes import set_shipping_address
from backend.checkout.carts.wire import WholeCart, read_cart_and_offers
from backend.checkout.form import NO_TOWN, Destination, find_sent_billing_address
from backend.checkout.quotes.own_delivery_prices import (
    apply_free_from,
    build_zone_data,
    read_goods_total_for,
)
from backend.checkout.quotes.quote_limits import Quoter
from backend.checkout.quotes.shipping_quotes import (
    UNKNOWN_OPTION,
    PricedOption,
    Providers,
    QuoteInput,
    add_offer_columns,
    build_lenient_quote_input,
    build_quote_input,
    filter_offers,
    find_offer,
    find_stored_quote,
    parse_offers,
    store_quotes,
)
from backend.checkout.quotes.unquoted_delivery import NO_COURIER, NoCourier, is_refused
from backend.core.business_days import load_holidays
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.edge.wire import derive_sibling_id, price_view
from backend.orders.gifts import GIFT_MESSAGE, replace_gift_message
from backend.shipping.delivery_promise import (
    PROMISED_DAY,
    DeliveryPromise,
    add_delivery_terms,
    build_delivery_terms,
    promise_delivery,
)
from backend.shipping.models import ShippingOption
from backend.shipping.offered_options import Offer, OptionNotOffered, provider_not_enabled_error
from backend.shipping.providers.base import Quote
from backend.shipping.terms.own_delivery import describe_option, get_free_from, is_own_delivery, is_pickup
from backend.shipping.wire import (
    get_option_metadata,
    location_address_wire,
    option_prices_wire,
    option_type_wire,
)


@dataclass(frozen=True, slots=True)
class ShippingChoice:
    """A shipping option offered for a cart, with the live price for its address."""

    id: str
    name: str
    amount: Cop
    amount_label: str
    is_fallback: bool
    """True if the carrier did not answer and the fixed price is used (spec: Errors, calculatePrice fails)."""
    carrier: str
    is_pickup: bool = False
    """True if the shopper collects the order: nothing is shipped."""
    is_own: bool = False
    """True if the shop itself brings the order."""
    detail: str = ""
    """Days and hours of own delivery, or address and hours of the pickup point; empty if there are none."""
    free_from_label: str = ""
    """Total of the goods from which the delivery is free, in words; empty if it is free already, or never."""
    no_courier: bool = False
    """True if the carrier answered that no courier delivers there, and the fixed price is used."""
    promise: DeliveryPromise | None = None
    """The promised day; None if the shop promises none."""


@dataclass(frozen=True, slots=True)
class ShippingOffer:
    """The shipping options of a cart, and the id of the chosen one; the id is empty if none is chosen.

    Attributes:
        notice: the reason why an option is missing, in the shopper's language.
    """

    choices: list[ShippingChoice]
    chosen: str
    notice: str = ""


NO_SHIPPING_CHOSEN = _("Elige cómo quieres recibir tu compra.")


CART_CHANGED = "The cart changed while its shipping was being priced"
OTHER_AMOUNT = "The price of this shipping option is {amount} pesos: custom_amount cannot be another one"


MAX_QUOTE_ATTEMPTS = 3


async def list_priced_offers(
    quoter: Quoter,
    cart_id: str,
    option_id: str | None = None,
    caller: Caller | None = None,
) -> list[tuple[Offer, Quote | None, DeliveryPromise | None]]:
    """Return the cart's options with live quotes and promises (spec: Endpoints, GET /store/shipping-options).

    A calculated option has no price while the cart has no destination. With `option_id`, only this option is
    returned. An option is left out if no courier delivers to the destination and the settings refuse such
    deliveries.

    Raises:
        NoCourier: the option `option_id` is left out for this reason.
        NotFound: no cart has this id, or it is not the caller's.
        InvalidData: the address names a destination that is no municipality, or the option is not offered.
        TooManyQuotations: see `Quoter.request_quotes`.
    """
    database, providers = quoter.database, quoter.providers
    await load_holidays()
    async with database.read() as session:
        cart, lines, all_offers = await _read_cart_and_offers(session, cart_id, caller)
        contents = build_quote_input(cart, lines)
        offers = filter_offers(all_offers, providers, contents)
        goods_total = await read_goods_total_for(session, cart_id, offers)
    if option_id is not None:
        offers = [offer for offer in offers if offer.option.id == option_id]
        if not offers:
            raise OptionNotOffered(UNKNOWN_OPTION)
    priced = await quoter.request_quotes(cart_id, offers, contents)
    if any(option.request is not None for option in priced) and cart.completed_at is None:
        async with database.transaction() as session:
            await store_quotes(session, cart_id, priced)
    settings, moment = await quoter.effective_settings(), now()
    allowed = [option for option in priced if not is_refused(settings, option.quote)]
    if option_id is not None and not allowed:
        raise NoCourier(contents.dane_code)
    return [
        (
            one.offer,
            one.quote and apply_free_from(one.offer.option, one.quote, goods_total),
            _promise_option(settings, one.offer.option, one.quote, moment, contents.ready_on),
        )
        for one in allowed
    ]


async def choose_shipping(
    quoter: Quoter, cart_id: str, option_id: str, caller: Caller | None = None
) -> WholeCart:
    """Choose this option for the cart, at the price in the list that was just shown, else at the live price.

    Returns:
        The cart after the change.

    Raises:
        NotFound: see `open_cart`.
        NotAllowed: the option's provider is not enabled for the location, or as in `open_cart`.
        InvalidData: an earlier step is not done (`backend.checkout.cart_snapshot`), or the option is not
            offered for this cart.
        NoCourier: no courier delivers to the destination, and the settings refuse such deliveries.
        Conflict: the cart changed repeatedly while it was being priced.
        TooManyQuotations: see `Quoter.request_quotes`.
    """
    database, providers = quoter.database, quoter.providers
    settings = await quoter.effective_settings()
    quoted_input: QuoteInput | None = None
    priced: PricedOption | None = None
    for turn in range(MAX_QUOTE_ATTEMPTS + 1):
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id, caller)
            whole, all_offers = await read_cart_and_offers(session, cart_id)
            contents = build_quote_input(cart, whole.contents.lines)
            require_address(cart, has_items=bool(contents.items))
            offer = find_offer(all_offers, providers, contents, option_id)
            if not offer.is_enabled:
                raise provider_not_enabled_error(offer.option)
            if priced is None or contents != quoted_input:
                priced = await find_stored_quote(session, cart_id, offer, contents)
            if priced is not None:
                quote = _require_quote(priced)
                if is_refused(settings, quote):
                    raise NoCourier(contents.dane_code)
                method = await store_choice(session, cart, offer.option, quote, settings)
                return replace(whole, contents=replace(whole.contents, method=method))
        if turn < MAX_QUOTE_ATTEMPTS:
            quoted_input, [priced] = contents, await quoter.request_quotes(cart_id, [offer], contents)
    raise Conflict(CART_CHANGED)


async def offer_shipping(quoter: Quoter, cart_id: str, option_id: str, *, is_choice: bool) -> ShippingOffer:
    """Return the cart's options with prices, and choose `option_id`. If it is not offered, choose the first option.

    With `is_choice`, the shopper chooses from a list that they already see, so its prices are reused. Otherwise live
    prices are requested. If every option is left out (see `list_priced_offers`), the shipping method is removed.

    Raises:
        NotFound, NotAllowed: see `open_cart`.
        InvalidData: the cart has no destination yet (`fields` has the message).
        Conflict: the cart changed repeatedly while it was being priced.
        TooManyQuotations: see `Quoter.request_quotes`.
    """
    database, providers = quoter.database, quoter.providers
    settings = await quoter.effective_settings()
    await load_holidays()
    for _turn in range(MAX_QUOTE_ATTEMPTS):
        async with database.read() as session:
            cart, lines, all_offers = await _read_cart_and_offers(session, cart_id)
            contents = build_quote_input(cart, lines)
            if not contents.dane_code:
                raise InvalidData(NO_TOWN, fields={"dane_code": NO_TOWN})
            offers = filter_offers(all_offers, providers, contents)
            stored = [
                await find_stored_quote(session, cart_id, offer, contents) for offer in offers if is_choice
            ]
        priced_by_id = {one.offer.option.id: one for one in stored if one is not None}
        priced = await quoter.request_quotes(
            cart_id, [o for o in offers if o.option.id not in priced_by_id], contents
        )
        priced_by_id |= {one.offer.option.id: one for one in priced}
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id)
            if build_quote_input(cart, await read_lines(session, cart_id)) != contents:
                continue
            await store_quotes(session, cart_id, priced)
            quoted = [(offer.option, _require_quote(priced_by_id[offer.option.id])) for offer in offers]
            allowed = [(option, quote) for option, quote in quoted if not is_refused(settings, quote)]
            chosen = _select_option(allowed, option_id)
            if chosen is not None:
                await store_choice(session, cart, *chosen, settings)
            elif quoted:
                await mark_cart_changed(session, cart)
            goods_total = await read_goods_total_for(session, cart_id, offers)
        notice = NoCourier(contents.dane_code).shopper_text if len(allowed) < len(quoted) else ""
        choices = list_shipping_choices(settings, allowed, contents, goods_total)
        return ShippingOffer(choices, chosen[0].id if chosen else "", notice)
    raise Conflict(CART_CHANGED)


async def list_offered_option_ids(database: Database, providers: Providers, cart_id: str) -> frozenset[str]:
    """Return the ids of the options that are offered for the cart, for any destination. No prices are requested.

    Raises:
        NotFound: no cart has this id.
    """
    async with database.read() as session:
        cart, lines, all_offers = await _read_cart_and_offers(session, cart_id)
    offers = filter_offers(all_offers, providers, build_lenient_quote_input(cart, lines))
    return frozenset(offer.option.id for offer in offers)


async def deliver_to_destination(quoter: Quoter, cart_id: str, destination: Destination) -> None:
    """Set the cart's destination, payer and gift message, and price the chosen shipping option for the new place.

    If the place changes, the new price is requested first. Then the address and the price change in one
    transaction, so that a concurrent request never finds the cart without a price. Own delivery always gets the
    current price of its zone.

    Raises:
        NotFound, NotAllowed: see `open_cart`.
        InvalidData: no shipping is chosen (`fields` has the message), or its option is no longer offered.
        NoCourier: no courier delivers to the destination, and the settings refuse such deliveries.
        Conflict: the cart changed repeatedly while it was being priced.
        TooManyQuotations: see `Quoter.request_quotes`.
    """
    database, providers = quoter.database, quoter.providers
    settings = await quoter.effective_settings()
    address = destination.to_address()
    for _turn in range(MAX_QUOTE_ATTEMPTS):
        async with database.read() as session:
            cart, lines, all_offers = await _read_cart_and_offers(session, cart_id)
            before = build_lenient_quote_input(cart, lines)
            chosen = await find_shipping_method(session, cart_id)
            if chosen is None:
                raise InvalidData(NO_SHIPPING_CHOSEN, fields={"shipping": NO_SHIPPING_CHOSEN})
            new_input = before.change_destination(destination.dane_code, destination.address)
            offer = find_offer(all_offers, providers, new_input, chosen.shipping_option_id)
            has_zone = is_own_delivery(offer.option)  # the owner may have changed it since it was chosen
            priced = (
                await find_stored_quote(session, cart_id, offer, new_input)
                if new_input != before or has_zone
                else None
            )
        if new_input != before and priced is None:
            [priced] = await quoter.request_quotes(cart_id, [offer], new_input)
        quote = _require_quote(priced) if priced is not None else None
        if is_refused(settings, quote):
            raise NoCourier(new_input.dane_code)
        async with database.transaction() as session:
            cart = await open_cart(session, cart_id)
            if build_lenient_quote_input(cart, await read_lines(session, cart_id)) != before:
                continue
            await set_email(session, cart, destination.email)
            await set_shipping_address(session, cart, address)
            cart.billing_address = destination.to_billing_address() or find_sent_billing_address(cart)
            if (
                destination.gift_message or GIFT_MESSAGE in cart.draft
            ):  # a message set through the API is not deleted
                cart.meta = replace_gift_message(cart.meta, destination.gift_message)
            if quote is not None:
                await store_choice(session, cart, offer.option, quote, settings)
            return
    raise Conflict(CART_CHANGED)


_CART_LINES_AND_OFFERS = add_offer_columns(CART_AND_LINES)


async def _read_cart_and_offers(
    session: AsyncSession, cart_id: str, caller: Caller | None = None
) -> tuple[Cart, list[Line], list[Offer]]:
    """Return the caller's cart, its lines, and the options offered in its sales channel."""
    rows = (await session.execute(_CART_LINES_AND_OFFERS, {"cart_id": cart_id})).all()
    cart = require_access(rows[0][0] if rows else None, cart_id, caller)
    lines = {row[1].id: Line(*row[1:4]) for row in rows if row[1] is not None}
    return cart, list(lines.values()), parse_offers(rows)


def require_expected_amount(amount: Cop, expected: Cop | None) -> None:
    """Check that the live price of an option is the `expected` one. None accepts any price.

    Raises:
        InvalidData: the price differs.
    """
    if expected not in (None, amount):
        raise InvalidData(OTHER_AMOUNT.format(amount=amount))


def _require_quote(priced: PricedOption) -> Quote:
    """Return the option's price; raise InvalidData if the cart has no destination."""
    if priced.quote is None:
        raise InvalidData(NO_TOWN, fields={"dane_code": NO_TOWN})
    return priced.quote


def _select_option(
    options: Sequence[tuple[ShippingOption, Quote]], option_id: str
) -> tuple[ShippingOption, Quote] | None:
    return next((one for one in options if one[0].id == option_id), options[0] if options else None)


async def store_choice(
    session: AsyncSession, cart: Cart, option: ShippingOption, quote: Quote, settings: Settings
) -> CartShippingMethod:
    """Store the option at this price in the (locked) cart, with its delivery terms by the effective settings."""
    data = build_method_data(option, quote, settings)
    return await set_shipping_method(
        session, cart, option_id=option.id, name=option.name, amount=quote.amount, data=data
    )


def build_method_data(option: ShippingOption, quote: Quote, settings: Settings) -> JsonObject:
    """Return the data of a shipping method with this option and quote: its carrier, zone and delivery terms."""
    data: JsonObject = {
        "carrier": quote.carrier,
        "delivery_days": quote.delivery_days,
        "is_fallback": quote.is_fallback,
    }
    if quote.no_courier:
        data[NO_COURIER] = True
    data |= build_zone_data(option)
    return add_delivery_terms(data, build_delivery_terms(settings, option, quote))


def _promise_option(
    settings: Settings, option: ShippingOption, quote: Quote | None, moment: datetime, ready_on: date | None
) -> DeliveryPromise | None:
    """Return the delivery promise for an order with this option that is paid at this moment; None without a quote.

    `ready_on` is the day on which its preordered units arrive at the shop.
    """
    terms = build_delivery_terms(settings, option, quote, ready_on) if quote is not None else None
    return promise_delivery(moment, terms)


def list_shipping_choices(
    settings: Settings,
    quoted: Sequence[tuple[ShippingOption, Quote]],
    contents: QuoteInput,
    goods_total: Cop,
) -> list[ShippingChoice]:
    """Return the options as the shopper sees them now. `goods_total` decides which of them are free."""
    moment = now()
    return [
        to_shipping_choice(
            option,
            apply_free_from(option, quote, goods_total),
            _promise_option(settings, option, quote, moment, contents.ready_on),
        )
        for option, quote in quoted
    ]


def to_shipping_choice(
    option: ShippingOption, quote: Quote, promise: DeliveryPromise | None
) -> ShippingChoice:
    """Return the option at this price and with this promise, as the shopper sees it."""
    free_from = get_free_from(option)
    return ShippingChoice(
        id=option.id,
        name=option.name,
        amount=quote.amount,
        amount_label=format_cop(quote.amount),
        is_fallback=quote.is_fallback,
        carrier=quote.carrier or "",
        is_pickup=is_pickup(option),
        is_own=is_own_delivery(option),
        detail=describe_option(option),
        free_from_label=format_cop(free_from) if free_from is not None and quote.amount else "",
        no_courier=quote.no_courier,
        promise=promise,
    )


def offer_wire(offer: Offer, quote: Quote | None, promise: DeliveryPromise | None) -> ShippingOptionOut:
    """Return the option for the API, with its price and promised day. Each is null if `quote` or `promise` is None."""
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
            **(get_option_metadata(option) or {}),
            "carrier": (quote.carrier if quote else None) or None,
            "delivery_days": quote.delivery_days if quote else None,
            "is_fallback": quote.is_fallback if quote else False,
            PROMISED_DAY: promise.day.isoformat() if promise else None,
        },
        "type": option_type_wire(option),
        "rules": [],
        "calculated_price": price_view(derive_sibling_id("pset", option.id), quote.amount) if quote else None,
        "prices": option_prices_wire(option),
        "service_zone": {
            "id": zone.id,
            "fulfillment_set_id": fulfillment_set.id,
            "fulfillment_set": {
                "id": fulfillment_set.id,
                "type": fulfillment_set.type,
                "location": {"id": location.id, "address": location_address_wire(location)},
            },
        },
    }
