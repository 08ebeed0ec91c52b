"""The database: the only module that creates engines.

SQLite (WAL) and PostgreSQL run the same code. A write takes its lock at the start: on SQLite `BEGIN IMMEDIATE`
allows one writer at a time, on PostgreSQL rows are locked by `SELECT … FOR UPDATE` (`lock_rows`). Services get a
session and never commit; the caller that opened the transaction commits by leaving its block.
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
from backend.core.config.values import create_folder
from backend.core.db.sqlite_inline import InlineConnection, connect
from backend.core.errors import InvalidData
from backend.core.outage import DatabaseUnavailable, Outage, to_unavailable

SQLITE_BUSY_MS = 15_000
_BEGIN = text("BEGIN IMMEDIATE")
POOL_TIMEOUT_S = 5.0
"""Seconds that a session waits for a connection.

Normal responses take less time. Proxies and the lock on a page's state (10 s) have longer timeouts, so that a page
can still display the error.
"""

SEARCH_ENGINE = "search engine"
"""Key of the setting SEARCH_ENGINE in `info` of every session."""
_SHARED_VALUES = "known values"
MAX_SHARED_VALUES = 500
"""Maximum number of values that read sessions share."""

Q = TypeVar("Q", bound=Select[*tuple[Any, ...]])


class UtcDateTime(TypeDecorator[datetime]):
    """Column type for moments in UTC, timezone-aware on both databases. A naive value is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return the time in UTC, to store it; refuse a naive time."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time must be aware")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return the stored time with its time zone, which SQLite does not store."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class _DatabaseTime(FunctionElement[datetime]):
    """The database's clock plus a number of seconds. Compiled for each kind of database below."""

    type = UtcDateTime()
    inherit_cache = True


@compiles(_DatabaseTime)
def _compile_generic(element: _DatabaseTime, compiler: SQLCompiler, **options: Any) -> str:
    """Return text that shows the expression when a statement is printed; no database executes this text."""
    return f"db_now({compiler.process(element.clauses, **options)})"


@compiles(_DatabaseTime, "postgresql")
def _compile_postgresql(element: _DatabaseTime, compiler: SQLCompiler, **options: Any) -> str:
    # the time of the statement, not of each row, so that an index on the compared column can be used
    return f"(statement_timestamp() + make_interval(secs => {compiler.process(element.clauses, **options)}))"


@compiles(_DatabaseTime, "sqlite")
def _compile_sqlite(element: _DatabaseTime, compiler: SQLCompiler, **options: Any) -> str:
    # in the format of the column type, so that comparing texts compares moments
    seconds = compiler.process(element.clauses, **options)
    return f"strftime('%Y-%m-%d %H:%M:%f000', 'now', ({seconds}) || ' seconds')"


def db_now(after: timedelta | None = None) -> FunctionElement[datetime]:
    """Return an SQL expression: the database's clock plus `after` (may be negative).

    Claims and deadlines are compared with this clock, which all replicas share; their own clocks may differ by
    minutes.
    """
    return _DatabaseTime(literal(after.total_seconds() if after else 0.0, Float))


def db_now_in(seconds: ColumnElement[float]) -> FunctionElement[datetime]:
    """Return `db_now` plus a number of seconds that is an SQL expression, such as a parameter of the statement."""
    return _DatabaseTime(seconds)


def planned_literal(value: int | str) -> ColumnElement[Any]:
    """Return the value as a literal in the statement, so that PostgreSQL plans the statement for this value.

    With a parameter instead, PostgreSQL soon reuses one plan for all values, which may read a whole table to show
    one page. A text is not escaped, so it must consist of letters and digits.
    """
    return literal(value, literal_execute=True)


async def database_now(session: AsyncSession) -> datetime:
    """Return the current moment of the database's clock, aware, in UTC."""
    moment: datetime = (await session.execute(_NOW)).scalar_one()
    return moment


_NOW = select(db_now())


class _Session(Session):
    """A session that holds a reference to every object it loaded, so that `get` does not read the object again."""


@event.listens_for(_Session, "loaded_as_persistent")
@event.listens_for(_Session, "pending_to_persistent")
def _hold_reference(session: Session, instance: object) -> None:
    session.info.setdefault("kept", []).append(instance)


def shared_values(session: AsyncSession) -> MutableMapping[Hashable, Any] | None:
    """Return the cache that all read sessions of the database share; None for a session of `transaction()`.

    Its values do not expire: the caller must check whether a value is still valid.
    """
    values: MutableMapping[Hashable, Any] | None = session.info.get(_SHARED_VALUES)
    return values


class Database:
    """An engine and the two ways to use it: `read()` and `transaction()`."""

    def __init__(
        self,
        url: str,
        *,
        pool: int = 10,
        through_pooler: bool = False,
        is_patient: bool = False,
        search_engine: str = "",
    ) -> None:
        """Configure the engine; no connection is opened yet.

        Args:
            url: the database's URL.
            pool: maximum number of PostgreSQL connections; further sessions wait, at most `POOL_TIMEOUT_S` seconds.
            through_pooler: True if a pooler may use another connection for each transaction.
            is_patient: True if statements may take any time, as for migrations and commands.
            search_engine: the setting SEARCH_ENGINE, which `info` of every session contains.
        """
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            self.engine = _sqlite_engine(url)
        else:
            from backend.core.db.postgresql import (
                postgresql_engine,
            )  # only shops with PostgreSQL load its driver

            self.engine = postgresql_engine(
                url,
                pool=pool,
                pool_timeout_s=POOL_TIMEOUT_S,
                through_pooler=through_pooler,
                is_patient=is_patient,
                to_json=_to_json,
            )
        self.through_pooler = through_pooler
        self.outage = Outage()
        """The database's availability, updated after each use."""
        event.listen(self.engine.sync_engine, "before_cursor_execute", _refuse_unstorable_text, retval=True)
        info = {SEARCH_ENGINE: search_engine}
        self._sessions = async_sessionmaker(
            self.engine, sync_session_class=_Session, expire_on_commit=False, info=info
        )
        # each statement sees the committed state with or without a transaction, so reads do without BEGIN and COMMIT
        # (through a pooler, only a transaction holds a statement on the connection that prepared it)
        has_autocommit = not (self.is_sqlite or through_pooler)
        self._reading_sessions = async_sessionmaker(
            self.engine.execution_options(isolation_level="AUTOCOMMIT") if has_autocommit else self.engine,
            sync_session_class=_Session,
            expire_on_commit=False,
            info={**info, _SHARED_VALUES: LRUCache(MAX_SHARED_VALUES)},
        )
        self._write_lock = asyncio.Lock()

    @classmethod
    def from_settings(cls, settings: Settings, *, is_patient: bool = False) -> "Database":
        """Return the database that the settings name. Create the folder of an SQLite file first.

        With `is_patient`, statements may take any time, as for migrations and commands.

        Raises:
            CannotStart: the folder cannot be created.
        """
        database = cls(
            settings.async_database_url,
            pool=settings.database_pool,
            through_pooler=bool(settings.database_pooler),
            is_patient=is_patient,
            search_engine=settings.search_engine,
        )
        if database.is_sqlite and database.url.database:
            create_folder(Path(database.url.database).parent)
        return database

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """Open a session that must only read. Objects that are changed in it are not stored.

        Raises:
            DatabaseUnavailable: the database does not answer, or all connections are busy for too long.
        """
        async with self._track_outages(), self._reading_sessions() as session:
            yield session

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """Open a session in one transaction: committed at the end, rolled back on any exception.

        Raises:
            DatabaseUnavailable: the database does not answer, or all connections are busy for too long.
        """
        async with self._track_outages(), self._write_queue(), self._sessions() as session:
            if self.is_sqlite:
                await session.execute(_BEGIN)
            try:
                yield session
            except BaseException:
                await session.rollback()
                raise
            await session.commit()

    @asynccontextmanager
    async def _track_outages(self) -> AsyncIterator[None]:
        """Convert errors that mean an outage, and record failures and successes.

        Raises:
            DatabaseUnavailable: the database is unavailable.
        """
        try:
            yield
        except Exception as error:
            outage = to_unavailable(error)
            if outage is None:
                raise
            self.outage.record_failure(outage, error.__cause__ or error)
            if outage is error:
                raise  # it already has its cause
            raise outage from error
        self.outage.record_success()

    @asynccontextmanager
    async def _write_queue(self) -> AsyncIterator[None]:
        """Queue this process's writers on SQLite, in the order of their arrival.

        SQLite allows one writer at a time, and the others would sleep between their attempts. Under load a queue is
        much faster, and every writer gets its turn.

        Raises:
            DatabaseUnavailable: a writer waited too long for its turn.
        """
        if not self.is_sqlite:
            yield
            return
        try:
            async with asyncio.timeout(SQLITE_BUSY_MS / 1000):
                await self._write_lock.acquire()
        except TimeoutError as error:
            raise DatabaseUnavailable("Too many requests wait for the database: try again") from error
        try:
            yield
        finally:
            self._write_lock.release()

    async def is_up(self) -> bool:
        """Return True if the database answers a trivial query."""
        async with self.read() as session:
            return bool((await session.execute(text("SELECT 1"))).scalar_one() == 1)

    @property
    def connections(self) -> tuple[int, int]:
        """Number of connections in use, and number of open connections that are idle."""
        pool = cast("QueuePool", self.engine.pool)
        return pool.checkedout(), pool.checkedin()

    @property
    def seconds_since_success(self) -> float:
        """Seconds since the latest successful session; infinite before the first one."""
        return time.monotonic() - self.outage.last_success_at

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()


@asynccontextmanager
async def raise_on_conflict(session: AsyncSession, refusal: Exception) -> AsyncIterator[None]:
    """Run the block in a savepoint. If a constraint of the database is violated, roll back only the savepoint.

    Raises:
        refusal: the given error, if a constraint is violated.
    """
    try:
        async with session.begin_nested():
            yield
    except IntegrityError:
        raise refusal from None


def lock_rows(query: Q, of: Any = None) -> Q:
    """Return the query with its rows locked until the transaction ends; with `of`, only the rows of this table.

    PostgreSQL locks the rows. SQLite ignores the clause, because `transaction()` has already locked the whole
    database. `populate_existing` refreshes rows that the session read before the lock.
    """
    return query.with_for_update(of=of).execution_options(populate_existing=True)


def _refuse_unstorable_text(
    _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _executemany: bool
) -> tuple[str, Any]:
    """Refuse text with NUL or a lone surrogate: PostgreSQL cannot store it, and both databases must behave alike.

    SQLAlchemy calls this before each statement. The statement and its parameters are returned unchanged, because a
    listener without a result is slower: SQLAlchemy wraps it in another call.

    Raises:
        InvalidData: a text contains one; the client gets a 400 instead of a 500.
    """
    for row in parameters if isinstance(parameters, list) else (parameters,):
        for value in row.values() if isinstance(row, dict) else row:
            if isinstance(value, str):
                _require_storable(value)
            elif isinstance(value, list | tuple):  # PostgreSQL accepts lists
                for item in value:
                    if isinstance(item, str):
                        _require_storable(item)
    return statement, parameters


def _require_storable(text: str) -> None:
    if "\0" in text or "\\u0000" in text or not _is_utf8(text):
        raise InvalidData("Text must not hold NUL characters or lone surrogates")


def _to_json(value: Any) -> str:
    """Format compact JSON without escapes, so that `_refuse_unstorable_text` finds characters that cannot be stored."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _from_sqlite_json(stored: Any) -> Any:
    """Parse stored JSON. The value may be a number, because SQLite converts a text that is only a number."""
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
    # autocommit mode: `transaction` sends BEGIN IMMEDIATE, because the driver's BEGIN would lock too late
    def connect_inline(file: str, **_options: Any) -> Awaitable[InlineConnection]:
        return connect(file, busy_timeout=SQLITE_BUSY_MS / 1000)

    engine = create_async_engine(
        url,
        connect_args={"async_creator_fn": connect_inline},
        hide_parameters=True,  # errors are logged, and parameters contain personal data
        json_serializer=_to_json,
        json_deserializer=_from_sqlite_json,
        pool_size=8,
        max_overflow=24,
        pool_timeout=POOL_TIMEOUT_S,
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
