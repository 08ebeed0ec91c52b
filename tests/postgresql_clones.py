"""Clones of a migrated PostgreSQL database that several tests reuse: the rows are restored after each test.

Creating a clone creates 570 files. Deleting a test's rows costs a fraction of that.
"""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any, TypeVar
from uuid import uuid4

import asyncpg
from sqlalchemy import URL

from tests.warm_connections import WARM_CONNECTIONS

T = TypeVar("T")
MAX_USES = 40
"""Number of tests that may use the same clone: deleted rows leave gaps that slow every read."""
STORE_ROWS_SQL = """
CREATE SCHEMA pristine;
CREATE TABLE pristine.numbers AS SELECT sequencename AS name, last_value FROM pg_sequences WHERE schemaname = 'public';
CREATE TABLE pristine.filled (name text);
DO $$
DECLARE
    one record;
    is_filled boolean;
BEGIN
    FOR one IN SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', one.name) INTO is_filled;
        IF is_filled THEN
            INSERT INTO pristine.filled VALUES (one.name);
            EXECUTE format('CREATE TABLE pristine.%I AS TABLE public.%I', 'of_' || one.name, one.name);
        END IF;
    END LOOP;
END $$;
CREATE FUNCTION pristine.restore() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    SET LOCAL session_replication_role = replica;  -- without triggers and foreign keys
    FOR one IN
        SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
    LOOP
        EXECUTE format('DELETE FROM public.%I', one.name);
    END LOOP;
    FOR one IN SELECT name FROM pristine.filled LOOP
        EXECUTE format(
            'INSERT INTO public.%I OVERRIDING SYSTEM VALUE SELECT * FROM pristine.%I', one.name, 'of_' || one.name
        );
    END LOOP;
    FOR one IN SELECT name, last_value FROM pristine.numbers LOOP
        PERFORM setval(format('public.%I', one.name), coalesce(one.last_value, 1), one.last_value IS NOT NULL);
    END LOOP;
END $$;
"""
"""SQL that stores the rows of migrations and store defaults in a second schema, with a function that restores them."""
END_OTHER_CONNECTIONS_SQL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND pid <> ALL ($1)
"""


class Clones:
    """The free database clones of a worker by template, and the number of times that each may still be used.

    A connection to each clone stays open between tests: restoring the rows over a new connection takes ten times as
    long. These connections belong to an event loop that runs between tests.
    """

    def __init__(self, server: URL) -> None:
        self.server = server
        self._runner = asyncio.Runner(
            loop_factory=asyncio.new_event_loop
        )  # the current event loop of a test does not change
        self._free: dict[str, list[str]] = defaultdict(list)
        self._uses: dict[str, int] = {}
        self._connections: dict[str, asyncpg.Connection] = {}

    def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, outside any other event loop."""
        return self._runner.run(steps)

    def take(self, template: str) -> str:
        """Return the name of an unused database that equals the template."""
        name = self._free[template].pop() if self._free[template] else self.run(self._make_clone(template))
        self._uses[name] -= 1
        return name

    def give_back(self, template: str, name: str) -> None:
        """Restore the database for another test, or drop it after `MAX_USES` tests."""
        self.run(self._restore(name) if self._uses[name] else self._drop_clone(name))
        if self._uses[name]:
            self._free[template].append(name)

    def close(self) -> None:
        """Close the connections."""
        for name, connection in self._connections.items():
            WARM_CONNECTIONS.drop_database(name)
            self.run(connection.close())
        self._runner.close()

    async def _make_clone(self, template: str) -> str:
        name = await make_clone(self.server, template)
        self._connections[name] = await connect_to_database(self.server.set(database=name))
        self._uses[name] = MAX_USES
        await self._connections[name].execute(STORE_ROWS_SQL)
        WARM_CONNECTIONS.add_database(name)
        return name

    async def _restore(self, name: str) -> None:
        connection = self._connections[name]
        await connection.execute(END_OTHER_CONNECTIONS_SQL, WARM_CONNECTIONS.list_process_ids(name))
        await connection.execute("SELECT pristine.restore()")

    async def _drop_clone(self, name: str) -> None:
        WARM_CONNECTIONS.drop_database(name)
        await self._connections.pop(name).close()
        await drop_database(self.server, name)


async def make_clone(server: URL, template: str) -> str:
    """Create a copy of the template database. Return its name."""
    name = f"test_{uuid4().hex}"
    await clone_database(server, template, name)
    return name


async def clone_database(server: URL, template: str, name: str) -> None:
    """Create a copy of the template database with this name."""
    await execute_statements(server, f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')


async def drop_database(server: URL, name: str) -> None:
    """Drop a database and end its connections."""
    await execute_statements(server, f'DROP DATABASE "{name}" WITH (FORCE)')


async def execute_statements(server: URL, *statements: str) -> None:
    """Run statements in the server's own database, or in the one that the URL names."""
    connection = await connect_to_database(server)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def connect_to_database(server: URL) -> asyncpg.Connection:
    """Open a connection to the database that the URL names."""
    return await asyncpg.connect(
        host=str(server.query["host"]), user=server.username, database=server.database
    )
