"""Sign-in with Google for API clients, which get a bearer token instead of a cookie (wire: Customers and auth).

An API client sends its shopper to the returned location, Google redirects to the client's `callback_url`, and the
query of that URL is exchanged for a token. Google redirects only to addresses that its console lists for the shop's
client id.

Nothing is stored between the two calls: `state` is signed and valid for ten minutes; nonce and PKCE verifier are
derived from it.
"""

import secrets
from typing import Annotated

from fastapi import APIRouter
from itsdangerous import BadSignature, URLSafeTimedSerializer
from pydantic import Field
from typing_extensions import TypedDict

from backend.core.errors import InvalidData, Unauthorized
from backend.core.web.contact import is_email, is_web_address
from backend.core.web.signing import keyed_hash
from backend.customers.auth.accounts import GOOGLE, find_login
from backend.customers.auth.google import SignInAttempt
from backend.customers.auth.google_accounts import find_or_create_account
from backend.customers.auth.google_routes import ATTEMPT_LIFETIME_S, MAX_PARAMETER, GoogleProvider
from backend.customers.models import Customer
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner, issue_token
from backend.edge.auth.credentials import TokenAnswer
from backend.edge.dependencies import Db, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import LenientBody, Parameters, example
from backend.edge.wire import Wire

MAX_CALLBACK = 300
FAILED = "Authentication failed"
UNVERIFIED = "Google has not verified this e-mail address"
HAS_ACCOUNT = (
    "An account with this e-mail address exists already. Its owner has to sign in with its password at the shop's own "
    "page once, and can use Google from then on"
)

router = APIRouter(route_class=WireRoute, tags=["auth"], responses=REFUSALS)


class GoogleBegin(LenientBody):
    """The page of the API client to which Google redirects the shopper."""

    model_config = example(callback_url="https://tienda.example/auth/google")

    callback_url: str = Field(max_length=MAX_CALLBACK)


class GoogleCallback(Parameters):
    """The query of `callback_url` when the shopper returned, unchanged."""

    code: str = Field("", max_length=MAX_PARAMETER)
    state: str = Field("", max_length=MAX_PARAMETER)
    error: str | None = Field(None, max_length=MAX_PARAMETER)
    scope: str | None = Field(None, max_length=MAX_PARAMETER)
    authuser: str | None = Field(None, max_length=MAX_PARAMETER)
    prompt: str | None = Field(None, max_length=MAX_PARAMETER)
    hd: str | None = Field(None, max_length=MAX_PARAMETER)
    iss: str | None = Field(None, max_length=MAX_PARAMETER)


class LocationAnswer(TypedDict):
    """The URL to which the shopper's browser must go."""

    location: str


Returned = Annotated[GoogleCallback, read_query(GoogleCallback)]


@router.post("/auth/customer/google")
async def begin(body: GoogleBegin, google: GoogleProvider, settings: ShopSettings) -> Wire[LocationAnswer]:
    """Return Google's page for the shopper. 404 if Google is not configured, 502 if Google does not answer."""
    if not is_web_address(body.callback_url) or "#" in body.callback_url:
        raise InvalidData("Invalid request: 'callback_url' must be an address of a page")
    state = _signer(settings.signing_key).dumps([secrets.token_urlsafe(24), body.callback_url])
    url, _ = await google.begin(_attempt(settings.signing_key, state), body.callback_url)
    return Wire({"location": url})


@router.get("/auth/customer/google/callback")
@router.post("/auth/customer/google/callback", include_in_schema=False)
async def finish(
    params: Returned, google: GoogleProvider, settings: ShopSettings, database: Db
) -> Wire[TokenAnswer]:
    """Return a bearer token for a shopper who returned from Google. A new shopper gets an account.

    401 if the answer does not belong to a call of `POST /auth/customer/google` in the past ten minutes, if Google
    refuses it or has not verified the address, or if an account with the address exists that is not linked to
    Google.
    """
    try:
        _, callback = _signer(settings.signing_key).loads(params.state, max_age=ATTEMPT_LIFETIME_S)
    except BadSignature:
        raise Unauthorized(FAILED) from None
    if not params.code:
        raise Unauthorized(FAILED)
    attempt = _attempt(settings.signing_key, params.state)
    person = await google.finish(params.code, params.state, attempt, callback)
    if not person.is_verified or not is_email(person.email):
        raise Unauthorized(UNVERIFIED)
    customer_id = await find_or_create_account(database, person, by_program=True)
    async with database.read() as session:
        login = await find_login(session, GOOGLE, person.subject)
        customer = await session.get(Customer, customer_id) if customer_id else None
    if login is None or customer is None:
        raise Unauthorized(HAS_ACCOUNT)
    owner = TokenOwner(customer.id, CUSTOMER, login.id, customer.token_epoch)
    return Wire({"token": issue_token(settings.signing_key, owner)})


def _attempt(signing_key: str, state: str) -> SignInAttempt:
    """Return the secrets of the sign-in attempt, which are derived from its `state`."""

    def secret(purpose: str) -> str:
        return keyed_hash(signing_key, f"google for programs: {purpose}", state).hex()

    return SignInAttempt(state, secret("nonce"), secret("verifier"))


def _signer(signing_key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(signing_key, salt="google for programs")
