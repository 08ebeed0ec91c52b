"""Sign-in routes of the API: tokens of customers, and cookies in exchange for a token (wire: Customers and auth)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import PlainTextResponse, Response

from backend.core.db.database import Database
from backend.core.errors import InvalidData, Unauthorized
from backend.customers.answers import SessionAnswer, Succeeded
from backend.customers.auth.accounts import InvalidResetLink, WrongPassword, authenticate, register_identity
from backend.customers.auth.password_reset import request_reset, use_reset_token
from backend.customers.auth.sessions import (
    LIFETIME,
    clear_session_cookie,
    open_session,
    read_session_token,
    set_session_cookie,
)
from backend.customers.auth.signing_in import sign_out
from backend.customers.models import Customer, Login
from backend.customers.schemas import CustomerCredentials, PasswordUpdate, ResetRequest
from backend.edge.auth.authentication import MaybeOwner, NotSignedIn, get_authenticator
from backend.edge.auth.bearer_tokens import CUSTOMER, USER, TokenOwner, build_claims, issue_token
from backend.edge.auth.credentials import TokenAnswer, require_texts
from backend.edge.auth.csrf import require_known_page
from backend.edge.auth.devices import CurrentVisitor
from backend.edge.auth.revoked_tokens import is_chain_revoked, revoke_chains
from backend.edge.dependencies import Db, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.staff import sessions as staff_sessions
from backend.staff import signing_in as staff_signing_in
from backend.staff.dependencies import ThisBrowser

OldToken = Annotated[str, Depends(read_session_token)]

router = APIRouter(route_class=WireRoute, tags=["auth"], responses=REFUSALS)


@router.post("/auth/customer/emailpass/register")
async def register(
    body: CustomerCredentials, database: Db, settings: ShopSettings, visitor: CurrentVisitor
) -> Wire[TokenAnswer]:
    """Create a login, and return a token that can create its customer. 401 if an account has this address."""
    email, password = require_texts(body)
    owner = await register_identity(database, email, password, visitor=visitor)
    return Wire({"token": issue_token(settings.signing_key, owner)})


@router.post("/auth/customer/emailpass")
async def sign_in(
    body: CustomerCredentials, database: Db, settings: ShopSettings, visitor: CurrentVisitor
) -> Wire[TokenAnswer]:
    """Return a bearer token. 401 for an unknown address and for a wrong password; 429 after too many attempts."""
    email, password = require_texts(body)
    login = await authenticate(database, email, password, visitor=visitor)
    async with database.read() as session:
        known = await session.get(Login, login.id)
        # the password may have changed during the check
        if known is None or known.password_hash != login.password_hash:
            raise WrongPassword
        customer = await session.get(Customer, known.customer_id) if known.customer_id else None
    epoch = customer.token_epoch if customer else 0
    owner = TokenOwner(login.customer_id or "", CUSTOMER, login.id, epoch)
    return Wire({"token": issue_token(settings.signing_key, owner)})


@router.post("/auth/session")
async def begin_session(  # noqa: PLR0917 - FastAPI names them
    request: Request,
    database: Db,
    settings: ShopSettings,
    owner: MaybeOwner,
    browser: ThisBrowser,
    old: OldToken,
) -> Wire[SessionAnswer]:
    """Set a session cookie for a browser in exchange for a bearer token. No script can read the cookie.

    A session of a staff member ends after 12 hours.

    The token in the header proves that the request is intended, because no other site knows it. A page of another
    site is still refused, unless AUTH_CORS lists it: otherwise that site could sign a visitor in to an account of
    its choice.
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
        answer: Wire[SessionAnswer] = Wire({"user": build_claims(owner, staff_sessions.LIFETIME)})
        staff_sessions.set_session_cookie(answer, settings, token)
        return answer
    token = await _open_customer_session(database, owner, old)
    answer = Wire({"user": build_claims(owner, LIFETIME)})
    set_session_cookie(answer, settings, token)
    return answer


async def _open_customer_session(database: Database, owner: TokenOwner, old: str) -> str:
    async with database.transaction() as session:
        customer = await session.get(Customer, owner.id, with_for_update=True)
        if owner.type != CUSTOMER or customer is None or customer.token_epoch != owner.epoch:
            raise NotSignedIn
        if await is_chain_revoked(session, owner.chain):
            raise NotSignedIn
        return await open_session(session, customer.id, instead_of=old, token_owner=owner)


@router.delete("/auth/session")
async def end_session(  # noqa: PLR0917 - FastAPI names them
    request: Request,
    database: Db,
    settings: ShopSettings,
    owner: MaybeOwner,
    browser: ThisBrowser,
    old: OldToken,
) -> Wire[Succeeded]:
    """Sign this browser out: the customer's session and the staff session, with the bearer tokens that started them.

    A bearer token in the header is revoked too, with all tokens that were refreshed from the same sign-in.
    """
    if (
        owner is None or "origin" in request.headers
    ):  # a token in the header proves that the request is intended
        require_known_page(request, settings)
    if owner is not None:
        async with database.transaction() as session:
            await revoke_chains(session, {owner.chain})
    answer: Wire[Succeeded] = Wire({"success": True})
    if browser.old_token:
        await staff_signing_in.sign_out(database, None, browser.old_token)
        staff_sessions.clear_session_cookie(answer, settings)
    await sign_out(database, old, everywhere=False)
    clear_session_cookie(answer, settings)
    return answer


@router.post(
    "/auth/customer/emailpass/reset-password",
    status_code=201,
    response_class=Response,  # has no media type: errors are JSON
    responses={201: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def reset_password(body: ResetRequest, database: Db, visitor: CurrentVisitor) -> Response:
    """Send a link for a new password. The answer does not reveal whether there is an account."""
    if not isinstance(body.identifier, str):
        raise InvalidData("Invalid request: Field 'identifier' is required")
    await request_reset(database, body.identifier, visitor=visitor)
    return PlainTextResponse("Created", 201)


@router.post("/auth/customer/emailpass/update")
async def update_password(body: PasswordUpdate, request: Request, database: Db) -> Wire[Succeeded]:
    """Set a new password, and sign the account out everywhere.

    The bearer token must be the token of the mailed link. It is valid once, for an hour. 401 if the token was used,
    has expired, or never existed; 400 if the password is not allowed (the token stays valid).
    """
    _, _, token = request.headers.get("authorization", "").partition(" ")
    try:
        await use_reset_token(database, token.strip(), body.password)
    except InvalidResetLink:
        raise Unauthorized("Invalid token") from None
    return Wire({"success": True})


@router.post("/auth/token/refresh")
async def refresh_token(
    request: Request, database: Db, settings: ShopSettings, owner: MaybeOwner
) -> Wire[TokenAnswer]:
    """Return a new token in exchange for a valid one."""
    if owner is None:
        raise NotSignedIn
    if not (
        await staff_sessions.actor_of_token(database, owner)
        or await get_authenticator(request).is_customer(owner)
    ):
        raise NotSignedIn
    return Wire({"token": issue_token(settings.signing_key, owner)})
