"""How often somebody may try: counted in the database, so that replicas and restarts agree.

A try counts before it is looked at: tries at the same moment do not slip through together.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy import bindparam, case, delete, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.clock import now
from backend.customers.models import Attempts
from backend.database import Database, UtcDateTime
from backend.errors import TooManyRequests
from backend.tables import for_each_dialect, table_of

WINDOW = timedelta(minutes=15)
TOO_MANY = "Too many tries: wait some minutes"


@dataclass(frozen=True, slots=True)
class Limit:
    """How many tries pass in a quarter of an hour."""

    kind: str
    per_pair: int
    """Of one client for one subject: an e-mail address, a cart."""
    per_client: int
    """Of one client for any subject."""
    per_subject: int
    """Of anybody for one subject."""


LOGIN = Limit("login", 5, 20, 50)
REGISTRATION = Limit("registration", 5, 20, 20)
RESET = Limit("reset", 3, 10, 5)

_ATTEMPTS = table_of(Attempts)
_FORGET = delete(_ATTEMPTS).where(_ATTEMPTS.c.until < bindparam("past"))


def _count_statement(dialect: Any) -> Any:
    """Counts a try of each key, and gives all of them back. Built once: building takes longer than running."""
    tries = dialect.insert(_ATTEMPTS)
    kept = _ATTEMPTS.c
    is_past = kept.until <= bindparam("moment", type_=UtcDateTime())
    return tries.on_conflict_do_update(
        index_elements=["key"],
        set_={
            "count": case((is_past, 1), else_=kept.count + 1),
            "until": case((is_past, tries.excluded.until), else_=kept.until),
        },
    ).returning(kept.key, kept.count, kept.until)


_COUNT = for_each_dialect(_count_statement)


async def count_try(database: Database, limit: Limit, subject: str, client: str) -> None:
    """Count one more try of this client for this subject.

    Raises:
        TooManyRequests: there were too many; the caller must wait.
    """
    async with database.transaction() as session:
        free_again, moment = await _count(session, limit, subject, client)
    _require_free(free_again, moment)


async def count_try_in(session: AsyncSession, limit: Limit, subject: str, client: str) -> None:
    """`count_try` in the caller's transaction: what is rolled back was no try.

    Raises:
        TooManyRequests: there were too many; the caller must wait.
    """
    _require_free(*await _count(session, limit, subject, client))


async def _count(session: AsyncSession, limit: Limit, subject: str, client: str) -> tuple[datetime, datetime]:
    """Count it. Gives when it may be tried again, and the moment: no later than that when it may be now."""
    moment = now()
    most = _keys(limit, subject, client)
    await session.execute(_FORGET, {"past": moment - WINDOW})
    # in one order: no two wait for each other
    tries = [{"key": key, "count": 1, "until": moment + WINDOW, "moment": moment} for key in sorted(most)]
    counts = (await session.execute(_COUNT[session.get_bind().dialect.name], tries)).all()
    return max((until for key, count, until in counts if count > most[key]), default=moment), moment


def _require_free(free_again: datetime, moment: datetime) -> None:
    if free_again > moment:
        raise TooManyRequests(TOO_MANY, retry_after=ceil((free_again - moment).total_seconds()))


async def forgive(database: Database, limit: Limit, subject: str, client: str) -> None:
    """The try was right: it does not count, and this client's slips for this subject are forgiven."""
    pair, *others = _keys(limit, subject, client)
    async with database.transaction() as session:
        await session.execute(delete(Attempts).where(Attempts.key == pair))
        for key in sorted(others):
            await session.execute(
                update(Attempts)
                .where(Attempts.key == key, Attempts.count > 0)
                .values(count=Attempts.count - 1)
            )


def _keys(limit: Limit, subject: str, client: str) -> dict[str, int]:
    """The three counts by their keys, the pair's first."""
    wanted = {
        (subject, client): limit.per_pair,
        ("", client): limit.per_client,
        (subject, ""): limit.per_subject,
    }
    return {_key(limit.kind, *who): most for who, most in wanted.items()}


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
