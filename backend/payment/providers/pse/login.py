"""Send calls to the gateway with its login tokens and the headers of the official SDK.

All calls share a token while it is valid. Only one login runs at a time. If the gateway refuses a token, the token
is replaced once.
"""

import json
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from backend.core.caching.single_flight import SingleFlight
from backend.core.clock import now
from backend.core.web.http_client import HttpClient, ServiceUnavailable
from backend.core.web.outside_values import parse_token
from backend.payment.providers.pse.requests import GatewayBases, GatewayCredentials
from backend.payment.providers.pse.responses import KeysRefused, LoginFailed, parse_exact_json

_JSON_HEADERS = {"Content-Type": "application/json", "Accept": "*/*"}

MAX_TOKEN_AGE = timedelta(minutes=14)
"""How long a token is used: it is valid for 20 or 60 minutes, and the PHP SDK uses it for 14 (wire: gateway 1.1)."""

EXPIRY_MARGIN = timedelta(seconds=30)
"""Time before its expiry at which a token is no longer used, as the call must arrive before it expires."""


@dataclass(frozen=True)
class Token:
    """A token of a login, and the time until which it is used."""

    text: str = field(repr=False)
    usable_until: datetime


class GatewaySession:
    """A login session that stores one token. It never runs `login` twice at the same time."""

    def __init__(self, login: Callable[[], Awaitable[str]]) -> None:
        self._login = login
        self._logins = SingleFlight[None, Token]()
        self._token: Token | None = None

    async def get_token(self) -> str:
        """Return a valid token; log in if there is none. Raises the errors of the login."""
        token = self._token
        if token is None or token.usable_until <= now():
            token = await self._logins.share(None, self._renew)
        return token.text

    async def _renew(self) -> Token:
        text = await self._login()
        self._token = Token(text, usable_until=_compute_usable_until(text))
        return self._token

    def forget(self, token: str) -> None:
        """Delete this token, which the gateway no longer accepts. A newer one is not deleted."""
        if self._token is not None and self._token.text == token:
            self._token = None


def _compute_usable_until(token: str) -> datetime:
    longest = now() + MAX_TOKEN_AGE
    expires = _read_expiry(token)
    return longest if expires is None else min(longest, expires - EXPIRY_MARGIN)


def _read_expiry(token: str) -> datetime | None:
    """Return the expiry (`exp`) of a JWT, which is only used to schedule the next login; None if it cannot be read."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return datetime.fromtimestamp(float(claims["exp"]), UTC)
    except (LookupError, TypeError, ValueError, OverflowError, OSError, RecursionError):
        return None


class GatewayChannel:
    """The two services of the gateway, the older `restpagos` and the newer `apify`, each with its own login."""

    def __init__(self, http: HttpClient, credentials: GatewayCredentials, bases: GatewayBases) -> None:
        self.http = http
        self._credentials = credentials
        self._bases = bases
        self.restpagos = GatewaySession(self._login)
        self.apify = GatewaySession(self._apify_login)

    async def read_answer(
        self,
        method: str,
        url: str,
        *,
        session: GatewaySession | None = None,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the JSON answer of a read-only call, which is repeated while the gateway fails.

        Numbers are returned as text.

        Raises:
            OutsideFailure: every attempt failed, or the shop's keys are refused.
        """

        async def once() -> Any:
            seconds = self.http.policy.read
            if session is None:
                return read_json(await self.send(method, url, seconds, params=params, body=body))
            return read_json(
                await self.send_authorized(method, url, seconds, session=session, params=params, body=body)
            )

        return await self.http.repeat(once, is_passing=_is_transient)

    async def send_authorized(
        self,
        method: str,
        url: str,
        seconds: float,
        *,
        session: GatewaySession,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        """Send a call with a token, and return the response, whatever its status. A refused token is replaced once.

        Raises:
            KeysRefused: the gateway does not accept the shop's keys.
            NoAnswer: the request may have arrived.
            ServiceUnavailable: the request, or the login before it, could not be sent.
        """
        token = await session.get_token()
        response = await self.send(method, url, seconds, token=token, params=params, body=body)
        if response.status_code == 401:
            # the gateway refused it before doing anything, so sending it again is safe
            session.forget(token)
            token = await session.get_token()
            response = await self.send(method, url, seconds, token=token, params=params, body=body)
        return response

    async def send(
        self,
        method: str,
        url: str,
        seconds: float,
        *,
        token: str | None = None,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        """Send a request once; with a token, also send the headers of the official SDK."""
        headers = {"type": "sdk-jwt", "lang": "NODE", "Authorization": f"Bearer {token}"} if token else {}
        return await self.http.send(
            method, url, seconds, params=params, headers={**_JSON_HEADERS, **headers}, json=body
        )

    async def _login(self) -> str:
        keys = {
            "public_key": self._credentials.public_key.get_secret_value(),
            "private_key": self._credentials.private_key.get_secret_value(),
        }
        return await self._fetch_token(f"{self._bases.api}/v1/auth/login", body=keys)

    async def _apify_login(self) -> str:
        keys = f"{self._credentials.public_key.get_secret_value()}:{self._credentials.private_key.get_secret_value()}"
        basic = {"Authorization": f"Basic {b64encode(keys.encode()).decode()}"}
        return await self._fetch_token(f"{self._bases.apify}/login", headers=basic)

    async def _fetch_token(
        self, url: str, *, headers: Mapping[str, str] | None = None, body: Mapping[str, str] | None = None
    ) -> str:
        """Log in at this URL and return the token. A failed login is repeated, unless the keys are refused.

        The errors contain no part of the answer, which may contain secrets.
        """

        async def once() -> str:
            seconds = self.http.policy.read
            response = await self.http.send(
                "POST", url, seconds, headers={**_JSON_HEADERS, **(headers or {})}, json=body
            )
            return _read_token(read_json(response))

        try:
            return await self.http.repeat(once)
        except ServiceUnavailable as error:
            # the call that needed this login was not sent
            raise LoginFailed(f"Logging in: {error.message}") from error


def _read_token(answer: Any) -> str:
    """Return the token in an answer to a login.

    Raises:
        KeysRefused: the answer has no token.
        ServiceUnavailable: the token has characters that a header cannot contain.
    """
    token = (answer.get("bearer_token") or answer.get("token")) if isinstance(answer, Mapping) else None
    if not isinstance(token, str):
        raise KeysRefused("The gateway does not accept our keys: its answer to the login holds no token")
    usable = parse_token(token.removeprefix("Bearer "))
    if usable is None:
        raise ServiceUnavailable("The gateway's answer to the login holds a malformed token")
    return usable


def _is_transient(error: BaseException) -> bool:
    """Return True if the call that raised this error may succeed a moment later.

    This excludes a failed login, because the login itself was already repeated.
    """
    return isinstance(error, ServiceUnavailable) and not isinstance(error, LoginFailed)


def read_json(response: httpx.Response) -> Any:
    """Return the JSON of an answer with HTTP 200.

    Raises:
        ServiceUnavailable: the answer has another status, or is not JSON.
        KeysRefused: the status is 401 or 403.
    """
    if response.status_code in (401, 403):
        raise KeysRefused(f"The gateway does not accept our keys (HTTP {response.status_code})")
    if response.status_code != 200:
        raise ServiceUnavailable(f"The gateway answered with HTTP {response.status_code}")
    try:
        return parse_exact_json(response.content)
    except ValueError:
        raise ServiceUnavailable("The gateway's answer is no JSON") from None
