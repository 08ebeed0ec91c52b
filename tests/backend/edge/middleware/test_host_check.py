"""Requests for other hosts than the shop's.

| PUBLIC_URL | host | path | answer |
|---|---|---|---|
| not set | any, none | any | as usual |
| set | its host, with any port, in upper or lower case | any | as usual |
| set | one of ALLOWED_HOSTS | any | as usual |
| set | another, none, several, malformed | pages, API, websocket | 421 |
| set | another | probes, metrics, hooks | as usual |
| set | STOREFRONT_URL's | `/api/revalidate` | as usual, elsewhere 421 |
"""

from pathlib import Path
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core.config.settings import Settings
from backend.edge.middleware.host_check import with_host_check

PATHS = (
    "/",
    "/product/oso",
    "/store/products",
    "/admin/orders",
    "/auth/google/callback",
    "/healthy",
    "//health",
)
ANY_HOST = ("/livez", "/readyz", "/health", "/metrics", "/hooks/payment/gateway_pse")


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await PlainTextResponse("hello")(scope, receive, send)


def checked(tmp_path: Path, **settings: Any) -> ASGIApp:
    return with_host_check(app, Settings(data_dir=tmp_path, **settings))


async def status_of(app: ASGIApp, path: str, *hosts: bytes) -> int:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", host) for host in hosts]
    await app({"type": "http", "path": path, "headers": headers}, receive, send)
    return int(sent[0]["status"])


@pytest.mark.parametrize("path", [*PATHS, *ANY_HOST])
@pytest.mark.parametrize(
    "host",
    [
        b"tienda.example",
        b"tienda.example:443",
        b"TIENDA.example",
        b"tienda.example.",
        b"www.tienda.example",
        b"[::1]:3000",
    ],
)
async def test_request_for_a_host_of_the_shop_is_answered(tmp_path: Path, path: str, host: bytes) -> None:
    shop = checked(tmp_path, public_url="https://tienda.example", allowed_hosts="www.tienda.example, [::1]")
    assert await status_of(shop, path, host) == 200


@pytest.mark.parametrize(
    "hosts",
    [
        (b"evil.example",),
        (b"localhost:3000",),
        (b"tienda.example.evil.example",),
        (b"eviltienda.example",),
        (b"tienda.example@evil.example",),
        (b"tienda.example/",),
        (b"tienda.example:443:1",),
        (b"tienda.example\xff",),
        (b"x" * 100_000,),
        (b"",),
        (),
        (b"tienda.example", b"evil.example"),
        (b"tienda.example", b"tienda.example"),
    ],
)
async def test_request_for_another_host_gets_421(tmp_path: Path, hosts: tuple[bytes, ...]) -> None:
    shop = checked(tmp_path, public_url="https://tienda.example")
    assert {path: await status_of(shop, path, *hosts) for path in PATHS} == dict.fromkeys(PATHS, 421)
    assert {path: await status_of(shop, path, *hosts) for path in ANY_HOST} == dict.fromkeys(ANY_HOST, 200)


async def test_request_for_any_host_is_answered_without_public_url(tmp_path: Path) -> None:
    shop = checked(tmp_path, allowed_hosts="www.tienda.example")
    assert await status_of(shop, "/", b"anything.example") == 200
    assert await status_of(shop, "/") == 200


async def test_revalidation_request_is_accepted_at_the_host_of_storefront_url(tmp_path: Path) -> None:
    shop = checked(tmp_path, public_url="https://tienda.example", storefront_url="http://shop:3000")
    assert await status_of(shop, "/api/revalidate", b"shop:3000") == 200
    assert await status_of(shop, "/api/revalidate", b"tienda.example") == 200
    assert await status_of(shop, "/api/revalidate", b"evil.example") == 421
    assert await status_of(shop, "/api/reviews", b"shop:3000") == 421


async def test_unicode_host_is_answered_in_its_idna_form(tmp_path: Path) -> None:
    shop = checked(tmp_path, public_url="https://jugueteríaniña.example")
    assert await status_of(shop, "/", "jugueteríaniña.example".encode("idna")) == 200


@pytest.mark.parametrize(
    ("host", "extensions", "expected"),
    [
        (b"tienda.example", {}, "websocket.accept"),
        (b"evil.example", {}, "websocket.close"),
        (b"evil.example", {"websocket.http.response": {}}, "websocket.http.response.start"),
    ],
)
async def test_websocket_for_another_host_is_refused(
    tmp_path: Path, host: bytes, extensions: dict[str, Any], expected: str
) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "websocket", "path": "/_event/", "headers": [(b"host", host)], "extensions": extensions}
    await checked(tmp_path, public_url="https://tienda.example")(scope, receive, send)
    assert sent[0]["type"] == expected
    assert sent[0].get("status", 421) == 421
