"""Calls that carry our login: log in, send, log in again once when the token is refused, repeat what only reads."""

from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import httpx
from tenacity import (
    AsyncRetrying,
    retry_if_exception,
    stop_after_attempt,
    stop_after_delay,
    wait_exponential_jitter,
)

from backend.payment.gateway.answers import exact_json
from backend.payment.gateway.errors import GatewayUnavailable, KeysRefused, LoginFailed
from backend.payment.gateway.http import Patience, send
from backend.payment.gateway.session import GatewaySession
from backend.payment.gateway.types import GatewayBases, GatewayCredentials

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
