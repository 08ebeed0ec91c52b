"""`/metrics`: allowed callers, its content, and that it contains nothing that a client sent."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import select, update

from backend.app import Shop, create_api
from backend.attention import AttentionKind
from backend.attention.service import raise_attention
from backend.catalog.models import Product
from backend.core.config.settings import Settings
from backend.core.db.database import Database, db_now
from backend.edge.middleware.instrumentation import with_instrumentation
from backend.jobs import JobRun, Worker, enqueue, job
from backend.operations.monitoring import database_metrics
from backend.payment.models import PaymentSession
from storefront.server.build import ROOT
from tests.ports import find_free_port
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, complete_purchase

TOKEN = "a token for the one who watches"


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=database_url, metrics_token=TOKEN))  # type: ignore[arg-type]
    yield shop
    await shop.stop()


async def request(api: FastAPI, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    transport = httpx.ASGITransport(with_instrumentation(api, ""))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        return await client.request(method, path, headers=headers)


Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parse_samples(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def find_sample(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((name, frozenset(labels.items())))


async def scrape(api: FastAPI) -> Samples:
    answer = await request(api, "/metrics", authorization=f"Bearer {TOKEN}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return parse_samples(answer.text)


async def test_metrics_require_the_token(settings: Settings, api: FastAPI) -> None:
    closed = create_api(Shop(settings))
    assert (await request(closed, "/metrics", authorization="Bearer ")).status_code == 404
    assert (await request(api, "/metrics")).status_code == 401
    assert (await request(api, "/metrics", authorization=f"Bearer {TOKEN}x")).status_code == 401
    assert (await request(api, "/metrics", authorization=TOKEN)).status_code == 401
    assert (await request(api, f"/metrics?token={TOKEN}")).status_code == 401
    await scrape(api)


async def test_metrics_contain_figures_from_the_database(
    shop: Shop, api: FastAPI, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=1)
        await add_product(session, shop_defaults, "yoyo", stock=3)
        await enqueue(session, "test.later", key="a", after=timedelta(hours=1))
        await raise_attention(session, AttentionKind.STOCK_SHORT, message="one is gone", subject_id="x")
    await complete_purchase(store, variant, provider=PSE)
    async with shop.database.transaction() as session:
        await session.execute(update(PaymentSession).values(created_at=db_now(-timedelta(hours=2))))
    samples = await scrape(api)
    assert find_sample(samples, "trompo_database_up") == 1
    assert find_sample(samples, "trompo_orders", payment_status="awaiting") == 1
    assert find_sample(samples, "trompo_payments", state="pending_authorization") == 1
    assert find_sample(samples, "trompo_oldest_open_payment_seconds") == pytest.approx(7200, abs=600)
    assert find_sample(samples, "trompo_jobs_waiting", kind="test.later") == 1
    assert find_sample(samples, "trompo_job_late_seconds", kind="test.later") == 0
    assert find_sample(samples, "trompo_jobs_given_up", kind="test.later") == 0
    assert find_sample(samples, "trompo_attention_open", kind="stock_short") == 1
    assert find_sample(samples, "trompo_attention_overdue") == 0
    assert find_sample(samples, "trompo_stock_levels_empty") == 1
    assert (find_sample(samples, "trompo_database_connections", state="in_use") or 0) >= 0
    assert (find_sample(samples, "trompo_resident_memory_bytes") or 0) > 10_000_000


async def test_metrics_of_the_process_are_returned_without_a_database(tmp_path: Path) -> None:
    nobody = f"postgresql+asyncpg://shop@127.0.0.1:{find_free_port()}/shop"
    shop = Shop(Settings(data_dir=tmp_path, database_url=nobody, metrics_token=TOKEN))  # type: ignore[arg-type]
    samples = await scrape(create_api(shop))
    await shop.stop()
    assert find_sample(samples, "trompo_database_up") == 0
    assert find_sample(samples, "trompo_event_loop_lag_seconds") == 0
    assert not [name for name, _labels in samples if name == "trompo_orders"]


async def test_metrics_do_not_wait_for_a_hanging_database(
    api: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(_session: object) -> list[object]:
        await asyncio.Event().wait()
        return []

    monkeypatch.setattr(database_metrics, "read_database_metrics", hang)
    monkeypatch.setattr(database_metrics, "READ_TIMEOUT_S", 0.01)
    assert find_sample(await scrape(api), "trompo_database_up") == 0


async def test_requests_are_counted_by_route_template(
    api: FastAPI, store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "trompo")
        product = (await session.execute(select(Product.id))).scalar_one()
    key = store.headers["x-publishable-api-key"]
    before = await scrape(api)
    for _twice in range(2):  # the second one is cached
        assert (
            await request(api, f"/store/products/{product}", **{"x-publishable-api-key": key})
        ).status_code == 200
    for path in ("/store/carts/unheard", "/unheard", "/store/carts/a/unheard", "/pictures/unheard.png"):
        await request(api, path, **{"x-publishable-api-key": key})
    await request(api, "/livez", method="UNHEARD")
    answer = await request(api, "/metrics", authorization=f"Bearer {TOKEN}")
    assert "unheard" not in answer.text.lower()
    assert product not in answer.text
    after = parse_samples(answer.text)

    def more(method: str, route: str, status: str) -> float:
        labels = {"method": method, "route": route, "status": status}
        return (find_sample(after, "trompo_http_requests_total", **labels) or 0) - (
            find_sample(before, "trompo_http_requests_total", **labels) or 0
        )

    assert more("GET", "/store/products/{id}", "200") == 2
    assert more("GET", "/store/carts/{cart_id}", "404") == 1
    assert more("GET", "none", "404") == 2
    assert more("GET", "/pictures", "404") == 1
    assert more("other", "/livez", "405") == 1
    assert find_sample(after, "trompo_http_request_duration_seconds_count", route="/store/products/{id}")


class Jobs:
    @job("test.good")
    async def good(self, _run: JobRun) -> None:
        """Do nothing."""

    @job("test.bad")
    async def bad(self, _run: JobRun) -> None:
        raise ValueError("bad")


async def test_job_runs_are_counted(database: Database, api: FastAPI) -> None:
    before = await scrape(api)
    async with database.transaction() as session:
        await enqueue(session, "test.good")
        await enqueue(session, "test.bad")
    await Worker(database, [Jobs()]).run_due("test.good", "test.bad")
    after = await scrape(api)
    for kind, outcome in (("test.good", "ok"), ("test.bad", "failed")):
        labels = {"kind": kind, "outcome": outcome}
        assert (
            find_sample(after, "trompo_job_runs_total", **labels)
            == (find_sample(before, "trompo_job_runs_total", **labels) or 0) + 1
        )


TWO_PROCESSES = """
import os
from backend.core.observability.metrics import LOOP_LAG, PAGES_RENDERED, REQUESTS, WEBSOCKETS
from backend.core.observability.metrics import exposition, forget_dead_processes

child = os.fork()
REQUESTS.labels("GET", "/", "200").inc()
PAGES_RENDERED.inc()
WEBSOCKETS.set(3)
LOOP_LAG.set(0.5 if child else 2)
if child:
    os.waitpid(child, 0)
    print(exposition().decode())
    forget_dead_processes()
    print("# ----")
    print(exposition().decode())
else:
    os._exit(0)
"""


def test_metrics_of_several_processes_are_summed(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", TWO_PROCESSES],
        env={"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    both, later = map(parse_samples, run.stdout.split("# ----\n"))
    for samples, pages_open, lag in ((both, 6, 2), (later, 3, 0.5)):
        assert find_sample(samples, "trompo_http_requests_total", method="GET", route="/", status="200") == 2
        assert find_sample(samples, "trompo_pages_rendered_total") == 2
        assert find_sample(samples, "trompo_websockets") == pages_open
        assert find_sample(samples, "trompo_event_loop_lag_seconds") == lag
