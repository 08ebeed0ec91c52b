"""Signing in for programs: staff, customers, and a browser's cookie in place of a token (wire: Customers and auth)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import PlainTextResponse, Response

from backend.customers import staff
from backend.customers.accounts import WrongPassword, prove, register_identity
from backend.customers.authentication import claims_of, issue_token
from backend.customers.models import Customer, Login, Staff
from backend.customers.password_reset import ask_reset
from backend.customers.schemas import (
    Credentials,
    CustomerCredentials,
    ResetRequest,
    SessionAnswer,
    SignedOut,
    StaffAnswer,
    TokenAnswer,
)
from backend.customers.sessions import (
    LIFETIME,
    give_cookie,
    open_session,
    require_own_page,
    take_cookie,
    token_in,
)
from backend.customers.signing_in import sign_out
from backend.customers.staff import find_staff
from backend.edge.authentication import (
    CUSTOMER,
    Actor,
    KnownActor,
    MaybeActor,
    NotSignedIn,
    StaffMember,
)
from backend.edge.dependencies import ClientIp, Db, ShopSettings, Shown
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import JsonDict, Wire, stamps
from backend.errors import InvalidData, Unauthorized

MAX_EMAIL = 320
Old = Annotated[str, Depends(token_in)]

router = APIRouter(route_class=WireRoute, tags=["auth"], responses=REFUSALS)


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


@router.post("/auth/customer/emailpass/register", response_model=TokenAnswer)
async def register(body: CustomerCredentials, database: Db, settings: ShopSettings, client: ClientIp) -> Wire:
    """A login, and a token to make its customer with. 401 when somebody has an account with this address."""
    email, password = texts_of(body)
    actor = await register_identity(database, email, password, client=client)
    return Wire({"token": issue_token(settings.signing_key, actor)})


@router.post("/auth/customer/emailpass", response_model=TokenAnswer)
async def sign_in(body: CustomerCredentials, database: Db, settings: ShopSettings, client: ClientIp) -> Wire:
    """A bearer token. 401 for an unknown address and for a wrong password; 429 after too many tries."""
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


@router.post("/auth/session", response_model=SessionAnswer)
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


@router.delete("/auth/session", response_model=SignedOut)
async def end_session(request: Request, database: Db, settings: ShopSettings, old: Old) -> Wire:
    """Sign this browser out."""
    require_own_page(request, settings)
    await sign_out(database, old, everywhere=False)
    answer = Wire({"success": True})
    take_cookie(answer, settings)
    return answer


@router.post("/auth/customer/emailpass/reset-password", status_code=201, response_class=PlainTextResponse)
async def reset_password(body: ResetRequest, database: Db, client: ClientIp) -> Response:
    """Have a link sent to choose a new password with. The answer says nothing of who has an account."""
    if not isinstance(body.identifier, str):
        raise InvalidData("Invalid request: Field 'identifier' is required")
    await ask_reset(database, body.identifier, client=client)
    return PlainTextResponse("Created", 201)


@router.post("/auth/user/emailpass", response_model=TokenAnswer)
async def sign_in_staff(body: Credentials, database: Db, settings: ShopSettings, client: ClientIp) -> Wire:
    """A bearer token for the Admin API. 401 for an unknown address or a wrong password; 429 after too many tries."""
    email, password = texts_of(body)
    actor = await staff.sign_in(database, email, password, client=client)
    return Wire({"token": issue_token(settings.signing_key, actor)})


@router.post("/auth/token/refresh", response_model=TokenAnswer)
async def refresh_token(settings: ShopSettings, actor: KnownActor) -> Wire:
    """A new token in exchange for a valid one."""
    return Wire({"token": issue_token(settings.signing_key, actor)})


@router.get("/admin/users/me", response_model=StaffAnswer, tags=["admin"])
async def read_me(member: StaffMember, database: Db, fields: Shown) -> Wire:
    """The member of staff who asks."""
    async with database.read() as session:
        found = await find_staff(session, member.id)
    if found is None:
        raise NotSignedIn
    return Wire({"user": fields.pick(_user(found))})


def _user(member: Staff) -> JsonDict:
    return {
        "id": member.id,
        "email": member.email,
        "first_name": None,
        "last_name": None,
        "avatar_url": None,
        "metadata": None,
        **stamps(member.created_at, member.updated_at),
    }
