"""Calls to the gateway: one request with a deadline, the login it needs, and repetition of what only reads.

A token is shared, kept no longer than it lasts, fetched once for all who wait, and replaced once when it is refused.
`httpx` logs every address it calls, and the gateway wants a key in the query: the log gets addresses without it.
"""

import asyncio
import json
import logging
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import httpx
from tenacity import (
    AsyncRetrying,
    retry_if_exception,
    stop_after_attempt,
    stop_after_delay,
    wait_exponential_jitter,
)

from backend.clock import now
from backend.payment.providers.pse.answers import (
    GatewayUnavailable,
    KeysRefused,
    LoginFailed,
    NoAnswer,
    exact_json,
)
from backend.payment.providers.pse.wire import GatewayBases, GatewayCredentials
from backend.single_flight import SingleFlight

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


@dataclass(frozen=True)
class Patience:
    """How long we wait, in seconds. The bank network is slow to start a payment, so that may take longer."""

    connect: float = 5.0
    reading: float = 10.0
    create: float = 30.0
    retry_pause: float = 0.3
    """Before the first repetition of a reading call; the pause grows from there, with some chance in it."""
    attempts: int = 3

    def timeout(self, seconds: float) -> httpx.Timeout:
        """The timeout of one call: `seconds` for each part of it, less for connecting."""
        return httpx.Timeout(seconds, connect=min(self.connect, seconds), pool=min(self.connect, seconds))


async def send(
    http: httpx.AsyncClient,
    method: str,
    url: str,
    *,
    patience: Patience,
    seconds: float,
    headers: Mapping[str, str] | None = None,
    params: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
) -> httpx.Response:
    """Send one request, once, and read the whole answer, whatever its status.

    Raises:
        GatewayUnavailable: no connection could be made; nothing was sent.
        NoAnswer: the request may have arrived.
    """
    # compact JSON, as the official SDK sends it
    content = None if body is None else json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    request = http.build_request(
        method,
        url,
        params=params,
        content=content,
        headers={"Content-Type": "application/json", "Accept": "*/*", **(headers or {})},
        timeout=patience.timeout(seconds),
    )
    try:
        # a deadline beside the timeouts: those start again with every byte that trickles in
        async with asyncio.timeout(seconds):
            return await http.send(request, follow_redirects=False)
    except _NEVER_SENT as error:
        raise GatewayUnavailable(f"The gateway cannot be reached ({type(error).__name__})") from error
    except (httpx.RequestError, TimeoutError) as error:
        raise NoAnswer(f"The gateway did not answer ({type(error).__name__})") from error


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


class _WithoutQuery(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                argument.copy_with(query=None) if isinstance(argument, httpx.URL) else argument
                for argument in record.args
            )
        return True


_without_query = _WithoutQuery()


def keep_queries_out_of_the_log() -> None:
    """Have `httpx` log addresses without their query. Calling it again changes nothing."""
    logging.getLogger("httpx").addFilter(_without_query)


Answer = TypeVar("Answer")


class GatewayChannel:
    """The two ways in, the older service's (`restpagos`) and the newer one's (`apify`), each with its own login."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        credentials: GatewayCredentials,
        bases: GatewayBases,
        patience: Patience,
    ) -> None:
        self.http = http
        self.patience = patience
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
            seconds = self.patience.reading
            if session is None:
                return readable(await self.send(method, url, seconds, params=params, body=body))
            return readable(
                await self.authorized(method, url, seconds, session=session, params=params, body=body)
            )

        return await self._repeated(once)

    async def authorized(
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
            GatewayUnavailable: the request, or the login before it, could not be sent.
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
        return await send(
            self.http,
            method,
            url,
            patience=self.patience,
            seconds=seconds,
            headers=headers,
            params=params,
            body=body,
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
        """A new token from a login address. The errors tell nothing of the answer: it may hold what is secret."""

        async def once() -> Any:
            seconds = self.patience.reading
            return readable(
                await send(
                    self.http,
                    "POST",
                    url,
                    patience=self.patience,
                    seconds=seconds,
                    headers=headers,
                    body=body,
                )
            )

        try:
            answer = await self._repeated(once)
        except GatewayUnavailable as error:
            # whatever became of the login: of the call it was for, nothing was sent
            raise LoginFailed(f"Logging in: {error.message}") from error
        token = (answer.get("bearer_token") or answer.get("token")) if isinstance(answer, Mapping) else None
        if not isinstance(token, str):
            raise KeysRefused("The gateway does not accept our keys: its answer to the login holds no token")
        return token.removeprefix("Bearer ")

    async def _repeated(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        pause = self.patience.retry_pause
        repeat = AsyncRetrying(
            # what fails at once is tried again; what took a whole deadline is not, for a shopper is waiting
            stop=stop_after_attempt(self.patience.attempts) | stop_after_delay(self.patience.reading),
            wait=wait_exponential_jitter(multiplier=pause, max=3, jitter=pause),
            retry=retry_if_exception(
                lambda e: isinstance(e, GatewayUnavailable) and not isinstance(e, LoginFailed)
            ),
            reraise=True,
        )
        return await repeat(call)


def readable(response: httpx.Response) -> Any:
    """The JSON of an answer that says HTTP 200.

    Raises:
        GatewayUnavailable: another status, or no JSON.
        KeysRefused: HTTP 401 or 403.
    """
    if response.status_code in (401, 403):
        raise KeysRefused(f"The gateway does not accept our keys (HTTP {response.status_code})")
    if response.status_code != 200:
        raise GatewayUnavailable(f"The gateway answered with HTTP {response.status_code}")
    try:
        return exact_json(response.content)
    except ValueError:
        raise GatewayUnavailable("The gateway's answer is no JSON") from None
