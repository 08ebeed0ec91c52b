"""Rate limits: how often something may be tried, counted in the database for all replicas.

`hit` counts a try before it is made, so that tries at the same moment do not pass together; `refund` takes it back when
the try was right. A try that is refused counts nowhere: whoever goes on hammering does not lock others out.
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
TOO_MANY = "Too many tries: wait some minutes"
PEOPLE = 1000
"""What `RateLimit.per_client` is stated for."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How many tries of a kind pass in a quarter of an hour. A subject is an e-mail address or a cart.

    Attributes:
        kind: what is tried; limits of different kinds are counted apart.
        per_pair: of one client, or of one known device, for one subject.
        per_client: of one client for all subjects, where `PEOPLE` share its address.
        per_subject: of all clients for one subject; 0 where strangers must not use a subject's tries up.
        per_day: like `per_subject`, and for each known device, but in 24 hours; 0 for no such bound.
    """

    kind: str
    per_pair: int
    per_client: int
    per_subject: int
    per_day: int = 0


@dataclass(frozen=True, slots=True)
class Client:
    """Who tries.

    Attributes:
        address: what the client is counted by.
        people: how many may share the address.
        device: the id of a device that its subject knows: only its own tries count for it, whatever strangers do.
    """

    address: str
    people: int = PEOPLE
    device: str = ""

    @classmethod
    def at(cls, ip: str, settings: Settings) -> Self:
        """The client at this IP address."""
        return cls(network_of(ip), settings.people_per_address)


def network_of(ip: str) -> str:
    """What a client is counted by: the address; of IPv6 the /64, as one subscriber has all of it.

    Anything that is no address is returned as it is.
    """
    try:
        address = ip_address(ip)
    except ValueError:
        return ip
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((int(address) >> 64 << 64, 64)))


class SubjectExhausted(TooManyRequests):
    """All clients together have tried too often for this subject; this client itself has not."""


_COUNTERS = table_of(RateLimitCounter)


@cache
def _count(tries: int) -> Any:
    """Return the statement that counts a try of this number of keys and returns their counters."""
    # not `values()` of several rows: SQLAlchemy would compile the statement anew each time
    rows = [
        select(bindparam(f"key{n}", type_=String()), literal(1), bindparam(f"until{n}", type_=UtcDateTime()))
        for n in range(tries)
    ]
    rows[-1] = rows[-1].where(true())  # else SQLite takes "ON CONFLICT" for a join's condition
    stored = _COUNTERS.c
    new = insert_into(_COUNTERS).from_select(["key", "hits", "expires_at"], union_all(*rows))
    return add_to_counters(new).returning(stored.key, stored.hits, stored.expires_at)


def _uncounting(*, is_certain: bool) -> Any:
    """The statement that ends the counter `own`, and takes one try off the others of `keys`.

    Without `is_certain`, only where `own` counts at this moment. What ended counts as what expired. The counters are
    locked first, in the order in which `hit_in` locks them.
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


_UNCOUNT, _UNCOUNT_COUNTED = _uncounting(is_certain=True), _uncounting(is_certain=False)


async def hit(database: Database, limit: RateLimit, subject: str, client: Client) -> None:
    """Count a try of this client for this subject, in a transaction of its own.

    Raises:
        TooManyRequests: see `hit_in`.
    """
    async with database.transaction() as session:
        await hit_in(session, limit, subject, client)


async def hit_in(
    session: AsyncSession, limit: RateLimit, subject: str, client: Client, *, locks: Sequence[str] = ()
) -> None:
    """Count a try in the caller's transaction: it does not count when that is rolled back.

    Tries of one client take turns until the transaction ends. `locks` are more keys with which they do; they have no
    limit.

    Raises:
        TooManyRequests: it is one too many, and the transaction has to be rolled back, so that it counts nowhere;
            `retry_after` has the seconds to wait. `SubjectExhausted` when only other clients' tries are too many.
    """
    moment = now()
    unlimited = [_Counter(_hash(limit.kind, "lock", key), sys.maxsize, timedelta()) for key in locks]
    counters = {counter.key: counter for counter in [*_counters(limit, subject, client), *unlimited]}
    # in one order, so that no two transactions wait for each other
    asked: dict[str, Any] = {"moment": moment}
    for n, key in enumerate(sorted(counters)):
        asked |= {f"key{n}": key, f"until{n}": moment + counters[key].window}
    statement = _count(len(counters))
    counted = (await session.execute(statement, asked)).all()
    over = [(counters[key], until) for key, hits, until in counted if hits > counters[key].most]
    if not over:
        return
    wait = max(until for _counter, until in over) - moment
    refusal = SubjectExhausted if all(counter.is_shared for counter, _until in over) else TooManyRequests
    raise refusal(TOO_MANY, retry_after=max(ceil(wait.total_seconds()), 1))


async def take_turns(session: AsyncSession, key: str) -> None:
    """Wait until no other transaction has taken this turn; it ends with the caller's transaction."""
    asked = {"key0": _hash("turn", key), "until0": now(), "moment": now()}
    await session.execute(_count(1), asked)


async def refund(database: Database, limit: RateLimit, subject: str, client: Client) -> None:
    """Take the try back because it was right, and all earlier ones of this client for this subject."""
    async with database.transaction() as session:
        await session.execute(_UNCOUNT, _asked(limit, subject, client))


async def refund_in(session: AsyncSession, limit: RateLimit, subject: str, client: Client) -> None:
    """Uncount, in the caller's transaction, a try of this client for this subject.

    Nothing happens where none was counted in this window, so that one try is uncounted once.
    """
    await session.execute(_UNCOUNT_COUNTED, _asked(limit, subject, client))


def _asked(limit: RateLimit, subject: str, client: Client) -> dict[str, Any]:
    keys = [counter.key for counter in _counters(limit, subject, client)]
    return {"own": keys[0], "keys": keys, "moment": now()}


@dataclass(frozen=True, slots=True)
class _Counter:
    """What one try counts for. `is_shared`: it counts the tries of all clients together."""

    key: str
    most: int
    window: timedelta = WINDOW
    is_shared: bool = False


def _counters(limit: RateLimit, subject: str, client: Client) -> list[_Counter]:
    """What a try counts for, first what is this client's alone for this subject."""
    kind = limit.kind
    if client.device:
        counters = [_Counter(_hash(kind, "device", subject, client.device), limit.per_pair)]
        if limit.per_day:
            key = _hash(kind, "device, day", subject, client.device)
            counters.append(_Counter(key, limit.per_day, DAY))
        return counters
    of_client = max(limit.per_pair, ceil(limit.per_client * client.people / PEOPLE))
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
