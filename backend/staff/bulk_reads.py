"""Bulk reads of customers or orders: counted per credential; large numbers are recorded in the audit log."""

import hashlib
from datetime import timedelta

from sqlalchemy import bindparam

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database, database_now
from backend.core.db.tables import insert_into, table_of
from backend.rate_limit.models import RateLimitCounter, add_to_counters
from backend.staff.rights import Actor

MAX_UNRECORDED_READS = 500
"""Customers or orders that a credential may read within `READS_WINDOW` without an audit entry."""
READS_WINDOW = timedelta(hours=1)
_COUNTERS = table_of(RateLimitCounter)


_ADD = add_to_counters(
    insert_into(_COUNTERS).values(
        key=bindparam("counter"), hits=bindparam("added"), expires_at=bindparam("until")
    )
).returning(_COUNTERS.c.hits)


async def count_reads(database: Database, actor: Actor, things: SubjectType, count: int) -> None:
    """Count how many customers or orders a session or key has read within `READS_WINDOW`, and audit bulk reads.

    An audit entry is added when the count passes `MAX_UNRECORDED_READS`. The database sums up concurrent requests, so
    that exactly one of them adds the entry. `count` is the number that the response returns.
    """
    if not count:
        return
    counter = hashlib.sha256(f"bulk reads {things} {actor.credential or actor.id}".encode()).hexdigest()
    async with database.transaction() as session:
        moment = await database_now(session)
        asked = {"counter": counter, "added": count, "until": moment + READS_WINDOW, "moment": moment}
        hits = (await session.execute(_ADD, asked)).scalar_one()
        if hits - count <= MAX_UNRECORDED_READS < hits:
            changes = {str(things): (None, f"> {MAX_UNRECORDED_READS}")}
            await record(session, actor, "read in bulk", Subject(SubjectType.STAFF, actor.id), changes)
