"""Signing in for programs: customers, and a cookie in place of anybody's token (wire: Customers and auth)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import PlainTextResponse, Response

from backend.core.db.database import Database
from backend.core.errors import InvalidData, Unauthorized
from backend.customers.answers import SessionAnswer, Succeeded
from backend.customers.auth.accounts import LinkUsed, WrongPassword, prove, register_identity
from backend.customers.auth.password_reset import ask_reset, use_reset_token
from backend.customers.auth.sessions import LIFETIME, give_cookie, open_session, take_cookie, token_in
from backend.customers.auth.signing_in import sign_out
from backend.customers.models import Customer, Login
from backend.customers.schemas import CustomerCredentials, PasswordUpdate, ResetRequest
from backend.edge.auth.authentication import MaybeOwner, NotSignedIn, authenticator_of
from backend.edge.auth.bearer_tokens import CUSTOMER, USER, TokenOwner, claims_of, issue_token
from backend.edge.auth.credentials import TokenAnswer, texts_of
from backend.edge.auth.csrf import require_known_page
from backend.edge.auth.devices import AnyVisitor
from backend.edge.auth.revoked_tokens import is_chain_revoked, revoke_chains
from backend.edge.dependencies import Db, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.staff import sessions as staff_sessions
from backend.staff import signing_in as staff_signing_in
from backend.staff.dependencies import ThisBrowser

Old = Annotated[str, Depends(token_in)]

router = APIRouter(route_class=WireRoute, tags=["auth"], responses=REFUSALS)


@router.post("/auth/customer/emailpass/register")
async def register(
    body: CustomerCredentials, database: Db, settings: ShopSettings, visitor: AnyVisitor
) -> Wire[TokenAnswer]:
    """A login, and a token to make its customer with. 401 when somebody has an account with this address."""
    email, password = texts_of(body)
    owner = await register_identity(database, email, password, visitor=visitor)
    return Wire({"token": issue_token(settings.signing_key, owner)})


@router.post("/auth/customer/emailpass")
async def sign_in(
    body: CustomerCredentials, database: Db, settings: ShopSettings, visitor: AnyVisitor
) -> Wire[TokenAnswer]:
    """A bearer token. 401 for an unknown address and for a wrong password; 429 after too many tries."""
    email, password = texts_of(body)
    login = await prove(database, email, password, visitor=visitor)
    async with database.read() as session:
        known = await session.get(Login, login.id)
        # the password may have been changed while this one was being checked
        if known is None or known.password_hash != login.password_hash:
            raise WrongPassword
        customer = await session.get(Customer, known.customer_id) if known.customer_id else None
    epoch = customer.token_epoch if customer else 0
    owner = TokenOwner(login.customer_id or "", CUSTOMER, login.id, epoch)
    return Wire({"token": issue_token(settings.signing_key, owner)})


@router.post("/auth/session")
async def begin_session(  # noqa: PLR0917 - FastAPI names them
    request: Request, database: Db, settings: ShopSettings, owner: MaybeOwner, browser: ThisBrowser, old: Old
) -> Wire[SessionAnswer]:
    """A cookie in place of a bearer token, for a browser: no script reads it. Staff get theirs, for 12 hours.

    The token in the header proves the request to be meant: no other site knows it. A page of another site is refused
    all the same, as nothing may be signed in from there, unless AUTH_CORS lists it.
    """
    if owner is None:
        raise NotSignedIn
    if "origin" in request.headers:
        require_known_page(request, settings)
    if owner.type == USER:
        try:
            token = await staff_signing_in.begin_session(database, owner, browser=browser)
        except staff_signing_in.WrongPassword:
            raise NotSignedIn from None
        answer: Wire[SessionAnswer] = Wire({"user": claims_of(owner, staff_sessions.LIFETIME)})
        staff_sessions.give_cookie(answer, settings, token)
        return answer
    token = await _customer_session(database, owner, old)
    answer = Wire({"user": claims_of(owner, LIFETIME)})
    give_cookie(answer, settings, token)
    return answer


async def _customer_session(database: Database, owner: TokenOwner, old: str) -> str:
    async with database.transaction() as session:
        customer = await session.get(Customer, owner.id, with_for_update=True)
        if owner.type != CUSTOMER or customer is None or customer.token_epoch != owner.epoch:
            raise NotSignedIn
        if await is_chain_revoked(session, owner.chain):
            raise NotSignedIn
        return await open_session(session, customer.id, instead_of=old, token_owner=owner)


@router.delete("/auth/session")
async def end_session(  # noqa: PLR0917 - FastAPI names them
    request: Request, database: Db, settings: ShopSettings, owner: MaybeOwner, browser: ThisBrowser, old: Old
) -> Wire[Succeeded]:
    """Sign this browser out: a customer's session and one of staff, with the bearer tokens that began them.

    A bearer token in the header is revoked too, and so is every token refreshed from it or before it.
    """
    if owner is None or "origin" in request.headers:  # a token in the header proves the request to be meant
        require_known_page(request, settings)
    if owner is not None:
        async with database.transaction() as session:
            await revoke_chains(session, {owner.chain})
    answer: Wire[Succeeded] = Wire({"success": True})
    if browser.old:
        await staff_signing_in.sign_out(database, None, browser.old)
        staff_sessions.take_cookie(answer, settings)
    await sign_out(database, old, everywhere=False)
    take_cookie(answer, settings)
    return answer


@router.post(
    "/auth/customer/emailpass/reset-password",
    status_code=201,
    response_class=Response,  # names no type: refusals are JSON
    responses={201: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def reset_password(body: ResetRequest, database: Db, visitor: AnyVisitor) -> Response:
    """Have a link sent to choose a new password with. The answer says nothing of who has an account."""
    if not isinstance(body.identifier, str):
        raise InvalidData("Invalid request: Field 'identifier' is required")
    await ask_reset(database, body.identifier, visitor=visitor)
    return PlainTextResponse("Created", 201)


@router.post("/auth/customer/emailpass/update")
async def update_password(body: PasswordUpdate, request: Request, database: Db) -> Wire[Succeeded]:
    """A new password, by the token of the mailed link as a bearer token: once, within an hour. All else is signed out.

    401 for a token that was used, is over, or never was; 400 for a password that is no good, with which it stays good.
    """
    _, _, token = request.headers.get("authorization", "").partition(" ")
    try:
        await use_reset_token(database, token.strip(), body.password)
    except LinkUsed:
        raise Unauthorized("Invalid token") from None
    return Wire({"success": True})


@router.post("/auth/token/refresh")
async def refresh_token(
    request: Request, database: Db, settings: ShopSettings, owner: MaybeOwner
) -> Wire[TokenAnswer]:
    """A new token in exchange for a valid one."""
    if owner is None:
        raise NotSignedIn
    if not (
        await staff_sessions.actor_of_token(database, owner)
        or await authenticator_of(request).is_customer(owner)
    ):
        raise NotSignedIn
    return Wire({"token": issue_token(settings.signing_key, owner)})
