"""Any input to the API: never a 5xx, and never an answer that its own documentation does not describe.

Requests are generated from the OpenAPI document, valid and invalid. Two of three use existing ids, so that they get
past the first 404 (wire: commerce-api, preface: 4xx instead of 500s, JSON for every error).
"""

import asyncio
import logging
import re
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest
import requests
import schemathesis
import uvicorn
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.generation.meta import CoveragePhaseData, CoverageScenario
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from sqlalchemy import URL, select

from backend.app import Shop, create_api
from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention
from backend.catalog.models import Category, Collection, Product, Variant
from backend.channels.models import PublishableKey, SalesChannel, ShippingProfile
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.edge.auth.bearer_tokens import USER, TokenOwner, issue_token
from backend.shipping.models import (
    FulfillmentSet,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.staff.rights import COMMAND_LINE
from backend.staff.service import create_staff
from backend.start import prepare
from tests.api_clients import open_clients
from tests.ports import open_listening_socket
from tests.store_defaults import set_up_defaults
from tests.store_steps import HOME

EXAMPLES = 3
FEW_EXAMPLES = 2
"""Examples for each operation where another test sends its minimum and maximum values."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
NO_BOUNDS = SchemathesisConfig.from_dict({"phases": {"coverage": {"enabled": False}}})
NO_METHODS = SchemathesisConfig.from_dict({"phases": {"coverage": {"unexpected-methods": []}}})
METHODS = {"get", "put", "post", "delete", "options", "patch", "trace", "query"}
BATCH = "POST /admin/products/batch"
PART_OF_BATCH = re.compile("Object with valid '(create|update)' value")
MAY_BE_NULL = re.compile(r"(/anyOf/\d)?/type$")
MIN_WRONG_TYPES = 4
"""Minimum number of wrong types for every field."""
NON_BOUNDARY = re.compile(
    r"Near-boundary|a subset of optional properties|All required and \d+ optional properties"
)
"""Cases that are neither a minimum nor a maximum; random generation covers them too."""
SHARED_REFUSALS = {
    CoverageScenario.ARRAY_ABOVE_MAX_ITEMS,
    CoverageScenario.INVALID_FORMAT,
    CoverageScenario.MALFORMED_CONTENT_TYPE,
    CoverageScenario.MISSING_PARAMETER,
    CoverageScenario.OBJECT_UNEXPECTED_PROPERTIES,
    CoverageScenario.STRING_ABOVE_MAX_LENGTH,
    CoverageScenario.STRING_BELOW_MIN_LENGTH,
    CoverageScenario.UNSUPPORTED_CONTENT_TYPE,
    CoverageScenario.VALUE_ABOVE_MAXIMUM,
    CoverageScenario.VALUE_BELOW_MINIMUM,
}
"""Cases that a field's declaration refuses before the operation starts; fields of the same name share it."""
TABLES: dict[str, Any] = {
    "product_id": Product,
    "variant_id": Variant,
    "category_id": Category,
    "collection_id": Collection,
    "location_id": StockLocation,
    "channel_id": SalesChannel,
    "set_id": FulfillmentSet,
    "zone_id": ServiceZone,
    "service_zone_id": ServiceZone,
    "option_id": ShippingOption,
    "shipping_profile_id": ShippingProfile,
}


@dataclass
class OpenShop:
    """A seeded shop behind a real socket, and the ids of its objects."""

    url: str
    session: requests.Session
    headers: dict[str, str]
    ids: dict[str, str]


@pytest.fixture(scope="module")
def seeded_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of a database that the tests of this module share. It is empty until a test seeds it."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('any-input') / 'trompo.db'}"
    server: URL = request.getfixturevalue("postgresql")
    name = f"any_input_{uuid4().hex}"

    async def create() -> None:
        connection = await asyncpg.connect(
            host=str(server.query["host"]), user=server.username, database=server.database
        )
        await connection.execute(f'CREATE DATABASE "{name}"')
        await connection.close()

    asyncio.run(create())
    return server.set(database=name).render_as_string(hide_password=False)


@pytest.fixture(scope="module")
def open_shop(seeded_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenShop]:
    data_dir: Path = tmp_path_factory.mktemp("data")
    shop_settings = Settings(data_dir=data_dir, database_url=seeded_url)
    key, staff_id, ids = asyncio.run(_prepare_shop(shop_settings))
    token = issue_token(shop_settings.signing_key, TokenOwner(staff_id, USER))
    headers = {"x-publishable-api-key": key, "authorization": f"Bearer {token}"}
    with _serve(shop_settings) as url, requests.Session() as session:
        session.cookies.set_policy(
            DefaultCookiePolicy(allowed_domains=[])
        )  # each request comes from a new client
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            ids |= _create_orders(client, ids)
        yield OpenShop(url, session, headers, ids)


@contextmanager
def _serve(shop_settings: Settings) -> Iterator[str]:
    """Serve the shop on a real socket, on the event loop of a separate thread."""
    with open_listening_socket() as listener:
        shop = Shop(shop_settings)
        config = uvicorn.Config(
            create_api(shop), ws="none", lifespan="off", log_config=None, timeout_keep_alive=600
        )
        server = uvicorn.Server(config)

        async def serve() -> None:
            await server.serve(sockets=[listener])
            await shop.stop()

        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


async def _prepare_shop(shop_settings: Settings) -> tuple[str, str, dict[str, str]]:
    await prepare(shop_settings)
    database = Database.from_settings(shop_settings)
    staff_id = await create_staff(database, COMMAND_LINE, "ana@trompo.example", "una clave larga")
    async with database.transaction() as session:
        await raise_attention(
            session, AttentionKind.PAID_TWICE, subject_id="payses_1", message="twice", amount=33_528
        )
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        ids = {
            name: (await session.execute(select(table.id).order_by(table.id).limit(1))).scalar_one()
            for name, table in (*TABLES.items(), ("attention_id", Attention))
        }
    await database.close()
    return key, staff_id, ids


def _create_orders(client: httpx.Client, ids: dict[str, str]) -> dict[str, str]:
    """Create a shipped order and an open cart. Return their ids."""

    def post(path: str, body: Any) -> Any:
        answer = client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def cart() -> dict[str, Any]:
        items = [{"variant_id": ids["variant_id"], "quantity": 1}]
        body = {"items": items, "email": "ana@example.com", "shipping_address": HOME}
        created: dict[str, Any] = post("/store/carts", body)["cart"]
        return created

    paid_cart = cart()
    providers = {"payment_providers": ["gateway_pse", "pp_system_default"]}
    post(f"/admin/regions/{paid_cart['region_id']}", providers)
    post(f"/store/carts/{paid_cart['id']}/shipping-methods", {"option_id": ids["option_id"]})
    collection_id = post("/store/payment-collections", {"cart_id": paid_cart["id"]})["payment_collection"][
        "id"
    ]
    post(f"/store/payment-collections/{collection_id}/payment-sessions", {"provider_id": "pp_system_default"})
    order = post(f"/store/carts/{paid_cart['id']}/complete", {})["order"]
    parcel = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    fulfilled = post(f"/admin/orders/{order['id']}/fulfillments", parcel)["order"]
    open_cart = cart()
    customer_id = post("/admin/customers", {"email": "luz@example.com"})["customer"]["id"]
    group_id = post("/admin/customer-groups", {"name": "Amigos"})["customer_group"]["id"]
    return {
        "customer_id": customer_id,
        "group_id": group_id,
        "cart_id": open_cart["id"],
        "line_id": open_cart["items"][0]["id"],
        "payment_collection_id": collection_id,
        "order_id": order["id"],
        "parcel_id": fulfilled["fulfillments"][0]["id"],
        "payment_id": fulfilled["payment_collections"][0]["payments"][0]["id"],
        "region_id": open_cart["region_id"],
        "row_id": post("/admin/product-tags", {"value": "De madera"})["product_tag"]["id"],
        "product_option_id": f"opt_{ids['product_id'].partition('_')[2]}",
        "item_id": f"iitem_{ids['variant_id'].partition('_')[2]}",
        "provider_id": "pp_system_default",
        "price_list_id": _price_list(post, ids["variant_id"]),
    }


def _price_list(post: Callable[[str, Any], Any], variant_id: str) -> str:
    """Create a price list that starts tomorrow. Return its id."""
    prices = [{"variant_id": variant_id, "amount": 1_000}]
    starts_at = (now() + timedelta(days=1)).isoformat()
    body = {"title": "Navidad", "status": "active", "starts_at": starts_at, "prices": prices}
    created: str = post("/admin/price-lists", body)["price_list"]["id"]
    return created


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """Return the OpenAPI document; the same for every shop."""
    document: dict[str, Any] = create_api(Shop(Settings(data_dir=Path("build") / "any-input"))).openapi()
    document["paths"] = {
        path: operations
        for path, operations in document["paths"].items()
        if path.startswith(("/store", "/admin", "/auth"))
    }
    return document


@pytest.fixture(scope="module")
def boundary_schema(document: dict[str, Any]) -> BaseSchema:
    """Return a schema that generates requests with the minimum and the maximum of each value."""
    return _remove_duplicates(schemathesis.openapi.from_dict(document, config=NO_METHODS))


@pytest.fixture(scope="module")
def random_schema(document: dict[str, Any]) -> BaseSchema:
    return schemathesis.openapi.from_dict(document, config=NO_BOUNDS)


def _remove_duplicates(schema: BaseSchema) -> BaseSchema:
    """Make the schema leave out cases that other cases cover, and return it.

    Of the accepted cases, those with a minimum or maximum remain. A refused case, such as a field of a wrong type,
    is sent to only one of the operations with the same declaration.
    """
    wrong_types: Counter[tuple[str | None, ...]] = Counter()
    refused: set[tuple[str | None, ...]] = set()

    @schema.hook
    def filter_case(context: schemathesis.HookContext, case: schemathesis.Case[Any]) -> bool:
        coverage_case = case.meta.phase.data if case.meta else None
        if not isinstance(coverage_case, CoveragePhaseData):
            return True  # generated at random
        label, pointer = case.operation.label, coverage_case.location or ""
        if label == BATCH and ("/items/" in pointer or PART_OF_BATCH.match(coverage_case.description)):
            return False  # POST /admin/products and /admin/products/{product_id} cover its products
        if coverage_case.scenario in SHARED_REFUSALS:
            refusal = (coverage_case.scenario, coverage_case.parameter, pointer, coverage_case.description)
            is_first = refusal not in refused
            refused.add(refusal)
            return is_first
        if coverage_case.scenario is not CoverageScenario.INCORRECT_TYPE:
            return not NON_BOUNDARY.search(coverage_case.description)
        name = (coverage_case.parameter, MAY_BE_NULL.sub("", pointer))
        wrong_types[name] += 1
        return wrong_types[name] == 1 + zlib.crc32(repr(name).encode()) % MIN_WRONG_TYPES

    return schema


async def test_undocumented_http_method_is_refused(
    document: dict[str, Any], sqlite_url: str, tmp_path: Path
) -> None:
    """Send each undocumented method. Routes refuse it before they use the database, so no server is needed."""
    shop = Shop(Settings(data_dir=tmp_path, database_url=sqlite_url))
    await set_up_defaults(shop.database, shop.settings)
    async with open_clients(shop) as (store, owner):
        owner.headers.update(store.headers)
        for path, operations in document["paths"].items():
            for method in METHODS - operations.keys():
                answer = await owner.request(method.upper(), path)
                assert answer.status_code // 100 == 4, (method, path, answer.text)
    await shop.stop()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seeded_url", ["postgresql"], indirect=True, scope="module")
@pytest.mark.parametrize("paths", [("/store", "/auth"), ("/admin",)], ids=["store", "admin"])
def test_random_input_never_causes_a_server_error(
    random_schema: BaseSchema, open_shop: OpenShop, subtests: pytest.Subtests, paths: tuple[str, ...]
) -> None:
    """Send random requests on PostgreSQL, the stricter database."""
    _send_all_requests(random_schema, open_shop, subtests, FEW_EXAMPLES, paths)


@pytest.mark.timeout(1200)  # thousands of requests
@pytest.mark.parametrize("seeded_url", ["postgresql"], indirect=True, scope="module")
def test_boundary_values_never_cause_a_server_error(
    boundary_schema: BaseSchema, open_shop: OpenShop, subtests: pytest.Subtests
) -> None:
    _send_all_requests(boundary_schema, open_shop, subtests, EXAMPLES)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seeded_url", ["sqlite"], indirect=True, scope="module")
def test_random_input_never_causes_a_server_error_on_sqlite(
    random_schema: BaseSchema, open_shop: OpenShop, subtests: pytest.Subtests
) -> None:
    _send_all_requests(random_schema, open_shop, subtests, FEW_EXAMPLES)


def _send_all_requests(
    schema: BaseSchema,
    open_shop: OpenShop,
    subtests: pytest.Subtests,
    examples: int,
    paths: tuple[str, ...] = ("/",),
) -> None:
    """Generate and send requests to the operations whose paths begin with one of `paths`.

    The requests are generated in the test: `schema.parametrize()` would generate them in every worker that collects it.
    """

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    def send(case: schemathesis.Case[Any]) -> None:
        _send_request(case, open_shop)

    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        if not operation.path.startswith(paths):
            continue
        with subtests.test(operation=operation.label):
            build_operation_test(
                config=schema.config,
                operation=operation,
                test_func=send,
                given_kwargs={},
                feedback=FeedbackSources(),
            )()


def _send_request(case: schemathesis.Case[Any], open_shop: OpenShop) -> None:
    _use_existing_ids(case, open_shop.ids)
    headers = {**dict(case.headers or {}), **open_shop.headers}
    case.call_and_validate(
        base_url=open_shop.url, session=open_shop.session, headers=headers, checks=CHECKS, timeout=60
    )


def _use_existing_ids(case: schemathesis.Case[Any], ids: dict[str, str]) -> None:
    parameters = case.path_parameters or {}
    if zlib.crc32(repr((parameters, case.body)).encode("utf-8", "replace")) % 3 == 0:
        return
    for name in parameters:
        of_payment = name == "collection_id" and "payment-collections" in case.path
        existing = ids.get("payment_collection_id" if of_payment else name)
        if existing is not None:
            parameters[name] = existing
    body: Any = case.body
    if not isinstance(body, dict):
        return
    body.update({name: ids[name] for name in ids.keys() & body.keys()})
    items = body.get("items")
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and "variant_id" in item:
            item["variant_id"] = ids["variant_id"]


@pytest.fixture(autouse=True, scope="module")
def _silence_log() -> Iterator[None]:
    """Silence the log: thousands of refused requests are expected."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)
