"""Addresses as programs write them: into the book of whoever is signed in, or by staff into somebody's."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.errors import NotAllowed
from backend.customers.addresses import add_address, change_address, remove_address
from backend.customers.directory import Person, find_person
from backend.customers.models import Customer
from backend.customers.schemas import AddressBody
from backend.staff.rights import Actor, Right

ABOUT_THE_BOOK = {"address_name", "is_default_shipping", "is_default_billing"}


async def write_address(
    session: AsyncSession, customer_id: str, said: AddressBody, address_id: str | None = None
) -> None:
    """Write an address into the book; with an id, change what is said of that one.

    Raises:
        NotFound: the book has no such address.
        NotAllowed: the book is full.
    """
    if address_id is None:
        await add_address(
            session,
            customer_id,
            said.model_dump(exclude_none=True, exclude=ABOUT_THE_BOOK),
            name=said.address_name,
            ships=bool(said.is_default_shipping),
            bills=bool(said.is_default_billing),
        )
        return
    await change_address(
        session,
        customer_id,
        address_id,
        said.model_dump(exclude_unset=True, exclude=ABOUT_THE_BOOK),
        ships=said.is_default_shipping,
        bills=said.is_default_billing,
        **({"name": said.address_name} if "address_name" in said.model_fields_set else {}),
    )


async def write_address_of(
    session: AsyncSession, actor: Actor, customer_id: str, said: AddressBody, address_id: str | None = None
) -> Person:
    """Write an address into the book of a customer, as staff.

    Raises:
        NotFound: there is no such customer, or no such address in the book.
        NotAllowed: the customer has no account, or the book is full.
    """
    person = await _with_book(session, actor, customer_id)
    await write_address(session, customer_id, said, address_id)
    return person


async def remove_address_of(session: AsyncSession, actor: Actor, customer_id: str, address_id: str) -> Person:
    """Take an address out of the book of a customer, as staff.

    Raises:
        NotFound: there is no such customer, or no such address in the book.
        NotAllowed: the customer has no account.
    """
    person = await _with_book(session, actor, customer_id)
    await remove_address(session, customer_id, address_id)
    return person


async def _with_book(session: AsyncSession, actor: Actor, customer_id: str) -> Person:
    actor.require(Right.CHANGE_CUSTOMERS)
    person = await find_person(session, customer_id)
    if not isinstance(person, Customer):
        raise NotAllowed("A customer without an account has no address book")
    await record(session, actor, "changed", Subject(Thing.CUSTOMER, customer_id))
    return person
