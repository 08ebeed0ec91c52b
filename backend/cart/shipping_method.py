"""The shipping method of a cart: choosing it, and removing it when what it was priced for changes."""

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.events import CartChanged
from backend.cart.models import Cart, CartShippingMethod
from backend.core.clock import now
from backend.core.db.tables import JsonObject, insert_into, table_of, values_of
from backend.core.events import publish
from backend.core.money import Cop

_SHIPPING = select(CartShippingMethod).where(CartShippingMethod.cart_id == bindparam("cart_id"))
_METHOD = table_of(CartShippingMethod)
_VOID_SHIPPING = delete(_METHOD).where(_METHOD.c.cart_id == bindparam("cart_id")).returning(_METHOD.c.id)


_INSERT = insert_into(_METHOD)
_SHIP_BY = _INSERT.on_conflict_do_update(
    index_elements=["cart_id"],
    set_={name: _INSERT.excluded[name] for name in CartShippingMethod.model_fields if name != "cart_id"},
)


async def shipping_method(session: AsyncSession, cart_id: str) -> CartShippingMethod | None:
    """The shipping option chosen for the cart, at the amount last quoted; None while none is."""
    return (await session.execute(_SHIPPING, {"cart_id": cart_id})).scalar_one_or_none()


async def set_shipping_method(
    session: AsyncSession, cart: Cart, *, option_id: str, name: str, amount: Cop, data: JsonObject
) -> CartShippingMethod:
    """Ship the (locked) cart by this option at this amount, in place of any other.

    Returns:
        What was stored.
    """
    method = CartShippingMethod(
        cart_id=cart.id, shipping_option_id=option_id, name=name, amount=amount, data=data
    )
    cart.updated_at = now()
    await session.execute(_SHIP_BY, values_of(method))
    return method


async def changed(session: AsyncSession, cart: Cart) -> None:
    """Call this after changing lines or address of the locked cart: removes the shipping method.

    Publishes `CartChanged` where there was one. Without a shipping method no payment can start, and this is the only
    place that removes it: a cart that has none has no payment to be voided.
    """
    cart.updated_at = now()
    await session.flush()
    if (await session.execute(_VOID_SHIPPING, {"cart_id": cart.id})).first():
        await publish(session, CartChanged(cart.id))
