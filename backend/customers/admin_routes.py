"""The Admin API of customers and their groups (wire: commerce-api, Admin).

Nobody is deleted here: what the law lets go of a person, and what accounting needs, is more than one row.
"""

from collections.abc import Sequence
from typing import Annotated, cast

from fastapi import APIRouter
from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Thing
from backend.customers import directory, groups
from backend.customers.address_changes import remove_address_of, write_address_of
from backend.customers.addresses import addresses_of, read_address
from backend.customers.admin_schemas import (
    CustomerGroups,
    CustomersParameters,
    GroupChange,
    GroupCustomers,
    GroupsParameters,
    NewGroup,
    NewStaffCustomer,
    StaffCustomerChange,
)
from backend.customers.answers import (
    AddressAnswer,
    AddressesAnswer,
    GroupAnswer,
    GroupOut,
    GroupsAnswer,
    StaffCustomerAnswer,
    StaffCustomerOut,
    StaffCustomersAnswer,
)
from backend.customers.directory import ListedCustomer, Person
from backend.customers.models import CustomerGroup, CustomerGroupMember
from backend.customers.schemas import AddressBody, address_wire, customer_columns
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, met, named, page_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire, iso
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: customers"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_CUSTOMERS),
)


@router.get("/customers")
async def list_customers(
    actor: StaffMember, asked: Annotated[CustomersParameters, read_query(CustomersParameters)], database: Db
) -> Wire[StaffCustomersAnswer]:
    """Customers with an account, and guests without one."""
    async with database.read() as session:
        found, count = await directory.customers_page(session, asked)
        shown = await _written(session, found, Fields(asked.fields), with_book=False)
    await count_reads(database, actor, Thing.CUSTOMER, len(shown))
    return Wire({"customers": pick_each(shown, asked), **paging(count, asked)})


@router.post("/customers")
async def create_customer(
    actor: StaffMember, body: NewStaffCustomer, database: Db, fields: Shown
) -> Wire[StaffCustomerAnswer]:
    """A customer without an account. Whoever buys with the address without signing in is the same guest."""
    async with database.transaction() as session:
        guest = await directory.add_guest(
            session, actor, body.email, customer_columns(body.model_dump(exclude={"email"}))
        )
        return await _customer(session, guest, fields)


@router.get("/customers/{customer_id}")
async def read_customer(
    actor: StaffMember, customer_id: str, database: Db, fields: Shown
) -> Wire[StaffCustomerAnswer]:
    """The customer or guest."""
    await count_reads(database, actor, Thing.CUSTOMER, 1)
    async with database.read() as session:
        return await _customer(session, await directory.find_person(session, customer_id), fields)


@router.post("/customers/{customer_id}")
async def update_customer(
    actor: StaffMember, customer_id: str, body: StaffCustomerChange, database: Db, fields: Shown
) -> Wire[StaffCustomerAnswer]:
    """Change what is said of them; what is left out stays."""
    values = customer_columns(body.model_dump(exclude_unset=True, exclude={"email"}))
    async with database.transaction() as session:
        person = await directory.change_person(session, actor, customer_id, values, body.email)
        return await _customer(session, person, fields)


@router.post("/customers/{customer_id}/customer-groups")
async def change_customer_groups(
    actor: StaffMember, customer_id: str, body: CustomerGroups, database: Db, fields: Shown
) -> Wire[StaffCustomerAnswer]:
    """Put the customer into groups, and take them out of others."""
    async with database.transaction() as session:
        person = await groups.change_groups_of(session, actor, customer_id, body.add or (), body.remove or ())
        return await _customer(session, person, fields)


@router.get("/customers/{customer_id}/addresses")
async def list_addresses(
    actor: StaffMember,
    customer_id: str,
    asked: Annotated[ListParameters, read_query(ListParameters)],
    database: Db,
) -> Wire[AddressesAnswer]:
    """The address book of a customer with an account."""
    await count_reads(database, actor, Thing.CUSTOMER, 1)
    async with database.read() as session:
        await directory.find_person(session, customer_id)
        book = await addresses_of(session, customer_id)
    return Wire(
        {"addresses": pick_each(map(address_wire, page_of(book, asked)), asked), **paging(len(book), asked)}
    )


@router.get("/customers/{customer_id}/addresses/{address_id}")
async def one_address(
    actor: StaffMember, customer_id: str, address_id: str, database: Db, fields: Shown
) -> Wire[AddressAnswer]:
    """One address of the book."""
    await count_reads(database, actor, Thing.CUSTOMER, 1)
    async with database.read() as session:
        entry = await read_address(session, customer_id, address_id)
    return Wire({"address": fields.pick(address_wire(entry))})


@router.post("/customers/{customer_id}/addresses")
async def create_address(
    actor: StaffMember, customer_id: str, body: AddressBody, database: Db, fields: Shown
) -> Wire[StaffCustomerAnswer]:
    """Write an address into the book of a customer with an account."""
    async with database.transaction() as session:
        person = await write_address_of(session, actor, customer_id, body)
        return await _customer(session, person, fields)


@router.post("/customers/{customer_id}/addresses/{address_id}")
async def update_address(
    *, actor: StaffMember, customer_id: str, address_id: str, body: AddressBody, database: Db, fields: Shown
) -> Wire[StaffCustomerAnswer]:
    """Change parts of an address of the book."""
    async with database.transaction() as session:
        person = await write_address_of(session, actor, customer_id, body, address_id)
        return await _customer(session, person, fields)


@router.delete("/customers/{customer_id}/addresses/{address_id}")
async def delete_address(
    actor: StaffMember, customer_id: str, address_id: str, database: Db
) -> Wire[Deleted]:
    """Take an address out of the book."""
    async with database.transaction() as session:
        await remove_address_of(session, actor, customer_id, address_id)
    return Wire({"id": address_id, "object": "customer_address", "deleted": True})


SORTABLE = {"name": CustomerGroup.name, "created_at": CustomerGroup.created_at}


@router.get("/customer-groups")
async def list_groups(
    asked: Annotated[GroupsParameters, read_query(GroupsParameters)], database: Db
) -> Wire[GroupsAnswer]:
    """The groups of customers. With `fields=+customers.id`, who is in each."""
    order = in_order(asked.order, SORTABLE, [CustomerGroup.name])
    async with database.read() as session:
        found, count = await rows_of(session, CustomerGroup, met(asked, _of_groups), order, asked)
        shown = [group_wire(group) for group in found]
        if Fields(asked.fields).wants("customers"):
            members = await groups.members_of(session, [group.id for group in found])
            shown = [
                {**wire, "customers": [directory.person_wire(person) for person in members[wire["id"]]]}
                for wire in shown
            ]
    return Wire({"customer_groups": pick_each(shown, asked), **paging(count, asked)})


def _of_groups(asked: GroupsParameters) -> list[ColumnElement[bool]]:
    found = named(CustomerGroup)(asked)
    if asked.customers is not None:
        with_them = select(CustomerGroupMember.group_id).where(
            CustomerGroupMember.customer_id.in_(asked.customers)
        )
        found.append(CustomerGroup.id.in_(with_them))
    return found


@router.post("/customer-groups")
async def create_group(actor: StaffMember, body: NewGroup, database: Db, fields: Shown) -> Wire[GroupAnswer]:
    """A new group with nobody in it."""
    async with database.transaction() as session:
        return _group(await groups.create_group(session, actor, body), fields)


@router.get("/customer-groups/{group_id}")
async def read_group(group_id: str, database: Db, fields: Shown) -> Wire[GroupAnswer]:
    """The group."""
    async with database.read() as session:
        return _group(await groups.find_group(session, group_id), fields)


@router.post("/customer-groups/{group_id}")
async def update_group(
    actor: StaffMember, group_id: str, body: GroupChange, database: Db, fields: Shown
) -> Wire[GroupAnswer]:
    """Change its name or what is noted."""
    async with database.transaction() as session:
        return _group(await groups.change_group(session, actor, group_id, body), fields)


@router.delete("/customer-groups/{group_id}")
async def delete_group(actor: StaffMember, group_id: str, database: Db) -> Wire[Deleted]:
    """Delete it; its customers stay."""
    async with database.transaction() as session:
        await groups.delete_group(session, actor, group_id)
    return Wire({"id": group_id, "object": "customer_group", "deleted": True})


@router.post("/customer-groups/{group_id}/customers")
async def change_group_customers(
    actor: StaffMember, group_id: str, body: GroupCustomers, database: Db, fields: Shown
) -> Wire[GroupAnswer]:
    """Put customers into the group, and take others out of it."""
    async with database.transaction() as session:
        group = await groups.change_members(session, actor, group_id, body.add or (), body.remove or ())
        return _group(group, fields)


def group_wire(group: CustomerGroup) -> GroupOut:
    """A group of customers."""
    return {
        "id": group.id,
        "name": group.name,
        "metadata": group.meta or None,
        "created_by": None,
        "deleted_at": None,
        "created_at": iso(group.created_at),
        "updated_at": iso(group.updated_at),
    }


async def _written(
    session: AsyncSession, persons: Sequence[Person | ListedCustomer], fields: Fields, *, with_book: bool
) -> list[StaffCustomerOut]:
    """The customers with those relations that were asked for. `with_book`: the addresses are shown by default."""
    shown = [cast(StaffCustomerOut, directory.person_wire(person)) for person in persons]
    if fields.wants("groups"):
        found = await groups.groups_of(session, [person.id for person in persons])
        for wire in shown:
            wire["groups"] = [group_wire(group) for group in found[wire["id"]]]
    if fields.wants("addresses", by_default=with_book):
        for wire in shown:
            book = await addresses_of(session, wire["id"]) if wire["has_account"] else ()
            wire["addresses"] = [address_wire(entry) for entry in book]
    return shown


async def _customer(session: AsyncSession, person: Person, fields: Fields) -> Wire[StaffCustomerAnswer]:
    (shown,) = await _written(session, [person], fields, with_book=True)
    return Wire({"customer": fields.pick(shown)})


def _group(group: CustomerGroup, fields: Fields) -> Wire[GroupAnswer]:
    return Wire({"customer_group": fields.pick(group_wire(group))})
