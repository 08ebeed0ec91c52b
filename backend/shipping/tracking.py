"""Which labels the carrier is asked about, and when; and what its answer changes in a fulfillment.

A label that is tracked has a job `shipping.track`. Whoever moves `tracked_at` on is the one who asks: of several
replicas one asks, none twice. No transaction is open while the carrier answers.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from backend.clock import now
from backend.database import Database, database_now, db_now
from backend.jobs import cancel, enqueue
from backend.jobs.models import Job
from backend.shipping.models import Fulfillment
from backend.shipping.stages import Sighting, Stage

log = logging.getLogger(__name__)

TRACK = "shipping.track"
"""The job that asks about a label; its key is the fulfillment's id."""
GAPS = tuple(timedelta(minutes=minutes) for minutes in (20, 30, 60, 120, 240, 360))
"""From one question to the next while there are no news: a parcel is on its way for days. News start them anew."""
BATCH = 50
"""At most so many labels go into one question; as many as the carrier cancels at once."""
ASKED_LATELY = timedelta(minutes=2)
"""Nobody, neither an open page nor a hook, has the carrier asked about a label more often than this."""
GIVEN_UP_AFTER = timedelta(days=60)
"""A parcel that was not delivered until then never is, or the carrier has forgotten it: a person must look."""

TRACKING = "tracking"
"""The carrier's own words in a fulfillment's `data`: `words`, `expected_at`, `received_by`."""

_TRACKED = (
    (Fulfillment.state == "created")
    & Fulfillment.delivered_at.is_(None)
    & select(Job.id).where(Job.kind == TRACK, Job.key == Fulfillment.id).exists()
)
_NOT_ASKED_LATELY = or_(Fulfillment.tracked_at.is_(None), Fulfillment.tracked_at <= db_now(-ASKED_LATELY))


async def track_from_now(session: AsyncSession, parcel: Fulfillment) -> None:
    """Its label was just made: the carrier is asked about it from now on, if it knows it by any number."""
    parcel.stage, parcel.tracked_at = None, None
    if parcel.carrier_order_id is not None or parcel.tracking_number is not None:
        await enqueue(session, TRACK, key=parcel.id, after=GAPS[0])


async def track_no_longer(session: AsyncSession, parcel: Fulfillment) -> None:
    """It was cancelled or has arrived: there is nothing to ask about."""
    await cancel(session, TRACK, parcel.id)


def next_gap(attempt: int) -> timedelta:
    """The pause after the n-th question without news."""
    return GAPS[min(attempt, len(GAPS)) - 1]


async def claim_due(database: Database, ids: Iterable[str]) -> list[Fulfillment]:
    """Take those of these fulfillments that can still be tracked and were not asked about a moment ago."""
    return await _claim(database, Fulfillment.id.in_(list(ids)) & _NOT_ASKED_LATELY)


async def claim_unasked(database: Database, since: datetime) -> list[Fulfillment]:
    """Take fulfillments that are tracked and were not asked about since then, due or not."""
    return await _claim(database, or_(Fulfillment.tracked_at.is_(None), Fulfillment.tracked_at < since))


async def claim_of_order(database: Database, order_id: str) -> list[Fulfillment]:
    """Take the order's fulfillments, but not those that were asked about a moment ago."""
    return await _claim(database, (Fulfillment.order_id == order_id) & _NOT_ASKED_LATELY)


async def ask_soon(database: Database, carrier_order_id: int | None, tracking_number: str | None) -> bool:
    """Somebody says that there are news of this label: have the carrier asked soon. Whether it is ours and tracked."""
    known_by: list[ColumnElement[bool]] = []
    if carrier_order_id is not None:
        known_by.append(Fulfillment.carrier_order_id == carrier_order_id)
    if tracking_number:
        known_by.append(Fulfillment.tracking_number == tracking_number)
    if not known_by:
        return False
    async with database.transaction() as session:
        found = await session.execute(
            select(Fulfillment).where(or_(*known_by), _TRACKED).order_by(Fulfillment.id).with_for_update()
        )
        parcels: Sequence[Fulfillment] = found.scalars().all()
        moment = await database_now(session)
        for parcel in parcels:
            asked = parcel.tracked_at
            wait = max(timedelta(), asked + ASKED_LATELY - moment) if asked else None
            await enqueue(session, TRACK, key=parcel.id, after=wait)
    return bool(parcels)


def see(parcel: Fulfillment, sighting: Sighting) -> bool:
    """Let the (locked) parcel follow what the carrier saw. Whether that was news.

    What has happened is never undone: a parcel that left has left, one that arrived has arrived. A parcel whose guide
    we cancelled is none of ours any more; late words about it change nothing (wire: carrier 2.4).
    """
    is_behind = parcel.shipped_at is not None and sighting.stage is Stage.AWAITING_PICKUP
    if parcel.state != "created" or parcel.delivered_at is not None or is_behind:
        return False
    told = {
        "words": sighting.words,
        "expected_at": sighting.expected_at.isoformat() if sighting.expected_at else None,
        "received_by": sighting.received_by,
    }
    if parcel.stage == sighting.stage and parcel.data.get(TRACKING) == told:
        return False
    moment = now()
    parcel.stage, parcel.data = sighting.stage, {**parcel.data, TRACKING: told}
    if parcel.shipped_at is None and (sighting.stage.has_left or sighting.picked_up_at is not None):
        parcel.shipped_at = min(sighting.picked_up_at or sighting.delivered_at or moment, moment)
    if sighting.stage is Stage.DELIVERED:
        parcel.delivered_at = min(sighting.delivered_at or moment, moment)
    return True


async def _claim(database: Database, which: ColumnElement[bool]) -> list[Fulfillment]:
    wanted = (
        select(Fulfillment)
        .options(defer(Fulfillment.label_pdf))  # nobody reads fifty labels to ask about fifty parcels
        .where(_TRACKED, which)
        .order_by(Fulfillment.id)
        .limit(BATCH)
    )
    async with database.read() as session:
        if (await session.execute(wanted.limit(1))).first() is None:
            return []  # the usual case takes no lock
    async with database.transaction() as session:
        found = await session.execute(wanted.with_for_update(skip_locked=True))
        parcels = list(found.scalars())
        moment = await database_now(session)
        for parcel in parcels:
            parcel.tracked_at = moment
    return parcels
