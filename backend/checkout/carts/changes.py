"""What the storefront or a program says of a cart: who buys, and where to, by the platform's rules."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller, open_cart_and_region
from backend.cart.lines import put_units
from backend.cart.models import Cart
from backend.cart.owners import give_to, set_email
from backend.cart.promotion_codes import set_codes
from backend.cart.shipping_method import changed
from backend.channels.models import Region
from backend.channels.regions import NO_REGION, read_region
from backend.checkout.schemas import Address, CartChange, NewCart
from backend.core.db.tables import JsonObject, insert_known
from backend.core.errors import InvalidData, NotFound
from backend.core.web.contact import one_line
from backend.customers.addresses import read_address
from backend.edge.address_changes import changed_address
from backend.legal.consents import ConsentKind, consents_of_cart, note_consents
from backend.orders.gifts import require_message
from backend.shipping.addresses import place_of, require_label_address
from backend.shipping.municipalities import Municipality

MOST_CONSENTS = 30


async def create_cart(
    session: AsyncSession, new: NewCart, region: Region, channel_id: str, customer_id: str | None
) -> Cart:
    """A new cart of the region and the sales channel, with what else was sent; the customer's, if one asks.

    Raises:
        InvalidData: see `change_cart`; or an item is not for sale.
        InsufficientStock: fewer units of an item can be sold.
    """
    if new.currency_code is not None and new.currency_code.casefold() != region.currency_code:
        raise InvalidData(f"Region {region.name} has no currency {new.currency_code}")
    cart = Cart(region_id=region.id, sales_channel_id=channel_id)  # stored once, with all that was sent
    if customer_id is not None:
        await give_to(session, cart, customer_id)
    await _fill(session, cart, new, region)
    cart.shipping_address = await _address_in(session, cart, new, region)
    await insert_known(session, cart)
    for item in new.items or ():
        await put_units(session, cart.id, item.variant_id, item.quantity, item.metadata)
    if new.promo_codes is not None:
        await set_codes(session, cart, new.promo_codes)
    return cart


async def change_cart(session: AsyncSession, cart_id: str, change: CartChange, caller: Caller) -> None:
    """Change what was sent, leave the rest. Another address removes the shipping method.

    Raises:
        NotFound: no such cart of the caller's, or no such region.
        NotAllowed: the cart has become an order.
        InvalidData: a country outside the region, an address that is longer than a label can hold, another sales
            channel, a code that takes nothing off, or a gift's message that is too long.
    """
    cart, region = await open_cart_and_region(session, cart_id, caller)
    if region is None or change.region_id not in (None, region.id):
        region = await read_region(session, change.region_id or cart.region_id)
        if region is None:
            raise NotFound(NO_REGION)
    await _fill(session, cart, change, region)
    await set_shipping_address(session, cart, await _address_in(session, cart, change, region))
    await session.flush()
    if change.promo_codes is not None:
        await set_codes(session, cart, change.promo_codes)


async def set_shipping_address(session: AsyncSession, cart: Cart, address: JsonObject | None) -> None:
    """Store the address as it was sent. Another street or municipality removes the shipping method."""
    before = place_of(cart.shipping_address)
    cart.shipping_address = address
    if place_of(address) != before:
        await changed(session, cart)


async def set_town(session: AsyncSession, cart: Cart, town: Municipality, address: str) -> None:
    """Have the (locked) cart go to this municipality, and this street. Another place removes the shipping method."""
    known = cart.shipping_address or {}
    place = {
        "address_1": one_line(address),
        "city": town.name,
        "province": town.department,
        "country_code": "co",
    }
    metadata = {**(known.get("metadata") or {}), "dane_code": town.code}
    await set_shipping_address(session, cart, {**known, **place, "metadata": metadata})


async def store_consents(
    session: AsyncSession, cart_id: str, change: CartChange, client_ip: str, customer_id: str | None
) -> None:
    """Store the consents that were sent; the cart was found to be the caller's before.

    Raises:
        InvalidData: more versions than anybody agrees to.
    """
    told = [(ConsentKind(one.kind), one.version) for one in change.consents or ()]
    if not told:
        return
    await note_consents(session, told, client_ip=client_ip, cart_id=cart_id, customer_id=customer_id)
    if len(await consents_of_cart(session, cart_id)) > MOST_CONSENTS:
        raise InvalidData(f"A cart has at most {MOST_CONSENTS} consents")


async def _fill(session: AsyncSession, cart: Cart, change: CartChange, region: Region) -> None:
    """Put what was sent into the cart, but where it goes."""
    if change.sales_channel_id not in (None, cart.sales_channel_id):
        raise InvalidData("A cart belongs to the sales channel of its publishable key")
    cart.region_id = region.id
    if change.email is not None:
        await set_email(session, cart, change.email)
    if change.locale is not None:
        cart.locale = change.locale
    if change.metadata is not None:
        require_message(change.metadata)
        cart.meta = change.metadata
    if change.billing_address is not None:
        cart.billing_address = await _sent_address(
            session, cart, cart.billing_address, change.billing_address, region
        )


async def _address_in(
    session: AsyncSession, cart: Cart, change: CartChange, region: Region
) -> JsonObject | None:
    """Where the cart goes with what was sent."""
    if change.shipping_address is None:
        return cart.shipping_address
    address = await _sent_address(session, cart, cart.shipping_address, change.shipping_address, region)
    require_label_address(address)
    return address


async def _sent_address(
    session: AsyncSession, cart: Cart, known: JsonObject | None, sent: Address | str, region: Region
) -> JsonObject:
    """Return the known address with the fields that were sent, or the address of the book whose id was sent.

    Raises:
        NotFound: the customer of the cart has no address with this id.
        InvalidData: the country is not the region's.
    """
    if isinstance(sent, Address):
        return _merged(known, sent.model_dump(exclude_unset=True), region)
    entry = await read_address(session, cart.customer_id or "", sent)
    return _merged(None, entry.address, region)


def _merged(known: Mapping[str, Any] | None, sent: JsonObject, region: Region) -> JsonObject:
    """The known address with what was sent of it. With another city, the code of the municipality is dropped."""
    country = sent.get("country_code") or region.country_code
    if country.casefold() != region.country_code:
        raise InvalidData(f"Country with code {country} is not within region {region.name}")
    return {**changed_address(known or {}, sent), "country_code": region.country_code}
