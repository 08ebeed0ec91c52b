"""The next test reuses a connection that a test closes, in the state of a new connection.

| what the test leaves | the next connection |
|---|---|
| a closed database | the same process of the server |
| settings, locks | has none of them |
| more connections than may stay open, of one database or of all | the others are closed |
| a connection that the server ended | a new process |
"""

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import URL, make_url, text

from backend.core.db.database import Database
from tests.postgresql_clones import execute_statements
from tests.warm_connections import MAX_IDLE, WARM_CONNECTIONS


@pytest.fixture
def warm_url(postgresql_url: str) -> Iterator[str]:
    """Return the URL of a database whose connections stay open."""
    name = str(make_url(postgresql_url).database)
    WARM_CONNECTIONS.add_database(name)
    yield postgresql_url
    WARM_CONNECTIONS.drop_database(name)


async def run_and_close(url: str, *statements: str) -> int:
    """Run the statements in one session, and close the database. Return the id of the server's process."""
    database = Database(url)
    async with database.read() as session:
        for statement in statements:
            await session.execute(text(statement))
        process_id: int = (await session.execute(text("SELECT pg_backend_pid()"))).scalar_one()
    await database.close()
    return process_id


async def test_connection_of_a_closed_database_is_reused_by_the_next_one(warm_url: str) -> None:
    assert await run_and_close(warm_url) == await run_and_close(warm_url)


async def test_connection_to_another_database_is_closed(postgresql_url: str) -> None:
    assert await run_and_close(postgresql_url) != await run_and_close(postgresql_url)


async def test_settings_and_locks_do_not_outlive_their_test(warm_url: str) -> None:
    await run_and_close(warm_url, "SET work_mem = '1MB'", "SELECT pg_advisory_lock(7)", "LISTEN changes")
    database = Database(warm_url)
    async with database.read() as session:
        state = await session.execute(
            text(
                "SELECT current_setting('work_mem'), current_setting('jit'),"
                " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),"
                " (SELECT count(*) FROM pg_listening_channels())"
            )
        )
        assert tuple(state.one()) == ("4MB", "off", 0, 0)
    await database.close()


async def test_closed_database_leaves_at_most_the_allowed_idle_connections(warm_url: str) -> None:
    database = Database(warm_url)
    all_are_open = asyncio.Barrier(MAX_IDLE + 1)

    async def connect() -> None:
        async with database.read() as session:
            await session.execute(text("SELECT 1"))
            await all_are_open.wait()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(MAX_IDLE + 1):
            tasks.create_task(connect())
    await database.close()
    assert len(WARM_CONNECTIONS.list_process_ids(str(make_url(warm_url).database))) == MAX_IDLE


async def test_idle_connections_of_all_databases_are_limited(
    warm_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run_and_close(warm_url)
    limit = WARM_CONNECTIONS.count_idle()
    monkeypatch.setattr("tests.warm_connections.MAX_OPEN", limit)
    WARM_CONNECTIONS.add_database("postgres")
    await run_and_close(make_url(warm_url).set(database="postgres").render_as_string(hide_password=False))
    assert WARM_CONNECTIONS.count_idle() == limit
    assert len(WARM_CONNECTIONS.list_process_ids("postgres")) == 1
    WARM_CONNECTIONS.drop_database("postgres")


async def test_connection_that_the_server_has_ended_is_not_used(warm_url: str, postgresql: URL) -> None:
    ended = await run_and_close(warm_url)
    await execute_statements(postgresql, f"SELECT pg_terminate_backend({ended}, 5000)")
    assert await run_and_close(warm_url) != ended
