"""Body limits: a body within them is forwarded, others are refused in the platform's form."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message

from backend.app import Shop, create_api
from backend.core.config.settings import Settings
from backend.edge.middleware import body_limit
from backend.edge.middleware.body_limit import MAX_DISCARDED_BYTES, BodyLimit, with_body_limits
from backend.edge.requests import MAX_BODY_BYTES

TOO_LARGE = {"type": "unknown_error", "message": "request entity too large"}


async def echo_size(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def leave_unread(_request: Request) -> Response:
    return PlainTextResponse("unread")


async def swallow(request: Request) -> Response:
    """Read the body. If it is over the limit, swallow the error and answer 500."""
    try:
        await request.body()
    except HTTPException:
        return PlainTextResponse("broken", 500)
    return PlainTextResponse("read")


APP = Starlette(
    routes=[
        Route("/sandbox", echo_size, methods=["POST"]),
        Route("/hooks/payment/x", echo_size, methods=["POST"]),
        Route("/unread", leave_unread, methods=["POST"]),
        Route("/swallow", swallow, methods=["POST"]),
    ]
)


async def post_parts(
    app: ASGIApp, path: str, parts: AsyncIterator[Message]
) -> tuple[int, bytes, dict[str, str]]:
    """Return the app's answer to a POST whose body arrives in these messages."""
    sent: list[Message] = []

    async def receive() -> Message:
        return await anext(parts)

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": [(b"transfer-encoding", b"chunked")],
        "query_string": b"",
    }
    await app(scope, receive, send)
    start, *rest = sent
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], b"".join(message.get("body", b"") for message in rest), headers


async def chunks(sizes: Iterable[int], taken: list[int] | None = None) -> AsyncIterator[Message]:
    """Yield messages with a body in chunks of these sizes. The sizes of the requested chunks are added to `taken`."""
    for size in sizes:
        if taken is not None:
            taken.append(size)
        yield {"type": "http.request", "body": b"x" * size, "more_body": True}
    yield {"type": "http.request", "body": b"", "more_body": False}


@pytest.mark.parametrize("sizes", [[], [10], [MAX_BODY_BYTES], [1] * 50, [MAX_BODY_BYTES - 1, 1]])
async def test_body_within_the_limit_is_forwarded(sizes: list[int]) -> None:
    status, body, _ = await post_parts(with_body_limits(APP), "/sandbox", chunks(sizes))
    assert (status, body) == (200, str(sum(sizes)).encode())


@pytest.mark.parametrize("path", ["/sandbox", "/swallow"])
@pytest.mark.parametrize("sizes", [[MAX_BODY_BYTES + 1], [MAX_BODY_BYTES, 1], [1000] * 500])
async def test_body_over_the_limit_is_refused(path: str, sizes: list[int]) -> None:
    status, body, headers = await post_parts(with_body_limits(APP), path, chunks(sizes))
    assert (status, json.loads(body), headers["connection"]) == (413, TOO_LARGE, "close")


async def test_endless_body_is_read_up_to_a_limit() -> None:
    taken: list[int] = []
    status, _, _ = await post_parts(with_body_limits(APP), "/sandbox", chunks([100_000] * 10_000, taken))
    assert status == 413
    assert MAX_DISCARDED_BYTES < sum(taken) < MAX_DISCARDED_BYTES + MAX_BODY_BYTES + 200_000


async def test_payment_hook_gets_the_beginning_of_a_too_long_body() -> None:
    status, body, _ = await post_parts(with_body_limits(APP), "/hooks/payment/x", chunks([70_000] * 200))
    assert (status, body) == (200, str(MAX_BODY_BYTES).encode())


async def test_too_long_payment_notification_is_answered_without_a_database(settings: Settings) -> None:
    shop = Shop(settings)  # its data folder does not exist
    status, body, _ = await post_parts(
        with_body_limits(create_api(shop)), "/hooks/payment/gateway_pse", chunks([70_000] * 3)
    )
    await shop.payments.inbox.stop()
    await shop.database.close()
    assert (status, body) == (200, b"OK")


@pytest.mark.parametrize(("sent", "read"), [(10, 10), (1000, 85)])
async def test_unread_body_is_discarded_before_the_answer(sent: int, read: int) -> None:
    taken: list[int] = []
    answer = await post_parts(with_body_limits(APP), "/unread", chunks([100_000] * sent, taken))
    assert answer[:2] == (200, b"unread")
    assert len(taken) == read


async def test_endless_unread_body_delays_the_answer_briefly() -> None:
    async def stuck() -> AsyncIterator[Message]:
        yield {"type": "http.request", "body": b"begin", "more_body": True}
        await asyncio.Event().wait()

    answer = await post_parts(with_body_limits(APP, timeout_s=0.05), "/unread", stuck())
    assert answer[:2] == (200, b"unread")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/sandbox", (408, b'{"type":"unknown_error","message":"request timeout"}')),
        ("/hooks/payment/x", (200, b"5")),
    ],
)
async def test_body_that_does_not_end_in_time_gets_408(path: str, expected: tuple[int, bytes]) -> None:
    async def stuck() -> AsyncIterator[Message]:
        yield {"type": "http.request", "body": b"begin", "more_body": True}
        await asyncio.Event().wait()

    status, body, _ = await post_parts(with_body_limits(APP, timeout_s=0.05), path, stuck())
    assert (status, body) == expected


LARGER = {"/sandbox": BodyLimit(1_000_000, 60.0)}


@pytest.mark.parametrize(("sizes", "status"), [([100_000] * 10, 200), ([100_000] * 11, 413)])
async def test_path_can_have_a_separate_body_limit(sizes: list[int], status: int) -> None:
    app = with_body_limits(APP, other_limits=LARGER)
    assert (await post_parts(app, "/sandbox", chunks(sizes)))[0] == status
    assert (await post_parts(app, "/swallow", chunks(sizes)))[0] == 413


async def test_larger_body_limit_of_a_path_does_not_increase_the_discarded_bytes() -> None:
    taken: list[int] = []
    app = with_body_limits(APP, other_limits=LARGER)
    await post_parts(app, "/sandbox", chunks([100_000] * 10_000, taken))
    assert sum(taken) < LARGER["/sandbox"].max_bytes + MAX_DISCARDED_BYTES + 200_000


async def test_body_with_a_separate_limit_that_pauses_gets_408(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stuck() -> AsyncIterator[Message]:
        yield {"type": "http.request", "body": b"begin", "more_body": True}
        await asyncio.Event().wait()

    monkeypatch.setattr(body_limit, "BODY_TIMEOUT_S", 0.05)
    status, *_ = await post_parts(with_body_limits(APP, other_limits=LARGER), "/sandbox", stuck())
    assert status == 408


async def test_error_raised_by_the_app_is_passed_on() -> None:
    async def failing(_scope: Any, _receive: Any, _send: Any) -> None:
        raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        await post_parts(with_body_limits(failing), "/sandbox", chunks([]))


async def test_app_is_notified_of_a_disconnect() -> None:
    heard: list[str] = []

    async def waiting(_scope: Any, receive: Any, send: Any) -> None:
        heard.extend([(await receive())["type"], (await receive())["type"]])
        await PlainTextResponse("left")(_scope, receive, send)

    async def leaves() -> AsyncIterator[Message]:
        yield {"type": "http.request", "body": b"", "more_body": False}
        yield {"type": "http.disconnect"}

    await post_parts(with_body_limits(waiting), "/sandbox", leaves())
    assert heard == ["http.request", "http.disconnect"]
