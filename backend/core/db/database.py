"""The database: the only module that makes engines.

SQLite (WAL) and PostgreSQL run the same code. A write takes its lock at the start: on SQLite `BEGIN IMMEDIATE` makes
one writer at a time, on PostgreSQL rows are locked by `SELECT … FOR UPDATE` (`locked`). Services get a session and
never commit; the edge that opened the transaction does, by leaving it.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Hashable, MutableMapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson
from cachetools import LRUCache
from sqlalchemy import (
    ColumnElement,
    DateTime,
    Dialect,
    Float,
    Select,
    TypeDecorator,
    event,
    literal,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from backend.core.config.settings import Settings
from backend.core.config.values import made_folder
from backend.core.db.sqlite_inline import InlineConnection, connect
from backend.core.errors import InvalidData
from backend.core.observability.tracing import trace_statements
from backend.core.outage import DatabaseUnavailable, Outage, as_unavailable

SQLITE_BUSY_MS = 15_000
_BEGIN = text("BEGIN IMMEDIATE")
POOL_WAIT = 5.0
"""Seconds that a session waits for a connection: longer than any answer takes, shorter than proxies wait, and than a
page's state is locked (10 s): an event that waited in vain can still say so on its page."""

_KNOWN = "known values"
MOST_KNOWN = 500
"""Values that sessions for reading share."""

Q = TypeVar("Q", bound=Select[*tuple[Any, ...]])


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC. Aware on both databases (SQLite keeps no zone); a naive value is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Refuse a naive time and store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time must be aware")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Add the time zone, which SQLite does not store."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class _DatabaseTime(FunctionElement[datetime]):
    """The database's clock, some seconds on. Compiled for each kind of database below."""

    type = UtcDateTime()
    inherit_cache = True


@compiles(_DatabaseTime)
def _any_time(element: _DatabaseTime, compiler: SQLCompiler, **options: Any) -> str:
    """For printing a statement."""
    return f"db_now({compiler.process(element.clauses, **options)})"


@compiles(_DatabaseTime, "postgresql")
def _postgresql_time(element: _DatabaseTime, compiler: SQLCompiler, **options: Any) -> str:
    # of the statement, not of each row: an index on the compared column can be used
    return f"(statement_timestamp() + make_interval(secs => {compiler.process(element.clauses, **options)}))"


@compiles(_DatabaseTime, "sqlite")
def _sqlite_time(element: _DatabaseTime, compiler: SQLCompiler, **options: Any) -> str:
    # written as the column type stores it, so that texts compare as moments do
    seconds = compiler.process(element.clauses, **options)
    return f"strftime('%Y-%m-%d %H:%M:%f000', 'now', ({seconds}) || ' seconds')"


def db_now(after: timedelta | None = None) -> FunctionElement[datetime]:
    """An SQL expression: the database's clock, `after` from now (may be negative).

    Claims and deadlines are compared with this clock, which all replicas share; theirs may differ by minutes.
    """
    return _DatabaseTime(literal(after.total_seconds() if after else 0.0, Float))


def db_now_in(seconds: ColumnElement[float]) -> FunctionElement[datetime]:
    """`db_now`, that many seconds on: for statements that are built once and run with a parameter."""
    return _DatabaseTime(seconds)


def planned_for(value: int | str) -> ColumnElement[Any]:
    """The value, written into the statement, so that PostgreSQL plans the statement for it.

    With a parameter it soon plans for any value: it then takes every limit for a large one and every beginning of a
    word for a rare one, and reads a whole table to show a page. A text must be made of letters and digits.
    """
    return literal(value, literal_execute=True)


async def database_now(session: AsyncSession) -> datetime:
    """The moment by the database's clock, in UTC, aware."""
    moment: datetime = (await session.execute(_NOW)).scalar_one()
    return moment


_NOW = select(db_now())


class _Session(Session):
    """A session that keeps a reference to every object it loaded, so that `get` does not read it again."""


@event.listens_for(_Session, "loaded_as_persistent")
@event.listens_for(_Session, "pending_to_persistent")
def _keep(session: Session, instance: object) -> None:
    session.info.setdefault("kept", []).append(instance)


def known_values(session: AsyncSession) -> MutableMapping[Hashable, Any] | None:
    """What the database's sessions for reading share, for whoever knows when it still holds; None in a transaction."""
    known: MutableMapping[Hashable, Any] | None = session.info.get(_KNOWN)
    return known


class Database:
    """An engine and the two ways to use it: `read()` and `transaction()`."""

    def __init__(
        self, url: str, *, pool: int = 10, through_pooler: bool = False, is_patient: bool = False
    ) -> None:
        """Nothing is opened yet.

        Args:
            url: the address.
            pool: connections to PostgreSQL at most; further sessions wait in turn, `POOL_WAIT` seconds at most.
            through_pooler: whether every transaction may be served by another connection of a pooler.
            is_patient: whether statements may take any time, as migrations and commands may.
        """
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            self.engine = _sqlite_engine(url)
        else:
            from backend.core.db.postgresql import (
                postgresql_engine,
            )  # its driver is loaded by shops that have PostgreSQL

            self.engine = postgresql_engine(
                url,
                pool=pool,
                pool_wait=POOL_WAIT,
                through_pooler=through_pooler,
                is_patient=is_patient,
                as_json=_as_json,
            )
        self.through_pooler = through_pooler
        self.outage = Outage()
        """Whether it is away; told by whoever asks it."""
        event.listen(self.engine.sync_engine, "before_cursor_execute", _refuse_unstorable_text)
        trace_statements(self.engine.sync_engine)
        self._sessions = async_sessionmaker(self.engine, sync_session_class=_Session, expire_on_commit=False)
        # every statement sees what is committed, in a transaction or not: reading spares its BEGIN and its end
        # (through a pooler, a transaction is what keeps a statement on the connection that has prepared it)
        autocommit = {} if self.is_sqlite or through_pooler else {"isolation_level": "AUTOCOMMIT"}
        self._reading_sessions = async_sessionmaker(
            self.engine.execution_options(**autocommit),
            sync_session_class=_Session,
            expire_on_commit=False,
            info={_KNOWN: LRUCache(MOST_KNOWN)},
        )
        self._turn = asyncio.Lock()

    @classmethod
    def from_settings(cls, settings: Settings, *, is_patient: bool = False) -> "Database":
        """The database the settings name; the folder of an SQLite file is made.

        Raises:
            CannotStart: it cannot be made.
        """
        database = cls(
            settings.async_database_url,
            pool=settings.database_pool,
            through_pooler=bool(settings.database_pooler),
            is_patient=is_patient,
        )
        if database.is_sqlite and database.url.database:
            made_folder(Path(database.url.database).parent)
        return database

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A session for reading. What it changes is not stored.

        Raises:
            DatabaseUnavailable: the database does not answer, or every connection is busy for too long.
        """
        async with self._outages(), self._reading_sessions() as session:
            yield session

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """A session in one transaction: committed at the end, rolled back on any exception.

        Raises:
            DatabaseUnavailable: the database does not answer, or every connection is busy for too long.
        """
        async with self._outages(), self._write_queue(), self._sessions() as session:
            if self.is_sqlite:
                await session.execute(_BEGIN)
            try:
                yield session
            except BaseException:
                await session.rollback()
                raise
            await session.commit()

    @asynccontextmanager
    async def _outages(self) -> AsyncIterator[None]:
        """Tell an outage from what is wrong with a statement.

        Raises:
            DatabaseUnavailable: there is one.
        """
        try:
            yield
        except Exception as error:
            outage = as_unavailable(error)
            if outage is None:
                raise
            self.outage.met(outage, error.__cause__ or error)
            if outage is error:
                raise  # with the cause that it has
            raise outage from error
        self.outage.over()

    @asynccontextmanager
    async def _write_queue(self) -> AsyncIterator[None]:
        """Let SQLite's writers of this process queue, first come first served.

        SQLite has one writer at a time, and the others sleep between their retries: under load a queue is much quicker,
        and no writer starves.
        """
        if not self.is_sqlite:
            yield
            return
        try:
            async with asyncio.timeout(SQLITE_BUSY_MS / 1000):
                await self._turn.acquire()
        except TimeoutError as error:
            raise DatabaseUnavailable("Too many requests wait for the database: try again") from error
        try:
            yield
        finally:
            self._turn.release()

    async def is_up(self) -> bool:
        """Whether the database answers a trivial query."""
        async with self.read() as session:
            return bool((await session.execute(text("SELECT 1"))).scalar_one() == 1)

    @property
    def connections(self) -> tuple[int, int]:
        """How many connections are in use, and how many are open and idle."""
        pool = cast("QueuePool", self.engine.pool)
        return pool.checkedout(), pool.checkedin()

    @property
    def served_seconds_ago(self) -> float:
        """When anybody was last served by it; without end before the first time."""
        return time.monotonic() - self.outage.served_at

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()


@asynccontextmanager
async def constrained(session: AsyncSession, refusal: Exception) -> AsyncIterator[None]:
    """Write what is inside; where a constraint of the database forbids it, that alone is undone.

    Raises:
        refusal: a constraint forbids it.
    """
    try:
        async with session.begin_nested():
            yield
    except IntegrityError:
        raise refusal from None


def locked(query: Q, of: Any = None) -> Q:
    """The query with its rows locked until the transaction ends; with `of`, those of this table alone.

    PostgreSQL locks the rows; SQLite has the whole database locked by `transaction()` already and ignores the clause.
    `populate_existing` reads rows again that the session has read before the lock.
    """
    return query.with_for_update(of=of).execution_options(populate_existing=True)


def _refuse_unstorable_text(
    _connection: Any, _cursor: Any, _statement: str, parameters: Any, _context: Any, _executemany: bool
) -> None:
    """No text may hold NUL or a lone surrogate: PostgreSQL takes neither, and both databases are to answer alike.

    Raises:
        InvalidData: some text does; the client gets a 400 instead of a 500.
    """
    rows = parameters if isinstance(parameters, list) else [parameters]
    for row in rows:
        for value in row.values() if isinstance(row, dict) else row:
            for written in value if isinstance(value, list | tuple) else (value,):  # PostgreSQL takes lists
                if isinstance(written, str) and (
                    "\0" in written or "\\u0000" in written or not _is_utf8(written)
                ):
                    raise InvalidData("Text must not hold NUL characters or lone surrogates")


def _as_json(value: Any) -> str:
    """Compact JSON without escapes, so that text that cannot be stored is found."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _from_sqlite_json(stored: Any) -> Any:
    """What was stored as JSON. SQLite makes a number of a text that is nothing but one."""
    try:
        return orjson.loads(stored)
    except ValueError:
        if isinstance(stored, int | float):
            return stored
        raise


def _is_utf8(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _sqlite_engine(url: str) -> AsyncEngine:
    # autocommit mode: we send BEGIN IMMEDIATE ourselves, as the driver's own BEGIN comes too late to lock
    def connect_inline(file: str, **_options: Any) -> Awaitable[InlineConnection]:
        return connect(file, busy_timeout=SQLITE_BUSY_MS / 1000)

    engine = create_async_engine(
        url,
        connect_args={"async_creator_fn": connect_inline},
        hide_parameters=True,  # errors are logged, and parameters tell of people
        json_serializer=_as_json,
        json_deserializer=_from_sqlite_json,
        pool_size=8,
        max_overflow=24,
        pool_timeout=POOL_WAIT,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _prepare(connection: Any, _record: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            "temp_store=MEMORY",
            "cache_size=-16000",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine
