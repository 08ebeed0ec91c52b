"""Finding a cart for whoever may use it, and locking it for a change.

A guest's cart is open to whoever knows its id, a customer's to that customer only. While a payment of it is at the
bank, and once it is an order, it does not change.
"""

from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.channels.models import Region, SalesChannel
from backend.core.db.database import locked
from backend.core.db.tables import insert_row
from backend.core.errors import Conflict, NotAllowed, NotFound


@dataclass(frozen=True, slots=True)
class Caller:
    """Who uses a cart over the Store API: this customer, or (None) a guest."""

    customer_id: str | None


UNKNOWN = "Cart id not found: {cart_id}"
NOT_FOUND = "Cart with id '{cart_id}' not found"
AT_THE_BANK = (
    "A payment of this cart is at the bank: the cart cannot be changed. Wait for it, or give it up: start another "
    "payment session with `data.replace`: true"
)

# used by every step of a purchase; a statement takes longer to build than to run, so these are built once
_CART = select(Cart).where(Cart.id == bindparam("cart_id"))
_LOCKED_CART = locked(_CART)
_LOCKED_WITH_REGION = locked(
    select(Cart, Region)
    .outerjoin(Region, Region.id == Cart.region_id)
    .where(Cart.id == bindparam("cart_id")),
    of=Cart,
)


class CartCompleted(NotAllowed):
    """The cart has become an order. Its type on the wire is the platform's (wire: commerce-api, Error bodies)."""

    type = "invalid_data"

    def __init__(self, cart_id: str) -> None:
        super().__init__(f"Cart {cart_id} is already completed.")


async def new_cart(
    session: AsyncSession, *, region_id: str | None = None, sales_channel_id: str | None = None
) -> str:
    """A new, empty cart, in the first region and sales channel unless others are given.

    Returns:
        Its id.
    """
    cart = Cart(
        region_id=region_id
        or (await session.execute(select(Region.id).order_by(Region.id).limit(1))).scalar_one(),
        sales_channel_id=sales_channel_id
        or (await session.execute(select(SalesChannel.id).order_by(SalesChannel.id).limit(1))).scalar_one(),
    )
    await insert_row(session, cart)
    return cart.id


async def open_or_new(session: AsyncSession, cart_id: str) -> str:
    """The id of the cart, locked for a change; of a new one where it is lost, made up, or an order by now.

    Raises:
        Conflict: a payment of it is at the bank.
    """
    try:
        return (await open_cart(session, cart_id)).id
    except (NotFound, NotAllowed):
        return await new_cart(session)


async def read_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """The cart as it is, completed or not.

    Raises:
        NotFound: no cart has this id, or it is not the caller's. Without a caller it is anybody's.
    """
    found = (await session.execute(_CART, {"cart_id": cart_id})).scalar_one_or_none()
    return accessible(found, cart_id, caller, NOT_FOUND)


async def lock_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """The cart, locked, completed or not.

    Raises:
        NotFound: see `read_cart`.
    """
    return accessible(await _locked(session, cart_id), cart_id, caller, NOT_FOUND)


async def unordered_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """The cart, locked; whether a payment of it is at the bank or not.

    Raises:
        NotFound: see `read_cart`.
        NotAllowed: it has become an order already.
    """
    return _unordered(await _locked(session, cart_id), cart_id, caller)


async def open_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """The cart, locked, for a change.

    Raises:
        NotFound, NotAllowed: see `unordered_cart`.
        Conflict: a payment of it is at the bank.
    """
    return _open(await unordered_cart(session, cart_id, caller))


async def open_cart_and_region(
    session: AsyncSession, cart_id: str, caller: Caller
) -> tuple[Cart, Region | None]:
    """The same, with its region; None where the cart has moved to another one at this moment."""
    found = (await session.execute(_LOCKED_WITH_REGION, {"cart_id": cart_id})).one_or_none()
    cart = _open(_unordered(found[0] if found else None, cart_id, caller))
    region = found[1] if found else None
    return cart, region if region is not None and region.id == cart.region_id else None


def accessible(cart: Cart | None, cart_id: str, caller: Caller | None = None, message: str = UNKNOWN) -> Cart:
    """The cart that was found under this id, for whoever may use it.

    Args:
        cart: what was found; None when no cart has the id.
        cart_id: the id.
        caller: who asks; None when it was checked before that they may.
        message: of the error.

    Raises:
        NotFound: there is none, or it is another customer's.
    """
    if cart is None or (caller is not None and cart.customer_id not in (None, caller.customer_id)):
        raise NotFound(message.format(cart_id=cart_id))
    return cart


async def _locked(session: AsyncSession, cart_id: str) -> Cart | None:
    return (await session.execute(_LOCKED_CART, {"cart_id": cart_id})).scalar_one_or_none()


def _unordered(found: Cart | None, cart_id: str, caller: Caller | None) -> Cart:
    cart = accessible(found, cart_id, caller)
    if cart.completed_at is not None:
        raise CartCompleted(cart_id)
    return cart


def _open(cart: Cart) -> Cart:
    if cart.payment_session_id is not None:
        raise Conflict(AT_THE_BANK)
    return cart
