"""Rate limits: how often one client may try something, counted in the database for all replicas.

`hit` counts a try before it is made, so that tries at the same moment do not pass together; `refund` takes it back when
the try was right.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from math import ceil
from typing import Any

from sqlalchemy import bindparam, case, delete, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import Field, SQLModel

from backend.clock import now
from backend.database import Database, UtcDateTime
from backend.errors import TooManyRequests
from backend.jobs import JobRun, periodic
from backend.tables import for_each_dialect, table_of

WINDOW = timedelta(minutes=15)
TOO_MANY = "Too many tries: wait some minutes"


class RateLimitCounter(SQLModel, table=True):
    """The tries of one window. `key` is a hash of the limit's kind, the subject and the client."""

    __tablename__ = "rate_limit_counter"

    key: str = Field(primary_key=True)
    hits: int
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How many tries of a kind pass in one window. A subject is an e-mail address or a cart.

    Attributes:
        kind: what is tried; limits of different kinds are counted apart.
        per_pair: of one client for one subject.
        per_client: of one client for all subjects.
        per_subject: of all clients for one subject; 0 where a subject is one client's alone: it is not counted then.
    """

    kind: str
    per_pair: int
    per_client: int
    per_subject: int


_COUNTERS = table_of(RateLimitCounter)


@cache
def _upsert(count: int) -> dict[str, Any]:
    """The statement that counts a try of so many keys and returns their counters, by the kind of database."""

    def build(dialect: Any) -> Any:
        stored, moment = _COUNTERS.c, bindparam("moment", type_=UtcDateTime())
        until = bindparam("until", type_=UtcDateTime())
        rows = [{"key": bindparam(f"key{n}"), "hits": 1, "expires_at": until} for n in range(count)]
        is_over = stored.expires_at <= moment
        return (
            dialect.insert(_COUNTERS)
            .values(rows)
            .on_conflict_do_update(
                index_elements=["key"],
                set_={
                    "hits": case((is_over, 1), else_=stored.hits + 1),
                    "expires_at": case((is_over, until), else_=stored.expires_at),
                },
            )
            .returning(stored.key, stored.hits, stored.expires_at)
        )

    return for_each_dialect(build)


class ExpiredCounters:
    """The job that deletes counters whose window is over."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("rate_limit.delete_expired", every=WINDOW)
    async def delete_expired(self, _run: JobRun) -> None:
        """Delete them a window late, so that replicas whose clocks differ agree on what is counted."""
        async with self._database.transaction() as session:
            await session.execute(delete(_COUNTERS).where(_COUNTERS.c.expires_at < now() - WINDOW))


async def hit(database: Database, limit: RateLimit, subject: str, client: str) -> None:
    """Count a try of this client for this subject, in a transaction of its own.

    Raises:
        TooManyRequests: it is one too many; `retry_after` has the seconds to wait.
    """
    async with database.transaction() as session:
        wait = await _count(session, limit, subject, client)
    _require_no_wait(wait)


async def hit_in(session: AsyncSession, limit: RateLimit, subject: str, client: str) -> None:
    """Count a try in the caller's transaction: it does not count when that is rolled back.

    Raises:
        TooManyRequests: it is one too many; `retry_after` has the seconds to wait.
    """
    _require_no_wait(await _count(session, limit, subject, client))


async def refund(database: Database, limit: RateLimit, subject: str, client: str) -> None:
    """Take the try back because it was right, and all earlier ones of this client for this subject."""
    pair, *others = _keys(limit, subject, client)
    async with database.transaction() as session:
        await session.execute(delete(_COUNTERS).where(_COUNTERS.c.key == pair))
        await _uncount(session, others)


async def refund_in(session: AsyncSession, limit: RateLimit, subject: str, client: str) -> None:
    """Uncount, in the caller's transaction, a try of this client for this subject.

    Nothing happens where none was counted in this window, so that one try is uncounted once.
    """
    pair, *others = _keys(limit, subject, client)
    counted = delete(_COUNTERS).where(_COUNTERS.c.key == pair, _COUNTERS.c.expires_at > now())
    if (await session.execute(counted.returning(_COUNTERS.c.key))).first() is None:
        return
    await _uncount(session, others)


async def _uncount(session: AsyncSession, keys: list[str]) -> None:
    """Take one try off each counter, in the order in which `_count` locks them."""
    stored = _COUNTERS.c
    for key in sorted(keys):
        less = update(_COUNTERS).where(stored.key == key, stored.hits > 0)
        await session.execute(less.values(hits=stored.hits - 1))


async def _count(session: AsyncSession, limit: RateLimit, subject: str, client: str) -> timedelta:
    """Count the try. Returns how long to wait before the next one; nothing when this one may be made."""
    moment = now()
    most = _keys(limit, subject, client)
    # in one order, so that no two transactions wait for each other
    asked = {f"key{n}": key for n, key in enumerate(sorted(most))}
    statement = _upsert(len(most))[session.get_bind().dialect.name]
    asked_at = {"moment": moment, "until": moment + WINDOW}
    counted = (await session.execute(statement, {**asked, **asked_at})).all()
    return max((until for key, hits, until in counted if hits > most[key]), default=moment) - moment


def _require_no_wait(wait: timedelta) -> None:
    if wait > timedelta(0):
        raise TooManyRequests(TOO_MANY, retry_after=ceil(wait.total_seconds()))


def _keys(limit: RateLimit, subject: str, client: str) -> dict[str, int]:
    """The keys of the counters, the pair's first, with what each may count."""
    counted = {(subject, client): limit.per_pair, ("", client): limit.per_client}
    if limit.per_subject:
        counted[subject, ""] = limit.per_subject
    return {_hash(limit.kind, *whose): most for whose, most in counted.items()}


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
