"""HTTP calls to external services: the payment gateway, the carrier.

A client has one connection pool and a deadline for each request, and repeats calls that only read. Only this module
converts httpx's errors into the shop's errors; callers interpret the answers.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from time import monotonic, perf_counter
from typing import Any, TypeVar

import httpx
from tenacity import (
    AsyncRetrying,
    retry_if_exception,
    stop_after_attempt,
    stop_after_delay,
    wait_exponential_jitter,
)

from backend.core.errors import OutsideFailure
from backend.core.observability.metrics import OUTSIDE_CALLS, OUTSIDE_SECONDS
from backend.core.observability.tracing import span
from backend.core.web.response_limits import (
    ACCEPTED_ENCODING,
    MAX_RESPONSE_BYTES,
    ResponseTooLarge,
    read_limited,
)

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
Result = TypeVar("Result")


class ServiceUnavailable(OutsideFailure):
    """The service could not be reached, or gave no usable answer. A later attempt may succeed."""


class NoAnswer(ServiceUnavailable):
    """The request was sent, but there was no usable answer: the service may have carried it out.

    Attributes:
        timed_out: True if the service took too long; False if the connection broke.
    """

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


class AnswerTooLarge(NoAnswer):
    """The answer exceeds the size limit. The request may have been carried out; it is not repeated."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Time limits, in seconds, and number of attempts for calls to a service.

    Attributes:
        connect: time limit for opening a connection.
        read: time limit for one call that changes nothing, from its start to the end of its answer.
        write: time limit for one call that changes something. Such a call is never repeated.
        attempts: maximum number of attempts of a call that changes nothing.
        pause: pause before the second attempt. It doubles with each further attempt, plus a random time up to
            `pause`.
        max_pause: maximum pause.
    """

    connect: float = 5.0
    read: float = 10.0
    write: float = 30.0
    attempts: int = 3
    pause: float = 0.3
    max_pause: float = 3.0


class HttpClient:
    """A client for one external service. Safe to share between tasks; call `close` at the end.

    Args:
        service: the service's name in error messages, such as `The gateway`.
        policy: time limits and number of attempts.
        base_url: base of relative URLs.
        headers: sent with every request.
        transport: an httpx transport that replaces network connections, for example to an embedded sandbox.
        max_connections: maximum number of open connections. The time limit for a free one is the same as for a new
            connection.
    """

    def __init__(
        self,
        service: str,
        policy: RetryPolicy,
        *,
        base_url: str = "",
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        max_connections: int = 100,
    ) -> None:
        self.service = service
        self._label = service.lower().removeprefix("the ")
        self.policy = policy
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers=headers,
            transport=transport,
            verify=get_ssl_context(),
            limits=httpx.Limits(max_connections=max_connections, max_keepalive_connections=20),
        )
        logging.getLogger("httpx").addFilter(_without_query)  # adding the same filter again has no effect

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(
        self,
        method: str,
        url: str,
        seconds: float,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        data: Mapping[str, str] | None = None,
        json: Any = None,
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> httpx.Response:
        """Send one request, once, and read the whole answer, whatever its status. Redirects are not followed.

        `content` is a raw body; `data` is sent as a form, `json` as JSON. At most `max_bytes` of the decompressed
        answer are read.

        Raises:
            ServiceUnavailable: no connection could be opened: nothing was sent.
            AnswerTooLarge: the answer has more than `max_bytes`.
            NoAnswer: the request may have arrived.
        """
        connect = min(self.policy.connect, seconds)
        request = self._http.build_request(
            method,
            url,
            params=params,
            headers={"accept-encoding": ACCEPTED_ENCODING, **(headers or {})},
            content=content,
            data=data,
            json=json,
            timeout=httpx.Timeout(seconds, connect=connect, pool=connect),
        )
        # a deadline in addition to httpx's timeouts, which start again with every byte received
        called = {"server.address": request.url.host, "url.path": request.url.path}
        with (
            self._convert_errors(),
            self._measure() as set_outcome,
            span(f"{method} {self.service}", "client", called),
        ):
            async with asyncio.timeout(seconds):
                response = await self._http.send(request, follow_redirects=False, stream=True)
                response = await read_limited(response, max_bytes)
            set_outcome(f"{response.status_code // 100}xx")
            return response

    async def repeat(
        self,
        call: Callable[[], Awaitable[Result]],
        *,
        seconds: float | None = None,
        is_passing: Callable[[BaseException], bool] = lambda error: isinstance(error, ServiceUnavailable),
    ) -> Result:
        """Make a call that changes nothing. Repeat it after an error for which `is_passing` returns True.

        If all attempts fail, the error of the final attempt is raised. A call whose answer was too large is not
        repeated. No attempt starts later than the policy's `read` seconds after the first, because a customer is
        waiting. With `seconds`, all attempts together end within that time.

        Raises:
            NoAnswer: `seconds` have passed.
        """

        async def once() -> Result:
            return (
                await call()
            )  # tenacity awaits only coroutine functions, not other functions that return an awaitable

        policy = self.policy
        attempts = AsyncRetrying(
            stop=stop_after_attempt(policy.attempts) | stop_after_delay(seconds or policy.read),
            wait=wait_exponential_jitter(multiplier=policy.pause, max=policy.max_pause, jitter=policy.pause),
            retry=retry_if_exception(
                lambda error: is_passing(error) and not isinstance(error, AnswerTooLarge)
            ),
            reraise=True,
        )
        with self._convert_errors():
            async with asyncio.timeout(seconds):
                return await attempts(once)

    @contextmanager
    def _measure(self) -> Iterator[Callable[[str], None]]:
        """Record the duration and the outcome of one call, which the caller makes in the `with` block.

        Yield a function to which the caller passes the outcome if an answer arrives.
        """
        outcome = "canceled"  # by the caller: that says nothing about the service

        def set_outcome(answer: str) -> None:
            nonlocal outcome
            outcome = answer

        began = perf_counter()
        try:
            yield set_outcome
        except Exception as error:
            outcome = "unreachable" if isinstance(error, _NEVER_SENT) else "no_answer"
            raise
        finally:
            OUTSIDE_CALLS.labels(self._label, outcome).inc()
            OUTSIDE_SECONDS.labels(self._label).observe(perf_counter() - began)
            _record_outcome(self._label, outcome)

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        """Convert errors of the transport into the shop's errors."""
        try:
            yield
        except _NEVER_SENT as error:
            raise ServiceUnavailable(f"{self.service} cannot be reached ({type(error).__name__})") from error
        except ResponseTooLarge as error:
            raise AnswerTooLarge(f"{self.service} answered with too much: {error}") from error
        except (httpx.RequestError, TimeoutError) as error:
            raise NoAnswer(
                f"{self.service} did not answer ({type(error).__name__})",
                timed_out=isinstance(error, httpx.TimeoutException | TimeoutError),
            ) from error


@dataclass(slots=True)
class _Failures:
    """Consecutive failures of one service. Moments are seconds of the monotonic clock."""

    since: float
    latest: float
    count: int = 0


_failures: dict[str, _Failures] = {}
MIN_FAILURES = 3
"""Minimum number of consecutive failures for a service to count as failing."""
FAILURES_VALID_S = 600.0
"""Seconds without a call after which earlier failures of the service no longer count."""


def _record_outcome(service: str, outcome: str) -> None:
    if outcome in {"no_answer", "unreachable", "5xx"}:
        moment = monotonic()
        failures = _failures.setdefault(service, _Failures(moment, moment))
        failures.latest, failures.count = moment, failures.count + 1
    elif outcome != "canceled":
        _failures.pop(service, None)


def failing_services() -> dict[str, float]:
    """Return the services whose recent calls from this process all failed, with the seconds since the first failure."""
    moment = monotonic()
    return {
        service: moment - failures.since
        for service, failures in _failures.items()
        if failures.count >= MIN_FAILURES and moment - failures.latest <= FAILURES_VALID_S
    }


@cache
def get_ssl_context() -> SSLContext:
    """Return an SSL context with httpx's certificate authorities. All clients share it, because creating it is slow.

    It takes 20 ms and a megabyte.
    """
    return httpx.create_ssl_context()


class _WithoutQuery(logging.Filter):
    """A log filter that removes queries from URLs, because `httpx` logs every URL and a query may hold a key."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                argument.copy_with(query=None) if isinstance(argument, httpx.URL) else argument
                for argument in record.args
            )
        return True


_without_query = _WithoutQuery()
