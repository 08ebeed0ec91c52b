"""Clones of a migrated PostgreSQL database that are used again: a test's rows are taken away, and the next test begins.

A clone makes 570 files. Emptying what a test has filled costs a fraction of that.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from uuid import uuid4

import asyncpg
from sqlalchemy import URL

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


@dataclass
class Clones:
    """The clones of a worker, by their template: those that no test uses now, and how often each may still be used."""

    server: URL
    free: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    uses: dict[str, int] = field(default_factory=dict)

    async def take(self, template: str) -> str:
        """The name of a database that is as the template is, and nobody's."""
        if self.free[template]:
            name = self.free[template].pop()
        else:
            name = await make_clone(self.server, template)
            await administer(self.server.set(database=name), KEEP_ROWS)
            self.uses[name] = USES
        self.uses[name] -= 1
        return name

    async def give_back(self, template: str, name: str) -> None:
        """Let another test have it, as it was; or drop it, when it has served long enough."""
        if not self.uses[name]:
            await drop(self.server, name)
            return
        await administer(self.server.set(database=name), END_OTHERS, "SELECT pristine.restore()")
        self.free[template].append(name)


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
    connection = await asyncpg.connect(
        host=str(server.query["host"]), user=server.username, database=server.database
    )
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
