"""Create and change carts by the platform's rules: customer, addresses, consents and metadata."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller, open_cart_and_region
from backend.cart.lines import add_units
from backend.cart.models import Cart
from backend.cart.owners import assign_customer, set_email
from backend.cart.promotion_codes import set_codes
from backend.cart.shipping_method import mark_cart_changed
from backend.channels.models import Region
from backend.channels.regions import NO_REGION, read_region
from backend.checkout.schemas import Address, CartChange, NewCart
from backend.core.db.tables import JsonObject, insert_and_attach
from backend.core.errors import InvalidData, NotFound
from backend.core.web.contact import to_one_line
from backend.customers.addresses import read_address
from backend.edge.address_changes import changed_address
from backend.legal.consents import ConsentKind, consents_of_cart, store_reported_consents
from backend.orders.gifts import check_gift_message
from backend.shipping.addresses import get_place_key, require_label_address
from backend.shipping.municipalities import Municipality

MAX_CONSENTS = 30


async def create_cart(
    session: AsyncSession, new: NewCart, region: Region, channel_id: str, customer_id: str | None
) -> Cart:
    """Create a cart in the region and the sales channel, with the given values and customer.

    Raises:
        InvalidData: an item is not for sale, or as in `change_cart`.
        InsufficientStock: fewer units of an item can be sold.
    """
    if new.currency_code is not None and new.currency_code.casefold() != region.currency_code:
        raise InvalidData(f"Region {region.name} has no currency {new.currency_code}")
    cart = Cart(region_id=region.id, sales_channel_id=channel_id)  # inserted below, when all values are set
    if customer_id is not None:
        await assign_customer(session, cart, customer_id)
    await _apply_fields(session, cart, new, region)
    cart.shipping_address = await _resolve_shipping_address(session, cart, new, region)
    await insert_and_attach(session, cart)
    for item in new.items or ():
        await add_units(session, cart.id, item.variant_id, item.quantity, item.metadata)
    if new.promo_codes is not None:
        await set_codes(session, cart, new.promo_codes)
    return cart


async def change_cart(session: AsyncSession, cart_id: str, change: CartChange, caller: Caller) -> None:
    """Change the given values of the cart. If the address changes, the shipping method is removed.

    Raises:
        NotFound: the caller has no such cart, or there is no such region.
        NotAllowed: the cart has become an order.
        Conflict: a payment of the cart is at the bank.
        InvalidData: the country is outside the region, the address is too long for a label, the sales channel is
            not the cart's, a code gives no discount, or the gift message is too long.
    """
    cart, region = await open_cart_and_region(session, cart_id, caller)
    if region is None or change.region_id not in (None, region.id):
        region = await read_region(session, change.region_id or cart.region_id)
        if region is None:
            raise NotFound(NO_REGION)
    await _apply_fields(session, cart, change, region)
    await set_shipping_address(session, cart, await _resolve_shipping_address(session, cart, change, region))
    await session.flush()
    if change.promo_codes is not None:
        await set_codes(session, cart, change.promo_codes)


async def set_shipping_address(session: AsyncSession, cart: Cart, address: JsonObject | None) -> None:
    """Set the cart's address. Remove the shipping method if the street or municipality is a new one."""
    before = get_place_key(cart.shipping_address)
    cart.shipping_address = address
    if get_place_key(address) != before:
        await mark_cart_changed(session, cart)


async def set_town(session: AsyncSession, cart: Cart, town: Municipality, address: str) -> None:
    """Set the (locked) cart's municipality and street. If the place changes, the shipping method is removed."""
    address_before = cart.shipping_address or {}
    place = {
        "address_1": to_one_line(address),
        "city": town.name,
        "province": town.department,
        "country_code": "co",
    }
    metadata = {**(address_before.get("metadata") or {}), "dane_code": town.code}
    await set_shipping_address(session, cart, {**address_before, **place, "metadata": metadata})


async def store_consents(
    session: AsyncSession, cart_id: str, change: CartChange, client_ip: str, customer_id: str | None
) -> None:
    """Store the given consents. The caller must have checked access to the cart.

    Raises:
        InvalidData: the cart would have more than `MAX_CONSENTS` consents.
    """
    consents = [(ConsentKind(one.kind), one.version) for one in change.consents or ()]
    if not consents:
        return
    await store_reported_consents(
        session, consents, client_ip=client_ip, cart_id=cart_id, customer_id=customer_id
    )
    if len(await consents_of_cart(session, cart_id)) > MAX_CONSENTS:
        raise InvalidData(f"A cart has at most {MAX_CONSENTS} consents")


async def _apply_fields(session: AsyncSession, cart: Cart, change: CartChange, region: Region) -> None:
    """Set the given values of the cart, except its shipping address."""
    if change.sales_channel_id not in (None, cart.sales_channel_id):
        raise InvalidData("A cart belongs to the sales channel of its publishable key")
    cart.region_id = region.id
    if change.email is not None:
        await set_email(session, cart, change.email)
    if change.locale is not None:
        cart.locale = change.locale
    if change.metadata is not None:
        check_gift_message(change.metadata)
        cart.meta = change.metadata
    if change.billing_address is not None:
        cart.billing_address = await _resolve_address(
            session, cart, cart.billing_address, change.billing_address, region
        )


async def _resolve_shipping_address(
    session: AsyncSession, cart: Cart, change: CartChange, region: Region
) -> JsonObject | None:
    """Return the shipping address that the cart has after the change; None if it has none."""
    if change.shipping_address is None:
        return cart.shipping_address
    address = await _resolve_address(session, cart, cart.shipping_address, change.shipping_address, region)
    require_label_address(address)
    return address


async def _resolve_address(
    session: AsyncSession, cart: Cart, current: JsonObject | None, sent: Address | str, region: Region
) -> JsonObject:
    """Return the current address with the sent fields changed, or an address of the customer's address book.

    The latter is returned if `sent` is a text: the id of the address in that book.

    Raises:
        NotFound: the customer of the cart has no address with this id.
        InvalidData: the country is not the region's.
    """
    if isinstance(sent, Address):
        return _merge_address(current, sent.model_dump(exclude_unset=True), region)
    entry = await read_address(session, cart.customer_id or "", sent)
    return _merge_address(None, entry.address, region)


def _merge_address(current: Mapping[str, Any] | None, sent: JsonObject, region: Region) -> JsonObject:
    """Return the current address with the sent fields changed.

    If the city changes, the municipality code is removed.

    Raises:
        InvalidData: the country is not the region's.
    """
    country = sent.get("country_code") or region.country_code
    if country.casefold() != region.country_code:
        raise InvalidData(f"Country with code {country} is not within region {region.name}")
    return {**changed_address(current or {}, sent), "country_code": region.country_code}
