"""What the account's pages submit: a websocket cannot set a cookie, so what changes the session comes by HTTP.

Bodies are JSON, which no other site's form can send, and `Origin` must be the shop's own. A problem is answered as
`{message, fields}` in Spanish: pages show it as it is.
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
from backend.customers.auth.google_accounts import account_of, join
from backend.customers.auth.google_routes import JOIN_COOKIE, NEW_COOKIE, forget, kept_in
from backend.customers.auth.password_reset import ask_reset
from backend.customers.auth.sessions import give_cookie, take_cookie, token_in
from backend.edge.auth.csrf import own_page
from backend.edge.auth.devices import AnyVisitor, Visitor, remember_device
from backend.edge.dependencies import ClientIp, Db, ShopSettings
from backend.edge.errors import problem_answer
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Text
from backend.edge.wire import Wire
from backend.legal.consents import Consenting, ConsentSource, require_ticks

GOOGLE_OVER = _("Pasó mucho tiempo desde que entraste con Google. Entra otra vez.")
GOOGLE_JOIN = _(
    "Ya hay una cuenta con el correo de tu cuenta de Google. Entra una vez con tu contraseña y quedarán unidas."
)


class Typed(LenientBody):
    """What a page's form holds; which of it is asked for depends on the form."""

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
    dependencies=[Depends(own_page)],
)

Old = Annotated[str, Depends(token_in)]


@router.post("/register")
async def register(  # noqa: PLR0917 - FastAPI names them
    body: Typed, database: Db, settings: ShopSettings, visitor: AnyVisitor, client_ip: ClientIp, old: Old
) -> Response:
    """Make an account and be signed in."""
    consenting = Consenting(settings, client_ip, ConsentSource.REGISTER)
    signed_up = signing_in.sign_up(
        database, body.model_dump(), visitor=visitor, consenting=consenting, old=old
    )
    return await _signed_in(settings, visitor, signed_up)


@router.post("/google")
async def register_with_google(  # noqa: PLR0917 - FastAPI names them
    request: Request,
    body: Typed,
    database: Db,
    settings: ShopSettings,
    visitor: AnyVisitor,
    client_ip: ClientIp,
    old: Old,
) -> Response:
    """Make the account of whoever came from Google for the first time, and be signed in."""
    kept = kept_in(request, settings, NEW_COOKIE)
    made = _made_with_google(database, kept, body, Consenting(settings, client_ip, ConsentSource.GOOGLE), old)
    answer = await _signed_in(settings, visitor, made)
    if answer.status_code == HTTPStatus.OK:
        forget(answer, settings, NEW_COOKIE)
    return answer


async def _made_with_google(
    database: Database, kept: dict[str, Any] | None, body: Typed, consenting: Consenting, old: str
) -> signing_in.SignedIn:
    if kept is None:
        raise InvalidData("Nobody came from Google", shopper_text=GOOGLE_OVER)
    require_ticks(body.model_dump())
    customer_id = await account_of(database, GooglePerson(**kept), consenting)
    if customer_id is None:
        raise InvalidData("There is an account with this address", shopper_text=GOOGLE_JOIN)
    return await signing_in.enter(database, customer_id, old=old)


@router.post("/login")
async def sign_in(  # noqa: PLR0917 - FastAPI names them
    request: Request, body: Typed, database: Db, settings: ShopSettings, visitor: AnyVisitor, old: Old
) -> Response:
    """Sign in. A browser that came from Google to an existing account has proved its owner now: Google is joined."""
    signed_in = signing_in.sign_in(database, body.email, body.password, visitor=visitor, old=old)
    answer = await _signed_in(settings, visitor, signed_in, surface=LOGIN_FORM)
    person = kept_in(request, settings, JOIN_COOKIE)
    if answer.status_code == HTTPStatus.OK and person is not None:
        await join(database, tidy_email(body.email), **person)
        forget(answer, settings, JOIN_COOKIE)
    return answer


@router.post("/password")
async def change_password(
    body: Typed, database: Db, settings: ShopSettings, visitor: AnyVisitor, old: Old
) -> Response:
    """Change the password; every other browser is signed out."""
    renewed = signing_in.renew_password(database, old, body.password, body.new_password, visitor=visitor)
    return await _signed_in(settings, visitor, renewed)


@router.post("/forgot")
async def forgot(body: Typed, database: Db, visitor: AnyVisitor) -> Response:
    """Ask for a link. The answer says nothing of who has an account."""
    try:
        await ask_reset(database, body.email, visitor=visitor)
    except ShopError as error:
        return problem_answer(error, FORM)
    return Wire({})


@router.post("/reset")
async def reset(body: Typed, database: Db, settings: ShopSettings, visitor: AnyVisitor, old: Old) -> Response:
    """Choose a new password by a link, and be signed in."""
    return await _signed_in(settings, visitor, signing_in.reset(database, body.token, body.password, old=old))


@router.post("/logout")
async def sign_out(database: Db, settings: ShopSettings, old: Old) -> Response:
    """Sign this browser out."""
    await signing_in.sign_out(database, old, everywhere=False)
    return _signed_out(settings)


@router.post("/logout-everywhere")
async def sign_out_everywhere(database: Db, settings: ShopSettings, old: Old) -> Response:
    """Sign the customer out of every browser."""
    await signing_in.sign_out(database, old, everywhere=True)
    return _signed_out(settings)


async def _signed_in(
    settings: ShopSettings,
    visitor: Visitor,
    done: Awaitable[signing_in.SignedIn],
    *,
    surface: Surface = FORM,
) -> Response:
    """Sign the browser in, or answer with the problem."""
    try:
        signed_in = await done
    except ShopError as error:
        return problem_answer(error, surface)
    answer: Wire = Wire({})
    give_cookie(answer, settings, signed_in.token)
    remember_device(answer, settings, visitor, device_account(signed_in.login))
    return answer


def _signed_out(settings: ShopSettings) -> Response:
    answer: Wire = Wire({})
    take_cookie(answer, settings)
    return answer
