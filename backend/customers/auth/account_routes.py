"""Forms of the account pages that change the session. They are sent by HTTP, because a websocket cannot set a cookie.

Bodies are JSON, which a form of another site cannot send, and `Origin` must be the shop's own. An error is answered
as `{message, fields}` in the store's language: pages show it unchanged.
"""

from collections.abc import Awaitable
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from backend.core.db.database import Database
from backend.core.error_texts import FORM, LOGIN_FORM, Surface
from backend.core.errors import InvalidData, ShopError
from backend.core.texts import _
from backend.core.web.contact import tidy_email
from backend.customers.auth import signing_in
from backend.customers.auth.accounts import device_account
from backend.customers.auth.google import GooglePerson
from backend.customers.auth.google_accounts import find_or_create_account, link_google
from backend.customers.auth.google_routes import (
    JOIN_COOKIE,
    NEW_COOKIE,
    delete_signed_cookie,
    read_signed_cookie,
)
from backend.customers.auth.password_reset import request_reset
from backend.customers.auth.sessions import clear_session_cookie, read_session_token, set_session_cookie
from backend.edge.auth.csrf import check_own_page
from backend.edge.auth.devices import CurrentVisitor, Visitor, remember_device
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.errors import form_error_response
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Text
from backend.edge.wire import Wire
from backend.legal.consents import ConsentContext, ConsentSource, require_ticks

GOOGLE_OVER = _("Pasó mucho tiempo desde que entraste con Google. Entra otra vez.")
GOOGLE_JOIN = _(
    "Ya hay una cuenta con el correo de tu cuenta de Google. Entra una vez con tu contraseña y quedarán unidas."
)


class Typed(LenientBody):
    """The typed values of a form about accounts. Each form uses some of these fields."""

    first_name: Text = ""
    last_name: Text = ""
    email: Text = ""
    password: Text = ""
    new_password: Text = ""
    token: Text = ""
    consent_data: Text = ""
    consent_terms: Text = ""


router = APIRouter(
    prefix="/auth/account",
    route_class=WireRoute,
    include_in_schema=False,  # for the shop's own pages
    dependencies=[Depends(check_own_page)],
)

OldToken = Annotated[str, Depends(read_session_token)]


@router.post("/register")
async def register(  # noqa: PLR0917 - FastAPI names them
    body: Typed,
    database: Db,
    settings: ShopSettings,
    visitor: CurrentVisitor,
    client_ip: ClientIp,
    old_token: OldToken,
) -> Response:
    """Create an account and sign the browser in."""
    consenting = ConsentContext(settings, client_ip, ConsentSource.REGISTER)
    signed_up = signing_in.sign_up(
        database, body.model_dump(), visitor=visitor, consenting=consenting, old_token=old_token
    )
    return await build_signed_in_answer(settings, visitor, signed_up)


@router.post("/google")
async def register_with_google(  # noqa: PLR0917 - FastAPI names them
    request: Request,
    body: Typed,
    database: Db,
    settings: ShopSettings,
    visitor: CurrentVisitor,
    client_ip: ClientIp,
    old_token: OldToken,
) -> Response:
    """Create the account of a new customer who signed in with Google, and sign the browser in."""
    identity = read_signed_cookie(request, settings, NEW_COOKIE)
    made = _create_google_account(
        database, identity, body, ConsentContext(settings, client_ip, ConsentSource.GOOGLE), old_token
    )
    answer = await build_signed_in_answer(settings, visitor, made)
    if answer.status_code == HTTPStatus.OK:
        delete_signed_cookie(answer, settings, NEW_COOKIE)
    return answer


async def _create_google_account(
    database: Database,
    identity: dict[str, Any] | None,
    body: Typed,
    consenting: ConsentContext,
    old_token: str,
) -> signing_in.SignedIn:
    if identity is None:
        raise InvalidData("The sign-in with Google is missing or has expired", shopper_text=GOOGLE_OVER)
    require_ticks(body.model_dump())
    customer_id = await find_or_create_account(database, GooglePerson(**identity), consenting)
    if customer_id is None:
        raise InvalidData("There is an account with this address", shopper_text=GOOGLE_JOIN)
    return await signing_in.start_session(database, customer_id, old_token=old_token)


@router.post("/login")
async def sign_in(  # noqa: PLR0917 - FastAPI names them
    request: Request,
    body: Typed,
    database: Db,
    settings: ShopSettings,
    visitor: CurrentVisitor,
    old_token: OldToken,
) -> Response:
    """Sign in.

    The shopper may have tried to sign in with Google before, when an account with the same e-mail address already
    existed. In this case, also link this account to Google: the password proves that the shopper owns the account.
    """
    signed_in = signing_in.sign_in(database, body.email, body.password, visitor=visitor, old_token=old_token)
    answer = await build_signed_in_answer(settings, visitor, signed_in, surface=LOGIN_FORM)
    person = read_signed_cookie(request, settings, JOIN_COOKIE)
    if answer.status_code == HTTPStatus.OK and person is not None:
        await link_google(database, tidy_email(body.email), **person)
        delete_signed_cookie(answer, settings, JOIN_COOKIE)
    return answer


@router.post("/password")
async def change_password(
    body: Typed, database: Db, settings: ShopSettings, visitor: CurrentVisitor, old_token: OldToken
) -> Response:
    """Change the signed-in customer's password, and sign out all other browsers."""
    renewed = signing_in.renew_password(
        database, old_token, body.password, body.new_password, visitor=visitor
    )
    return await build_signed_in_answer(settings, visitor, renewed)


@router.post("/forgot")
async def forgot(body: Typed, database: Db, visitor: CurrentVisitor) -> Response:
    """Request a link for a new password. The answer does not reveal whether there is an account."""
    try:
        await request_reset(database, body.email, visitor=visitor)
    except ShopError as error:
        return form_error_response(error, FORM)
    return Wire({})


@router.post("/reset")
async def reset(
    body: Typed, database: Db, settings: ShopSettings, visitor: CurrentVisitor, old_token: OldToken
) -> Response:
    """Choose a new password by a link, and sign the browser in."""
    return await build_signed_in_answer(
        settings, visitor, signing_in.reset_password(database, body.token, body.password, old_token=old_token)
    )


@router.post("/logout")
async def sign_out(database: Db, settings: ShopSettings, old_token: OldToken) -> Response:
    """Sign this browser out."""
    await signing_in.sign_out(database, old_token, everywhere=False)
    return _signed_out_answer(settings)


@router.post("/logout-everywhere")
async def sign_out_everywhere(database: Db, settings: ShopSettings, old_token: OldToken) -> Response:
    """Sign the customer out of every browser."""
    await signing_in.sign_out(database, old_token, everywhere=True)
    return _signed_out_answer(settings)


async def build_signed_in_answer(
    settings: ShopSettings,
    visitor: Visitor,
    done: Awaitable[signing_in.SignedIn],
    *,
    surface: Surface = FORM,
) -> Response:
    """Await `done`, which signs the visitor in. Return a response that sets the session cookie or contains the error.

    `surface` chooses the text of the error.
    """
    try:
        signed_in = await done
    except ShopError as error:
        return form_error_response(error, surface)
    answer: Wire = Wire({})
    set_session_cookie(answer, settings, signed_in.token)
    remember_device(answer, settings, visitor, device_account(signed_in.login))
    return answer


def _signed_out_answer(settings: ShopSettings) -> Response:
    answer: Wire = Wire({})
    clear_session_cookie(answer, settings)
    return answer
