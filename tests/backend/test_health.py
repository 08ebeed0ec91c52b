import asyncio
import time
from datetime import timedelta
from importlib.metadata import version

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import delete, update

from backend.app import Shop, create_api, current_shop, set_current_shop
from backend.core.config.settings import Settings
from backend.core.db.database import Database, db_now
from backend.core.observability.loop_lag import SAMPLE_SECONDS, LoopLag
from backend.jobs import enqueue
from backend.jobs.models import Job

TOKEN = "a token of those who watch"


async def send_request(shop: Shop, path: str, method: str = "GET", authorization: str = "") -> httpx.Response:
    transport = httpx.ASGITransport(create_api(shop))
    headers = {"authorization": authorization} if authorization else {}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop", headers=headers) as client:
        return await client.request(method, path)


async def health(shop: Shop, method: str = "GET", path: str = "/health") -> httpx.Response:
    """Return the answer of `/health`, or of `path`, to a monitor that sends the token."""
    shop.settings = with_metrics_token(shop.settings)
    return await send_request(shop, path, method, f"Bearer {TOKEN}")


def with_metrics_token(settings: Settings) -> Settings:
    return settings.model_copy(update={"metrics_token": SecretStr(TOKEN)})


@pytest.mark.parametrize(
    ("path", "status"),
    [("/health", "ok"), ("/health?details=1", "ok"), ("/readyz", "ready"), ("/readyz?details=1", "ready")],
)
@pytest.mark.parametrize(
    ("has_token", "authorization"),
    [
        (True, ""),
        (True, "Bearer "),
        (True, f"Bearer {TOKEN}x"),
        (True, f"Basic {TOKEN}"),
        (True, TOKEN),
        (False, ""),
        (False, "Bearer "),
        (False, f"Bearer {TOKEN}"),
    ],
)
async def test_health_without_the_token_shows_only_the_status(
    settings: Settings, path: str, status: str, has_token: bool, authorization: str
) -> None:
    """Check the second and third row, for a shop that can serve and for one without its database.

    | METRICS_TOKEN | bearer token | answer |
    |---|---|---|
    | set | the same | status and details |
    | set | none, another | status |
    | not set | any | status |
    """
    shop = Shop(with_metrics_token(settings) if has_token else settings)
    answer = await send_request(shop, path, authorization=authorization)
    assert (answer.status_code, answer.json()) == (200, {"status": status})
    unreachable_url = "postgresql+asyncpg://shop@127.0.0.1:1/shop"
    unavailable = Shop(shop.settings.model_copy(update={"database_url": unreachable_url}))
    answer = await send_request(unavailable, path, authorization=authorization)
    await shop.database.close()
    await unavailable.database.close()
    assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})


async def test_healthy_shop_answers_200_with_details(settings: Settings) -> None:
    shop = Shop(settings)
    answer = await health(shop)
    await shop.database.close()
    assert answer.status_code == 200
    body = answer.json()
    assert body["status"] == "ok"
    assert body["database"] == "up"
    assert body["event_loop"] == {"lag_ms": 0.0}
    assert body["sandbox"] is True
    assert body["version"] == version("trompo")


async def test_health_shows_jobs_by_kind(database: Database, shop: Shop) -> None:
    async with database.transaction() as session:
        await session.execute(delete(Job))
        await enqueue(session, "test.later", {}, key="a", after=timedelta(hours=1))
        await enqueue(session, "test.now", {}, key="a")
        await enqueue(session, "test.now", {}, key="b")
        await enqueue(session, "test.now", {}, key="c")
        of_kind = update(Job).where(Job.kind == "test.now")
        await session.execute(
            of_kind.where(Job.key == "a").values(run_at=db_now(-timedelta(minutes=10)), failures=3)
        )
        await session.execute(of_kind.where(Job.key == "c").values(failed_at=db_now(), failures=9))
    later, due = (await health(shop)).json()["jobs"]
    assert later == {"kind": "test.later", "waiting": 1, "late_seconds": 0.0, "failing": 0, "failed": 0}
    assert due.pop("late_seconds") == pytest.approx(600, abs=60)
    assert due == {"kind": "test.now", "waiting": 2, "failing": 1, "failed": 1}


async def test_health_without_a_database_answers_503(settings: Settings) -> None:
    unreachable_url = "postgresql+asyncpg://shop@127.0.0.1:1/shop"
    shop = Shop(settings.model_copy(update={"database_url": unreachable_url}))
    answer, head = await health(shop), await health(shop, "HEAD")
    await shop.database.close()
    assert answer.status_code == head.status_code == 503
    assert answer.json()["status"] == "unavailable"
    assert answer.json()["database"] == "down"
    assert answer.json()["jobs"] is None


async def test_shop_with_all_dependencies_is_ready(shop: Shop) -> None:
    answer, live = await health(shop, path="/readyz"), await send_request(shop, "/livez", "HEAD")
    assert (answer.status_code, live.status_code) == (200, 200)
    assert answer.json()["status"] == "ready"
    assert {"database", "disk"} <= set(answer.json()["checks"]) <= {"database", "disk", "clock"}


async def test_shop_with_a_failing_check_is_alive_but_not_ready(shop: Shop) -> None:
    async def renderer() -> str:
        return "none is up"

    shop.readiness.checks["renderer"] = renderer
    stranger = await send_request(shop, "/readyz")
    answer, live = await health(shop, path="/readyz"), await send_request(shop, "/livez")
    assert (stranger.status_code, stranger.json()) == (503, {"status": "unavailable"})
    assert stranger.headers["retry-after"] == "5"
    assert (answer.status_code, live.status_code) == (503, 200)
    assert answer.headers["retry-after"] == "5"
    assert answer.json()["checks"]["renderer"] == "none is up"
    assert (await health(shop)).status_code == 200


async def test_draining_shop_answers_health_requests_but_reports_not_ready(shop: Shop) -> None:
    shop.readiness.is_draining = True
    stranger, answer = await send_request(shop, "/readyz"), await health(shop, path="/readyz")
    assert (stranger.status_code, stranger.json()) == (503, {"status": "unavailable"})
    assert (answer.status_code, answer.json()["draining"]) == (503, True)
    assert (await health(shop)).status_code == 200


async def test_blocked_event_loop_is_measured() -> None:
    lag = LoopLag()
    lag.start()
    await asyncio.sleep(0)  # the sampler sets its timer
    time.sleep(SAMPLE_SECONDS + 0.1)  # noqa: ASYNC251 - the test needs a blocked loop
    await asyncio.sleep(0.01)
    await lag.stop()
    assert lag.worst_ms >= 90


async def test_stopping_the_loop_lag_measurement_without_a_start_raises_no_error() -> None:
    await LoopLag().stop()


def test_current_shop_raises_an_error_if_no_shop_is_running(settings: Settings) -> None:
    set_current_shop(None)
    with pytest.raises(RuntimeError, match="no shop is running"):
        current_shop()
