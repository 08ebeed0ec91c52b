"""Where a cart goes: its address, the municipality that carriers need to know it by, and what a move makes void."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.cart.service import changed
from backend.shipping.municipalities import municipality_named
from backend.tables import JsonObject


async def send_to(session: AsyncSession, cart: Cart, address: JsonObject) -> None:
    """Keep the address; another place voids the shipping price."""
    before = _ships_to(cart)
    cart.shipping_address = address
    if _ships_to(cart) != before:
        await changed(session, cart.id)


def with_town(address: JsonObject) -> JsonObject:
    """The address with the code of its municipality, where it says none and its city names exactly one."""
    metadata: dict[str, Any] = dict(address.get("metadata") or {})
    if metadata.get("dane_code"):
        return address
    town = municipality_named(str(address.get("city") or ""), str(address.get("province") or ""))
    if town is None:
        return address
    return {**address, "metadata": {**metadata, "dane_code": town.code}}


def _ships_to(cart: Cart) -> tuple[str, str]:
    address = cart.shipping_address or {}
    return str(address.get("address_1", "")), str((address.get("metadata") or {}).get("dane_code", ""))
