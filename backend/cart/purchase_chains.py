"""Carts that belong to one purchase: each was restored from another after its payment failed or was closed.

Signing in moves what a restored cart holds into the account's cart: that belongs to the purchase then, too.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.core.db.database import locked

_NEIGHBOURS = select(Cart.id, Cart.replaces_cart_id).where(
    or_(
        Cart.id.in_(bindparam("ids", expanding=True)),
        Cart.replaces_cart_id.in_(bindparam("ids", expanding=True)),
    )
)


_LOCK = locked(select(Cart).where(Cart.id.in_(bindparam("ids", expanding=True))).order_by(Cart.id))


async def chain_of(session: AsyncSession, cart_id: str) -> frozenset[str]:
    """The ids of all carts of one purchase, this one included: each was restored from another. Nothing is locked.

    A payment that was closed may still be approved. Only the whole chain tells whether the purchase was paid twice.
    """
    chain: set[str] = set()
    found = {cart_id}
    while not found <= chain:
        chain |= found
        rows = await session.execute(_NEIGHBOURS, {"ids": sorted(chain)})
        found = {known for row in rows for known in row if known is not None}
    return frozenset(chain)


async def lock_carts(session: AsyncSession, cart_ids: Collection[str]) -> Sequence[Cart]:
    """Lock the carts in the order of their ids, so that two callers do not deadlock."""
    if not cart_ids:
        return []
    return (await session.execute(_LOCK, {"ids": sorted(cart_ids)})).scalars().all()


async def lock_chains(session: AsyncSession, *cart_ids: str) -> None:
    """Lock all carts of these purchases, in the order of their ids."""
    await lock_carts(session, frozenset().union(*[await chain_of(session, cart_id) for cart_id in cart_ids]))


async def join_chain(session: AsyncSession, cart: Cart, replaced_id: str) -> None:
    """Note that the cart `replaced_id` was restored to `cart`. A second call changes nothing.

    Both chains must be locked. If `cart` replaces another cart already, the first cart of that chain is linked to
    `replaced_id`.
    """
    if replaced_id in await chain_of(session, cart.id):
        return
    end = cart
    while end.replaces_cart_id is not None:
        end = await session.get_one(Cart, end.replaces_cart_id)
    end.replaces_cart_id = replaced_id
    await session.flush()
