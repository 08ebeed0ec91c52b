"""Google as an OpenID Connect provider, with state, nonce and PKCE; every claim of the ID token is checked.

The libraries for OpenID Connect are imported at the first sign-in with Google.
"""

import asyncio
import hmac
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import httpx

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.errors import OutsideFailure, Unauthorized
from backend.core.web.http_client import get_ssl_context
from backend.core.web.outside_values import parse_identifier, parse_text, parse_web_address, read_json
from backend.core.web.response_limits import LimitedClient

if TYPE_CHECKING:
    from authlib.integrations.httpx_client import AsyncOAuth2Client

SCOPE = "openid email profile"
ALGORITHMS = ["RS256", "ES256"]
ANSWER_TIMEOUT_S = 10.0
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
MAX_SUBJECT_LENGTH = 255
"""Maximum length of a subject in OpenID Connect, in characters."""
MAX_EMAIL_LENGTH = 254
MAX_CLOCK_SKEW_S = 60
"""Seconds that the provider's clock may be ahead or behind."""
CALLBACK = "/auth/google/callback"
ALIASES = {"https://accounts.google.com": "accounts.google.com"}
"""Other issuer names in Google's tokens."""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """The secrets of one sign-in. When the shopper returns from Google, the same browser must send them."""

    state: str
    nonce: str
    verifier: str

    def as_dict(self) -> dict[str, str]:
        """Return the secrets as a dict, for a signed cookie."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GooglePerson:
    """The identity of a shopper, as Google asserts it."""

    subject: str
    email: str
    is_verified: bool
    first_name: str
    last_name: str


class Google:
    """The sign-in with Google, as the settings configure it. `transport` replaces the network in tests."""

    def __init__(self, settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._settings = settings
        self._transport = transport

    @property
    def is_on(self) -> bool:
        """True if the settings allow to sign in with Google."""
        return self._settings.has_google

    async def begin(
        self, attempt: SignInAttempt | None = None, callback: str = ""
    ) -> tuple[str, SignInAttempt]:
        """Return the URL of Google's page, and the attempt to store until the shopper returns.

        Args:
            attempt: the attempt to use; None to create one.
            callback: the URL to which the shopper returns; empty for the shop's own page.

        Raises:
            OutsideFailure: Google does not answer.
        """
        from authlib.common.security import generate_token

        attempt = attempt or SignInAttempt(generate_token(43), generate_token(43), generate_token(64))
        async with self._connect(callback) as client:
            endpoints = await self._read_endpoints(client)
            url, _state = client.create_authorization_url(
                endpoints["authorization_endpoint"],
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
                prompt="select_account",
            )
        return url, attempt

    async def finish(self, code: str, state: str, attempt: SignInAttempt, callback: str = "") -> GooglePerson:
        """Return the identity of the returning shopper. `callback` must be the same URL that was passed to `begin`.

        Raises:
            Unauthorized: the answer does not belong to this attempt, or its token is invalid.
            OutsideFailure: the provider does not answer, or its answer is invalid.
        """
        from authlib.common.errors import AuthlibBaseError

        if not state or not hmac.compare_digest(state.encode(), attempt.state.encode()):
            raise Unauthorized("The answer does not belong to this attempt")
        async with self._connect(callback) as client:
            endpoints = await self._read_endpoints(client)
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
            except (httpx.HTTPError, ValueError, TypeError, AttributeError, LookupError) as error:
                # Authlib raises the other errors for an unexpected document
                raise OutsideFailure(f"The provider failed: {type(error).__name__}") from error
        return self._read_person(str(token.get("id_token", "")), keys, attempt.nonce)

    def _read_person(self, id_token: str, keys: Any, nonce: str) -> GooglePerson:
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        issuer, client_id = self._settings.google_issuer, self._settings.google_client_id
        registry = jwt.JWTClaimsRegistry(
            now=lambda: int(now().timestamp()),
            leeway=MAX_CLOCK_SKEW_S,
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
        except (JoseError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise Unauthorized(f"The ID token is invalid: {type(error).__name__}") from None
        if claims.get("azp", client_id) != client_id:
            raise Unauthorized("The ID token was issued for another client")
        subject = parse_identifier(claims["sub"], MAX_SUBJECT_LENGTH)
        if subject is None:
            raise Unauthorized("The ID token has no valid subject")
        return GooglePerson(
            subject=subject,
            email=(parse_identifier(claims.get("email"), MAX_EMAIL_LENGTH) or "").casefold(),
            is_verified=claims.get("email_verified") is True,
            first_name=parse_text(claims.get("given_name")),
            last_name=parse_text(claims.get("family_name")),
        )

    @asynccontextmanager
    async def _connect(self, callback: str) -> AsyncIterator["AsyncOAuth2Client"]:
        """Open a client whose calls together must finish within `ANSWER_TIMEOUT_S`.

        Raises:
            OutsideFailure: the calls took longer.
        """
        try:
            # a deadline in addition to httpx's timeouts: those start again with every received byte
            async with asyncio.timeout(ANSWER_TIMEOUT_S), self._make_client(callback) as client:
                yield client
        except TimeoutError as error:
            raise OutsideFailure("The provider did not answer in time") from error

    def _make_client(self, callback: str) -> "AsyncOAuth2Client":
        return _client_class()(
            client_id=self._settings.google_client_id,
            client_secret=self._settings.google_client_secret.get_secret_value(),
            scope=SCOPE,
            redirect_uri=callback or self._settings.base_url + CALLBACK,
            code_challenge_method="S256",
            timeout=ANSWER_TIMEOUT_S,
            transport=self._transport,
            verify=get_ssl_context(),
        )

    async def _read_endpoints(self, client: "AsyncOAuth2Client") -> dict[str, str]:
        issuer = self._settings.google_issuer
        address = f"{issuer}/.well-known/openid-configuration"
        try:
            answer = await client.request("GET", address, withhold_token=True)
            found = read_json(answer.raise_for_status().content)
        except (httpx.HTTPError, ValueError) as error:
            raise OutsideFailure(f"The provider failed: {type(error).__name__}") from error
        if not isinstance(found, dict) or found.get("issuer") != issuer:
            raise OutsideFailure("The provider's document names another issuer")
        endpoints = {name: parse_web_address(found.get(name)) for name in ENDPOINTS}
        if not all(endpoints.values()):
            raise OutsideFailure("The provider's document has no valid endpoints")
        return {name: address for name, address in endpoints.items() if address}


@cache
def _client_class() -> type["AsyncOAuth2Client"]:
    """Return Authlib's client with a limit on the size of responses."""
    from authlib.deprecate import AuthlibDeprecationWarning

    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", AuthlibDeprecationWarning
        )  # Authlib recommends the successor of httpx
        from authlib.integrations.httpx_client import AsyncOAuth2Client

    class LimitedOAuth2Client(LimitedClient, AsyncOAuth2Client):  # type: ignore[misc]  # Authlib has no types
        """An OAuth 2 client that reads at most `MAX_RESPONSE_BYTES` of a response."""

    return LimitedOAuth2Client
