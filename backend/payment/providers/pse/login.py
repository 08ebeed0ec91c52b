"""Calls to the gateway: the login they need, and the headers of the official SDK.

A token is shared, kept no longer than it lasts, fetched once for all who wait, and replaced once when it is refused.
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
from backend.payment.providers.pse.responses import KeysRefused, LoginFailed, exact_json

_JSON_HEADERS = {"Content-Type": "application/json", "Accept": "*/*"}

LONGEST_USE = timedelta(minutes=14)
"""How long a token is used at most: it lasts 20 or 60 minutes, and the PHP SDK keeps it 14 (wire: gateway 1.1)."""

MARGIN = timedelta(seconds=30)
"""A token this close to its end is not used any more: the call must arrive before it."""


@dataclass(frozen=True)
class _Token:
    text: str = field(repr=False)
    usable_until: datetime


class GatewaySession:
    """Keeps one token. `login` fetches a new one and is never run twice at the same time."""

    def __init__(self, login: Callable[[], Awaitable[str]]) -> None:
        self._login = login
        self._logins = SingleFlight[None, _Token]()
        self._token: _Token | None = None

    async def token(self) -> str:
        """A token to call with now. Raises whatever `login` raises."""
        token = self._token
        if token is None or token.usable_until <= now():
            token = await self._logins.share(None, self._renew)
        return token.text

    async def _renew(self) -> _Token:
        text = await self._login()
        self._token = _Token(text, usable_until=_usable_until(text))
        return self._token

    def forget(self, token: str) -> None:
        """Do not use this token again: the gateway no longer takes it. A newer one stays."""
        if self._token is not None and self._token.text == token:
            self._token = None


def _usable_until(token: str) -> datetime:
    longest = now() + LONGEST_USE
    expires = _expiry(token)
    return longest if expires is None else min(longest, expires - MARGIN)


def _expiry(token: str) -> datetime | None:
    """The `exp` of a JWT, which only schedules our next login; None when the token has none to read."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return datetime.fromtimestamp(float(claims["exp"]), UTC)
    except (LookupError, TypeError, ValueError, OverflowError, OSError, RecursionError):
        return None


class GatewayChannel:
    """The two ways in, the older service's (`restpagos`) and the newer one's (`apify`), each with its own login."""

    def __init__(self, http: HttpClient, credentials: GatewayCredentials, bases: GatewayBases) -> None:
        self.http = http
        self._credentials = credentials
        self._bases = bases
        self.restpagos = GatewaySession(self._login)
        self.apify = GatewaySession(self._apify_login)

    async def read(
        self,
        method: str,
        url: str,
        *,
        session: GatewaySession | None = None,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        """The JSON answer of a call that changes nothing, repeated while the gateway fails. Numbers stay text.

        Raises:
            OutsideFailure: every attempt failed, or our keys are refused.
        """

        async def once() -> Any:
            seconds = self.http.policy.read
            if session is None:
                return read_json(await self.send(method, url, seconds, params=params, body=body))
            return read_json(
                await self.send_authorized(method, url, seconds, session=session, params=params, body=body)
            )

        return await self.http.repeat(once, is_passing=_is_passing)

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
        """The answer to a call with our token, whatever its status. A refused token is replaced once.

        Raises:
            KeysRefused: the gateway does not accept our keys.
            NoAnswer: the request may have arrived.
            ServiceUnavailable: the request, or the login before it, could not be sent.
        """
        token = await session.token()
        response = await self.send(method, url, seconds, token=token, params=params, body=body)
        if response.status_code == 401:
            # refused before anything was done, so sending it again is safe
            session.forget(token)
            token = await session.token()
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
        """Send once, with the headers of the official SDK when there is a token."""
        headers = {"type": "sdk-jwt", "lang": "NODE", "Authorization": f"Bearer {token}"} if token else {}
        return await self.http.send(
            method, url, seconds, params=params, headers={**_JSON_HEADERS, **headers}, json=body
        )

    async def _login(self) -> str:
        keys = {
            "public_key": self._credentials.public_key.get_secret_value(),
            "private_key": self._credentials.private_key.get_secret_value(),
        }
        return await self._token(f"{self._bases.api}/v1/auth/login", body=keys)

    async def _apify_login(self) -> str:
        keys = f"{self._credentials.public_key.get_secret_value()}:{self._credentials.private_key.get_secret_value()}"
        basic = {"Authorization": f"Basic {b64encode(keys.encode()).decode()}"}
        return await self._token(f"{self._bases.apify}/login", headers=basic)

    async def _token(
        self, url: str, *, headers: Mapping[str, str] | None = None, body: Mapping[str, str] | None = None
    ) -> str:
        """A new token from a login address. The errors tell nothing of the answer: it may hold what is secret.

        A token that no header can carry is not kept: the login is tried again.
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
            # whatever became of the login: of the call it was for, nothing was sent
            raise LoginFailed(f"Logging in: {error.message}") from error


def _read_token(answer: Any) -> str:
    """Return the token in an answer to a login.

    Raises:
        KeysRefused: there is none.
        ServiceUnavailable: it cannot be sent in a header.
    """
    token = (answer.get("bearer_token") or answer.get("token")) if isinstance(answer, Mapping) else None
    if not isinstance(token, str):
        raise KeysRefused("The gateway does not accept our keys: its answer to the login holds no token")
    usable = parse_token(token.removeprefix("Bearer "))
    if usable is None:
        raise ServiceUnavailable("The gateway's answer to the login holds a malformed token")
    return usable


def _is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed a moment later. A login was tried as often as is sensible already."""
    return isinstance(error, ServiceUnavailable) and not isinstance(error, LoginFailed)


def read_json(response: httpx.Response) -> Any:
    """The JSON of an answer that says HTTP 200.

    Raises:
        ServiceUnavailable: another status, or no JSON.
        KeysRefused: HTTP 401 or 403.
    """
    if response.status_code in (401, 403):
        raise KeysRefused(f"The gateway does not accept our keys (HTTP {response.status_code})")
    if response.status_code != 200:
        raise ServiceUnavailable(f"The gateway answered with HTTP {response.status_code}")
    try:
        return exact_json(response.content)
    except ValueError:
        raise ServiceUnavailable("The gateway's answer is no JSON") from None
