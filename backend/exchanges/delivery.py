"""Delivery of an exchange's new order: the customer takes it along, or it goes to an address.

The address is that of the first order, or another one that the customer names.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import CartShippingMethod
from backend.cart.owners import set_email
from backend.cart.shipping_method import find_shipping_method, mark_cart_changed
from backend.checkout.carts.changes import set_shipping_address
from backend.checkout.service import Checkout
from backend.checkout.shipping_options import ShippingOffer
from backend.core.db.tables import JsonObject
from backend.core.errors import NotAllowed, NotFound
from backend.core.money import Cop
from backend.core.texts import _
from backend.draft_orders.delivery import choose_expected_option, parse_delivery
from backend.draft_orders.models import DraftOrder
from backend.exchanges.preparation import lock_outbound_cart, read_exchange, require_exchange_rights
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.shipping.addresses import find_municipality, require_label_address
from backend.staff.rights import Actor


def can_be_delivered(order: Order) -> bool:
    """Return True if the new order can go to the address of this order."""
    return bool(order.email and order.shipping_address)


async def deliver_new_order(checkout: Checkout, actor: Actor, exchange_id: str) -> ShippingOffer:
    """Send the new order to the address of the first order, with the first shipping option at its live price.

    Raises:
        NotFound, ExchangeEnded, NotAllowed: see `_set_address`.
        InvalidData: the address is not complete.
    """
    return await checkout.offer_shipping(await _set_address(checkout, actor, exchange_id), ip="")


async def deliver_to_other_address(
    checkout: Checkout, actor: Actor, exchange_id: str, typed: Mapping[str, Any]
) -> ShippingOffer:
    """Send the new order to the address in the form, with the first shipping option at its live price.

    Without an e-mail address in the form, that of the first order is used.

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
    expected_amount: Cop | None,
    address: JsonObject | None = None,
) -> None:
    """Send the new order to this address, with this shipping option at its live price.

    Without an address, it is sent to the address of the first order.

    Raises:
        NotFound, ExchangeEnded, NotAllowed: see `_set_address`.
        InvalidData: the address is not complete; or see `backend.draft_orders.delivery.choose_expected_option`.
    """
    cart_id = await _set_address(checkout, actor, exchange_id, address)
    await choose_expected_option(checkout, cart_id, option_id, expected_amount)


async def _set_address(
    checkout: Checkout, actor: Actor, exchange_id: str, address: JsonObject | None = None
) -> str:
    """Set the address of the new order: this one, else that of the first order. Return the id of its cart.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
        InvalidData: the address names no municipality, or does not fit on a label.
        NotAllowed: the first order has no address or no e-mail address.
    """
    async with checkout.database.transaction() as session:
        cart = await lock_outbound_cart(session, actor, exchange_id)
        order = await read_order(session, (await read_exchange(session, actor, exchange_id)).order_id)
        if address is not None:
            find_municipality(address)
            require_label_address(address)
            await set_shipping_address(session, cart, address)
            return cart.id
        if not can_be_delivered(order):
            raise NotAllowed(
                f"Order {order.id} has no address",
                staff_text=_("El pedido no tiene dirección: que se lo lleve."),
            )
        await set_shipping_address(session, cart, order.shipping_address)
        return cart.id


async def find_outbound_method(
    session: AsyncSession, actor: Actor, exchange_id: str, method_id: str
) -> CartShippingMethod:
    """Return the shipping method of the new order.

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
    """Choose the shipping option of the new order again, at its live price.

    Raises:
        NotFound, ExchangeEnded: see `find_outbound_method` and `backend.exchanges.preparation.lock_outbound_cart`.
        InvalidData: see `backend.draft_orders.delivery.choose_expected_option`.
    """
    async with checkout.database.transaction() as session:
        cart_id = (await lock_outbound_cart(session, actor, exchange_id)).id
        method = await find_outbound_method(session, actor, exchange_id, method_id)
    await choose_expected_option(checkout, cart_id, method.shipping_option_id, expected_amount)


async def choose_new_delivery(
    checkout: Checkout, actor: Actor, exchange_id: str, option_id: str
) -> ShippingOffer:
    """Choose another shipping option, at the price that was shown.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
    """
    async with checkout.database.transaction() as session:
        cart_id = (await lock_outbound_cart(session, actor, exchange_id)).id
    return await checkout.offer_shipping(cart_id, option_id, ip="", is_choice=True)


async def relist_deliveries(checkout: Checkout, actor: Actor, exchange_id: str) -> ShippingOffer:
    """Return the shipping options for the address of the new order, and choose the chosen one again, or the first.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
    """
    async with checkout.database.transaction() as session:
        cart_id = (await lock_outbound_cart(session, actor, exchange_id)).id
        method = await find_shipping_method(session, cart_id)
    return await checkout.offer_shipping(cart_id, method.shipping_option_id if method else "", ip="")


async def take_new_order_along(session: AsyncSession, actor: Actor, exchange_id: str) -> None:
    """Remove the delivery: the customer takes the products along.

    Raises:
        NotFound, ExchangeEnded: see `backend.exchanges.preparation.lock_outbound_cart`.
    """
    cart = await lock_outbound_cart(session, actor, exchange_id)
    cart.shipping_address = None
    await mark_cart_changed(session, cart)
