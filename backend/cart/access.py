"""Find carts, check the caller's access to them, and lock them for changes.

A guest's cart is open to everyone who knows its id, a customer's only to that customer. While a payment of the cart
is at the bank, and after the cart has become an order, it cannot change.
"""

from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.channels.models import Region, SalesChannel
from backend.core.db.database import lock_rows
from backend.core.db.tables import insert_row
from backend.core.errors import Conflict, NotAllowed, NotFound


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of the Store API; `customer_id` is None for a guest."""

    customer_id: str | None


UNKNOWN_CART = "Cart id not found: {cart_id}"
NOT_FOUND = "Cart with id '{cart_id}' not found"
AT_THE_BANK = (
    "A payment of this cart is at the bank: the cart cannot be changed. Wait for it, or close it: start another "
    "payment session with `data.replace`: true"
)

# every step of a purchase runs these statements. Building one takes longer than running it, so they are built once
_CART = select(Cart).where(Cart.id == bindparam("cart_id"))
_LOCKED_CART = lock_rows(_CART)
_LOCKED_WITH_REGION = lock_rows(
    select(Cart, Region)
    .outerjoin(Region, Region.id == Cart.region_id)
    .where(Cart.id == bindparam("cart_id")),
    of=Cart,
)


class CartCompleted(NotAllowed):
    """The cart has become an order. The response has the platform's error type (wire: commerce-api, Error bodies)."""

    type = "invalid_data"

    def __init__(self, cart_id: str) -> None:
        super().__init__(f"Cart {cart_id} is already completed.")


async def create_empty_cart(
    session: AsyncSession, *, region_id: str | None = None, sales_channel_id: str | None = None
) -> str:
    """Create an empty cart, by default in the first region and sales channel.

    Returns:
        The cart's id.
    """
    cart = Cart(
        region_id=region_id
        or (await session.execute(select(Region.id).order_by(Region.id).limit(1))).scalar_one(),
        sales_channel_id=sales_channel_id
        or (await session.execute(select(SalesChannel.id).order_by(SalesChannel.id).limit(1))).scalar_one(),
    )
    await insert_row(session, cart)
    return cart.id


async def open_or_create_cart(session: AsyncSession, cart_id: str) -> str:
    """Lock the cart for a change and return its id; create a new one if it does not exist or has become an order.

    Raises:
        Conflict: a payment of the cart is at the bank.
    """
    try:
        return (await open_cart(session, cart_id)).id
    except (NotFound, NotAllowed):
        return await create_empty_cart(session)


async def read_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """Return the cart, completed or not.

    Raises:
        NotFound: no cart has this id, or it is not the caller's. Without a caller, access is not checked.
    """
    found = (await session.execute(_CART, {"cart_id": cart_id})).scalar_one_or_none()
    return require_access(found, cart_id, caller, NOT_FOUND)


async def lock_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """Return the cart, locked, completed or not.

    Raises:
        NotFound: see `read_cart`.
    """
    return require_access(await _lock(session, cart_id), cart_id, caller, NOT_FOUND)


async def lock_unordered_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """Return the cart, locked, even if a payment of the cart is at the bank.

    Raises:
        NotFound: see `read_cart`.
        NotAllowed: the cart has already become an order.
    """
    return _require_unordered(await _lock(session, cart_id), cart_id, caller)


async def open_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """Return the cart, locked, for a change.

    Raises:
        NotFound, NotAllowed: see `lock_unordered_cart`.
        Conflict: a payment of the cart is at the bank.
    """
    return _require_changeable(await lock_unordered_cart(session, cart_id, caller))


async def open_cart_and_region(
    session: AsyncSession, cart_id: str, caller: Caller
) -> tuple[Cart, Region | None]:
    """Return the cart, locked for a change, and its region.

    The region is None if a concurrent request assigned another region to the cart.

    Raises:
        NotFound, NotAllowed, Conflict: see `open_cart`.
    """
    found = (await session.execute(_LOCKED_WITH_REGION, {"cart_id": cart_id})).one_or_none()
    cart = _require_changeable(_require_unordered(found[0] if found else None, cart_id, caller))
    region = found[1] if found else None
    return cart, region if region is not None and region.id == cart.region_id else None


def require_access(
    cart: Cart | None, cart_id: str, caller: Caller | None = None, message: str = UNKNOWN_CART
) -> Cart:
    """Return the cart if the caller may use it.

    Args:
        cart: the cart found under the id; None if there is none.
        cart_id: the id.
        caller: the caller; None if their access was checked before.
        message: the error's message.

    Raises:
        NotFound: there is no such cart, or it is another customer's.
    """
    if cart is None or (caller is not None and cart.customer_id not in (None, caller.customer_id)):
        raise NotFound(message.format(cart_id=cart_id))
    return cart


async def _lock(session: AsyncSession, cart_id: str) -> Cart | None:
    return (await session.execute(_LOCKED_CART, {"cart_id": cart_id})).scalar_one_or_none()


def _require_unordered(found: Cart | None, cart_id: str, caller: Caller | None) -> Cart:
    cart = require_access(found, cart_id, caller)
    if cart.completed_at is not None:
        raise CartCompleted(cart_id)
    return cart


def _require_changeable(cart: Cart) -> Cart:
    if cart.payment_session_id is not None:
        raise Conflict(AT_THE_BANK)
    return cart
