"""`/metrics`: who may read it, what it says, and that nothing in it is a client's."""

import asyncio
import subprocess
import sys
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
from backend.edge.middleware.instrumentation import observed
from backend.jobs import JobRun, Worker, enqueue, job
from backend.operations.monitoring import database_metrics
from backend.payment.models import PaymentSession
from storefront.server.build import ROOT
from tests.ports import free_port
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import PSE, bought

TOKEN = "a token for the one who watches"


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> Shop:
    return Shop(Settings(data_dir=tmp_path / "data", database_url=database_url, metrics_token=TOKEN))  # type: ignore[arg-type]


async def ask(api: FastAPI, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    transport = httpx.ASGITransport(observed(api, ""))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        return await client.request(method, path, headers=headers)


Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples_in(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def of(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((name, frozenset(labels.items())))


async def scrape(api: FastAPI) -> Samples:
    answer = await ask(api, "/metrics", authorization=f"Bearer {TOKEN}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return samples_in(answer.text)


async def test_only_the_token_opens_it(settings: Settings, api: FastAPI) -> None:
    closed = create_api(Shop(settings))
    assert (await ask(closed, "/metrics", authorization="Bearer ")).status_code == 404
    assert (await ask(api, "/metrics")).status_code == 401
    assert (await ask(api, "/metrics", authorization=f"Bearer {TOKEN}x")).status_code == 401
    assert (await ask(api, "/metrics", authorization=TOKEN)).status_code == 401
    assert (await ask(api, f"/metrics?token={TOKEN}")).status_code == 401
    await scrape(api)


async def test_what_all_replicas_share(
    shop: Shop, api: FastAPI, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo", stock=1)
        await make_toy(session, shop_defaults, "yoyo", stock=3)
        await enqueue(session, "test.later", key="a", after=timedelta(hours=1))
        await raise_attention(session, AttentionKind.STOCK_SHORT, message="one is gone", subject_id="x")
    await bought(store, variant, provider=PSE)
    async with shop.database.transaction() as session:
        await session.execute(update(PaymentSession).values(created_at=db_now(-timedelta(hours=2))))
    told = await scrape(api)
    assert of(told, "trompo_database_up") == 1
    assert of(told, "trompo_orders", payment_status="awaiting") == 1
    assert of(told, "trompo_payments", state="pending_authorization") == 1
    assert of(told, "trompo_oldest_open_payment_seconds") == pytest.approx(7200, abs=600)
    assert of(told, "trompo_jobs_waiting", kind="test.later") == 1
    assert of(told, "trompo_job_late_seconds", kind="test.later") == 0
    assert of(told, "trompo_jobs_given_up", kind="test.later") == 0
    assert of(told, "trompo_attention_open", kind="stock_short") == 1
    assert of(told, "trompo_attention_overdue") == 0
    assert of(told, "trompo_stock_levels_empty") == 1
    assert (of(told, "trompo_database_connections", state="in_use") or 0) >= 0
    assert (of(told, "trompo_resident_memory_bytes") or 0) > 10_000_000


async def test_without_its_database_the_rest_is_told(tmp_path: Path) -> None:
    nobody = f"postgresql+asyncpg://shop@127.0.0.1:{free_port()}/shop"
    shop = Shop(Settings(data_dir=tmp_path, database_url=nobody, metrics_token=TOKEN))  # type: ignore[arg-type]
    told = await scrape(create_api(shop))
    await shop.stop()
    assert of(told, "trompo_database_up") == 0
    assert of(told, "trompo_event_loop_lag_seconds") == 0
    assert not [name for name, _labels in told if name == "trompo_orders"]


async def test_a_database_that_hangs_is_not_waited_for(api: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(_session: object) -> list[object]:
        await asyncio.Event().wait()
        return []

    monkeypatch.setattr(database_metrics, "read_figures", hang)
    monkeypatch.setattr(database_metrics, "WITHIN", 0.01)
    assert of(await scrape(api), "trompo_database_up") == 0


async def test_requests_are_counted_by_the_template_of_their_route(
    api: FastAPI, store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, shop_defaults, "trompo")
        product = (await session.execute(select(Product.id))).scalar_one()
    key = store.headers["x-publishable-api-key"]
    before = await scrape(api)
    for _twice in range(2):  # the second one is cached
        assert (
            await ask(api, f"/store/products/{product}", **{"x-publishable-api-key": key})
        ).status_code == 200
    for path in ("/store/carts/unheard", "/unheard", "/store/carts/a/unheard", "/pictures/unheard.png"):
        await ask(api, path, **{"x-publishable-api-key": key})
    await ask(api, "/livez", method="UNHEARD")
    answer = await ask(api, "/metrics", authorization=f"Bearer {TOKEN}")
    assert "unheard" not in answer.text.lower()
    assert product not in answer.text
    after = samples_in(answer.text)

    def more(method: str, route: str, status: str) -> float:
        labels = {"method": method, "route": route, "status": status}
        return (of(after, "trompo_http_requests_total", **labels) or 0) - (
            of(before, "trompo_http_requests_total", **labels) or 0
        )

    assert more("GET", "/store/products/{id}", "200") == 2
    assert more("GET", "/store/carts/{cart_id}", "404") == 1
    assert more("GET", "none", "404") == 2
    assert more("GET", "/pictures", "404") == 1
    assert more("other", "/livez", "405") == 1
    assert of(after, "trompo_http_request_duration_seconds_count", route="/store/products/{id}")


class Jobs:
    @job("test.good")
    async def good(self, _run: JobRun) -> None:
        """Nothing."""

    @job("test.bad")
    async def bad(self, _run: JobRun) -> None:
        raise ValueError("bad")


async def test_runs_of_jobs_are_counted(database: Database, api: FastAPI) -> None:
    before = await scrape(api)
    async with database.transaction() as session:
        await enqueue(session, "test.good")
        await enqueue(session, "test.bad")
    await Worker(database, [Jobs()]).run_due("test.good", "test.bad")
    after = await scrape(api)
    for kind, outcome in (("test.good", "ok"), ("test.bad", "failed")):
        labels = {"kind": kind, "outcome": outcome}
        assert (
            of(after, "trompo_job_runs_total", **labels)
            == (of(before, "trompo_job_runs_total", **labels) or 0) + 1
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


def test_several_processes_tell_their_sums(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", TWO_PROCESSES],
        env={"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    both, later = map(samples_in, run.stdout.split("# ----\n"))
    for told, pages_open, lag in ((both, 6, 2), (later, 3, 0.5)):
        assert of(told, "trompo_http_requests_total", method="GET", route="/", status="200") == 2
        assert of(told, "trompo_pages_rendered_total") == 2
        assert of(told, "trompo_websockets") == pages_open
        assert of(told, "trompo_event_loop_lag_seconds") == lag
