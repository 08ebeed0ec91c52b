"""Signing in with Google for programs, which get a bearer token instead of a cookie (wire: Customers and auth).

A program sends its shopper to the address it is told, Google sends them to the program's `callback_url`, and what they
bring back is exchanged for a token. Google leads only to addresses that its console lists for the shop's client id.

Between the two calls nothing is stored: `state` is signed and ten minutes good, nonce and PKCE verifier follow from it.
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
from backend.customers.auth.accounts import GOOGLE, login_of
from backend.customers.auth.google import SignInAttempt
from backend.customers.auth.google_accounts import account_of
from backend.customers.auth.google_routes import GOOD_FOR, MAX_PARAMETER, Provider
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
    """Where Google is to send the shopper: a page of the program."""

    model_config = example(callback_url="https://tienda.example/auth/google")

    callback_url: str = Field(max_length=MAX_CALLBACK)


class GoogleCallback(Parameters):
    """What the shopper brought back in the query of `callback_url`: send it on as it is."""

    code: str = Field("", max_length=MAX_PARAMETER)
    state: str = Field("", max_length=MAX_PARAMETER)
    error: str | None = Field(None, max_length=MAX_PARAMETER)
    scope: str | None = Field(None, max_length=MAX_PARAMETER)
    authuser: str | None = Field(None, max_length=MAX_PARAMETER)
    prompt: str | None = Field(None, max_length=MAX_PARAMETER)
    hd: str | None = Field(None, max_length=MAX_PARAMETER)
    iss: str | None = Field(None, max_length=MAX_PARAMETER)


class LocationAnswer(TypedDict):
    """Where the shopper's browser has to go."""

    location: str


Returned = Annotated[GoogleCallback, read_query(GoogleCallback)]


@router.post("/auth/customer/google")
async def begin(body: GoogleBegin, google: Provider, settings: ShopSettings) -> Wire[LocationAnswer]:
    """Google's page to send the shopper to. 404 where the shop has no Google, 502 when Google does not answer."""
    if not is_web_address(body.callback_url) or "#" in body.callback_url:
        raise InvalidData("Invalid request: 'callback_url' must be an address of a page")
    state = _signer(settings.signing_key).dumps([secrets.token_urlsafe(24), body.callback_url])
    url, _ = await google.begin(_attempt(settings.signing_key, state), body.callback_url)
    return Wire({"location": url})


@router.get("/auth/customer/google/callback")
@router.post("/auth/customer/google/callback", include_in_schema=False)
async def finish(
    asked: Returned, google: Provider, settings: ShopSettings, database: Db
) -> Wire[TokenAnswer]:
    """A bearer token for who came back from Google. Whoever is new has an account by it.

    401 when the answer is not to a call of `POST /auth/customer/google` of the last ten minutes, when Google refuses it
    or has not verified the address, and when an account with the address exists that Google is no way into yet.
    """
    try:
        _, callback = _signer(settings.signing_key).loads(asked.state, max_age=GOOD_FOR)
    except BadSignature:
        raise Unauthorized(FAILED) from None
    if not asked.code:
        raise Unauthorized(FAILED)
    attempt = _attempt(settings.signing_key, asked.state)
    person = await google.finish(asked.code, asked.state, attempt, callback)
    if not person.is_verified or not is_email(person.email):
        raise Unauthorized(UNVERIFIED)
    customer_id = await account_of(database, person, by_program=True)
    async with database.read() as session:
        login = await login_of(session, GOOGLE, person.subject)
        customer = await session.get(Customer, customer_id) if customer_id else None
    if login is None or customer is None:
        raise Unauthorized(HAS_ACCOUNT)
    owner = TokenOwner(customer.id, CUSTOMER, login.id, customer.token_epoch)
    return Wire({"token": issue_token(settings.signing_key, owner)})


def _attempt(signing_key: str, state: str) -> SignInAttempt:
    """The secrets that belong to this state."""

    def secret(purpose: str) -> str:
        return keyed_hash(signing_key, f"google for programs: {purpose}", state).hex()

    return SignInAttempt(state, secret("nonce"), secret("verifier"))


def _signer(signing_key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(signing_key, salt="google for programs")
