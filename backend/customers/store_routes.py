"""Customers for programs: the platform's routes on the same services as the pages (wire: Customers and auth)."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import PlainTextResponse, Response

from backend.customers.accounts import prove
from backend.customers.addresses import (
    add_address,
    addresses_of,
    change_address,
    read_address,
    remove_address,
)
from backend.customers.cookies import give_cookie, require_own_page, take_cookie, token_in
from backend.customers.errors import WrongPassword
from backend.customers.identities import create_customer, register_identity
from backend.customers.models import Customer, Login
from backend.customers.resets import ask_reset
from backend.customers.schemas import Credentials, SessionAnswer, SignedOut, TokenAnswer
from backend.customers.sessions import LIFETIME, open_session
from backend.customers.signing_in import sign_out
from backend.customers.store_schemas import (
    AddressAnswer,
    AddressBody,
    AddressesAnswer,
    CustomerAnswer,
    CustomerChange,
    CustomerCredentials,
    DeletedAddress,
    NewCustomer,
    ResetRequest,
)
from backend.customers.tokens import claims_of, issue_token
from backend.customers.wire import address_wire, customer_wire
from backend.edge.actors import CUSTOMER, Actor
from backend.edge.dependencies import ClientIp, Db, ShopSettings, Shown, sales_channel
from backend.edge.docs import REFUSALS
from backend.edge.guard import MaybeActor, NotSignedIn, OneCustomer
from backend.edge.lists import listed, page_of
from backend.edge.route import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire
from backend.errors import InvalidData, Unauthorized

MAX_EMAIL = 320
Old = Annotated[str, Depends(token_in)]
ABOUT_THE_BOOK = {"address_name", "is_default_shipping", "is_default_billing"}

auth = APIRouter(route_class=WireRoute, tags=["auth"], responses=REFUSALS)
store = APIRouter(
    route_class=WireRoute,
    tags=["store: customers"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)


def texts_of(body: Credentials) -> tuple[str, str]:
    """The address and the password.

    Raises:
        Unauthorized: one of them is no text.
    """
    if not isinstance(body.password, str) or not body.password:
        raise Unauthorized("Password should be a string")
    if not isinstance(body.email, str) or not body.email or len(body.email) > MAX_EMAIL:
        raise Unauthorized("Email should be a string")
    return body.email, body.password


@auth.post("/auth/customer/emailpass/register", response_model=TokenAnswer)
async def register(body: CustomerCredentials, database: Db, settings: ShopSettings, client: ClientIp) -> Wire:
    """A login, and a token to make its customer with. 401 when somebody has an account with this address."""
    email, password = texts_of(body)
    actor = await register_identity(database, email, password, client=client)
    return Wire({"token": issue_token(settings.signing_key, actor)})


@auth.post("/auth/customer/emailpass", response_model=TokenAnswer)
async def sign_in(body: CustomerCredentials, database: Db, settings: ShopSettings, client: ClientIp) -> Wire:
    """A bearer token. 401 for an unknown address as for a wrong password; 429 after many tries."""
    email, password = texts_of(body)
    login = await prove(database, email, password, client=client)
    async with database.read() as session:
        known = await session.get(Login, login.id)
        # the password may have been changed while this one was being checked
        if known is None or known.password_hash != login.password_hash:
            raise WrongPassword
        customer = await session.get(Customer, known.customer_id) if known.customer_id else None
    epoch = customer.token_epoch if customer else 0
    actor = Actor(login.customer_id or "", CUSTOMER, login.id, epoch)
    return Wire({"token": issue_token(settings.signing_key, actor)})


@auth.post("/auth/session", response_model=SessionAnswer)
async def begin_session(
    request: Request, database: Db, settings: ShopSettings, actor: MaybeActor, old: Old
) -> Wire:
    """A cookie in place of a customer's bearer token, for a browser: no script reads it. Staff keep their token.

    The token in the header proves the request to be meant: no other site knows it. A page of another site is refused
    all the same, as nothing may be signed in from there.
    """
    if actor is None or actor.type != CUSTOMER:
        raise NotSignedIn
    if "origin" in request.headers:
        require_own_page(request, settings)
    async with database.transaction() as session:
        customer = await session.get(Customer, actor.id, with_for_update=True)
        if customer is None or customer.token_epoch != actor.epoch:
            raise NotSignedIn
        token = await open_session(session, customer.id, instead_of=old)
    answer = Wire({"user": claims_of(actor, LIFETIME)})
    give_cookie(answer, settings, token)
    return answer


@auth.delete("/auth/session", response_model=SignedOut)
async def end_session(request: Request, database: Db, settings: ShopSettings, old: Old) -> Wire:
    """Sign this browser out."""
    require_own_page(request, settings)
    await sign_out(database, old, everywhere=False)
    answer = Wire({"success": True})
    take_cookie(answer, settings)
    return answer


@auth.post("/auth/customer/emailpass/reset-password", status_code=201, response_class=PlainTextResponse)
async def reset_password(body: ResetRequest, database: Db, client: ClientIp) -> Response:
    """Have a link sent to choose a new password with. The answer says nothing of who has an account."""
    if not isinstance(body.identifier, str):
        raise InvalidData("Invalid request: Field 'identifier' is required")
    await ask_reset(database, body.identifier, client=client)
    return PlainTextResponse("Created", 201)


@store.post("/store/customers", response_model=CustomerAnswer)
async def create(body: NewCustomer, database: Db, actor: MaybeActor, fields: Shown) -> Wire:
    """The customer of a login that has none yet, with the token of its registration."""
    if actor is None or actor.type != CUSTOMER:
        raise NotSignedIn
    values = _values(body.model_dump(exclude_unset=True, exclude={"email"}))
    customer_id = await create_customer(database, actor, body.email, values)
    async with database.read() as session:
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@store.get("/store/customers/me", response_model=CustomerAnswer)
async def me(database: Db, customer_id: OneCustomer, fields: Shown) -> Wire:
    """Whoever asks."""
    async with database.read() as session:
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@store.post("/store/customers/me", response_model=CustomerAnswer)
async def change_me(body: CustomerChange, database: Db, customer_id: OneCustomer, fields: Shown) -> Wire:
    """Change who one is; not the address, which is what one signs in with."""
    async with database.transaction() as session:
        customer = await session.get_one(Customer, customer_id, with_for_update=True)
        for name, value in _values(body.model_dump(exclude_unset=True)).items():
            setattr(customer, name, value)
        await session.flush()
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@store.get("/store/customers/me/addresses", response_model=AddressesAnswer)
async def list_addresses(
    asked: Annotated[ListParameters, Query()], database: Db, customer_id: OneCustomer
) -> Wire:
    """The address book."""
    async with database.read() as session:
        book = await addresses_of(session, customer_id)
    return Wire(
        listed("addresses", [address_wire(entry) for entry in page_of(book, asked)], len(book), asked)
    )


@store.post("/store/customers/me/addresses", response_model=CustomerAnswer)
async def new_address(body: AddressBody, database: Db, customer_id: OneCustomer, fields: Shown) -> Wire:
    """Write an address into the book."""
    async with database.transaction() as session:
        await add_address(
            session,
            customer_id,
            body.model_dump(exclude_none=True, exclude=ABOUT_THE_BOOK),
            name=body.address_name,
            ships=bool(body.is_default_shipping),
            bills=bool(body.is_default_billing),
        )
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@store.get("/store/customers/me/addresses/{address_id}", response_model=AddressAnswer)
async def one_address(address_id: str, database: Db, customer_id: OneCustomer, fields: Shown) -> Wire:
    """One address of one's own."""
    async with database.read() as session:
        return Wire(
            {"address": fields.pick(address_wire(await read_address(session, customer_id, address_id)))}
        )


@store.post("/store/customers/me/addresses/{address_id}", response_model=CustomerAnswer)
async def update_address(
    address_id: str, body: AddressBody, database: Db, customer_id: OneCustomer, fields: Shown
) -> Wire:
    """Change parts of an address of one's own."""
    given = body.model_dump(exclude_unset=True)
    named = {"name": body.address_name} if "address_name" in given else {}
    changes = {name: value for name, value in given.items() if name not in ABOUT_THE_BOOK}
    async with database.transaction() as session:
        await change_address(
            session,
            customer_id,
            address_id,
            changes,
            ships=body.is_default_shipping,
            bills=body.is_default_billing,
            **named,
        )
        return Wire({"customer": fields.pick(await customer_wire(session, customer_id))})


@store.delete("/store/customers/me/addresses/{address_id}", response_model=DeletedAddress)
async def delete_address(address_id: str, database: Db, customer_id: OneCustomer, fields: Shown) -> Wire:
    """Take an address of one's own out of the book."""
    async with database.transaction() as session:
        await remove_address(session, customer_id, address_id)
        parent = fields.pick(await customer_wire(session, customer_id))
    return Wire({"id": address_id, "object": "address", "deleted": True, "parent": parent})


def _values(given: dict[str, Any]) -> dict[str, Any]:
    """The customer's columns: nothing is an empty text, and `metadata` is kept as `meta`."""
    columns = {name: value or "" for name, value in given.items() if name != "metadata"}
    return {**columns, "meta": given["metadata"] or {}} if "metadata" in given else columns


router = APIRouter()
router.include_router(auth)
router.include_router(store)
