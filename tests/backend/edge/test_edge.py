"""Shared parts of the HTTP API: `fields`, queries, client addresses, error messages, limits."""

import json
import logging
import re
import shlex
from enum import StrEnum
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from markupsafe import escape
from starlette.requests import Request

from backend.app import Shop
from backend.catalog.schemas.store import ProductsParameters
from backend.edge.api_docs import curl, example_of
from backend.edge.api_docs import router as manual_router
from backend.edge.openapi import DocumentedApi
from backend.edge.query import Fields, QueryReader
from backend.edge.requests import client_address
from backend.edge.schemas import Body, Parameters, example
from backend.office_settings import save_settings
from backend.staff.rights import COMMAND_LINE
from tests.store_steps import post

PRODUCT: dict[str, Any] = {
    "id": "p",
    "title": "T",
    "status": "published",
    "variants": [{"id": "v", "sku": "S", "price": {"id": "c", "amount": 1}}],
}


@pytest.mark.parametrize(
    ("wish", "shown"),
    [
        (None, PRODUCT),
        ("", PRODUCT),
        ("title", {"id": "p", "title": "T"}),
        ("id,status", {"id": "p", "status": "published"}),
        ("variants", {"id": "p", "variants": PRODUCT["variants"]}),
        ("variants.sku", {"id": "p", "variants": [{"id": "v", "sku": "S"}]}),
        ("variants.price.amount", {"id": "p", "variants": [{"id": "v", "price": {"id": "c", "amount": 1}}]}),
        ("title,*variants", {"id": "p", "title": "T", "variants": PRODUCT["variants"]}),
        ("+variants.price", PRODUCT),
        (" variants.price", PRODUCT),
        ("*variants.price", PRODUCT),
        ("-title,-variants.sku", {
            "id": "p", "status": "published", "variants": [{"id": "v", "price": {"id": "c", "amount": 1}}],
        }),
        ("*", PRODUCT),
        ("nosuch", {"id": "p"}),
        (",,.,+,*.", PRODUCT),
    ],
)  # fmt: skip
def test_only_the_requested_fields_are_returned(wish: str | None, shown: dict[str, Any]) -> None:
    """Select fields at any depth, by name and with `+`, `-` and `*` (wire: commerce-api, Conventions, fields)."""
    assert Fields(wish).pick(PRODUCT) == shown


@pytest.mark.parametrize(
    ("wish", "path", "by_default", "wanted"),
    [
        (None, "variants", True, True),
        (None, "variants.price", False, False),
        ("+variants.price", "variants.price", False, True),
        ("+variants.price", "variants.sku", True, True),
        ("id", "variants", True, False),
        ("variants", "variants.sku", True, True),
        ("variants.price", "variants.sku", True, False),
        ("-variants", "variants", True, False),
        ("-variants", "variants.sku", True, False),
    ],
)
def test_fields_wants_method_is_true_only_for_requested_or_default_data(
    wish: str | None, path: str, by_default: bool, wanted: bool
) -> None:
    assert Fields(wish).wants(path, by_default=by_default) is wanted


def _request(query: str = "", client: str = "10.0.0.1", forwarded: tuple[str, ...] = ()) -> Request:
    headers = [(b"x-forwarded-for", hop.encode()) for hop in forwarded]
    scope = {"type": "http", "query_string": query.encode(), "headers": headers, "client": (client, 1)}
    return Request(scope)


@pytest.mark.parametrize(
    ("client", "forwarded", "trusted", "address"),
    [
        ("190.1.1.1", (), "", "190.1.1.1"),
        ("190.1.1.1", ("1.2.3.4",), "", "190.1.1.1"),
        ("10.0.0.1", ("1.2.3.4",), "10.0.0.0/8", "1.2.3.4"),
        ("10.0.0.1", ("6.6.6.6, 1.2.3.4",), "10.0.0.0/8", "1.2.3.4"),
        ("10.0.0.1", ("6.6.6.6", "1.2.3.4, 10.0.0.9"), "10.0.0.0/8, 172.16.0.1", "1.2.3.4"),
        ("10.0.0.1", ("nonsense",), "10.0.0.0/8", ""),
        ("::ffff:190.1.1.1", (), "", "190.1.1.1"),
        ("2800:e2::1", (), "", "2800:e2::1"),
        ("/run/socket", (), "", ""),
    ],
)
def test_client_address_ignores_untrusted_headers(
    client: str, forwarded: tuple[str, ...], trusted: str, address: str
) -> None:
    assert client_address(_request(client=client, forwarded=forwarded), trusted) == address


async def test_query_parameters_are_parsed() -> None:
    read = QueryReader(ProductsParameters)
    query = "id[]=a&id[1]=b&id=c&q=x&limit=7&created_at[$gt]=2026-01-02"
    asked = await read(_request(query))
    assert isinstance(asked, ProductsParameters)
    assert (asked.id, asked.q, asked.limit) == (["a", "b", "c"], "x", 7)
    assert asked.created_after is not None
    assert asked.created_after.isoformat() == "2026-01-02T00:00:00+00:00"
    for wrong in (
        "created_after=2026-01-02",
        "q[]=1&nosuch[]=2",
        "created_at[$gt]=0001-01-01T00:00:00%2B14:00",
    ):
        with pytest.raises(RequestValidationError):
            await read(_request(wrong))


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (b"{bad", 400, "in JSON at position"),
        (b'{"email": NaN}', 400, "in JSON at position"),
        (b'{"email": "\\ud800"}', 400, "in JSON at position"),
        (b"\xff\xfe", 400, "in JSON at position"),
        (b"[" * 5000, 400, "in JSON at position"),
        (b'{"metadata": ' + b'{"a":' * 20 + b"1" + b"}" * 20 + b"}", 400, "nested deeper"),
        (b'{"email": "' + b"a" * 90_000 + b'"}', 400, "Invalid email address"),
        (b'{"email": "' + b"a" * 200_000 + b'"}', 413, "request entity too large"),
        (b'{"metadata": {"a": "\\u0000"}}', 400, "NUL"),
        (b'{"metadata": {"a": 1e400}}', 400, "in JSON at position"),
        (b"5", 400, "Expected type: 'object' for field 'body', got: '5'"),
    ],
)
async def test_malformed_body_is_refused(
    store: httpx.AsyncClient, content: bytes, status: int, message: str
) -> None:
    """Send invalid JSON, too large bodies and unstorable values (wire: commerce-api, Error bodies)."""
    json = {"content-type": "application/json"}
    refused = await store.post("/store/carts", content=content, headers=json)
    assert refused.status_code == status
    assert message in refused.json()["message"]


@pytest.mark.parametrize("number", ["1e20", "100000000000000000000", "-1e300", "18446744073709551615", "0.1"])
async def test_number_of_any_size_in_metadata_is_returned_unchanged(
    store: httpx.AsyncClient, number: str
) -> None:
    """Check that large numbers in metadata are returned unchanged.

    PostgreSQL returns 1e20 as an integer, which is longer than the JSON serializer allows.
    """
    body = f'{{"metadata": {{"n": {number}}}}}'
    made = await store.post("/store/carts", content=body, headers={"content-type": "application/json"})
    assert made.status_code == 200
    read = await store.get(f"/store/carts/{made.json()['cart']['id']}")
    assert read.json()["cart"]["metadata"] == {"n": json.loads(number)}


async def test_endless_body_gets_413(store: httpx.AsyncClient) -> None:
    async def endless() -> Any:
        for _ in range(50):
            yield b" " * 10_000

    refused = await store.post(
        "/store/carts", content=endless(), headers={"content-type": "application/json"}
    )
    assert (refused.status_code, refused.json()["type"]) == (413, "unknown_error")


@pytest.mark.parametrize("path", ["/hooks/payment/epayco", "/hooks/shipping/carrier", "/store/carts"])
async def test_disconnect_during_the_body_is_not_an_error(
    api: FastAPI, store: httpx.AsyncClient, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Check that a disconnect is not logged as an error: any client can cause it."""
    request = store.build_request("POST", path, json={}, headers={"content-length": "1000"})
    heard = iter([{"type": "http.request", "body": b'{"a":', "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> Any:
        return next(heard)

    async def send(_message: Any) -> None:
        """Ignore the response."""

    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "path": path,
        "raw_path": path.encode(), "query_string": b"", "headers": request.headers.raw,
        "client": ("203.0.113.9", 1), "server": ("shop.test", 80), "root_path": "",
    }  # fmt: skip
    caplog.set_level(logging.WARNING)
    await api(scope, receive, send)
    assert caplog.records == []


async def test_cart_is_created_without_a_body(store: httpx.AsyncClient) -> None:
    assert (await store.post("/store/carts")).status_code == 200
    await post(store, "/store/carts", {})


async def test_unexpected_error_reveals_no_details(
    api: FastAPI, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    """Call a route that raises an unknown exception (wire: commerce-api, Error bodies)."""

    @api.get("/store/broken")
    async def broken() -> None:
        raise RuntimeError("secret")

    caplog.set_level(logging.CRITICAL)
    transport = httpx.ASGITransport(api, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test") as client:
        answer = await client.get("/store/broken")
    assert answer.status_code == 500
    assert answer.json() == {
        "code": "unknown_error",
        "type": "unknown_error",
        "message": "An unknown error occurred.",
    }


async def test_openapi_lists_query_parameters(anyone: httpx.AsyncClient) -> None:
    described = (await anyone.get("/openapi.json")).json()
    products = described["paths"]["/store/products"]["get"]
    names = {parameter["name"] for parameter in products["parameters"]}
    assert {"x-publishable-api-key", "q", "category_id", "created_at[$gt]", "fields"} <= names
    assert products["responses"]["400"]["content"]["application/json"]["schema"]["$ref"].endswith("/Refusal")


async def test_docs_page_shows_every_operation_and_loads_nothing(anyone: httpx.AsyncClient) -> None:
    described = (await anyone.get("/openapi.json")).json()
    manual = await anyone.get("/docs")
    assert manual.status_code == 200
    assert "script" not in manual.headers["content-security-policy"]
    assert "<script" not in manual.text
    assert "url(" not in manual.text
    links = re.findall(r"""\b(?:src|href)=["']?([^"'>]*)""", manual.text)
    assert links
    assert all(link.startswith(("#", "/openapi.json", "data:")) for link in links)
    for path, operations in described["paths"].items():
        assert f"<code>{path}</code>" in manual.text
        assert operations
    for shape in described["components"]["schemas"]:
        assert f'id="{shape}"' in manual.text


async def test_title_of_the_document_is_the_name_that_the_owner_saved(
    shop: Shop, anyone: httpx.AsyncClient
) -> None:
    for name in ("Librería Ñandú", "Libros <b>"):
        async with shop.database.transaction() as session:
            await save_settings(session, COMMAND_LINE, {"store_name": name})
        assert (await anyone.get("/openapi.json")).json()["info"]["title"] == f"{name} API"
        assert f"<h1>{escape(name)} API</h1>" in (await anyone.get("/docs")).text


async def test_docs_page_shows_a_curl_example_for_every_body(anyone: httpx.AsyncClient) -> None:
    described = (await anyone.get("/openapi.json")).json()
    manual = (await anyone.get("/docs")).text
    item = described["paths"]["/store/carts/{cart_id}/line-items/{line_id}"]["post"]
    assert curl(described, "post", "/store/carts/{cart_id}/line-items/{line_id}", item) == (
        'curl -X POST "$SHOP/store/carts/$CART_ID/line-items/$LINE_ID" \\\n'
        '  -H "x-publishable-api-key: $KEY" \\\n'
        '  -H "authorization: Bearer $TOKEN" \\\n'
        "  -H 'content-type: application/json' \\\n"
        "  -d '{\n  \"quantity\": 3\n}'"
    )
    product = described["paths"]["/admin/products"]["post"]
    assert '-H "authorization: Bearer $TOKEN"' in curl(described, "post", "/admin/products", product)
    assert next(iter(example_of(described, product))) == "title"
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            if "requestBody" in operation:
                assert escape(curl(described, method, path, operation)) in manual


class Sign(Body):
    """A request body whose example has characters that are special in HTML and in the shell."""

    model_config = example(text="<b>$5.000</b> & 'nada' \"más\"")

    text: str


async def test_curl_example_is_escaped_for_the_page_and_the_shell() -> None:
    async def read_title() -> str:
        return "Signs API"

    api = DocumentedApi(read_title)
    api.include_router(manual_router)

    @api.post("/signs")
    async def hang(body: Sign | None = None) -> None: ...

    document = api.openapi()
    operation = document["paths"]["/signs"]["post"]
    command = curl(document, "post", "/signs", operation)
    *_, sent = shlex.split(command)
    assert json.loads(sent) == example_of(document, operation) == {"text": "<b>$5.000</b> & 'nada' \"más\""}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://shop.test") as client:
        manual = (await client.get("/docs")).text
    assert escape(command) in manual
    assert "<b>$5.000" not in manual


class Colour(StrEnum):
    """A type with a name, which OpenAPI describes separately."""

    RED = "red"


class SignsParameters(Parameters):
    """Query parameters whose values are a `Colour`."""

    colour: Colour = Colour.RED
    others: list[Colour] | None = None


def test_type_of_a_query_parameter_is_documented_in_the_parameter_itself() -> None:
    colour, others = QueryReader(SignsParameters).documentation()
    assert colour["schema"]["enum"] == others["schema"]["items"]["enum"] == ["red"]
    assert "$ref" not in json.dumps([colour, others])
