"""Chains of carts that belong to one purchase.

When the payment of a cart fails or is closed, its contents are restored to another cart. Both carts then belong to
the same purchase. Signing in may move the lines of a restored cart into the account's cart, which then belongs to
the purchase too.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.core.db.database import lock_rows

_NEIGHBOURS = select(Cart.id, Cart.replaces_cart_id).where(
    or_(
        Cart.id.in_(bindparam("ids", expanding=True)),
        Cart.replaces_cart_id.in_(bindparam("ids", expanding=True)),
    )
)


_LOCK = lock_rows(select(Cart).where(Cart.id.in_(bindparam("ids", expanding=True))).order_by(Cart.id))


async def read_chain(session: AsyncSession, cart_id: str) -> frozenset[str]:
    """Return the ids of all carts of the same purchase as this cart, including its own. No row is locked.

    A closed payment of an earlier cart may still be approved, so only all carts together show whether the
    purchase was paid twice.
    """
    chain: set[str] = set()
    found = {cart_id}
    while not found <= chain:
        chain |= found
        rows = await session.execute(_NEIGHBOURS, {"ids": sorted(chain)})
        found = {known for row in rows for known in row if known is not None}
    return frozenset(chain)


async def lock_carts(session: AsyncSession, cart_ids: Collection[str]) -> Sequence[Cart]:
    """Lock the carts in the order of their ids, so that two callers cannot deadlock. Return the existing ones."""
    if not cart_ids:
        return []
    return (await session.execute(_LOCK, {"ids": sorted(cart_ids)})).scalars().all()


async def lock_chains(session: AsyncSession, *cart_ids: str) -> None:
    """Lock these carts and all other carts of the same purchases, in the order of their ids."""
    await lock_carts(
        session, frozenset().union(*[await read_chain(session, cart_id) for cart_id in cart_ids])
    )


async def join_chain(session: AsyncSession, cart: Cart, replaced_id: str) -> None:
    """Store that the contents of the cart `replaced_id` were restored to `cart`. Repeating it has no effect.

    Both carts must be locked with `lock_chains`. A cart stores only one cart that it replaces. If `cart` has
    one already, `replaced_id` is stored in the earliest cart of that chain.
    """
    if replaced_id in await read_chain(session, cart.id):
        return
    end = cart
    while end.replaces_cart_id is not None:
        end = await session.get_one(Cart, end.replaces_cart_id)
    end.replaces_cart_id = replaced_id
    await session.flush()
