"""Owners of carts: find the cart that a browser continues with.

- After signing in, a customer has the same cart on every device.
- Signing in preserves what a guest put into a cart. If the account already has a cart from another device, both are
  merged.
- Signing out leaves the cart with the account: the next person at the browser does not find it.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller, open_cart, read_cart
from backend.cart.contents import count_units_by_variant, line_key, read_lines
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
    read_line_units,
)
from backend.cart.promotion_codes import move_codes
from backend.cart.purchase_chains import join_chain, lock_chains
from backend.cart.shipping_method import mark_cart_changed
from backend.core.db.database import Database
from backend.core.errors import Conflict, NotAllowed, NotFound
from backend.core.events import publish
from backend.customers.guests import find_or_create_guest
from backend.customers.models import Customer
from backend.inventory.service import read_available_units
from backend.legal.consents import assign_consents


async def find_browser_cart(database: Database, cart_id: str, customer_id: str | None) -> str:
    """Return the id of the cart that a browser uses from now on; empty if it has none yet.

    `cart_id` is its current cart; `customer_id` is the signed-in customer, or None. After a sign-in, the
    guest's cart is assigned to the customer, or merged into the customer's own cart. The cart of a payment
    link stays as it is.
    """
    if not cart_id and customer_id is None:
        return ""  # most visitors: no query is needed
    async with database.read() as session:
        current = await _find_open_cart(session, cart_id)
        if current is not None and current.origin != "web" and current.customer_id is None:
            return current.id  # of a payment link: it stays as staff prepared it, and is not merged
        if (current.customer_id if current else None) == customer_id:
            return current.id if current else ""  # the usual case, without a lock
        if customer_id is None:
            return ""
        own = await _find_own_cart_id(session, customer_id)
        if current is None or current.customer_id is not None:
            return own or ""
    async with database.transaction() as session:
        return await _take_over_cart(session, cart_id, customer_id)


async def join_carts(database: Database, cart_id: str, into: str, caller: Caller) -> None:
    """Move the lines of a cart into another one, if the caller may use and change both; else do nothing."""
    async with database.transaction() as session:
        await lock_chains(session, cart_id, into)
        with suppress(NotFound, NotAllowed, Conflict):
            for one in sorted((cart_id, into)):
                await open_cart(session, one, caller)
            await merge_carts(session, cart_id, into)


async def check_usable_cart(database: Database, cart_id: str, customer_id: str | None) -> str:
    """Return the cart's id if the customer (None: a guest) may use it, completed or not; else an empty text."""
    async with database.read() as session:
        try:
            await read_cart(session, cart_id, Caller(customer_id))
        except NotFound:
            return ""
    return cart_id


async def _take_over_cart(session: AsyncSession, cart_id: str, customer_id: str) -> str:
    """Assign a guest's cart to the customer, or merge it into the customer's own cart."""
    await session.get_one(
        Customer, customer_id, with_for_update=True
    )  # two concurrent browsers must find the same cart
    own = await _find_own_cart_id(session, customer_id)
    await lock_chains(session, *filter(None, (cart_id, own)))
    try:
        guest_cart = await open_cart(session, cart_id)
    except (NotFound, NotAllowed, Conflict):  # it has become an order in the meantime, or is being paid
        return own or ""
    if guest_cart.customer_id is not None:  # another tab has assigned it
        return own or ""
    await assign_consents(session, guest_cart.id, customer_id)
    if own is None:
        guest_cart.customer_id = customer_id
        return guest_cart.id
    await merge_carts(session, guest_cart.id, own, at_sign_in=True)
    return own


async def _find_open_cart(session: AsyncSession, cart_id: str) -> Cart | None:
    found = await session.execute(select(Cart).where(Cart.id == cart_id, Cart.completed_at.is_(None)))
    return found.scalar_one_or_none()


async def _find_own_cart_id(session: AsyncSession, customer_id: str) -> str | None:
    """Return the id of the customer's open cart that is not being paid; of several, the newest.

    API clients may create several carts for a customer. The cart of a draft order is not returned.
    """
    own = select(Cart.id).where(
        Cart.customer_id == customer_id,
        Cart.completed_at.is_(None),
        Cart.payment_session_id.is_(None),
        Cart.origin == "web",
    )
    return (
        await session.execute(own.order_by(Cart.created_at.desc(), Cart.id.desc()).limit(1))
    ).scalar_one_or_none()


async def set_owner(session: AsyncSession, cart_id: str, customer_id: str | None) -> None:
    """Set the cart's customer; None if the payer is not signed in.

    A cart that is being paid, or has become an order, does not change: an order belongs to the customer who was
    signed in when it was placed.

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
        if (await session.execute(locking)).first() is None:  # the account was deleted concurrently
            return
    cart.customer_id = customer_id


async def set_email(session: AsyncSession, cart: Cart, email: str) -> None:
    """Set the e-mail address of this (locked) cart.

    If the cart has no customer, it then belongs to the guest with this address.
    """
    guest_id = await find_or_create_guest(session, email) if cart.customer_id is None else None
    cart.email, cart.guest_id = email, guest_id


async def assign_customer(session: AsyncSession, cart: Cart, customer_id: str) -> None:
    """Assign the (locked) cart to an authenticated customer. The cart gets the customer's e-mail address."""
    if cart.customer_id == customer_id:
        return
    # waits for a concurrent deletion of the customer
    customer = await session.get_one(Customer, customer_id, with_for_update={"key_share": True, "read": True})
    cart.customer_id, cart.guest_id, cart.email = customer.id, None, customer.email
    await assign_consents(session, cart.id, customer.id)


async def merge_carts(session: AsyncSession, cart_id: str, into: str, *, at_sign_in: bool = False) -> None:
    """Move the lines of one open cart into another.

    The first cart keeps only the lines for which the second has no room. So a second call changes nothing.

    Lines with the same variant and metadata become one line. Its quantity is the sum of both, limited to the
    available stock and `MAX_QUANTITY`, but never lower than the larger of the two.

    The fields of the checkout draft are moved too; if both carts have a field, the first cart's value is
    used. The metadata of the carts is merged; if both have a key, the second cart's value is used. Codes are
    added to the second cart if they apply to it and there is room. If the first cart was restored from a cart
    whose payment failed or was closed, the second cart becomes part of that cart's purchase. So the caller
    must have locked the purchases of both carts (`lock_chains`).

    Messages in the second cart list the units and codes that could not be moved. With `at_sign_in`, a message
    also lists the moved units, and the units that were in the second cart before.

    Raises:
        NotFound, NotAllowed, Conflict: see `open_cart`.
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
    await mark_cart_changed(session, source)
    await mark_cart_changed(session, target)
    await add_code_news(session, into, await move_codes(session, source, target))
    if source.replaces_cart_id is not None:
        await join_chain(session, target, source.replaces_cart_id)
    await publish(session, CartsMerged(cart_id, into))


@dataclass(slots=True)
class _MovedLines:
    """The result of moving lines into a cart.

    Attributes:
        had: the units that the cart had before.
        lines: the number of lines that left the other cart.
        added: the added units.
        no_stock, no_room: the units that were not moved, because of the stock or of the limits of a cart.
    """

    had: list[CartUnits]
    lines: int = 0
    added: list[CartUnits] = field(default_factory=list)
    no_stock: list[CartUnits] = field(default_factory=list)
    no_room: list[CartUnits] = field(default_factory=list)


async def _move_lines(session: AsyncSession, cart_id: str, into: str) -> _MovedLines | None:
    """Move the lines of one locked cart into another. Return None if the first cart has no lines."""
    existing = await read_lines(session, into)
    units_by_variant = count_units_by_variant(existing)
    lines_by_key = {line_key(line.item.variant_id, line.item.meta): line for line in existing}
    lines = await read_lines(session, cart_id)
    if not lines:
        return None
    units = await read_available_units(session, [line.variant.id for line in lines], holder=into)
    units_of = await read_line_units(session, [*existing, *lines])
    result = _MovedLines([units_of[line.item.id] for line in existing])
    for line in lines:
        line_units, moved, missing = units_of[line.item.id], 0, result.no_room
        same = lines_by_key.get(line_key(line.item.variant_id, line.item.meta))
        if same is not None:
            others = units_by_variant[line.variant.id] - same.item.quantity
            quantity = _merge_quantities(line.item, same.item, units[line.variant.id] - others)
            moved = quantity - same.item.quantity
            missing = result.no_stock if quantity < MAX_QUANTITY else result.no_room
            units_by_variant[line.variant.id] = others + quantity
            same.item.quantity = quantity
            await session.delete(line.item)
            result.lines += 1
        elif len(lines_by_key) < MAX_LINES:
            moved = line.item.quantity
            line.item.cart_id = into
            lines_by_key[line_key(line.item.variant_id, line.item.meta)] = line
            units_by_variant[line.variant.id] += line.item.quantity
            result.lines += 1
        if moved:
            result.added.append(replace(line_units, quantity=moved))
        if moved < line_units.quantity:
            missing.append(replace(line_units, quantity=line_units.quantity - moved))
    await session.flush()
    return result


def _merge_quantities(one: LineItem, other: LineItem, units: int) -> int:
    both = min(one.quantity + other.quantity, units)
    return min(max(one.quantity, other.quantity, both), MAX_QUANTITY)
