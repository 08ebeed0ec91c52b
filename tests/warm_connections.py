"""Connections to PostgreSQL that stay open from one test to the next one of the same database.

A new connection takes 10 ms of processor time: the server starts a process, which reads the tables' definitions again,
and plans each statement again. Connections to other databases are closed as in production.
"""

import asyncio
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import asyncpg
from sqlalchemy.util.concurrency import await_

MAX_IDLE = 2
"""Number of connections that stay open for each database."""
MAX_OPEN = 4
"""Number of connections that stay open in a worker: all workers share the server's 100 connections."""


class Origin(NamedTuple):
    """The event loop, database and options for which a connection was opened."""

    loop: asyncio.AbstractEventLoop
    database: str
    options: str


class WarmConnections:
    """Idle connections to PostgreSQL, kept open for later tests of the same pytest worker.

    They are stored in the wrapper of SQLAlchemy's adapter.
    """

    def __init__(self) -> None:
        self._idle: dict[str, list[Any]] = {}
        self._origins: WeakKeyDictionary[asyncpg.Connection, Origin] = WeakKeyDictionary()
        self.prepared: WeakSet[asyncpg.Connection] = WeakSet()
        """The connections for which SQLAlchemy has set the codecs of JSON."""

    def add_database(self, name: str) -> None:
        """Keep connections to this database open from now on."""
        self._idle[name] = []

    def drop_database(self, name: str) -> None:
        """Close the connections to this database."""
        for connection in self._idle.pop(name):
            connection.driver_connection.terminate()

    def list_process_ids(self, name: str) -> list[int]:
        """Return the ids of the server's processes for the open connections to this database."""
        connections = [connection.driver_connection for connection in self._idle[name]]
        return [connection.get_server_pid() for connection in connections if not connection.is_closed()]

    def count_idle(self) -> int:
        """Return the number of open connections that no test uses, over all databases."""
        return sum(map(len, self._idle.values()))

    def take(self, options: dict[str, Any]) -> Any:
        """Return an idle connection for this event loop and these options, or None."""
        origin = _describe_origin(options)
        for connection in self._idle.get(origin.database, ()):
            driver = connection.driver_connection
            if self._origins[driver] == origin and not driver.is_closed():
                self._idle[origin.database].remove(connection)
                return connection
        return None

    def add(self, connection: Any, options: dict[str, Any]) -> None:
        """Remember the event loop, the database and the options of a new connection."""
        self._origins[connection.driver_connection] = _describe_origin(options)

    def keep(self, connection: Any) -> bool:
        """Reset a connection that a test no longer uses, and keep it open.

        Returns:
            False if the caller must close the connection.
        """
        driver = connection.driver_connection
        origin = self._origins.get(driver)
        if origin is None or driver.is_closed() or origin.loop is not asyncio.get_running_loop():
            return False
        idle = self._idle.get(origin.database)
        if idle is None or len(idle) >= MAX_IDLE:
            return False
        connection.rollback()
        await_(driver.reset())
        idle.append(connection)
        if self.count_idle() > MAX_OPEN:
            other = next(others for others in self._idle.values() if others and others is not idle)
            other.pop(0).driver_connection.terminate()
        return True


def _describe_origin(options: dict[str, Any]) -> Origin:
    described = {name: value for name, value in options.items() if not callable(value)}
    return Origin(asyncio.get_running_loop(), options["database"], repr(sorted(described.items())))


WARM_CONNECTIONS = WarmConnections()
"""The connections of this process. They are global because SQLAlchemy creates the dialects without their arguments."""
