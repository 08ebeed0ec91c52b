"""Which cart a browser goes on with: a guest's own, or the one of whoever is signed in, on every device the same.

- What a guest put into a cart is still there after signing in. An account that had a cart already, from another device,
  gets both in one.
- Signing out leaves the cart with the account: whoever uses the browser next does not find it.
"""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.merging import merge
from backend.cart.models import Cart
from backend.cart.service import open_cart
from backend.customers.models import Customer
from backend.database import Database
from backend.errors import Conflict, NotAllowed, NotFound


async def cart_for(database: Database, cart_id: str, customer_id: str | None) -> str:
    """The cart that a browser with this cart goes on with, when this customer is signed in there (None: nobody).

    Returns:
        A cart's id; empty when there is none yet.
    """
    async with database.read() as session:
        known = await _open(session, cart_id)
        if (known.customer_id if known else None) == customer_id:
            return known.id if known else ""  # the usual case takes no lock
        if customer_id is None:
            return ""
        own = await _own(session, customer_id)
        if known is None or known.customer_id is not None:
            return own or ""
    async with database.transaction() as session:
        return await _taken(session, cart_id, customer_id)


async def _taken(session: AsyncSession, cart_id: str, customer_id: str) -> str:
    """A guest's cart becomes the customer's, or part of the one they have."""
    await session.get_one(Customer, customer_id, with_for_update=True)  # two browsers at once find one cart
    own = await _own(session, customer_id)
    try:
        guests = await open_cart(session, cart_id)
    except (NotFound, NotAllowed, Conflict):  # it has become an order meanwhile, or is about to
        return own or ""
    if guests.customer_id is not None:  # another tab was quicker
        return own or ""
    if own is None:
        guests.customer_id = customer_id
        return guests.id
    await merge(session, guests.id, own)
    return own


async def _open(session: AsyncSession, cart_id: str) -> Cart | None:
    found = await session.execute(select(Cart).where(Cart.id == cart_id, Cart.completed_at.is_(None)))
    return found.scalar_one_or_none()


async def _own(session: AsyncSession, customer_id: str) -> str | None:
    """The customer's open cart that is not being paid; of several, as programs may make, the youngest."""
    own = select(Cart.id).where(
        Cart.customer_id == customer_id, Cart.completed_at.is_(None), Cart.payment_session_id.is_(None)
    )
    return (await session.execute(own.order_by(Cart.id.desc()).limit(1))).scalar_one_or_none()
