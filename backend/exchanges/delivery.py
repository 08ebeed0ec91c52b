"""Delivery of an exchange's new order: it is taken along, picked up later, or sent to an address.

The address is that of the original order, or another one that the customer names. A pickup needs none.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import read_cart
from backend.cart.contents import read_lines
from backend.cart.models import Cart, CartShippingMethod
from backend.cart.owners import set_email
from backend.cart.shipping_method import find_shipping_method, mark_cart_changed
from backend.checkout.cart_snapshot import require_address
from backend.checkout.carts.changes import set_shipping_address
from backend.checkout.quotes.own_delivery_prices import apply_free_from, read_goods_total_for
from backend.checkout.quotes.shipping_quotes import (
    UNKNOWN_OPTION,
    QuoteInput,
    build_lenient_quote_input,
    find_offer,
    find_stored_quote,
)
from backend.checkout.quotes.unquoted_delivery import NoCourier, is_refused
from backend.checkout.service import Checkout
from backend.checkout.shipping_options import (
    CART_CHANGED,
    MAX_QUOTE_ATTEMPTS,
    ShippingOffer,
    require_expected_amount,
    store_choice,
)
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, NotAllowed, NotFound
from backend.core.money import Cop
from backend.core.texts import _
from backend.draft_orders.delivery import parse_delivery
from backend.draft_orders.models import DraftOrder
from backend.exchanges.preparation import (
    has_fixed_pickup_price,
    lock_outbound_cart,
    read_exchange,
    require_exchange_rights,
)
from backend.orders.delivery_kinds import DeliveryKind, read_option_kind
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.shipping.addresses import find_municipality, find_municipality_code, require_label_address
from backend.shipping.models import ShippingOption
from backend.shipping.offered_options import (
    OptionNotOffered,
    filter_by_destination,
    list_offers_for_country,
    provider_not_enabled_error,
)
from backend.shipping.terms.own_delivery import is_pickup
from backend.staff.rights import Actor

COUNTRY = "co"


def can_be_delivered(order: Order) -> bool:
    """Return True if the order has the e-mail and delivery address that the new order of an exchange needs."""
    return bool(order.email and order.shipping_address)


async def list_pickups(session: AsyncSession, order: Order) -> list[ShippingOption]:
    """Return the pickup options for the new order of an exchange, oldest first. `order` is the original order."""
    offers = await list_offers_for_country(session, order.sales_channel_id, COUNTRY)
    offers = filter_by_destination(offers, COUNTRY, find_municipality_code(order.shipping_address))
    return [
        offer.option
        for offer in offers
        if has_fixed_pickup_price(offer.option) and offer.is_enabled and offer.is_on
    ]


async def deliver_new_order(checkout: Checkout, actor: Actor, exchange_id: str) -> ShippingOffer:
    """Send the new order to the address of the original order, with the first shipping option at its live price.

    Raises:
        NotFound, ExchangeEnded, NotAllowed: see `_set_address`.
        InvalidData: the address is not complete.
    """
    return await checkout.offer_shipping(await _set_address(checkout, actor, exchange_id), ip="")


async def deliver_to_other_address(
    checkout: Checkout, actor: Actor, exchange_id: str, typed: Mapping[str, Any]
) -> ShippingOffer:
    """Send the new order to the address in the form, with the first shipping option at its live price.

    Without an e-mail address in the form, that of the original order is used.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
        InvalidData: `fields` has a message for each invalid field.
    """
    async with checkout.database.transaction() as session:
        cart = await lock_outbound_cart(session, actor, exchange_id)
        destination = parse_delivery({**typed, "email": typed.get("email") or cart.email or ""})
        await session.flush()  # so that the audit entry has no data of the customer
        if destination.email != cart.email:
            await set_email(session, cart, destination.email)
        await set_shipping_address(session, cart, destination.to_address())
        cart_id = cart.id
    return await checkout.offer_shipping(cart_id, ip="")


async def deliver_with_option(  # noqa: PLR0917
    checkout: Checkout,
    actor: Actor,
    exchange_id: str,
    option_id: str,
    expected_amount: Cop | None = None,
    address: JsonObject | None = None,
) -> None:
    """Send the new order to this address, with this shipping option at its live price.

    Without an address, it is sent to the address of the original order. A pickup needs no address: that of
    the original order may be missing, or name no municipality. If the option is refused, the address is not stored.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
        NotAllowed: the original order has no address or no e-mail address; or the option's provider is not enabled.
        InvalidData: the address names no municipality, does not fit on a label, or is not complete; the option is
            not offered for it; or its price is not the one that the caller expects.
        NoCourier: no courier delivers to the address, and the settings refuse such deliveries.
        Conflict: the new order changed repeatedly while its shipping was being priced.
        TooManyQuotations: see `backend.checkout.quotes.quote_limits.Quoter`.
    """
    if address is not None:
        require_label_address(address)
        find_municipality(address)
    await _store_delivery(checkout, actor, exchange_id, option_id, expected_amount, address)


async def _store_delivery(  # noqa: PLR0917
    checkout: Checkout,
    actor: Actor,
    exchange_id: str,
    option_id: str,
    expected_amount: Cop | None,
    address: JsonObject | None,
    method_id: str | None = None,
) -> None:
    """Store the shipping option at its live price, and the address: see `deliver_with_option`.

    With a `method_id`, this shipping method of the new order is priced again, for the new order's own address.

    Raises:
        NotFound: the new order has no such shipping method, or lost it while the price was requested.
    """
    require_exchange_rights(actor)
    settings = await checkout.effective_settings()
    for _turn in range(MAX_QUOTE_ATTEMPTS):
        async with checkout.database.read() as session:
            exchange = await read_exchange(session, actor, exchange_id)
            order = await read_order(session, exchange.order_id)
            cart = await read_cart(
                session, (await session.get_one(DraftOrder, exchange.draft_order_id)).cart_id
            )
            given = await _read_given_address(session, actor, exchange_id, method_id, address)
            destination = order.shipping_address if given is None else given
            contents = await _read_quote_input(session, cart, destination)
            if await read_option_kind(session, option_id) is not DeliveryKind.PICKUP:
                if given is None:
                    _require_own_address(order)
                find_municipality(destination)
            offers = await list_offers_for_country(session, cart.sales_channel_id, contents.country_code)
            offer = find_offer(offers, checkout.fulfillment_providers, contents, option_id)
            if not offer.is_enabled:
                raise provider_not_enabled_error(offer.option)
            priced = await find_stored_quote(session, cart.id, offer, contents)
            goods_total = await read_goods_total_for(session, cart.id, [offer])
        if priced is None:
            quoter = checkout.create_quoter(cart.id, "")
            [priced] = await quoter.request_quotes(cart.id, [offer], contents)
        if priced.quote is None:
            raise OptionNotOffered(UNKNOWN_OPTION)
        if is_refused(settings, priced.quote):
            raise NoCourier(contents.dane_code)
        require_expected_amount(
            apply_free_from(offer.option, priced.quote, goods_total).amount, expected_amount
        )
        async with checkout.database.transaction() as session:
            cart = await lock_outbound_cart(session, actor, exchange_id)
            if (
                await _read_given_address(session, actor, exchange_id, method_id, address) != given
                or await _read_quote_input(session, cart, destination) != contents
            ):
                continue
            await set_shipping_address(session, cart, destination or None)
            if not is_pickup(offer.option):
                require_address(cart, has_items=bool(contents.items))
            await store_choice(session, cart, offer.option, priced.quote, settings)
            return
    raise Conflict(CART_CHANGED)


async def _read_given_address(
    session: AsyncSession, actor: Actor, exchange_id: str, method_id: str | None, address: JsonObject | None
) -> JsonObject | None:
    """Return the caller's address; if its shipping method is priced again, the new order's own address.

    Raises:
        NotFound: see `find_outbound_method`.
    """
    if method_id is None:
        return address
    method = await find_outbound_method(session, actor, exchange_id, method_id)
    return (await read_cart(session, method.cart_id)).shipping_address or None


async def _read_quote_input(session: AsyncSession, cart: Cart, address: JsonObject) -> QuoteInput:
    """Return the values that decide the shipping price of the cart to this address."""
    contents = build_lenient_quote_input(cart, await read_lines(session, cart.id))
    return contents.change_destination(find_municipality_code(address), str(address.get("address_1") or ""))


def _require_own_address(order: Order) -> None:
    if not can_be_delivered(order):
        raise NotAllowed(
            f"Order {order.id} has no address",
            staff_text=_("El pedido no tiene dirección: que se lo lleve."),
        )


async def _set_address(checkout: Checkout, actor: Actor, exchange_id: str) -> str:
    """Copy the original order's address to the cart of the new order. Return the cart's id.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
        NotAllowed: the original order has no address or no e-mail address.
    """
    async with checkout.database.transaction() as session:
        cart = await lock_outbound_cart(session, actor, exchange_id)
        order = await read_order(session, (await read_exchange(session, actor, exchange_id)).order_id)
        _require_own_address(order)
        await set_shipping_address(session, cart, order.shipping_address)
        return cart.id


async def find_outbound_method(
    session: AsyncSession, actor: Actor, exchange_id: str, method_id: str
) -> CartShippingMethod:
    """Return the shipping method of the exchange's new order.

    Raises:
        NotFound: there is no such exchange, or its new order has no such shipping method.
    """
    require_exchange_rights(actor)
    exchange = await read_exchange(session, actor, exchange_id)
    draft = await session.get_one(DraftOrder, exchange.draft_order_id)
    method = await find_shipping_method(session, draft.cart_id)
    if method is None or method.id != method_id:
        raise NotFound(f"Shipping method with id: {method_id} was not found")
    return method


async def price_delivery_again(
    checkout: Checkout, actor: Actor, exchange_id: str, method_id: str, expected_amount: Cop | None
) -> None:
    """Choose the shipping option of the new order again, at its live price. Its address stays.

    Raises:
        NotFound: see `find_outbound_method`; or another delivery was chosen while the price was requested.
        ExchangeEnded, NotAllowed, InvalidData, NoCourier, Conflict, TooManyQuotations: see `deliver_with_option`.
    """
    async with checkout.database.read() as session:
        method = await find_outbound_method(session, actor, exchange_id, method_id)
    await _store_delivery(
        checkout, actor, exchange_id, method.shipping_option_id, expected_amount, None, method_id
    )


async def choose_new_delivery(
    checkout: Checkout, actor: Actor, exchange_id: str, option_id: str
) -> ShippingOffer:
    """Choose another shipping option for the new order, at the price that was shown.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
    """
    async with checkout.database.transaction() as session:
        cart_id = (await lock_outbound_cart(session, actor, exchange_id)).id
    return await checkout.offer_shipping(cart_id, option_id, ip="", is_choice=True)


async def relist_deliveries(checkout: Checkout, actor: Actor, exchange_id: str) -> ShippingOffer:
    """Return the shipping options for the new order's address. Choose the current one again.

    If the current option is no longer offered, choose the first one.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
    """
    async with checkout.database.transaction() as session:
        cart_id = (await lock_outbound_cart(session, actor, exchange_id)).id
        method = await find_shipping_method(session, cart_id)
    return await checkout.offer_shipping(cart_id, method.shipping_option_id if method else "", ip="")


async def take_new_order_along(session: AsyncSession, actor: Actor, exchange_id: str) -> None:
    """Remove the new order's delivery, because the customer takes the products along.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
    """
    cart = await lock_outbound_cart(session, actor, exchange_id)
    cart.shipping_address = None
    await mark_cart_changed(session, cart)
