"""Traces of a purchase: the causes of each step, and no personal data."""

from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest
from fastapi import FastAPI
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from backend.app import Shop
from backend.channels.models import PublishableKey
from backend.core.db.database import Database
from backend.core.observability.tracing import span, start_tracing, stop_tracing, trace_fields
from backend.edge.middleware.instrumentation import with_instrumentation
from backend.jobs import JobRun, Worker, enqueue, job
from tests.backend.conftest import SHOPPER
from tests.backend.test_log_privacy import PERSONAL_DATA, start_payment
from tests.store_defaults import Defaults, add_product


class Collector:
    """A local server that receives spans (OTLP over HTTP)."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        collector = self

        class Receive(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/traces"
                collector.bodies.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Receive)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def spans(self) -> list[Span]:
        return [
            one
            for body in self.bodies
            for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for of_scope in of_resource.scope_spans
            for one in of_scope.spans
        ]

    def find_span(self, name: str) -> Span:
        (found,) = [one for one in self.spans if one.name == name]
        return found

    def list_enclosing(self, one: Span) -> list[str]:
        """Return the names of the enclosing spans, the nearest first."""
        by_id = {each.span_id: each for each in self.spans}
        names = []
        while one.parent_span_id:
            one = by_id[one.parent_span_id]
            names.append(one.name)
        return names


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    thread = Thread(target=collector.server.serve_forever, args=(0.01,))
    thread.start()
    yield collector
    collector.server.shutdown()
    thread.join()
    collector.server.server_close()


@pytest.fixture
async def tracing(collector: Collector) -> AsyncIterator[None]:
    provider = start_tracing(collector.endpoint)
    yield
    await stop_tracing()
    provider.shutdown()


@pytest.fixture
async def store(api: FastAPI, shop: Shop, shop_defaults: Defaults) -> AsyncIterator[httpx.AsyncClient]:
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    transport = httpx.ASGITransport(with_instrumentation(api, ""), client=SHOPPER)
    headers = {"x-publishable-api-key": key}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=headers) as client:
        yield client


async def test_payment_is_traced_from_the_request_to_the_gateway(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, collector: Collector, tracing: None
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    _cart, answer = await start_payment(store, variant)
    assert answer.status_code == 200
    await stop_tracing()
    path = "POST /store/payment-collections/{collection_id}/payment-sessions"
    calls = [one for one in collector.spans if one.name.endswith("The gateway")]
    assert calls
    assert all(
        collector.list_enclosing(one)[-3:] == ["initiate", "Checkout.start_collection_payment", path]
        for one in calls
        if "initiate" in collector.list_enclosing(one)
    )
    assert any("initiate" in collector.list_enclosing(one) for one in calls)
    statements = [one for one in collector.spans if one.name == "INSERT"]
    assert any("Checkout.start_collection_payment" in collector.list_enclosing(one) for one in statements)
    request = collector.find_span(path)
    attributes = {each.key: each.value.string_value for each in request.attributes}
    assert attributes["http.response.status_code"] == "200"
    assert not request.parent_span_id
    whole = b"".join(collector.bodies).decode("utf-8", "replace").lower()
    assert "insert into" in whole
    for known in (*PERSONAL_DATA, SHOPPER[0], store.headers["x-publishable-api-key"], "public_key="):
        assert known.lower() not in whole, known


class Jobs:
    @job("test.read")
    async def read(self, _run: JobRun) -> None:
        assert trace_fields()


async def test_job_is_traced_but_polling_for_jobs_is_not(
    database: Database, collector: Collector, tracing: None
) -> None:
    worker = Worker(database, [Jobs()])
    async with database.transaction() as session:
        await enqueue(session, "test.read")
    await worker.run_due()
    await stop_tracing()
    assert collector.list_enclosing(collector.find_span("job test.read")) == []
    assert {(*collector.list_enclosing(one), one.name)[0] for one in collector.spans} == {"job test.read"}


async def test_trace_of_an_error_contains_only_its_class(
    database: Database, collector: Collector, tracing: None
) -> None:
    with pytest.raises(DBAPIError), span("step"):
        async with database.read() as session:
            await session.execute(text("SELECT CAST(:name AS nonsense.type)"), {"name": "Zoraida"})
    with pytest.raises(ValueError, match="Zoraida"), span("other"):
        raise ValueError("of Zoraida")
    await stop_tracing()
    assert {one.name for one in collector.spans} == {"step", "other", "SELECT"}
    failed = {
        one.name: each.value.string_value
        for one in collector.spans
        for each in one.attributes
        if each.key == "error.type"
    }
    assert failed["other"] == "ValueError"
    assert failed["SELECT"]
    assert b"Zoraida" not in b"".join(collector.bodies)


async def test_without_a_collector_nothing_is_traced() -> None:
    with span("step") as opened:
        assert opened is None
        assert trace_fields() == {}
