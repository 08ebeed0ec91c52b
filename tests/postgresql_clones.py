"""Clones of a migrated PostgreSQL database that are used again: a test's rows are taken away, and the next test begins.

A clone makes 570 files. Emptying what a test has filled costs a fraction of that.
"""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any, TypeVar
from uuid import uuid4

import asyncpg
from sqlalchemy import URL

T = TypeVar("T")
USES = 40
"""So many tests are given the same clone: rows that were taken away leave gaps, which every reading passes over."""
KEEP_ROWS = """
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
    SET LOCAL session_replication_role = replica;  -- no trigger and no foreign key has a say
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
"""Stores the rows of migrations and store defaults beside the tables, and how to bring them back."""
END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


class Clones:
    """The clones of a worker, by their template: the free ones, and how often each may still be used.

    A connection to each clone stays open from test to test: restoring the rows on a new one takes ten times as long.
    It belongs to an event loop that runs between tests.
    """

    def __init__(self, server: URL) -> None:
        self.server = server
        self._runner = asyncio.Runner(
            loop_factory=asyncio.new_event_loop
        )  # the tests' own loops stay current
        self._free: dict[str, list[str]] = defaultdict(list)
        self._uses: dict[str, int] = {}
        self._connections: dict[str, asyncpg.Connection] = {}

    def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, outside of any event loop."""
        return self._runner.run(steps)

    def take(self, template: str) -> str:
        """Return the name of a database that equals the template and that nobody uses."""
        name = self._free[template].pop() if self._free[template] else self.run(self._make_clone(template))
        self._uses[name] -= 1
        return name

    def give_back(self, template: str, name: str) -> None:
        """Restore the database for another test, or drop it after `USES` tests."""
        self.run(self._restore(name) if self._uses[name] else self._drop_clone(name))
        if self._uses[name]:
            self._free[template].append(name)

    def close(self) -> None:
        """Close the connections."""
        for connection in self._connections.values():
            self.run(connection.close())
        self._runner.close()

    async def _make_clone(self, template: str) -> str:
        name = await make_clone(self.server, template)
        self._connections[name] = await connect(self.server.set(database=name))
        self._uses[name] = USES
        await self._connections[name].execute(KEEP_ROWS)
        return name

    async def _restore(self, name: str) -> None:
        connection = self._connections[name]
        await connection.execute(END_OTHERS)
        await connection.execute("SELECT pristine.restore()")

    async def _drop_clone(self, name: str) -> None:
        await self._connections.pop(name).close()
        await drop(self.server, name)


async def make_clone(server: URL, template: str) -> str:
    """Make a database like the template. Gives its name."""
    name = f"test_{uuid4().hex}"
    await administer(server, f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    return name


async def drop(server: URL, name: str) -> None:
    """Drop a database, whoever is connected to it."""
    await administer(server, f'DROP DATABASE "{name}" WITH (FORCE)')


async def administer(server: URL, *statements: str) -> None:
    """Run statements in the server's own database, or in the one that the url names."""
    connection = await connect(server)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def connect(server: URL) -> asyncpg.Connection:
    """Open a connection to the database that the url names."""
    return await asyncpg.connect(
        host=str(server.query["host"]), user=server.username, database=server.database
    )
