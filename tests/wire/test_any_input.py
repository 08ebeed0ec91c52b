"""Whatever is sent to the API: never a 5xx, and never an answer that its own documentation does not know.

Requests are made up from the OpenAPI document, well formed and not. Two of three name things that exist, so that they
get past the first 404 (wire: commerce-api, preface: 4xx instead of 500s, JSON for every error).
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
from tests.ports import listening_socket
from tests.store_steps import HOME

EXAMPLES = 5
FEW_EXAMPLES = 2
"""For each operation where its least and greatest values are left to another test."""
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
WRONG_TYPES = 4
"""Every field has at least so many."""
BETWEEN = re.compile(
    r"Near-boundary|a subset of optional properties|All required and \d+ optional properties"
)
"""Neither the least nor the most of a value, and what is made up at random too."""
REFUSED_ALIKE = {
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
"""What the declaration of a field refuses before an operation begins: a field of the same name is declared alike."""
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
    """A seeded shop behind a real socket, and what in it has a name."""

    url: str
    session: requests.Session
    headers: dict[str, str]
    known: dict[str, str]


@pytest.fixture(scope="module")
def seeded_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database of this module's own."""
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
    key, staff_id, known = asyncio.run(_fill(shop_settings))
    token = issue_token(shop_settings.signing_key, TokenOwner(staff_id, USER))
    headers = {"x-publishable-api-key": key, "authorization": f"Bearer {token}"}
    with _served(shop_settings) as url, requests.Session() as session:
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))  # each request is a stranger's
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            known |= _sold(client, known)
        yield OpenShop(url, session, headers, known)


@contextmanager
def _served(shop_settings: Settings) -> Iterator[str]:
    """The shop on a real socket, opened and closed on the event loop of a thread of its own."""
    with listening_socket() as listener:
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


async def _fill(shop_settings: Settings) -> tuple[str, str, dict[str, str]]:
    await prepare(shop_settings)
    database = Database.from_settings(shop_settings)
    staff_id = await create_staff(database, COMMAND_LINE, "ana@trompo.example", "una clave larga")
    async with database.transaction() as session:
        await raise_attention(
            session, AttentionKind.PAID_TWICE, subject_id="payses_1", message="twice", amount=33_528
        )
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        known = {
            name: (await session.execute(select(table.id).order_by(table.id).limit(1))).scalar_one()
            for name, table in (*TABLES.items(), ("attention_id", Attention))
        }
    await database.close()
    return key, staff_id, known


def _sold(client: httpx.Client, known: dict[str, str]) -> dict[str, str]:
    """An order that is on its way, and a cart that is still open."""

    def post(path: str, body: Any) -> Any:
        answer = client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def cart() -> dict[str, Any]:
        items = [{"variant_id": known["variant_id"], "quantity": 1}]
        said = {"items": items, "email": "ana@example.com", "shipping_address": HOME}
        made: dict[str, Any] = post("/store/carts", said)["cart"]
        return made

    bought = cart()
    ways = {"payment_providers": ["gateway_pse", "pp_system_default"]}
    post(f"/admin/regions/{bought['region_id']}", ways)
    post(f"/store/carts/{bought['id']}/shipping-methods", {"option_id": known["option_id"]})
    owed = post("/store/payment-collections", {"cart_id": bought["id"]})["payment_collection"]["id"]
    post(f"/store/payment-collections/{owed}/payment-sessions", {"provider_id": "pp_system_default"})
    order = post(f"/store/carts/{bought['id']}/complete", {})["order"]
    parcel = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    sent = post(f"/admin/orders/{order['id']}/fulfillments", parcel)["order"]
    open_cart = cart()
    guest = post("/admin/customers", {"email": "luz@example.com"})["customer"]["id"]
    group = post("/admin/customer-groups", {"name": "Amigos"})["customer_group"]["id"]
    return {
        "customer_id": guest,
        "group_id": group,
        "cart_id": open_cart["id"],
        "line_id": open_cart["items"][0]["id"],
        "payment_collection_id": owed,
        "order_id": order["id"],
        "parcel_id": sent["fulfillments"][0]["id"],
        "payment_id": sent["payment_collections"][0]["payments"][0]["id"],
        "region_id": open_cart["region_id"],
        "row_id": post("/admin/product-tags", {"value": "De madera"})["product_tag"]["id"],
        "product_option_id": f"opt_{known['product_id'].partition('_')[2]}",
        "item_id": f"iitem_{known['variant_id'].partition('_')[2]}",
        "provider_id": "pp_system_default",
        "price_list_id": _price_list(post, known["variant_id"]),
    }


def _price_list(post: Callable[[str, Any], Any], variant_id: str) -> str:
    """One that has not begun."""
    prices = [{"variant_id": variant_id, "amount": 1_000}]
    begin = (now() + timedelta(days=1)).isoformat()
    said = {"title": "Navidad", "status": "active", "starts_at": begin, "prices": prices}
    made: str = post("/admin/price-lists", said)["price_list"]["id"]
    return made


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The OpenAPI document; the same for every shop."""
    document: dict[str, Any] = create_api(Shop(Settings(data_dir=Path("build") / "any-input"))).openapi()
    document["paths"] = {
        path: operations
        for path, operations in document["paths"].items()
        if path.startswith(("/store", "/admin", "/auth"))
    }
    return document


@pytest.fixture(scope="module")
def probed(document: dict[str, Any]) -> BaseSchema:
    """The least and the most of each value are asked for too: PostgreSQL is the stricter of the two."""
    return _thin(schemathesis.openapi.from_dict(document, config=NO_METHODS))


@pytest.fixture(scope="module")
def sampled(document: dict[str, Any]) -> BaseSchema:
    return schemathesis.openapi.from_dict(document, config=NO_BOUNDS)


def _thin(schema: BaseSchema) -> BaseSchema:
    """Leave out what other cases say.

    What an operation takes stays whole: every least and most of a value. What is refused before it begins, with one
    wrong type of each field, is sent to one of the operations that declare the same.
    """
    wrong_types: Counter[tuple[str | None, ...]] = Counter()
    refused: set[tuple[str | None, ...]] = set()

    @schema.hook
    def filter_case(context: schemathesis.HookContext, case: schemathesis.Case[Any]) -> bool:
        derived = case.meta.phase.data if case.meta else None
        if not isinstance(derived, CoveragePhaseData):
            return True  # made up at random
        label, pointer = case.operation.label, derived.location or ""
        if label == BATCH and ("/items/" in pointer or PART_OF_BATCH.match(derived.description)):
            return (
                False  # the products in it are those of POST /admin/products and /admin/products/{product_id}
            )
        if derived.scenario in REFUSED_ALIKE:
            refusal = (derived.scenario, derived.parameter, pointer, derived.description)
            is_first = refusal not in refused
            refused.add(refusal)
            return is_first
        if derived.scenario is not CoverageScenario.INCORRECT_TYPE:
            return not BETWEEN.search(derived.description)
        name = (derived.parameter, MAY_BE_NULL.sub("", pointer))
        wrong_types[name] += 1
        return wrong_types[name] == 1 + zlib.crc32(repr(name).encode()) % WRONG_TYPES

    return schema


@pytest.mark.parametrize("seeded_url", ["postgresql"], indirect=True, scope="module")
def test_a_method_that_nobody_defined_is_refused(document: dict[str, Any], open_shop: OpenShop) -> None:
    for path, operations in document["paths"].items():
        for method in METHODS - operations.keys():
            url = open_shop.url + path
            answer = open_shop.session.request(method.upper(), url, headers=open_shop.headers, timeout=60)
            assert answer.status_code // 100 == 4, (method, path, answer.text)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seeded_url", ["postgresql"], indirect=True, scope="module")
def test_no_input_breaks_the_api(sampled: BaseSchema, open_shop: OpenShop, subtests: pytest.Subtests) -> None:
    """PostgreSQL is the stricter database."""
    _ask_everything(sampled, open_shop, subtests, FEW_EXAMPLES)


@pytest.mark.timeout(1200)  # thousands of requests
@pytest.mark.parametrize("seeded_url", ["postgresql"], indirect=True, scope="module")
def test_no_bound_breaks_the_api(probed: BaseSchema, open_shop: OpenShop, subtests: pytest.Subtests) -> None:
    _ask_everything(probed, open_shop, subtests, EXAMPLES)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seeded_url", ["sqlite"], indirect=True, scope="module")
def test_no_input_breaks_the_api_on_sqlite(
    sampled: BaseSchema, open_shop: OpenShop, subtests: pytest.Subtests
) -> None:
    _ask_everything(sampled, open_shop, subtests, FEW_EXAMPLES)


def _ask_everything(
    schema: BaseSchema, open_shop: OpenShop, subtests: pytest.Subtests, examples: int
) -> None:
    """Make up the requests now: `schema.parametrize()` would do so in every worker that collects this file."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    def ask(case: schemathesis.Case[Any]) -> None:
        _ask(case, open_shop)

    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        with subtests.test(operation=operation.label):
            build_operation_test(
                config=schema.config,
                operation=operation,
                test_func=ask,
                given_kwargs={},
                feedback=FeedbackSources(),
            )()


def _ask(case: schemathesis.Case[Any], open_shop: OpenShop) -> None:
    _name_what_exists(case, open_shop.known)
    headers = {**dict(case.headers or {}), **open_shop.headers}
    case.call_and_validate(
        base_url=open_shop.url, session=open_shop.session, headers=headers, checks=CHECKS, timeout=60
    )


def _name_what_exists(case: schemathesis.Case[Any], known: dict[str, str]) -> None:
    parameters = case.path_parameters or {}
    if zlib.crc32(repr((parameters, case.body)).encode("utf-8", "replace")) % 3 == 0:
        return
    for name in parameters:
        of_payment = name == "collection_id" and "payment-collections" in case.path
        existing = known.get("payment_collection_id" if of_payment else name)
        if existing is not None:
            parameters[name] = existing
    body: Any = case.body
    if not isinstance(body, dict):
        return
    body.update({name: known[name] for name in known.keys() & body.keys()})
    items = body.get("items")
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and "variant_id" in item:
            item["variant_id"] = known["variant_id"]


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> Iterator[None]:
    """Thousands of refusals are no news."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)
