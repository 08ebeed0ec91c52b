"""NUL characters in the path and query of a request.

where                         outcome
----------------------------  ----------------------------------------------------------------------------
path, every route             400 before any lookup, on both databases
query: value, name            400
in a hook of a provider       200, as for any request: stored without effect
`%2500` (a text of `%00`)     an ordinary text
"""

import logging

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from backend.edge.middleware.nul_check import MESSAGE, NulCheck
from tests.attacks.surface import list_routes


async def test_nul_in_the_path_gets_400_on_every_route(
    api: FastAPI, admin: httpx.AsyncClient, store: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    templates = [
        line.split(" ", 1) for line in list_routes(api.routes) if "{" in line and "/hooks/" not in line
    ]
    assert len(templates) > 150
    for method, template in templates:
        parts = ["x%00" if part.startswith("{") else part for part in template.split("/")]
        client = store if template.startswith("/store") else admin
        response = await client.request(method, "/".join(parts))
        assert (method, template, response.status_code) == (method, template, 400)
    assert not caplog.records


@pytest.mark.parametrize("query", ["q=%00", "q=a%00b", "%00=1", "$or[0][q]=%00", "fields=id,%00", "id[]=%00"])
@pytest.mark.parametrize("path", ["/store/products", "/admin/orders", "/admin/customers", "/store/orders/x"])
async def test_nul_in_the_query_gets_400(admin: httpx.AsyncClient, path: str, query: str) -> None:
    response = await admin.get(f"{path}?{query}")
    assert (response.status_code, response.json()) == (400, {"type": "invalid_data", "message": MESSAGE})


async def test_escaped_nul_text_is_accepted(admin: httpx.AsyncClient) -> None:
    response = await admin.get("/admin/orders?q=%2500")
    assert (response.status_code, response.json()["count"]) == (200, 0)


@pytest.mark.parametrize("path", ["/hooks/payment/gateway_pse?x_ref_payco=%00", "/hooks/payment/%00?a=%00"])
async def test_payment_hook_with_nul_gets_200(anyone: httpx.AsyncClient, path: str) -> None:
    assert (await anyone.post(path)).status_code == 200
    assert (await anyone.get(path)).status_code == 200


@pytest.mark.parametrize("path", ["/hooks/shipping/carrier_standard?a=%00", "/hooks/shipping/%00"])
async def test_carrier_hook_with_nul_gets_200(anyone: httpx.AsyncClient, path: str) -> None:
    assert (await anyone.post(path, json={"trackingCode": "\0", "idOrder": 1})).status_code == 200


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/product/\0", b"", 400),
        ("/", b"a=\0", 400),
        ("/", b"a=%00", 400),
        ("/product/x", b"a=%2500&b=00", 204),
        ("/hooks/payment/\0", b"%00", 204),
        ("/hooksandmore/\0", b"", 400),
    ],
)
async def test_only_a_decoded_nul_is_refused(path: str, query: bytes, status: int) -> None:
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": query, "headers": []}
    await NulCheck(app)(scope, receive, send)
    assert sent[0]["status"] == status
