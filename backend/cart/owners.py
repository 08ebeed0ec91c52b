"""Whose a cart is: which cart a browser goes on with, as a guest or signed in, on every device the same.

- What a guest put into a cart is still there after signing in. An account that had a cart already, from another device,
  gets both merged into one.
- Signing out leaves the cart with the account: whoever uses the browser next does not find it.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller, open_cart, read_cart
from backend.cart.contents import line_key, lines_of, units_by_variant
from backend.cart.events import CartsMerged
from backend.cart.lines import MAX_LINES, MAX_QUANTITY
from backend.cart.models import Cart, LineItem
from backend.cart.notices import (
    CartUnits,
    NewsKind,
    add_code_news,
    add_news,
    add_units_news,
    move_news,
    units_of_lines,
)
from backend.cart.promotion_codes import take_codes_along
from backend.cart.purchase_chains import join_chain, lock_chains
from backend.cart.shipping_method import changed
from backend.core.db.database import Database
from backend.core.errors import Conflict, NotAllowed, NotFound
from backend.core.events import publish
from backend.customers.guests import guest_with
from backend.customers.models import Customer
from backend.inventory.service import available_units
from backend.legal.consents import own_consents


async def cart_for(database: Database, cart_id: str, customer_id: str | None) -> str:
    """The cart that a browser uses next, when it has this cart and this customer is signed in (None: nobody).

    Returns:
        A cart's id; empty when there is none yet.
    """
    if not cart_id and customer_id is None:
        return ""  # as most visitors come: nothing is asked
    async with database.read() as session:
        known = await _open(session, cart_id)
        if (known.customer_id if known else None) == customer_id:
            return known.id if known else ""  # the usual case, without a lock
        if customer_id is None:
            return ""
        own = await _cart_of(session, customer_id)
        if known is None or known.customer_id is not None:
            return own or ""
    async with database.transaction() as session:
        return await _take_over(session, cart_id, customer_id)


async def join_carts(database: Database, cart_id: str, into: str, caller: Caller) -> None:
    """Move what is in a cart into another one, where the caller may use both and both can be changed; else nothing."""
    async with database.transaction() as session:
        await lock_chains(session, cart_id, into)
        with suppress(NotFound, NotAllowed, Conflict):
            for one in sorted((cart_id, into)):
                await open_cart(session, one, caller)
            await merge(session, cart_id, into)


async def usable_cart(database: Database, cart_id: str, customer_id: str | None) -> str:
    """The id again, when this customer (None: a guest) may use the cart; else empty. Completed carts included."""
    async with database.read() as session:
        try:
            await read_cart(session, cart_id, Caller(customer_id))
        except NotFound:
            return ""
    return cart_id


async def _take_over(session: AsyncSession, cart_id: str, customer_id: str) -> str:
    """Give a guest's cart to the customer, or merge it into the one they have."""
    await session.get_one(
        Customer, customer_id, with_for_update=True
    )  # two browsers at once must find one cart
    own = await _cart_of(session, customer_id)
    await lock_chains(session, *filter(None, (cart_id, own)))
    try:
        guests = await open_cart(session, cart_id)
    except (NotFound, NotAllowed, Conflict):  # it has become an order meanwhile, or is about to
        return own or ""
    if guests.customer_id is not None:  # another tab was quicker
        return own or ""
    await own_consents(session, guests.id, customer_id)
    if own is None:
        guests.customer_id = customer_id
        return guests.id
    await merge(session, guests.id, own, at_sign_in=True)
    return own


async def _open(session: AsyncSession, cart_id: str) -> Cart | None:
    found = await session.execute(select(Cart).where(Cart.id == cart_id, Cart.completed_at.is_(None)))
    return found.scalar_one_or_none()


async def _cart_of(session: AsyncSession, customer_id: str) -> str | None:
    """The customer's open cart that is not being paid; of several, as programs may make, the youngest."""
    own = select(Cart.id).where(
        Cart.customer_id == customer_id, Cart.completed_at.is_(None), Cart.payment_session_id.is_(None)
    )
    return (
        await session.execute(own.order_by(Cart.created_at.desc(), Cart.id.desc()).limit(1))
    ).scalar_one_or_none()


async def set_owner(session: AsyncSession, cart_id: str, customer_id: str | None) -> None:
    """Set the cart's customer; None when whoever pays it is not signed in.

    A cart that is being paid, or has become an order, does not change: an order belongs to who was signed in when it
    was placed.

    Raises:
        NotFound: it is another customer's cart, or no cart has this id.
    """
    try:
        cart = await open_cart(session, cart_id, Caller(customer_id))
    except (NotAllowed, Conflict):
        return
    if customer_id is not None and cart.customer_id != customer_id:
        still_there = select(Customer.id).where(Customer.id == customer_id)
        locking = still_there.with_for_update(key_share=True, read=True)
        if (await session.execute(locking)).first() is None:  # the account was deleted a moment ago
            return
    cart.customer_id = customer_id


async def set_email(session: AsyncSession, cart: Cart, email: str) -> None:
    """Set the address that this (locked) cart's mails go to. Without a customer, it is a guest's from now on."""
    guest_id = await guest_with(session, email) if cart.customer_id is None else None
    cart.email, cart.guest_id = email, guest_id


async def give_to(session: AsyncSession, cart: Cart, customer_id: str) -> None:
    """Make the (locked) cart a customer's, who has proved to be it. Their address is the cart's then."""
    if cart.customer_id == customer_id:
        return
    # whoever is being deleted is waited for
    customer = await session.get_one(Customer, customer_id, with_for_update={"key_share": True, "read": True})
    cart.customer_id, cart.guest_id, cart.email = customer.id, None, customer.email
    await own_consents(session, cart.id, customer.id)


async def merge(session: AsyncSession, cart_id: str, into: str, *, at_sign_in: bool = False) -> None:
    """Move the lines of one open cart into another. The first is left empty, so that a second call changes nothing.

    Units of the same variant add up as far as there is stock, but never to fewer than either cart had. What was typed
    at the checkout moves too; where both have something, that of the first cart stands. Codes and metadata come along;
    there that of the second stands. The chains of both must be locked: the purchase that the first was restored for is
    the second's from now on.

    The shopper is informed of what could not be moved, and with `at_sign_in` of what was.

    Raises:
        NotFound, NotAllowed: see `open_cart`.
    """
    source, target = await open_cart(session, cart_id), await open_cart(session, into)
    target.draft = {**target.draft, **{name: text for name, text in source.draft.items() if text}}
    source.draft = {}
    target.meta, source.meta = {**source.meta, **target.meta}, {}
    moved = await _move_lines(session, cart_id, into)
    await move_news(session, cart_id, into)
    if moved is None:
        return
    if at_sign_in and moved.had and moved.lines:
        joined = {"added": [asdict(one) for one in moved.added], "had": [asdict(one) for one in moved.had]}
        await add_news(session, into, NewsKind.JOINED, joined)
    await add_units_news(session, into, NewsKind.NO_STOCK, moved.no_stock)
    await add_units_news(session, into, NewsKind.NO_ROOM, moved.no_room)
    await changed(session, source)
    await changed(session, target)
    await add_code_news(session, into, await take_codes_along(session, source, target))
    if source.replaces_cart_id is not None:
        await join_chain(session, target, source.replaces_cart_id)
    await publish(session, CartsMerged(cart_id, into))


@dataclass(slots=True)
class _MovedLines:
    """Result of moving lines: what the cart had before, units added to it, and those that could not be.

    `lines` is the number of lines that left the other cart.
    """

    had: list[CartUnits]
    lines: int = 0
    added: list[CartUnits] = field(default_factory=list)
    no_stock: list[CartUnits] = field(default_factory=list)
    no_room: list[CartUnits] = field(default_factory=list)


async def _move_lines(session: AsyncSession, cart_id: str, into: str) -> _MovedLines | None:
    """Move the lines of one locked cart into another; None when there are none."""
    present = await lines_of(session, into)
    held = units_by_variant(present)
    there = {line_key(line.item.variant_id, line.item.meta): line for line in present}
    lines = await lines_of(session, cart_id)
    if not lines:
        return None
    units = await available_units(session, [line.variant.id for line in lines], holder=into)
    units_of = await units_of_lines(session, [*present, *lines])
    result = _MovedLines([units_of[line.item.id] for line in present])
    for line in lines:
        wanted, moved, missing = units_of[line.item.id], 0, result.no_room
        same = there.get(line_key(line.item.variant_id, line.item.meta))
        if same is not None:
            others = held[line.variant.id] - same.item.quantity
            quantity = _merged_quantity(line.item, same.item, units[line.variant.id] - others)
            moved = quantity - same.item.quantity
            missing = result.no_stock if quantity < MAX_QUANTITY else result.no_room
            held[line.variant.id] = others + quantity
            same.item.quantity = quantity
            await session.delete(line.item)
            result.lines += 1
        elif len(there) < MAX_LINES:
            moved = line.item.quantity
            line.item.cart_id = into
            there[line_key(line.item.variant_id, line.item.meta)] = line
            held[line.variant.id] += line.item.quantity
            result.lines += 1
        if moved:
            result.added.append(replace(wanted, quantity=moved))
        if moved < wanted.quantity:
            missing.append(replace(wanted, quantity=wanted.quantity - moved))
    await session.flush()
    return result


def _merged_quantity(one: LineItem, other: LineItem, units: int) -> int:
    both = min(one.quantity + other.quantity, units)
    return min(max(one.quantity, other.quantity, both), MAX_QUANTITY)
