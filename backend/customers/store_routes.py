"""Routes of a customer's profile and address book (wire: commerce-api, Customers and auth)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from backend.customers.address_changes import write_address
from backend.customers.addresses import (
    addresses_of,
    read_address,
    remove_address,
)
from backend.customers.answers import AddressAnswer, AddressesAnswer, CustomerAnswer, DeletedAddress
from backend.customers.auth.accounts import create_customer
from backend.customers.models import Customer
from backend.customers.schemas import (
    AddressBody,
    CustomerChange,
    NewCustomer,
    address_wire,
    customer_wire,
    to_customer_columns,
)
from backend.edge.auth.authentication import CurrentCustomer, MaybeOwner, NotSignedIn
from backend.edge.auth.bearer_tokens import CUSTOMER
from backend.edge.dependencies import Db, RequestedFields, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import paging_fields, pick_each, slice_page
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire

router = APIRouter(
    route_class=WireRoute,
    tags=["store: customers"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)


@router.post("/store/customers")
async def create(
    body: NewCustomer, database: Db, owner: MaybeOwner, fields: RequestedFields
) -> Wire[CustomerAnswer]:
    """Create the customer of a login that has none yet. The bearer token is the one from the registration."""
    if owner is None or owner.type != CUSTOMER:
        raise NotSignedIn
    values = to_customer_columns(body.model_dump(exclude_unset=True, exclude={"email"}))
    customer_id = await create_customer(database, owner, body.email, values)
    async with database.read() as session:
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@router.get("/store/customers/me")
async def me(database: Db, customer_id: CurrentCustomer, fields: RequestedFields) -> Wire[CustomerAnswer]:
    """Return the signed-in customer."""
    async with database.read() as session:
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@router.post("/store/customers/me")
async def change_me(
    body: CustomerChange, database: Db, customer_id: CurrentCustomer, fields: RequestedFields
) -> Wire[CustomerAnswer]:
    """Change the signed-in customer's profile, except the e-mail address."""
    async with database.transaction() as session:
        customer = await session.get_one(Customer, customer_id, with_for_update=True)
        for name, value in to_customer_columns(body.model_dump(exclude_unset=True)).items():
            setattr(customer, name, value)
        await session.flush()
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@router.get("/store/customers/me/addresses")
async def list_addresses(
    params: Annotated[ListParameters, Query()], database: Db, customer_id: CurrentCustomer
) -> Wire[AddressesAnswer]:
    """Return the signed-in customer's address book."""
    async with database.read() as session:
        book = await addresses_of(session, customer_id)
    return Wire(
        {
            "addresses": pick_each([address_wire(entry) for entry in slice_page(book, params)], params),
            **paging_fields(len(book), params),
        }
    )


@router.post("/store/customers/me/addresses")
async def new_address(
    body: AddressBody, database: Db, customer_id: CurrentCustomer, fields: RequestedFields
) -> Wire[CustomerAnswer]:
    """Add an address to the signed-in customer's address book."""
    async with database.transaction() as session:
        await write_address(session, customer_id, body)
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@router.get("/store/customers/me/addresses/{address_id}")
async def one_address(
    address_id: str, database: Db, customer_id: CurrentCustomer, fields: RequestedFields
) -> Wire[AddressAnswer]:
    """Return one of the customer's addresses."""
    async with database.read() as session:
        return Wire(
            {"address": fields.pick(address_wire(await read_address(session, customer_id, address_id)))}
        )


@router.post("/store/customers/me/addresses/{address_id}")
async def update_address(
    address_id: str, body: AddressBody, database: Db, customer_id: CurrentCustomer, fields: RequestedFields
) -> Wire[CustomerAnswer]:
    """Change parts of one of the customer's addresses."""
    async with database.transaction() as session:
        await write_address(session, customer_id, body, address_id)
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@router.delete("/store/customers/me/addresses/{address_id}")
async def delete_address(
    address_id: str, database: Db, customer_id: CurrentCustomer, fields: RequestedFields
) -> Wire[DeletedAddress]:
    """Delete one of the customer's addresses."""
    async with database.transaction() as session:
        await remove_address(session, customer_id, address_id)
        parent = fields.pick(await customer_wire(session, customer_id))
    return Wire({"id": address_id, "object": "address", "deleted": True, "parent": parent})
