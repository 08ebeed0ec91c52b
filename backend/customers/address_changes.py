"""Changes of address books through the API, by the signed-in customer or by staff."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.errors import NotAllowed
from backend.customers.addresses import add_address, change_address, remove_address
from backend.customers.directory import Person, find_person
from backend.customers.models import Customer
from backend.customers.schemas import AddressBody
from backend.staff.rights import Actor, Right

BOOK_FIELDS = {"address_name", "is_default_shipping", "is_default_billing"}


async def write_address(
    session: AsyncSession, customer_id: str, body: AddressBody, address_id: str | None = None
) -> None:
    """Add an address to the customer's book. With `address_id`, change the given parts of that address instead.

    Raises:
        NotFound: the book has no address with this id.
        NotAllowed: the book is full.
    """
    if address_id is None:
        await add_address(
            session,
            customer_id,
            body.model_dump(exclude_none=True, exclude=BOOK_FIELDS),
            name=body.address_name,
            is_shipping=bool(body.is_default_shipping),
            is_billing=bool(body.is_default_billing),
        )
        return
    await change_address(
        session,
        customer_id,
        address_id,
        body.model_dump(exclude_unset=True, exclude=BOOK_FIELDS),
        is_shipping=body.is_default_shipping,
        is_billing=body.is_default_billing,
        **({"name": body.address_name} if "address_name" in body.model_fields_set else {}),
    )


async def write_address_of(
    session: AsyncSession, actor: Actor, customer_id: str, body: AddressBody, address_id: str | None = None
) -> Person:
    """Add or change an address in a customer's book, as staff.

    Raises:
        NotFound: the customer, or the address in the book, does not exist.
        NotAllowed: the customer has no account, or the book is full.
    """
    person = await _with_book(session, actor, customer_id)
    await write_address(session, customer_id, body, address_id)
    return person


async def remove_address_of(session: AsyncSession, actor: Actor, customer_id: str, address_id: str) -> Person:
    """Delete an address from a customer's book, as staff.

    Raises:
        NotFound: the customer, or the address in the book, does not exist.
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
    await record(session, actor, "changed", Subject(SubjectType.CUSTOMER, customer_id))
    return person
