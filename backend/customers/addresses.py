"""The address book. An address of another customer is answered like one that does not exist."""

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
    """The book, the address to ship to first."""
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
    """One address of this customer.

    Raises:
        NotFound: there is none with this id, or it is another's.
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
    ships: bool = False,
    bills: bool = False,
) -> CustomerAddress:
    """Write an address into the book. The first one is the one to ship to.

    Raises:
        NotAllowed: the book is full.
    """
    await _lock(session, customer_id)
    count = select(func.count()).select_from(CustomerAddress)
    kept = (await session.execute(count.where(CustomerAddress.customer_id == customer_id))).scalar_one()
    if kept >= MAX_ADDRESSES:
        raise NotAllowed(f"An address book holds at most {MAX_ADDRESSES} addresses")
    entry = CustomerAddress(customer_id=customer_id, address=address, address_name=name)
    session.add(entry)
    await _make_default(session, entry, ships=ships or not kept, bills=bills)
    return entry


async def change_address(
    session: AsyncSession,
    customer_id: str,
    address_id: str,
    changes: JsonObject,
    *,
    ships: bool | None = None,
    bills: bool | None = None,
    **named: str | None,
) -> CustomerAddress:
    """Change parts of an address (see `changed_address`), or which one is the default. `name` is what it is called.

    Raises:
        NotFound: see `read_address`.
    """
    await _lock(session, customer_id)
    entry = await read_address(session, customer_id, address_id)
    entry.address = changed_address(entry.address, changes)
    if "name" in named:
        entry.address_name = named["name"]
    if ships is False:
        entry.is_default_shipping = False
    if bills is False:
        entry.is_default_billing = False
    await _make_default(session, entry, ships=bool(ships), bills=bool(bills))
    return entry


async def remove_address(session: AsyncSession, customer_id: str, address_id: str) -> None:
    """Delete an address. If it was the default to ship to, the newest of the others becomes it.

    Raises:
        NotFound: see `read_address`.
    """
    await _lock(session, customer_id)
    entry = await read_address(session, customer_id, address_id)
    await session.delete(entry)
    await session.flush()
    if entry.is_default_shipping and (left := await addresses_of(session, customer_id)):
        left[0].is_default_shipping = True
        await session.flush()


async def remember(session: AsyncSession, customer_id: str, address: JsonObject) -> None:
    """Keep an address that something was sent to, unless it is there already or the book is full."""
    await _lock(session, customer_id)
    book = await addresses_of(session, customer_id)
    if len(book) < MAX_ADDRESSES and not any(_place(entry.address) == _place(address) for entry in book):
        await add_address(session, customer_id, address)


def _place(address: JsonObject) -> tuple[str, ...]:
    town: dict[str, Any] = address.get("metadata") or {}
    names = ("first_name", "last_name", "address_1", "address_2", "city", "province")
    return (*(str(address.get(name) or "").casefold() for name in names), str(town.get("dane_code") or ""))


async def _make_default(session: AsyncSession, entry: CustomerAddress, *, ships: bool, bills: bool) -> None:
    """At most one address is the default of a kind."""
    await session.flush()
    for column, is_it in (("is_default_shipping", ships), ("is_default_billing", bills)):
        if is_it:
            others = (
                CustomerAddress.customer_id == entry.customer_id,
                getattr(CustomerAddress, column),
                CustomerAddress.id != entry.id,
            )
            await session.execute(update(CustomerAddress).where(*others).values({column: False}))
            setattr(entry, column, True)
    await session.flush()


async def _lock(session: AsyncSession, customer_id: str) -> None:
    """One change of a book at a time."""
    await session.get_one(Customer, customer_id, with_for_update=True)
