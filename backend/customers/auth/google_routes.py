"""Sign-in with Google on the shop's own pages: `/auth/google` leads to Google, `/auth/google/callback` back.

Data of an attempt is stored in signed cookies, so that only the same browser can finish it (spec: Storefront
routes).
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.responses import RedirectResponse, Response

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import NotFound, OutsideFailure, Unauthorized
from backend.core.web.contact import is_email
from backend.customers.auth.accounts import device_account
from backend.customers.auth.google import CALLBACK, Google, SignInAttempt
from backend.customers.auth.google_accounts import ConsentMissing, find_or_create_account
from backend.customers.auth.sessions import read_session_token, set_session_cookie
from backend.customers.auth.signing_in import start_session
from backend.edge.auth.cookies import delete_cookie, read_cookie, set_cookie
from backend.edge.auth.devices import CurrentVisitor, Visitor, remember_device
from backend.edge.dependencies import Db, ShopSettings

log = logging.getLogger(__name__)

ATTEMPT_COOKIE, JOIN_COOKIE, NEW_COOKIE = "trompo_google", "trompo_join", "trompo_new"
PATH = "/auth"
ATTEMPT_LIFETIME_S = 600
"""Seconds within which a shopper must return from Google, or prove to own an existing account."""
LOGIN_PAGE, ACCOUNT_PAGE, CONSENT_PAGE = "/account/login", "/account", "/account/consent"
MAX_PARAMETER, MAX_PAGE = 2000, 200
OWN_PAGE = re.compile(r"/(?!/)[A-Za-z0-9_.~=&?%/-]*")
r"""A path from the root that browsers cannot read as a host, as in `//evil.example` or `/\\evil.example`."""

router = APIRouter(tags=["auth"], include_in_schema=False)


async def require_google(request: Request) -> Google:
    """Return the configured Google provider.

    Raises:
        NotFound: Google is not configured.
    """
    google: Google = request.app.state.google
    if not google.is_on:
        raise NotFound(f"Cannot {request.method} {request.url.path}")
    return google


GoogleProvider = Annotated[Google, Depends(require_google)]


@router.get("/auth/google")
async def begin(request: Request, google: GoogleProvider, settings: ShopSettings) -> Response:
    """Redirect to Google. A signed cookie stores the secrets of the attempt and the next page."""
    next_page = _own_page(request.query_params.get("next", ""))
    try:
        url, attempt = await google.begin()
    except OutsideFailure as error:
        log.warning("cannot start the sign-in with Google: %s", error.message)
        return _redirect_to_login("failed", next_page)
    answer = RedirectResponse(url, 303)
    _set_signed_cookie(answer, settings, ATTEMPT_COOKIE, {**attempt.as_dict(), "next": next_page})
    return answer


@router.get(CALLBACK)
async def finish(request: Request, settings: ShopSettings, database: Db, visitor: CurrentVisitor) -> Response:
    """Finish the sign-in, and redirect to the next page or to the login page with the reason of a failure.

    Raises:
        NotFound: Google is not configured, and the request is not from a browser.
    """
    try:
        google = await require_google(request)
    except NotFound:
        if "text/html" not in request.headers.get("accept", ""):
            raise
        return _redirect_to_login("failed")
    answer = await _finish(request, google, settings, database, visitor)
    delete_signed_cookie(answer, settings, ATTEMPT_COOKIE)  # an answer is valid once
    answer.headers["referrer-policy"] = "no-referrer"
    return answer


async def _finish(
    request: Request, google: Google, settings: Settings, database: Database, visitor: Visitor
) -> Response:
    content = read_signed_cookie(request, settings, ATTEMPT_COOKIE)
    code, state = (request.query_params.get(name, "")[:MAX_PARAMETER] for name in ("code", "state"))
    if content is None or not code:
        return _redirect_to_login("failed")
    next_page = content.pop("next", "")
    try:
        person = await google.finish(code, state, SignInAttempt(**content))
    except (Unauthorized, OutsideFailure) as error:
        log.warning("not signed in with Google: %s", error.message)
        return _redirect_to_login("failed", next_page)
    if not person.is_verified or not is_email(person.email):
        return _redirect_to_login("unverified", next_page)
    try:
        customer_id = await find_or_create_account(database, person)
    except ConsentMissing:
        asking = RedirectResponse(_with_next(CONSENT_PAGE, {}, next_page), 303)
        _set_signed_cookie(asking, settings, NEW_COOKIE, asdict(person))
        return asking
    if customer_id is None:
        answer = _redirect_to_login("join", next_page)
        _set_signed_cookie(answer, settings, JOIN_COOKIE, {"subject": person.subject, "email": person.email})
        return answer
    answer = RedirectResponse(next_page or ACCOUNT_PAGE, 303)
    signed_in = await start_session(database, customer_id, old_token=read_session_token(request))
    set_session_cookie(answer, settings, signed_in.token)
    remember_device(answer, settings, visitor, device_account(signed_in.login))
    return answer


def read_signed_cookie(request: Request, settings: Settings, cookie: str) -> dict[str, Any] | None:
    """Return the content of this signed cookie; None if it is missing, forged or expired."""
    try:
        value = read_cookie(request.cookies, settings, cookie, path=PATH)
        content: dict[str, Any] = _signer(settings, cookie).loads(value, max_age=ATTEMPT_LIFETIME_S)
    except BadSignature:
        return None
    return content


def _set_signed_cookie(answer: Response, settings: Settings, cookie: str, value: Mapping[str, Any]) -> None:
    signed = _signer(settings, cookie).dumps(dict(value))
    set_cookie(answer, settings, cookie, signed, seconds=ATTEMPT_LIFETIME_S, path=PATH)


def delete_signed_cookie(answer: Response, settings: Settings, cookie: str) -> None:
    """Delete this signed cookie."""
    delete_cookie(answer, settings, cookie, path=PATH)


def _signer(settings: Settings, cookie: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(settings.signing_key, salt=cookie)


def _own_page(next_page: str) -> str:
    """Return the path if it is a page of this shop, else an empty text."""
    return next_page if len(next_page) <= MAX_PAGE and OWN_PAGE.fullmatch(next_page) else ""


def _redirect_to_login(reason: str, next_page: str = "") -> Response:
    return RedirectResponse(_with_next(LOGIN_PAGE, {"google": reason}, next_page), 303)


def _with_next(page: str, parameters: Mapping[str, str], next_page: str) -> str:
    query = urlencode({**parameters, **({"next": next_page} if next_page else {})})
    return f"{page}?{query}" if query else page
