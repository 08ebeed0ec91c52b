"""The directory for staff: customers with an account and guests without one, in one list."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import lock_rows, raise_on_conflict
from backend.core.db.tables import JsonObject
from backend.core.errors import Duplicate, InvalidData, NotFound
from backend.core.web.contact import tidy_email
from backend.customers.admin_schemas import CustomersParameters
from backend.customers.answers import PersonOut
from backend.customers.models import Customer, CustomerGroupMember, GuestCustomer
from backend.customers.search_index import match_words
from backend.edge.query import in_clauses, moment_clauses, order_clauses, where_clauses
from backend.edge.wire import stamps
from backend.staff.rights import Actor, Right

Person = Customer | GuestCustomer


@dataclass(frozen=True, slots=True)
class ListedCustomer:
    """A customer or guest, as a row of the list."""

    id: str
    email: str
    first_name: str
    last_name: str
    phone: str
    company_name: str
    meta: JsonObject
    has_account: bool
    created_at: datetime
    updated_at: datetime


def _select_table(model: type[Person], params: CustomersParameters, *, has_account: bool) -> Select[Any]:
    columns = [getattr(model, one.name) for one in fields(ListedCustomer) if one.name != "has_account"]
    query = select(*columns, literal(has_account).label("has_account"))

    def conditions(part: CustomersParameters) -> list[ColumnElement[bool]]:
        emails = None if part.email is None else [tidy_email(email) for email in part.email]
        found = moment_clauses(part, model.created_at, model.updated_at)
        found += in_clauses((model.id, part.id), (model.email, emails))
        if part.groups is not None:
            members = select(CustomerGroupMember.customer_id).where(
                CustomerGroupMember.group_id.in_(part.groups)
            )
            found.append(model.id.in_(members))
        if part.has_account is not None:
            found.append(literal(part.has_account) == literal(has_account))
        return [*found, *match_words(model.id, part.q or "")]

    return query.where(*where_clauses(params, conditions))


async def customers_page(
    session: AsyncSession, params: CustomersParameters
) -> tuple[list[ListedCustomer], int]:
    """Return a page of customers and guests, the newest first by default, and the total count.

    Raises:
        InvalidData: the list cannot be sorted by the requested field.
    """
    kinds = [
        _select_table(model, params, has_account=has_account)
        for model, has_account in ((Customer, True), (GuestCustomer, False))
        if params.has_account in (None, has_account)
    ]
    all_customers = union_all(*kinds).subquery()
    columns = all_customers.c
    sortable = {
        name: columns[name] for name in ("email", "first_name", "last_name", "created_at", "updated_at")
    }
    order = order_clauses(params.order, sortable, [columns.created_at.desc(), columns.id.desc()])
    count = await session.execute(select(func.count()).select_from(all_customers))
    page = select(all_customers).order_by(*order).offset(params.offset).limit(params.limit)
    found = [ListedCustomer(**row) for row in (await session.execute(page)).mappings()]
    return found, count.scalar_one()


async def find_person(session: AsyncSession, customer_id: str, *, for_change: bool = False) -> Person:
    """Return the customer or guest with this id. With `for_change`, lock the row.

    Raises:
        NotFound: the customer or guest does not exist.
    """
    for query in (
        select(Customer).where(Customer.id == customer_id),
        select(GuestCustomer).where(GuestCustomer.id == customer_id),
    ):
        found = await session.execute(lock_rows(query) if for_change else query)
        person: Person | None = found.scalar_one_or_none()
        if person is not None:
            return person
    raise NotFound(f"Customer with id: {customer_id} was not found")


async def add_guest(session: AsyncSession, actor: Actor, email: str, values: JsonObject) -> GuestCustomer:
    """Create a customer without an account, as staff.

    Raises:
        Duplicate: there is a guest with this address.
    """
    actor.require(Right.CHANGE_CUSTOMERS)
    guest = GuestCustomer(email=tidy_email(email), **values)
    await record(session, actor, "created", Subject(SubjectType.CUSTOMER, guest.id))
    async with raise_on_conflict(
        session, Duplicate(f"Customer with email: {guest.email}, has_account: false already exists.")
    ):
        session.add(guest)
    return guest


async def change_person(
    session: AsyncSession, actor: Actor, customer_id: str, values: JsonObject, email: str | None = None
) -> Person:
    """Change a customer or guest. The e-mail address cannot be changed, because it identifies the person.

    Raises:
        NotFound: the customer or guest does not exist.
        InvalidData: the given e-mail address is not the current one.
    """
    actor.require(Right.CHANGE_CUSTOMERS)
    person = await find_person(session, customer_id, for_change=True)
    if email is not None and tidy_email(email) != person.email:
        raise InvalidData("The e-mail address of a customer cannot be changed")
    await record(session, actor, "changed", Subject(SubjectType.CUSTOMER, customer_id))
    for name, value in values.items():
        setattr(person, name, value)
    await session.flush()
    return person


async def find_existing_ids(session: AsyncSession, customer_ids: Sequence[str]) -> set[str]:
    """Return the ids in the list that belong to a customer or a guest."""
    known: set[str] = set()
    for model in (Customer, GuestCustomer):
        query = select(model.id).where(model.id.in_(customer_ids))
        known.update((await session.execute(query)).scalars())
    return known


async def persons_by_id(session: AsyncSession, ids: Collection[str]) -> dict[str, Person]:
    """Return the customers and guests with these ids, by id. Missing ones are left out."""
    customers = (await session.execute(select(Customer).where(Customer.id.in_(ids)))).scalars()
    guests = (await session.execute(select(GuestCustomer).where(GuestCustomer.id.in_(ids)))).scalars()
    return {person.id: person for person in (*customers, *guests)}


def person_wire(person: Person | ListedCustomer) -> PersonOut:
    """Return the customer for the API, without addresses and groups."""
    return {
        "id": person.id,
        "email": person.email,
        "company_name": person.company_name or None,
        "first_name": person.first_name or None,
        "last_name": person.last_name or None,
        "phone": person.phone or None,
        "metadata": person.meta or None,
        "has_account": person.has_account
        if isinstance(person, ListedCustomer)
        else isinstance(person, Customer),
        "created_by": None,
        "deleted_at": None,
        **stamps(person.created_at, person.updated_at),
    }
