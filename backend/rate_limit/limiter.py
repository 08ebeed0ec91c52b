"""Rate limits: how often something may be tried, counted in the database for all replicas together.

`hit` counts a try before it is made, so that simultaneous tries cannot all pass. `refund` subtracts it again when
the try was legitimate. A refused try is not counted, so a client that keeps trying does not lock others out.
"""

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil
from typing import Any, Self

from sqlalchemy import String, bindparam, case, exists, literal, select, true, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database, UtcDateTime
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import TooManyRequests
from backend.rate_limit.models import RateLimitCounter, add_to_counters

WINDOW, DAY = timedelta(minutes=15), timedelta(days=1)
TOO_MANY_TRIES = "Too many tries: wait some minutes"
DEFAULT_PEOPLE_PER_ADDRESS = 1000
"""Number of people behind one address for which `RateLimit.per_client` is stated."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Maximum number of tries of one kind per 15 minutes. The subject of a try is an e-mail address or a cart.

    Attributes:
        kind: the action that is limited; different kinds are counted separately.
        per_pair: tries of one client, or of one known device, for one subject.
        per_client: tries of one client for all subjects, if `DEFAULT_PEOPLE_PER_ADDRESS` people share its address.
            If more people share it, the limit is higher in proportion.
        per_subject: tries of all clients for one subject; 0 for no limit, where strangers must not be able to use
            up a subject's tries.
        per_day: tries of all clients for one subject, and of each known device, in 24 hours; 0 means no limit.
    """

    kind: str
    per_pair: int
    per_client: int
    per_subject: int
    per_day: int = 0


@dataclass(frozen=True, slots=True)
class Client:
    """The client that makes a try.

    Attributes:
        address: the network address by which the client is counted.
        max_people: how many people may share the address.
        device: the id of a device that this subject has used before, or empty. Tries of such a device are counted
            separately, so that tries of strangers do not block it.
    """

    address: str
    max_people: int = DEFAULT_PEOPLE_PER_ADDRESS
    device: str = ""

    @classmethod
    def from_ip(cls, ip: str, settings: Settings) -> Self:
        """Return the client with this IP address."""
        return cls(network_of(ip), settings.people_per_address)


def network_of(ip: str) -> str:
    """Return the network by which a client is counted: an IPv4 address itself, or the /64 network of an IPv6 address.

    A subscriber controls a whole IPv6 /64 network. A text that is not an IP address is returned unchanged.
    """
    try:
        address = ip_address(ip)
    except ValueError:
        return ip
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((int(address) >> 64 << 64, 64)))


class SubjectExhausted(TooManyRequests):
    """All clients together made too many tries for this subject. This client has not exceeded its own limits."""


_COUNTERS = table_of(RateLimitCounter)


@cache
def _count_statement(tries: int) -> Any:
    """Return the SQL statement that adds one try to each of `tries` counters, and returns these counters."""
    # not `values()` of several rows: SQLAlchemy would compile the statement again each time
    rows = [
        select(bindparam(f"key{n}", type_=String()), literal(1), bindparam(f"until{n}", type_=UtcDateTime()))
        for n in range(tries)
    ]
    rows[-1] = rows[-1].where(true())  # without WHERE, SQLite parses "ON CONFLICT" as a join condition
    stored = _COUNTERS.c
    new = insert_into(_COUNTERS).from_select(["key", "hits", "expires_at"], union_all(*rows))
    return add_to_counters(new).returning(stored.key, stored.hits, stored.expires_at)


def _refund_statement(*, is_certain: bool) -> Any:
    """Return the SQL statement that uncounts a try: it resets one of its counters and subtracts 1 from the others.

    The parameter `keys` has the keys of all counters of the try; `own` is the key of the counter to reset, which is
    also marked as expired. Without `is_certain`, nothing changes if the window of this counter has ended. The
    statement locks the counters first, in the same order as `hit_in`.
    """
    stored, moment = _COUNTERS.c, bindparam("moment", type_=UtcDateTime())
    own = bindparam("own", type_=String())
    counted = (
        select(stored.key, stored.expires_at)
        .where(stored.key.in_(bindparam("keys", expanding=True)))
        .order_by(stored.key)
        .with_for_update()
        .cte("counted")
    )
    is_own = stored.key == own
    less = (
        update(_COUNTERS)
        .where(stored.key.in_(select(counted.c.key)), stored.hits > 0)
        .values(
            hits=case((is_own, 0), else_=stored.hits - 1),
            expires_at=case((is_own, moment), else_=stored.expires_at),
        )
    )
    if is_certain:
        return less
    return less.where(exists().where(counted.c.key == own, counted.c.expires_at > moment))


_REFUND, _REFUND_IF_COUNTED = _refund_statement(is_certain=True), _refund_statement(is_certain=False)


async def hit(database: Database, limit: RateLimit, subject: str, client: Client) -> None:
    """Count a try of this client for this subject, in a separate transaction.

    Raises:
        TooManyRequests: see `hit_in`.
    """
    async with database.transaction() as session:
        await hit_in(session, limit, subject, client)


async def hit_in(
    session: AsyncSession, limit: RateLimit, subject: str, client: Client, *, locks: Sequence[str] = ()
) -> None:
    """Count a try in the caller's transaction. A rollback removes it from the count.

    Concurrent tries of one client wait for each other until the transaction ends. `locks` are additional keys that
    are locked in the same way; they have no limit.

    Raises:
        TooManyRequests: a limit is exceeded; `retry_after` is the wait in seconds. The caller must roll the
            transaction back, so that the try is not counted.
        SubjectExhausted: like `TooManyRequests`, but only limits shared with other clients are exceeded.
    """
    moment = now()
    unlimited = [_Counter(_hash(limit.kind, "lock", key), sys.maxsize, timedelta()) for key in locks]
    counters = {counter.key: counter for counter in [*_counters(limit, subject, client), *unlimited]}
    # always in the same order, so that two transactions cannot deadlock
    parameters: dict[str, Any] = {"moment": moment}
    for n, key in enumerate(sorted(counters)):
        parameters |= {f"key{n}": key, f"until{n}": moment + counters[key].window}
    statement = _count_statement(len(counters))
    counted = (await session.execute(statement, parameters)).all()
    exceeded = [(counters[key], until) for key, hits, until in counted if hits > counters[key].max_hits]
    if not exceeded:
        return
    wait = max(until for _counter, until in exceeded) - moment
    refusal = SubjectExhausted if all(counter.is_shared for counter, _until in exceeded) else TooManyRequests
    raise refusal(TOO_MANY_TRIES, retry_after=max(ceil(wait.total_seconds()), 1))


async def take_turns(session: AsyncSession, key: str) -> None:
    """Lock this key until the caller's transaction ends. Wait first if another transaction has locked it."""
    parameters = {"key0": _hash("turn", key), "until0": now(), "moment": now()}
    await session.execute(_count_statement(1), parameters)


async def refund(database: Database, limit: RateLimit, subject: str, client: Client) -> None:
    """Uncount a legitimate try: reset this client's counter for this subject, subtract 1 from the others of the try."""
    async with database.transaction() as session:
        await session.execute(_REFUND, _refund_parameters(limit, subject, client))


async def refund_in(session: AsyncSession, limit: RateLimit, subject: str, client: Client) -> None:
    """Uncount a try as `refund` does, but in the caller's transaction.

    Do nothing if this client's counter for this subject has no open window, so that no try is uncounted twice.
    """
    await session.execute(_REFUND_IF_COUNTED, _refund_parameters(limit, subject, client))


def _refund_parameters(limit: RateLimit, subject: str, client: Client) -> dict[str, Any]:
    keys = [counter.key for counter in _counters(limit, subject, client)]
    return {"own": keys[0], "keys": keys, "moment": now()}


@dataclass(frozen=True, slots=True)
class _Counter:
    """A counter that a try increments. `is_shared` is True if it counts the tries of all clients together."""

    key: str
    max_hits: int
    window: timedelta = WINDOW
    is_shared: bool = False


def _counters(limit: RateLimit, subject: str, client: Client) -> list[_Counter]:
    """Return the counters that a try increments. The first counts the tries of this client for this subject."""
    kind = limit.kind
    if client.device:
        counters = [_Counter(_hash(kind, "device", subject, client.device), limit.per_pair)]
        if limit.per_day:
            key = _hash(kind, "device, day", subject, client.device)
            counters.append(_Counter(key, limit.per_day, DAY))
        return counters
    of_client = max(limit.per_pair, ceil(limit.per_client * client.max_people / DEFAULT_PEOPLE_PER_ADDRESS))
    counters = [
        _Counter(_hash(kind, "pair", subject, client.address), limit.per_pair),
        _Counter(_hash(kind, "client", client.address), of_client),
    ]
    if limit.per_subject:
        counters.append(_Counter(_hash(kind, "subject", subject), limit.per_subject, is_shared=True))
    if limit.per_day:
        counters.append(_Counter(_hash(kind, "subject, day", subject), limit.per_day, DAY, is_shared=True))
    return counters


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
