"""Signing in with Google: OpenID Connect by code, with state, nonce and PKCE; every claim of the ID token is checked.

The pages lead to `/auth/google`, and Google back to `/auth/google/callback` (spec: Storefront routes). An address alone
opens no account that is there already. What speaks OpenID Connect is loaded when the first shopper signs in so.
"""

import hmac
import logging
import re
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

import httpx
from fastapi import APIRouter, Depends, Request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy.exc import IntegrityError
from starlette.responses import RedirectResponse, Response

from backend.clock import now
from backend.contact import clean_name, is_email
from backend.customers.accounts import GOOGLE, customer_with, device_account, login_of
from backend.customers.models import Customer, Login
from backend.customers.sessions import give_cookie, token_in
from backend.customers.signing_in import enter
from backend.database import Database
from backend.edge.dependencies import Db, ShopSettings
from backend.edge.devices import AnyVisitor, Visitor, remember_device
from backend.edge.own_pages import is_secure
from backend.errors import NotFound, OutsideFailure, ShopError, Unauthorized
from backend.http_client import trusted
from backend.legal.consents import Consenting, give_consents
from backend.settings import Settings

if TYPE_CHECKING:
    from authlib.integrations.httpx_client import AsyncOAuth2Client

SCOPE = "openid email profile"
ALGORITHMS = ["RS256", "ES256"]
ANSWER_WITHIN = 10.0
CLOCKS_DIFFER = 60
"""Seconds that the provider's clock may be ahead or behind."""
CALLBACK = "/auth/google/callback"
ALIASES = {"https://accounts.google.com": "accounts.google.com"}
"""What Google also calls itself in its tokens."""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """The secrets of one sign-in. The browser that began it must bring them back."""

    state: str
    nonce: str
    verifier: str

    def as_dict(self) -> dict[str, str]:
        """For a signed cookie."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GooglePerson:
    """Who the provider says it is."""

    subject: str
    email: str
    is_verified: bool
    first_name: str
    last_name: str


class Google:
    """The provider that the settings name. `transport` stands in for the network in tests."""

    def __init__(self, settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._settings = settings
        self._transport = transport

    @property
    def is_on(self) -> bool:
        """Whether the settings allow to sign in with Google."""
        return self._settings.has_google

    async def begin(
        self, attempt: SignInAttempt | None = None, callback: str = ""
    ) -> tuple[str, SignInAttempt]:
        """The provider's page to go to, and what to keep until the shopper is back at `callback`, else at our own page.

        Raises:
            OutsideFailure: the provider does not answer.
        """
        from authlib.common.security import generate_token

        attempt = attempt or SignInAttempt(generate_token(43), generate_token(43), generate_token(64))
        async with self._client(callback) as client:
            endpoints = await self._endpoints(client)
            url, _state = client.create_authorization_url(
                endpoints["authorization_endpoint"],
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
                prompt="select_account",
            )
        return url, attempt

    async def finish(self, code: str, state: str, attempt: SignInAttempt, callback: str = "") -> GooglePerson:
        """Who came back, to the `callback` that `begin` was told.

        Raises:
            Unauthorized: the answer is not the one to this attempt, or its token is no good.
            OutsideFailure: the provider does not answer, or not what it should.
        """
        from authlib.common.errors import AuthlibBaseError

        if not state or not hmac.compare_digest(state.encode(), attempt.state.encode()):
            raise Unauthorized("The answer is not to this attempt")
        async with self._client(callback) as client:
            endpoints = await self._endpoints(client)
            try:
                token = await client.fetch_token(
                    endpoints["token_endpoint"], code=code, code_verifier=attempt.verifier
                )
                keys = (
                    (await client.request("GET", endpoints["jwks_uri"], withhold_token=True))
                    .raise_for_status()
                    .json()
                )
            except AuthlibBaseError as error:
                raise Unauthorized(f"The provider refused the code: {error.error}") from None
            except (httpx.HTTPError, ValueError) as error:
                raise OutsideFailure(f"The provider failed: {type(error).__name__}") from error
        return self._person(str(token.get("id_token", "")), keys, attempt.nonce)

    def _person(self, id_token: str, keys: Any, nonce: str) -> GooglePerson:
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        issuer, client_id = self._settings.google_issuer, self._settings.google_client_id
        registry = jwt.JWTClaimsRegistry(
            now=lambda: int(now().timestamp()),
            leeway=CLOCKS_DIFFER,
            iss={"essential": True, "values": [issuer, ALIASES.get(issuer, issuer)]},
            aud={"essential": True, "value": client_id},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            claims = jwt.decode(id_token, KeySet.import_key_set(keys), algorithms=ALGORITHMS).claims
            registry.validate(claims)
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise Unauthorized(f"The ID token is no good: {type(error).__name__}") from None
        if claims.get("azp", client_id) != client_id:
            raise Unauthorized("The ID token is for somebody else")
        return GooglePerson(
            subject=str(claims["sub"]),
            email=str(claims.get("email") or "").strip().casefold(),
            is_verified=claims.get("email_verified") is True,
            first_name=str(claims.get("given_name") or ""),
            last_name=str(claims.get("family_name") or ""),
        )

    def _client(self, callback: str) -> "AsyncOAuth2Client":
        from authlib.deprecate import AuthlibDeprecationWarning

        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", AuthlibDeprecationWarning
            )  # it would rather have httpx's successor
            from authlib.integrations.httpx_client import AsyncOAuth2Client
        return AsyncOAuth2Client(
            client_id=self._settings.google_client_id,
            client_secret=self._settings.google_client_secret.get_secret_value(),
            scope=SCOPE,
            redirect_uri=callback or self._settings.base_url + CALLBACK,
            code_challenge_method="S256",
            timeout=ANSWER_WITHIN,
            transport=self._transport,
            verify=trusted(),
        )

    async def _endpoints(self, client: "AsyncOAuth2Client") -> dict[str, str]:
        issuer = self._settings.google_issuer
        address = f"{issuer}/.well-known/openid-configuration"
        try:
            answer = await client.request("GET", address, withhold_token=True)
            found: dict[str, str] = answer.raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise OutsideFailure(f"The provider failed: {type(error).__name__}") from error
        if found.get("issuer") != issuer:
            raise OutsideFailure("The provider says it is another")
        return found


class ConsentMissing(ShopError):
    """Whoever comes from Google has no account yet, and has not agreed to what one needs."""


async def account_of(
    database: Database,
    person: GooglePerson,
    consenting: Consenting | None = None,
    *,
    by_program: bool = False,
) -> str | None:
    """The customer this person is, made now if there is none.

    Args:
        database: the shop's.
        person: who Google says it is.
        consenting: whose consents are stored with a new account; None where nobody was asked yet.
        by_program: a program with texts of its own asks: it makes accounts without them.

    Raises:
        ConsentMissing: the account would be new, and nobody was asked.

    Returns:
        The customer's id; None when an account with this address is there and its owner has to prove to be it first
        (see `join`): whoever made it may not be who owns the address.
    """
    try:
        async with database.transaction() as session:
            login = await login_of(session, GOOGLE, person.subject)
            if login is not None:
                return login.customer_id
            if await customer_with(session, person.email) is not None:
                return None
            if consenting is None and not by_program:
                raise ConsentMissing("Nobody was asked for their consent")
            customer = Customer(
                email=person.email,
                first_name=clean_name(person.first_name),
                last_name=clean_name(person.last_name),
            )
            session.add(customer)
            await session.flush()
            session.add(Login(provider=GOOGLE, subject=person.subject, customer_id=customer.id))
            await session.flush()
            if consenting is not None:
                await give_consents(session, consenting, customer_id=customer.id)
            return customer.id
    except IntegrityError:  # two at once
        return None


async def join(database: Database, proved: str, subject: str, email: str) -> bool:
    """Let the person from Google enter the account of the address `proved`: its owner has just shown to be it.

    Returns:
        Whether it was joined: only an account with the very address that Google verified is.
    """
    try:
        async with database.transaction() as session:
            customer = await customer_with(session, proved)
            if customer is None or customer.email != email:
                return False
            if await login_of(session, GOOGLE, subject) is not None:
                return False
            session.add(Login(provider=GOOGLE, subject=subject, customer_id=customer.id))
    except IntegrityError:
        return False
    return True


log = logging.getLogger(__name__)

ATTEMPT_COOKIE, JOIN_COOKIE, NEW_COOKIE = "trompo_google", "trompo_join", "trompo_new"
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
    wanted = own_page(request.query_params.get("next", ""))
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
    answer.delete_cookie(ATTEMPT_COOKIE, path="/auth")  # an answer is good once
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


def own_page(wanted: str) -> str:
    """The page of this shop that an address names; nothing for one that leads anywhere else."""
    return wanted if len(wanted) <= MAX_PAGE and OWN_PAGE.fullmatch(wanted) else ""


def kept_in(request: Request, settings: Settings, cookie: str) -> dict[str, Any] | None:
    """What we signed into this cookie; None when it is missing, forged or over."""
    try:
        kept: dict[str, Any] = _signer(settings, cookie).loads(
            request.cookies.get(cookie, ""), max_age=GOOD_FOR
        )
    except BadSignature:
        return None
    return kept


def _keep(answer: Response, settings: Settings, cookie: str, value: Mapping[str, Any]) -> None:
    answer.set_cookie(
        cookie,
        _signer(settings, cookie).dumps(dict(value)),
        max_age=GOOD_FOR,
        path="/auth",
        secure=is_secure(settings),
        httponly=True,
        samesite="lax",
    )


def _signer(settings: Settings, cookie: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(settings.signing_key, salt=cookie)


def _back(why: str, wanted: str = "") -> Response:
    return RedirectResponse(_with_next(LOGIN_PAGE, {"google": why}, wanted), 303)


def _with_next(page: str, parameters: Mapping[str, str], wanted: str) -> str:
    query = urlencode({**parameters, **({"next": wanted} if wanted else {})})
    return f"{page}?{query}" if query else page
