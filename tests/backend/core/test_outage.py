"""The database is away or too busy: 503 and one line in the log, and the shop goes on when it is back."""

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
from tests.ports import free_port


async def test_more_than_the_pool_holds_wait_in_turn(postgresql_url: str) -> None:
    database = Database(postgresql_url, pool=2)

    async def ask(number: int) -> int:
        async with database.read() as session:
            return int((await session.execute(text(f"SELECT {number}"))).scalar_one())

    assert await asyncio.gather(*map(ask, range(100))) == [*range(100)]
    await database.close()


async def test_who_waits_for_too_long_is_told(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "POOL_WAIT", 0.01)
    database = Database(postgresql_url, pool=2)
    async with database.transaction() as first, database.transaction() as second:
        await first.execute(text("SELECT 1"))
        await second.execute(text("SELECT 1"))
        with pytest.raises(DatabaseUnavailable, match="Too many requests"):
            await database.is_up()
    assert await database.is_up()
    await database.close()


async def test_nobody_listens_and_that_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    database = Database(f"postgresql+asyncpg://shop@127.0.0.1:{free_port()}/shop")
    for _ in range(3):
        with pytest.raises(DatabaseUnavailable, match="does not answer"):
            await database.is_up()
    assert [record.levelno for record in caplog.records if record.name == "backend.core.outage"] == [
        logging.ERROR
    ]


class Looking(Worker):
    """One that says when it looks for jobs for the third time."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, [], poll_every=0)
        self.looks = 0
        self.third = asyncio.Event()

    async def schedule(self) -> None:
        self.looks += 1
        if self.looks == 3:
            self.third.set()
        await super().schedule()


async def test_who_looks_for_jobs_meanwhile_tells_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    database = Database(f"postgresql+asyncpg://shop@127.0.0.1:{free_port()}/shop")
    worker = Looking(database)
    worker.start()
    await worker.third.wait()
    await worker.stop()
    assert [record.name for record in caplog.records] == ["backend.core.outage"]
    await database.close()


def test_one_outage_is_told_once_whichever_connection_meets_it(caplog: pytest.LogCaptureFixture) -> None:
    """That of the catalogue's version may fail alone, where the server has no connection to spare."""
    outage, error = Outage(), DatabaseUnavailable("The database does not answer")
    outage.met(error, error, PROBE)
    outage.over(POOL)
    outage.met(error, error, POOL)
    outage.met(error, error, PROBE)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    outage.over(PROBE)
    outage.over(POOL)
    outage.over(PROBE)
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]


async def test_a_server_that_cuts_us_off(postgresql_url: str, caplog: pytest.LogCaptureFixture) -> None:
    database, other = Database(postgresql_url), Database(postgresql_url)
    end = text("SELECT pg_terminate_backend(:pid)")
    with pytest.raises(DatabaseUnavailable):  # noqa: PT012 - which statement meets it is not the point
        async with database.transaction() as session:
            pid = (await session.execute(text("SELECT pg_backend_pid()"))).scalar_one()
            async with other.read() as killer:
                await killer.execute(end, {"pid": pid})
            await session.execute(select(Collection))
    assert await database.is_up()
    assert "the database answers again" in caplog.text
    await database.close()
    await other.close()


SOON = 0.5
"""Seconds. Only what can never be answered gets so few: what is answered may take any time on a busy machine."""


@asynccontextmanager
async def frozen(pid: int) -> AsyncIterator[None]:
    """The server's process of one connection does nothing until the block ends."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def backend_of(session: AsyncSession) -> int:
    return int((await session.execute(text("SELECT pg_backend_pid()"))).scalar_one())


@pytest.mark.parametrize("waits_for", ["a statement", "the commit"])
async def test_a_frozen_server_is_given_up(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch, waits_for: str
) -> None:
    database = Database(postgresql_url, pool=1)
    async with AsyncExitStack() as stack:
        with monkeypatch.context() as patch:
            patch.setattr(postgresql, "STATEMENT_WITHIN", SOON)
            with pytest.raises(DatabaseUnavailable, match="in time"):  # noqa: PT012 - any of them may meet it
                async with database.transaction() as session:
                    await stack.enter_async_context(frozen(await backend_of(session)))
                    if waits_for == "a statement":
                        await session.execute(select(Collection))
        assert await database.is_up()  # by another connection
    await database.close()


@pytest.mark.parametrize("through_pooler", [False, True])
async def test_a_connection_that_froze_while_it_rested_is_replaced(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch, through_pooler: bool
) -> None:
    monkeypatch.setattr(postgresql, "TRUSTED_FOR", 0)
    database = Database(postgresql_url, pool=1, through_pooler=through_pooler)
    for _ in range(2):
        async with database.read() as session:
            pid = await backend_of(session)
    monkeypatch.setattr(postgresql, "PING_WITHIN", SOON)
    async with frozen(pid), database.read() as session:
        assert await backend_of(session) != pid
    await database.close()


async def test_who_waits_for_a_lock_for_too_long_is_told(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(postgresql_url, pool=2)
    lock = text("SELECT pg_advisory_xact_lock(1)")
    async with database.transaction() as first:
        await first.execute(lock)
        monkeypatch.setattr(postgresql, "STATEMENT_WITHIN", SOON)
        with pytest.raises(DatabaseUnavailable, match="in time"):
            async with database.transaction() as second:
                await second.execute(lock)
    await database.close()


async def test_commands_and_migrations_take_their_time(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "STATEMENT_WITHIN", SOON)
    database = Database(postgresql_url, is_patient=True)
    async with database.read() as session:
        await session.execute(text(f"SELECT pg_sleep({SOON + 0.1})"))
    await database.close()


async def test_who_asks_whether_the_catalogue_changed_gives_a_frozen_server_up(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    database = Database(postgresql_url)
    probe = VersionProbe(database)
    before = await probe.now()
    assert probe._server is not None
    assert probe._server._connection is not None
    async with frozen(probe._server._connection.get_server_pid()):
        with monkeypatch.context() as patch:
            patch.setattr(postgresql, "ANSWER_WITHIN", SOON)
            with pytest.raises(DatabaseUnavailable, match="does not answer"):
                await probe.now()
        assert caplog.text.count("not told again until it is over") == 1
        assert await probe.now() == before  # by another connection
    assert "the database answers again" in caplog.text
    await probe.close()
    await database.close()


async def test_what_is_wrong_with_a_statement_is_no_outage(database: Database) -> None:
    with pytest.raises(Exception, match="no_such_table") as raised:
        async with database.read() as session:
            await session.execute(text("SELECT * FROM no_such_table"))
    assert not isinstance(raised.value, DatabaseUnavailable)
    assert isinstance(raised.value, ProgrammingError) or database.is_sqlite


async def test_a_file_that_somebody_else_keeps_locked(
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


async def test_the_api_without_its_database(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    nobody = f"postgresql://shop@127.0.0.1:{free_port()}/shop"
    shop = Shop(Settings(data_dir=tmp_path, database_url=nobody))
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
    assert caplog.text.count("not told again until it is over") == 1
