import asyncio
import logging
from collections.abc import Callable

import httpx
import pytest

from backend.core.web.http_client import HttpClient, NoAnswer, RetryPolicy, ServiceUnavailable

QUICK = RetryPolicy(pause=0)


def client(answer: Callable[[httpx.Request], httpx.Response], policy: RetryPolicy = QUICK) -> HttpClient:
    return HttpClient(
        "The weather", policy, base_url="http://weather.test/v1", transport=httpx.MockTransport(answer)
    )


def failing(error: Exception) -> Callable[[httpx.Request], httpx.Response]:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    return answer


async def test_request_is_sent_with_its_headers_query_and_body() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(302, headers={"location": "/elsewhere"})

    weather = client(answer)
    response = await weather.send(
        "POST", "/today", 5, params={"town": "Cali"}, headers={"x": "1"}, json={"ñ": 1}
    )
    await weather.send("POST", "/today", 5, data={"a": "b"})
    await weather.close()
    assert response.status_code == 302  # not followed
    assert [str(request.url) for request in seen] == [
        "http://weather.test/v1/today?town=Cali",
        "http://weather.test/v1/today",
    ]
    assert (seen[0].content, seen[0].headers["x"]) == ('{"ñ":1}'.encode(), "1")
    assert seen[1].content == b"a=b"


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout])
async def test_failed_connection_raises_service_unavailable_and_not_no_answer(
    error: type[httpx.RequestError],
) -> None:
    with pytest.raises(ServiceUnavailable, match="The weather cannot be reached") as failure:
        await client(failing(error("secret"))).send("POST", "/today", 5)
    assert not isinstance(failure.value, NoAnswer)
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize(
    ("error", "timed_out"),
    [
        (httpx.ReadTimeout, True),
        (httpx.WriteTimeout, True),
        (httpx.ReadError, False),
        (httpx.RemoteProtocolError, False),
        (httpx.DecodingError, False),
    ],
)
async def test_connection_broken_after_the_request_raises_the_no_answer_error(
    error: type[httpx.RequestError], timed_out: bool
) -> None:
    with pytest.raises(NoAnswer, match=f"The weather did not answer .{error.__name__}") as failure:
        await client(failing(error("secret"))).send("POST", "/today", 5)
    assert failure.value.timed_out is timed_out


class Hanging(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError


async def test_request_without_a_response_ends_at_its_deadline() -> None:
    weather = HttpClient("The weather", QUICK, transport=Hanging())
    with pytest.raises(NoAnswer) as failure:
        await weather.send("GET", "http://weather.test", 0.01)
    assert failure.value.timed_out


async def test_failed_call_is_repeated_up_to_the_maximum_of_attempts() -> None:
    calls = 0

    async def read() -> str:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise ServiceUnavailable("down")
        return "sun"

    weather = client(failing(AssertionError()))
    assert await weather.repeat(read) == "sun"
    assert calls == 3
    calls = -1
    with pytest.raises(ServiceUnavailable, match="down"):
        await weather.repeat(read)
    assert calls == 2


async def test_error_that_the_caller_declares_permanent_is_not_retried() -> None:
    calls = 0

    async def read() -> None:
        nonlocal calls
        calls += 1
        raise ServiceUnavailable("down")

    with pytest.raises(ServiceUnavailable):
        await client(failing(AssertionError())).repeat(read, is_passing=lambda _: False)
    assert calls == 1


async def test_call_that_timed_out_is_not_repeated() -> None:
    weather = HttpClient("The weather", RetryPolicy(read=0.01, pause=0), transport=Hanging())
    calls = 0

    async def read() -> httpx.Response:
        nonlocal calls
        calls += 1
        return await weather.send("GET", "http://weather.test", weather.policy.read)

    with pytest.raises(NoAnswer):
        await weather.repeat(read)
    assert calls == 1


async def test_deadline_can_cover_all_attempts_of_a_call_together() -> None:
    weather = HttpClient("The weather", QUICK, transport=Hanging())
    with pytest.raises(NoAnswer) as failure:
        await weather.repeat(lambda: weather.send("GET", "http://weather.test", 60), seconds=0.01)
    assert failure.value.timed_out


async def test_queries_of_requests_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "httpx")
    weather = client(lambda _: httpx.Response(200))
    await weather.send("GET", "/today", 5, params={"key": "secret"})
    assert "http://weather.test/v1/today" in caplog.text
    assert "secret" not in caplog.text
