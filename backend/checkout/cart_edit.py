"""Changing a cart as the Store API does: many things at once, in one transaction, by the platform's rules."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart import service as carts
from backend.cart.models import Cart
from backend.cart.schemas import Address, CartChange, ItemChange, NewCart
from backend.catalog.models import Region
from backend.checkout.address import send_to
from backend.errors import InvalidData, NotFound
from backend.tables import JsonObject

_FIRST_REGION = select(Region).order_by(Region.id).limit(1)
_REGION = select(Region).where(Region.id == bindparam("region_id"))


async def create_cart(session: AsyncSession, new: NewCart, channel_id: str) -> str:
    """A new cart of the sales channel, with everything that was said of it.

    Returns:
        Its id.

    Raises:
        NotFound: no such region.
        InvalidData: see `change_cart`; or an item is not for sale.
        InsufficientStock: fewer units of an item can be sold.
    """
    region = await _region(session, new.region_id)
    if new.currency_code is not None and new.currency_code.casefold() != region.currency_code:
        raise InvalidData(f"Region {region.name} has no currency {new.currency_code}")
    cart_id = await carts.create(session, region_id=region.id, sales_channel_id=channel_id)
    for item in new.items or ():
        await carts.add(session, cart_id, item.variant_id, item.quantity, item.metadata)
    await _change(session, await session.get_one(Cart, cart_id), new, region)
    return cart_id


async def change_cart(session: AsyncSession, cart_id: str, change: CartChange) -> None:
    """Change what was said, leave the rest. Another place voids the shipping price.

    Raises:
        NotFound: no such cart, or no such region.
        NotAllowed: the cart has become an order.
        InvalidData: a country outside the region, another sales channel, or a promotion that does not exist.
    """
    cart = await carts.open_cart(session, cart_id)
    await _change(session, cart, change, await _region(session, change.region_id or cart.region_id))


async def change_item(session: AsyncSession, cart_id: str, line_id: str, change: ItemChange) -> None:
    """Set a line's units. See `backend.cart.service.set_quantity`."""
    await carts.set_quantity(session, cart_id, line_id, change.quantity, meta=change.metadata)


async def _change(session: AsyncSession, cart: Cart, change: CartChange, region: Region) -> None:
    if change.promo_codes:
        raise InvalidData(f"The promotion code {change.promo_codes[0]} is invalid")
    if change.sales_channel_id not in (None, cart.sales_channel_id):
        raise InvalidData("A cart belongs to the sales channel of its publishable key")
    cart.region_id = region.id
    if change.email is not None:
        cart.email = change.email
    if change.metadata is not None:
        cart.meta = change.metadata
    if change.billing_address is not None:
        cart.billing_address = _merged(cart.billing_address, change.billing_address, region)
    if change.shipping_address is not None:
        address = _merged(cart.shipping_address, change.shipping_address, region)
        await send_to(session, cart, address)
    await session.flush()


def _merged(known: Mapping[str, Any] | None, said: Address, region: Region) -> JsonObject:
    """The address with what was said of it. Another city makes the known municipality's code worthless."""
    told = said.model_dump(exclude_unset=True)
    country = told.get("country_code") or region.country_code
    if country.casefold() != region.country_code:
        raise InvalidData(f"Country with code {country} is not within region {region.name}")
    merged = {**(known or {}), **told, "country_code": region.country_code}
    has_moved = any(name in told and told[name] != (known or {}).get(name) for name in ("city", "province"))
    if has_moved and not (told.get("metadata") or {}).get("dane_code"):
        merged["metadata"] = {
            name: value for name, value in (merged.get("metadata") or {}).items() if name != "dane_code"
        }
    return merged


async def _region(session: AsyncSession, region_id: str | None) -> Region:
    query = _FIRST_REGION if region_id is None else _REGION
    region = (await session.execute(query, {"region_id": region_id})).scalar_one_or_none()
    if region is None:
        raise NotFound("No regions found")
    return region
