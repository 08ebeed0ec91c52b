"""The shop's own pages sign in with Google: they lead to `/auth/google`, and Google back to `/auth/google/callback`.

What only this browser may bring back is in signed cookies (spec: Storefront routes).
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
from backend.customers.auth.google_accounts import ConsentMissing, account_of
from backend.customers.auth.sessions import give_cookie, token_in
from backend.customers.auth.signing_in import enter
from backend.edge.auth.cookies import delete_cookie, read_cookie, set_cookie
from backend.edge.auth.devices import AnyVisitor, Visitor, remember_device
from backend.edge.dependencies import Db, ShopSettings

log = logging.getLogger(__name__)

ATTEMPT_COOKIE, JOIN_COOKIE, NEW_COOKIE = "trompo_google", "trompo_join", "trompo_new"
PATH = "/auth"
GOOD_FOR = 600
"""Seconds within which a shopper comes back, or proves to own the account that is there."""
LOGIN_PAGE, ACCOUNT_PAGE, CONSENT_PAGE = "/account/login", "/account", "/account/consent"
MAX_PARAMETER, MAX_PAGE = 2000, 200
OWN_PAGE = re.compile(r"/(?!/)[A-Za-z0-9_.~=&?%/-]*")
"""A path from the root: no host can be read into it, as in `//evil.example` or `/\\evil.example`."""

router = APIRouter(tags=["auth"], include_in_schema=False)


async def google_of(request: Request) -> Google:
    """The running shop's way in.

    Raises:
        NotFound: the settings know none.
    """
    google: Google = request.app.state.google
    if not google.is_on:
        raise NotFound(f"Cannot {request.method} {request.url.path}")
    return google


Provider = Annotated[Google, Depends(google_of)]


@router.get("/auth/google")
async def begin(request: Request, google: Provider, settings: ShopSettings) -> Response:
    """Go to Google. The browser takes along, signed, what only it must bring back, and where it wants to go on."""
    wanted = _own_page(request.query_params.get("next", ""))
    try:
        url, attempt = await google.begin()
    except OutsideFailure as error:
        log.warning("no way to Google: %s", error.message)
        return _back("failed", wanted)
    answer = RedirectResponse(url, 303)
    _keep(answer, settings, ATTEMPT_COOKIE, {**attempt.as_dict(), "next": wanted})
    return answer


@router.get(CALLBACK)
async def come_back(request: Request, settings: ShopSettings, database: Db, visitor: AnyVisitor) -> Response:
    """Back from Google: signed in, or told why not. Without Google a browser is led to the page of the other ways in.

    Raises:
        NotFound: the settings know no Google, and it is no browser that asks.
    """
    try:
        google = await google_of(request)
    except NotFound:
        if "text/html" not in request.headers.get("accept", ""):
            raise
        return _back("failed")
    answer = await _come_back(request, google, settings, database, visitor)
    forget(answer, settings, ATTEMPT_COOKIE)  # an answer is good once
    answer.headers["referrer-policy"] = "no-referrer"
    return answer


async def _come_back(
    request: Request, google: Google, settings: Settings, database: Database, visitor: Visitor
) -> Response:
    kept = kept_in(request, settings, ATTEMPT_COOKIE)
    code, state = (request.query_params.get(name, "")[:MAX_PARAMETER] for name in ("code", "state"))
    if kept is None or not code:
        return _back("failed")
    wanted = kept.pop("next", "")
    try:
        person = await google.finish(code, state, SignInAttempt(**kept))
    except (Unauthorized, OutsideFailure) as error:
        log.warning("not signed in with Google: %s", error.message)
        return _back("failed", wanted)
    if not person.is_verified or not is_email(person.email):
        return _back("unverified", wanted)
    try:
        customer_id = await account_of(database, person)
    except ConsentMissing:
        asking = RedirectResponse(_with_next(CONSENT_PAGE, {}, wanted), 303)
        _keep(asking, settings, NEW_COOKIE, asdict(person))
        return asking
    if customer_id is None:
        answer = _back("join", wanted)
        _keep(answer, settings, JOIN_COOKIE, {"subject": person.subject, "email": person.email})
        return answer
    answer = RedirectResponse(wanted or ACCOUNT_PAGE, 303)
    signed_in = await enter(database, customer_id, old=token_in(request))
    give_cookie(answer, settings, signed_in.token)
    remember_device(answer, settings, visitor, device_account(signed_in.login))
    return answer


def kept_in(request: Request, settings: Settings, cookie: str) -> dict[str, Any] | None:
    """What we signed into this cookie; None when it is missing, forged or over."""
    try:
        value = read_cookie(request.cookies, settings, cookie, path=PATH)
        kept: dict[str, Any] = _signer(settings, cookie).loads(value, max_age=GOOD_FOR)
    except BadSignature:
        return None
    return kept


def _keep(answer: Response, settings: Settings, cookie: str, value: Mapping[str, Any]) -> None:
    signed = _signer(settings, cookie).dumps(dict(value))
    set_cookie(answer, settings, cookie, signed, seconds=GOOD_FOR, path=PATH)


def forget(answer: Response, settings: Settings, cookie: str) -> None:
    """Delete what we signed into this cookie."""
    delete_cookie(answer, settings, cookie, path=PATH)


def _signer(settings: Settings, cookie: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(settings.signing_key, salt=cookie)


def _own_page(wanted: str) -> str:
    """The page of this shop that an address names; nothing for one that leads anywhere else."""
    return wanted if len(wanted) <= MAX_PAGE and OWN_PAGE.fullmatch(wanted) else ""


def _back(why: str, wanted: str = "") -> Response:
    return RedirectResponse(_with_next(LOGIN_PAGE, {"google": why}, wanted), 303)


def _with_next(page: str, parameters: Mapping[str, str], wanted: str) -> str:
    query = urlencode({**parameters, **({"next": wanted} if wanted else {})})
    return f"{page}?{query}" if query else page
