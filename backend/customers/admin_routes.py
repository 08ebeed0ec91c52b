"""Admin API of customers and their groups (wire: commerce-api, Admin).

It has no route that deletes a customer: `backend.privacy.erasure` deletes personal data and keeps what the law
requires.
"""

from collections.abc import Sequence
from typing import Annotated, cast

from fastapi import APIRouter
from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import SubjectType
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
from backend.customers.schemas import AddressBody, address_wire, to_customer_columns
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    name_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    slice_page,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire, iso
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: customers"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_CUSTOMERS),
)


@router.get("/customers")
async def list_customers(
    actor: StaffMember, params: Annotated[CustomersParameters, read_query(CustomersParameters)], database: Db
) -> Wire[StaffCustomersAnswer]:
    """Return a page of customers with an account and guests without one."""
    async with database.read() as session:
        found, count = await directory.customers_page(session, params)
        shown = await _customers_out(session, found, Fields(params.fields), with_book=False)
    await count_reads(database, actor, SubjectType.CUSTOMER, len(shown))
    return Wire({"customers": pick_each(shown, params), **paging_fields(count, params)})


@router.post("/customers")
async def create_customer(
    actor: StaffMember, body: NewStaffCustomer, database: Db, fields: RequestedFields
) -> Wire[StaffCustomerAnswer]:
    """Create a customer without an account.

    If a shopper later buys with this e-mail address without signing in, the order belongs to this customer.
    """
    async with database.transaction() as session:
        guest = await directory.add_guest(
            session, actor, body.email, to_customer_columns(body.model_dump(exclude={"email"}))
        )
        return await _customer_answer(session, guest, fields)


@router.get("/customers/{customer_id}")
async def read_customer(
    actor: StaffMember, customer_id: str, database: Db, fields: RequestedFields
) -> Wire[StaffCustomerAnswer]:
    """Return the customer or guest."""
    await count_reads(database, actor, SubjectType.CUSTOMER, 1)
    async with database.read() as session:
        return await _customer_answer(session, await directory.find_person(session, customer_id), fields)


@router.post("/customers/{customer_id}")
async def update_customer(
    actor: StaffMember, customer_id: str, body: StaffCustomerChange, database: Db, fields: RequestedFields
) -> Wire[StaffCustomerAnswer]:
    """Change the given fields of the customer or guest; missing fields stay unchanged."""
    values = to_customer_columns(body.model_dump(exclude_unset=True, exclude={"email"}))
    async with database.transaction() as session:
        person = await directory.change_person(session, actor, customer_id, values, body.email)
        return await _customer_answer(session, person, fields)


@router.post("/customers/{customer_id}/customer-groups")
async def change_customer_groups(
    actor: StaffMember, customer_id: str, body: CustomerGroups, database: Db, fields: RequestedFields
) -> Wire[StaffCustomerAnswer]:
    """Add the customer to groups, and remove the customer from others."""
    async with database.transaction() as session:
        person = await groups.change_groups_of(session, actor, customer_id, body.add or (), body.remove or ())
        return await _customer_answer(session, person, fields)


@router.get("/customers/{customer_id}/addresses")
async def list_addresses(
    actor: StaffMember,
    customer_id: str,
    params: Annotated[ListParameters, read_query(ListParameters)],
    database: Db,
) -> Wire[AddressesAnswer]:
    """Return the address book of a customer with an account."""
    await count_reads(database, actor, SubjectType.CUSTOMER, 1)
    async with database.read() as session:
        await directory.find_person(session, customer_id)
        book = await addresses_of(session, customer_id)
    return Wire(
        {
            "addresses": pick_each(map(address_wire, slice_page(book, params)), params),
            **paging_fields(len(book), params),
        }
    )


@router.get("/customers/{customer_id}/addresses/{address_id}")
async def one_address(
    actor: StaffMember, customer_id: str, address_id: str, database: Db, fields: RequestedFields
) -> Wire[AddressAnswer]:
    """Return one address of the customer's address book."""
    await count_reads(database, actor, SubjectType.CUSTOMER, 1)
    async with database.read() as session:
        entry = await read_address(session, customer_id, address_id)
    return Wire({"address": fields.pick(address_wire(entry))})


@router.post("/customers/{customer_id}/addresses")
async def create_address(
    actor: StaffMember, customer_id: str, body: AddressBody, database: Db, fields: RequestedFields
) -> Wire[StaffCustomerAnswer]:
    """Add an address to the book of a customer with an account."""
    async with database.transaction() as session:
        person = await write_address_of(session, actor, customer_id, body)
        return await _customer_answer(session, person, fields)


@router.post("/customers/{customer_id}/addresses/{address_id}")
async def update_address(
    *,
    actor: StaffMember,
    customer_id: str,
    address_id: str,
    body: AddressBody,
    database: Db,
    fields: RequestedFields,
) -> Wire[StaffCustomerAnswer]:
    """Change parts of an address in the customer's address book."""
    async with database.transaction() as session:
        person = await write_address_of(session, actor, customer_id, body, address_id)
        return await _customer_answer(session, person, fields)


@router.delete("/customers/{customer_id}/addresses/{address_id}")
async def delete_address(
    actor: StaffMember, customer_id: str, address_id: str, database: Db
) -> Wire[Deleted]:
    """Delete an address from the customer's address book."""
    async with database.transaction() as session:
        await remove_address_of(session, actor, customer_id, address_id)
    return Wire({"id": address_id, "object": "customer_address", "deleted": True})


SORTABLE = {"name": CustomerGroup.name, "created_at": CustomerGroup.created_at}


@router.get("/customer-groups")
async def list_groups(
    params: Annotated[GroupsParameters, read_query(GroupsParameters)], database: Db
) -> Wire[GroupsAnswer]:
    """Return the groups of customers. With `fields=+customers.id`, also the members of each."""
    order = order_clauses(params.order, SORTABLE, [CustomerGroup.name])
    async with database.read() as session:
        found, count = await read_page(
            session, CustomerGroup, where_clauses(params, _group_conditions), order, params
        )
        shown = [group_wire(group) for group in found]
        if Fields(params.fields).wants("customers"):
            members = await groups.members_of(session, [group.id for group in found])
            shown = [
                {**wire, "customers": [directory.person_wire(person) for person in members[wire["id"]]]}
                for wire in shown
            ]
    return Wire({"customer_groups": pick_each(shown, params), **paging_fields(count, params)})


def _group_conditions(params: GroupsParameters) -> list[ColumnElement[bool]]:
    found = name_clauses(CustomerGroup)(params)
    if params.customers is not None:
        with_them = select(CustomerGroupMember.group_id).where(
            CustomerGroupMember.customer_id.in_(params.customers)
        )
        found.append(CustomerGroup.id.in_(with_them))
    return found


@router.post("/customer-groups")
async def create_group(
    actor: StaffMember, body: NewGroup, database: Db, fields: RequestedFields
) -> Wire[GroupAnswer]:
    """Create a group of customers, without members."""
    async with database.transaction() as session:
        return _group_answer(await groups.create_group(session, actor, body), fields)


@router.get("/customer-groups/{group_id}")
async def read_group(group_id: str, database: Db, fields: RequestedFields) -> Wire[GroupAnswer]:
    """Return one group of customers."""
    async with database.read() as session:
        return _group_answer(await groups.find_group(session, group_id), fields)


@router.post("/customer-groups/{group_id}")
async def update_group(
    actor: StaffMember, group_id: str, body: GroupChange, database: Db, fields: RequestedFields
) -> Wire[GroupAnswer]:
    """Change the name or the metadata of a group of customers."""
    async with database.transaction() as session:
        return _group_answer(await groups.change_group(session, actor, group_id, body), fields)


@router.delete("/customer-groups/{group_id}")
async def delete_group(actor: StaffMember, group_id: str, database: Db) -> Wire[Deleted]:
    """Delete a group of customers. The customers are not deleted."""
    async with database.transaction() as session:
        await groups.delete_group(session, actor, group_id)
    return Wire({"id": group_id, "object": "customer_group", "deleted": True})


@router.post("/customer-groups/{group_id}/customers")
async def change_group_customers(
    actor: StaffMember, group_id: str, body: GroupCustomers, database: Db, fields: RequestedFields
) -> Wire[GroupAnswer]:
    """Add customers to a group, and remove others from it."""
    async with database.transaction() as session:
        group = await groups.change_members(session, actor, group_id, body.add or (), body.remove or ())
        return _group_answer(group, fields)


def group_wire(group: CustomerGroup) -> GroupOut:
    """Return a group of customers in the platform's shape."""
    return {
        "id": group.id,
        "name": group.name,
        "metadata": group.meta or None,
        "created_by": None,
        "deleted_at": None,
        "created_at": iso(group.created_at),
        "updated_at": iso(group.updated_at),
    }


async def _customers_out(
    session: AsyncSession, persons: Sequence[Person | ListedCustomer], fields: Fields, *, with_book: bool
) -> list[StaffCustomerOut]:
    """Return the customers with the requested relations. With `with_book`, include the addresses by default."""
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


async def _customer_answer(
    session: AsyncSession, person: Person, fields: Fields
) -> Wire[StaffCustomerAnswer]:
    (shown,) = await _customers_out(session, [person], fields, with_book=True)
    return Wire({"customer": fields.pick(shown)})


def _group_answer(group: CustomerGroup, fields: Fields) -> Wire[GroupAnswer]:
    return Wire({"customer_group": fields.pick(group_wire(group))})
