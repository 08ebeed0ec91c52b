"""The address book of a customer.

The address of another customer gets the same answer as an address that does not exist.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import JsonObject
from backend.core.errors import NotAllowed, NotFound
from backend.customers.models import Customer, CustomerAddress
from backend.edge.address_changes import changed_address

MAX_ADDRESSES = 20


async def addresses_of(session: AsyncSession, customer_id: str) -> Sequence[CustomerAddress]:
    """Return the customer's addresses: the default shipping address first, then the others, newest first."""
    found = await session.execute(
        select(CustomerAddress)
        .where(CustomerAddress.customer_id == customer_id)
        .order_by(
            CustomerAddress.is_default_shipping.desc(),
            CustomerAddress.created_at.desc(),
            CustomerAddress.id.desc(),
        )
    )
    return found.scalars().all()


async def read_address(session: AsyncSession, customer_id: str, address_id: str) -> CustomerAddress:
    """Return one address of this customer.

    Raises:
        NotFound: it does not exist, or belongs to another customer.
    """
    entry = await session.get(CustomerAddress, address_id)
    if entry is None or entry.customer_id != customer_id:
        raise NotFound(f"Customer address with id: {address_id} was not found")
    return entry


async def add_address(
    session: AsyncSession,
    customer_id: str,
    address: JsonObject,
    *,
    name: str | None = None,
    is_shipping: bool = False,
    is_billing: bool = False,
) -> CustomerAddress:
    """Add an address to the customer's address book. The first one becomes the default shipping address.

    Raises:
        NotAllowed: the book is full.
    """
    await _lock_customer(session, customer_id)
    count = select(func.count()).select_from(CustomerAddress)
    count_before = (
        await session.execute(count.where(CustomerAddress.customer_id == customer_id))
    ).scalar_one()
    if count_before >= MAX_ADDRESSES:
        raise NotAllowed(f"An address book holds at most {MAX_ADDRESSES} addresses")
    entry = CustomerAddress(customer_id=customer_id, address=address, address_name=name)
    session.add(entry)
    await _make_default(session, entry, is_shipping=is_shipping or not count_before, is_billing=is_billing)
    return entry


async def change_address(
    session: AsyncSession,
    customer_id: str,
    address_id: str,
    changes: JsonObject,
    *,
    is_shipping: bool | None = None,
    is_billing: bool | None = None,
    **named: str | None,
) -> CustomerAddress:
    """Change parts of an address, its name (keyword `name`), or whether it is a default address.

    Raises:
        NotFound: see `read_address`.
    """
    await _lock_customer(session, customer_id)
    entry = await read_address(session, customer_id, address_id)
    entry.address = changed_address(entry.address, changes)
    if "name" in named:
        entry.address_name = named["name"]
    if is_shipping is False:
        entry.is_default_shipping = False
    if is_billing is False:
        entry.is_default_billing = False
    await _make_default(session, entry, is_shipping=bool(is_shipping), is_billing=bool(is_billing))
    return entry


async def remove_address(session: AsyncSession, customer_id: str, address_id: str) -> None:
    """Delete an address. If it was the default shipping address, the newest of the others becomes the default.

    Raises:
        NotFound: see `read_address`.
    """
    await _lock_customer(session, customer_id)
    entry = await read_address(session, customer_id, address_id)
    await session.delete(entry)
    await session.flush()
    if entry.is_default_shipping and (others := await addresses_of(session, customer_id)):
        others[0].is_default_shipping = True
        await session.flush()


async def save_used_address(session: AsyncSession, customer_id: str, address: JsonObject) -> None:
    """Add the address of an order to the customer's book, unless the book has this address already or is full."""
    await _lock_customer(session, customer_id)
    book = await addresses_of(session, customer_id)
    if len(book) < MAX_ADDRESSES and not any(
        _address_key(entry.address) == _address_key(address) for entry in book
    ):
        await add_address(session, customer_id, address)


def _address_key(address: JsonObject) -> tuple[str, ...]:
    town: dict[str, Any] = address.get("metadata") or {}
    names = ("first_name", "last_name", "address_1", "address_2", "city", "province")
    return (*(str(address.get(name) or "").casefold() for name in names), str(town.get("dane_code") or ""))


async def _make_default(
    session: AsyncSession, entry: CustomerAddress, *, is_shipping: bool, is_billing: bool
) -> None:
    """Make the entry the default address for shipping, for billing, or for both, instead of the earlier default."""
    await session.flush()
    for column, is_it in (("is_default_shipping", is_shipping), ("is_default_billing", is_billing)):
        if is_it:
            others = (
                CustomerAddress.customer_id == entry.customer_id,
                getattr(CustomerAddress, column),
                CustomerAddress.id != entry.id,
            )
            await session.execute(update(CustomerAddress).where(*others).values({column: False}))
            setattr(entry, column, True)
    await session.flush()


async def _lock_customer(session: AsyncSession, customer_id: str) -> None:
    """Lock the customer's row, so that only one transaction at a time changes the address book."""
    await session.get_one(Customer, customer_id, with_for_update=True)
