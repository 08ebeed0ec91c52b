"""Calls to services outside the shop: the payment gateway, the carrier.

A client has one connection pool, a deadline for each request, and repeats what only reads. The errors of httpx become
errors of ours here and nowhere else; what an answer means is for the caller.
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
    """The service could not be reached, or gave no usable answer. Asking again later may help."""


class NoAnswer(ServiceUnavailable):
    """The request left, and no usable answer came back: it may have been carried out.

    Attributes:
        timed_out: the service took too long; False when the connection broke.
    """

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


class AnswerTooLarge(NoAnswer):
    """The answer is longer than what is read of one. The request may have been carried out; it is not repeated."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a service is waited for, in seconds, and how often it is asked.

    Attributes:
        connect: for making a connection.
        read: for one call that changes nothing, from its start to the end of its answer.
        write: for one call that changes something. Such a call is never repeated.
        attempts: how often a call that changes nothing is sent at most.
        pause: before the second attempt; the pause doubles each time, with up to `pause` more by chance.
        longest_pause: the pauses' limit.
    """

    connect: float = 5.0
    read: float = 10.0
    write: float = 30.0
    attempts: int = 3
    pause: float = 0.3
    longest_pause: float = 3.0


class HttpClient:
    """Calls one outside service. Safe to share between tasks; `close` it at the end.

    Args:
        service: what its errors call the service, such as `The gateway`.
        policy: how long and how often.
        base_url: what addresses without a host are relative to.
        headers: sent with every request.
        transport: carries the requests in place of a socket, such as to an embedded sandbox.
        most_connections: at the same time; a request waits for a free one as long as for a connection.
    """

    def __init__(
        self,
        service: str,
        policy: RetryPolicy,
        *,
        base_url: str = "",
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        most_connections: int = 100,
    ) -> None:
        self.service = service
        self._label = service.lower().removeprefix("the ")
        self.policy = policy
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers=headers,
            transport=transport,
            verify=trusted(),
            limits=httpx.Limits(max_connections=most_connections, max_keepalive_connections=20),
        )
        logging.getLogger("httpx").addFilter(_without_query)  # the same filter again changes nothing

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

        `content` is a body as it stands; `data` is sent as a form, `json` as JSON. `max_bytes` is how many bytes of the
        answer are read at most, decompressed.

        Raises:
            ServiceUnavailable: no connection could be made: nothing was sent.
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
        # a deadline beside httpx's timeouts: those start again with every byte that trickles in
        called = {"server.address": request.url.host, "url.path": request.url.path}
        with (
            self._mapped(),
            self._measured() as told,
            span(f"{method} {self.service}", "client", called),
        ):
            async with asyncio.timeout(seconds):
                response = await self._http.send(request, follow_redirects=False, stream=True)
                response = await read_limited(response, max_bytes)
            told(f"{response.status_code // 100}xx")
            return response

    async def repeat(
        self,
        call: Callable[[], Awaitable[Result]],
        *,
        seconds: float | None = None,
        is_passing: Callable[[BaseException], bool] = lambda error: isinstance(error, ServiceUnavailable),
    ) -> Result:
        """Do what changes nothing, again while it fails in a way that may pass. Raises what the last attempt raised.

        An answer that is too large is not fetched again. No attempt is begun once the policy's `read` is over: what
        fails at once is tried again, what took a whole deadline is not, for a shopper is waiting. With `seconds`, all
        attempts together end within that time.

        Raises:
            NoAnswer: `seconds` were over.
        """

        async def once() -> Result:
            return (
                await call()
            )  # tenacity waits for coroutine functions only, not for whatever gives an awaitable

        policy = self.policy
        attempts = AsyncRetrying(
            stop=stop_after_attempt(policy.attempts) | stop_after_delay(seconds or policy.read),
            wait=wait_exponential_jitter(
                multiplier=policy.pause, max=policy.longest_pause, jitter=policy.pause
            ),
            retry=retry_if_exception(
                lambda error: is_passing(error) and not isinstance(error, AnswerTooLarge)
            ),
            reraise=True,
        )
        with self._mapped():
            async with asyncio.timeout(seconds):
                return await attempts(once)

    @contextmanager
    def _measured(self) -> Iterator[Callable[[str], None]]:
        """Count one call with its outcome, which is told where there is an answer, and how long it took."""
        outcome = "canceled"  # by who asked: that says nothing of the service

        def told(answer: str) -> None:
            nonlocal outcome
            outcome = answer

        began = perf_counter()
        try:
            yield told
        except Exception as error:
            outcome = "unreachable" if isinstance(error, _NEVER_SENT) else "no_answer"
            raise
        finally:
            OUTSIDE_CALLS.labels(self._label, outcome).inc()
            OUTSIDE_SECONDS.labels(self._label).observe(perf_counter() - began)
            _note(self._label, outcome)

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        """What goes wrong on the way becomes an error of ours."""
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
    """Failures of one service in a row. Moments are monotonic."""

    since: float
    latest: float
    count: int = 0


_failures: dict[str, _Failures] = {}
FAILURES_ENOUGH = 3
"""Fewer in a row say nothing."""
FAILURES_FRESH = 600.0
"""Seconds after which the latest failure says nothing any more: nobody asked since."""


def _note(service: str, outcome: str) -> None:
    if outcome in {"no_answer", "unreachable", "5xx"}:
        moment = monotonic()
        failures = _failures.setdefault(service, _Failures(moment, moment))
        failures.latest, failures.count = moment, failures.count + 1
    elif outcome != "canceled":
        _failures.pop(service, None)


def failing_services() -> dict[str, float]:
    """The services that this process has only failed to call lately, and for how many seconds."""
    moment = monotonic()
    return {
        service: moment - failures.since
        for service, failures in _failures.items()
        if failures.count >= FAILURES_ENOUGH and moment - failures.latest <= FAILURES_FRESH
    }


@cache
def trusted() -> SSLContext:
    """An SSL context with the authorities that httpx trusts, made once: each takes 20 ms and a megabyte."""
    return httpx.create_ssl_context()


class _WithoutQuery(logging.Filter):
    """`httpx` logs every address it calls, and the gateway wants a key in the query."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                argument.copy_with(query=None) if isinstance(argument, httpx.URL) else argument
                for argument in record.args
            )
        return True


_without_query = _WithoutQuery()
