"""Outages of the database: 503 and one log line; the shop continues when the database is available again."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop, create_api
from backend.catalog.models import Collection
from backend.core.caching.version_probe import VersionProbe
from backend.core.config.settings import Settings
from backend.core.db import database as databases
from backend.core.db import postgresql
from backend.core.db.database import Database
from backend.core.outage import POOL, PROBE, DatabaseUnavailable, Outage
from backend.jobs import Worker
from tests.ports import find_free_port


async def test_database_sessions_beyond_the_pool_size_wait(postgresql_url: str) -> None:
    database = Database(postgresql_url, pool=2)

    async def ask(number: int) -> int:
        async with database.read() as session:
            return int((await session.execute(text(f"SELECT {number}"))).scalar_one())

    assert await asyncio.gather(*map(ask, range(100))) == [*range(100)]
    await database.close()


async def test_waiting_too_long_for_a_connection_raises_database_unavailable(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "POOL_TIMEOUT_S", 0.01)
    database = Database(postgresql_url, pool=2)
    async with database.transaction() as first, database.transaction() as second:
        await first.execute(text("SELECT 1"))
        await second.execute(text("SELECT 1"))
        with pytest.raises(DatabaseUnavailable, match="Too many requests"):
            await database.is_up()
    assert await database.is_up()
    await database.close()


async def test_unreachable_database_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    database = Database(f"postgresql+asyncpg://shop@127.0.0.1:{find_free_port()}/shop")
    for _ in range(3):
        with pytest.raises(DatabaseUnavailable, match="does not answer"):
            await database.is_up()
    assert [record.levelno for record in caplog.records if record.name == "backend.core.outage"] == [
        logging.ERROR
    ]


class PollingWorker(Worker):
    """A worker that sets an event at its third poll for jobs."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, [], poll_interval_s=0)
        self.polls = 0
        self.third = asyncio.Event()

    async def schedule(self) -> None:
        self.polls += 1
        if self.polls == 3:
            self.third.set()
        await super().schedule()


async def test_worker_logs_only_one_line_during_an_outage(caplog: pytest.LogCaptureFixture) -> None:
    database = Database(f"postgresql+asyncpg://shop@127.0.0.1:{find_free_port()}/shop")
    worker = PollingWorker(database)
    worker.start()
    await worker.third.wait()
    await worker.stop()
    assert [record.name for record in caplog.records] == ["backend.core.outage"]
    await database.close()


def test_outage_of_both_pool_and_probe_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """Check the log if the pool and the probe fail, and recover one after the other.

    The probe alone may fail while the pool works: the server may have no further connection for it.
    """
    outage, error = Outage(), DatabaseUnavailable("The database does not answer")
    outage.record_failure(error, error, PROBE)
    outage.record_success(POOL)
    outage.record_failure(error, error, POOL)
    outage.record_failure(error, error, PROBE)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    outage.record_success(PROBE)
    outage.record_success(POOL)
    outage.record_success(PROBE)
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]


async def test_terminated_connection_raises_database_unavailable_and_is_replaced(
    postgresql_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    database, other = Database(postgresql_url), Database(postgresql_url)
    end = text("SELECT pg_terminate_backend(:pid)")
    with pytest.raises(DatabaseUnavailable):  # noqa: PT012 - any of the statements may fail
        async with database.transaction() as session:
            pid = (await session.execute(text("SELECT pg_backend_pid()"))).scalar_one()
            async with other.read() as killer:
                await killer.execute(end, {"pid": pid})
            await session.execute(select(Collection))
    assert await database.is_up()
    assert "the database answers again" in caplog.text
    await database.close()
    await other.close()


SHORT_TIMEOUT_S = 0.5
"""Timeout in seconds for statements that never get an answer; others may take any time on a busy machine."""


@asynccontextmanager
async def freeze_backend(pid: int) -> AsyncIterator[None]:
    """Stop the server process of one connection until the block ends."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def read_backend_pid(session: AsyncSession) -> int:
    return int((await session.execute(text("SELECT pg_backend_pid()"))).scalar_one())


@pytest.mark.parametrize("waits_for", ["a statement", "the commit"])
async def test_frozen_server_raises_database_unavailable(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch, waits_for: str
) -> None:
    database = Database(postgresql_url, pool=1)
    async with AsyncExitStack() as stack:
        with monkeypatch.context() as patch:
            patch.setattr(postgresql, "STATEMENT_TIMEOUT_S", SHORT_TIMEOUT_S)
            with pytest.raises(DatabaseUnavailable, match="in time"):  # noqa: PT012 - any of the statements may fail
                async with database.transaction() as session:
                    await stack.enter_async_context(freeze_backend(await read_backend_pid(session)))
                    if waits_for == "a statement":
                        await session.execute(select(Collection))
        assert await database.is_up()  # over another connection
    await database.close()


@pytest.mark.parametrize("through_pooler", [False, True])
async def test_frozen_idle_connection_is_replaced(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch, through_pooler: bool
) -> None:
    monkeypatch.setattr(postgresql, "TRUSTED_IDLE_S", 0)
    database = Database(postgresql_url, pool=1, through_pooler=through_pooler)
    for _ in range(2):
        async with database.read() as session:
            pid = await read_backend_pid(session)
    monkeypatch.setattr(postgresql, "PING_TIMEOUT_S", SHORT_TIMEOUT_S)
    async with freeze_backend(pid), database.read() as session:
        assert await read_backend_pid(session) != pid
    await database.close()


async def test_waiting_too_long_for_a_lock_raises_database_unavailable(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(postgresql_url, pool=2)
    lock = text("SELECT pg_advisory_xact_lock(1)")
    async with database.transaction() as first:
        await first.execute(lock)
        monkeypatch.setattr(postgresql, "STATEMENT_TIMEOUT_S", SHORT_TIMEOUT_S)
        with pytest.raises(DatabaseUnavailable, match="in time"):
            async with database.transaction() as second:
                await second.execute(lock)
    await database.close()


async def test_patient_database_has_no_statement_timeout(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "STATEMENT_TIMEOUT_S", SHORT_TIMEOUT_S)
    database = Database(postgresql_url, is_patient=True)
    async with database.read() as session:
        await session.execute(text(f"SELECT pg_sleep({SHORT_TIMEOUT_S + 0.1})"))
    await database.close()


_OTHER_PIDS = text(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def test_version_probe_replaces_its_connection_to_a_frozen_server(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    database = Database(postgresql_url)
    probe = VersionProbe(database)
    before = await probe.read_version()
    async with database.read() as session:
        probe_pid = (await session.execute(_OTHER_PIDS)).scalar_one()
    async with freeze_backend(probe_pid):
        with monkeypatch.context() as patch:
            patch.setattr(postgresql, "ANSWER_TIMEOUT_S", SHORT_TIMEOUT_S)
            with pytest.raises(DatabaseUnavailable, match="does not answer"):
                await probe.read_version()
        assert caplog.text.count("not logged again until it is over") == 1
        assert await probe.read_version() == before  # over another connection
    assert "the database answers again" in caplog.text
    await probe.close()
    await database.close()


async def test_faulty_statement_is_not_reported_as_an_outage(database: Database) -> None:
    with pytest.raises(Exception, match="no_such_table") as raised:
        async with database.read() as session:
            await session.execute(text("SELECT * FROM no_such_table"))
    assert not isinstance(raised.value, DatabaseUnavailable)
    assert isinstance(raised.value, ProgrammingError) or database.is_sqlite


async def test_locked_sqlite_file_raises_database_unavailable(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "SQLITE_BUSY_MS", 10)
    database, other = Database(sqlite_url), Database(sqlite_url)
    async with other.transaction():
        with pytest.raises(DatabaseUnavailable):
            async with database.transaction():
                pass
    await database.close()
    await other.close()


async def test_api_without_its_database_answers_503(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    unreachable_url = f"postgresql://shop@127.0.0.1:{find_free_port()}/shop"
    shop = Shop(Settings(data_dir=tmp_path, database_url=unreachable_url))
    transport = httpx.ASGITransport(create_api(shop))
    headers = {"x-publishable-api-key": "pk_any"}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop", headers=headers) as client:
        answers = [
            await client.get("/store/products"),
            await client.post("/store/carts", json={}),
            await client.post("/auth/user/emailpass", json={"email": "a@example.com", "password": "x" * 12}),
        ]
        hook = await client.post("/hooks/payment/gateway_pse", content=b"x_ref_payco=1")
    await shop.stop()
    assert [answer.status_code for answer in answers] == [503] * 3
    assert {answer.headers["retry-after"] for answer in answers} == {"5"}
    assert {answer.json()["type"] for answer in answers} == {"unavailable"}
    assert (hook.status_code, hook.text) == (200, "OK")
    assert caplog.text.count("not logged again until it is over") == 1
