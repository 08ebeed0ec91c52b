"""Asking the database one small thing all the time, at next to no cost.

A session costs a hundred times what reading a row does. A glance has a connection of its own and no session, and all
who ask while one is under way share the next: however many requests a second, the database is asked as fast as it
answers and no faster. What a glance sees was true after it was asked for, never before.
"""

import sqlite3
from typing import Any

import asyncpg

from backend.database import Database
from backend.single_flight import SingleFlight

Row = tuple[Any, ...]
GONE = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


class Glance:
    """One query for one row, asked again and again."""

    def __init__(self, database: Database, query: str) -> None:
        self._database = database
        self._query = query
        self._file: sqlite3.Connection | None = None
        self._server: asyncpg.Connection | None = None
        self._looks = SingleFlight[None, Row](
            finishes=True
        )  # one connection serves all, and is worth keeping

    async def look(self) -> Row:
        """The row as it is now.

        Raises:
            OSError: the database does not answer.
        """
        if self._database.is_sqlite:
            return self._read_file()
        return await self._looks.share_next(None, self._ask_server)

    async def close(self) -> None:
        """Give the connection back."""
        if self._file is not None:
            self._file.close()
            self._file = None
        await self._looks.idle()
        self._leave()

    def _read_file(self) -> Row:
        """On this very thread: it takes microseconds, and in WAL mode no writer holds a reader up."""
        try:
            if self._file is None:
                self._file = sqlite3.connect(
                    str(self._database.url.database), timeout=0, isolation_level=None
                )
            return tuple(self._file.execute(self._query).fetchone())
        except sqlite3.Error as error:
            raise OSError(f"the database does not answer: {error}") from error

    async def _ask_server(self) -> Row:
        try:
            return await self._read_server()
        except GONE:  # the server was restarted, or closed what was idle: once more on a new connection
            self._leave()
        try:
            return await self._read_server()
        except GONE as error:
            raise OSError("the database does not answer") from error

    async def _read_server(self) -> Row:
        if self._server is None:
            url = self._database.url.set(drivername="postgresql")
            self._server = await asyncpg.connect(url.render_as_string(hide_password=False))
        return tuple(await self._server.fetchrow(self._query))

    def _leave(self) -> None:
        if self._server is not None:
            server, self._server = self._server, None
            server.terminate()
