"""Which parcels the carrier is asked about, and when; and what a sighting changes in a parcel.

Whoever moves `tracked_at` on is the one who asks: of several replicas one asks, none twice. No transaction is open
while the carrier answers, and a question that dies with its process is asked again after the next gap.
"""

import logging
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import defer

from backend.clock import now
from backend.database import Database
from backend.shipping.models import Fulfillment
from backend.shipping.stages import Sighting, Stage

log = logging.getLogger(__name__)

GAPS = tuple(timedelta(minutes=minutes) for minutes in (20, 30, 60, 120, 240, 360))
"""From one question to the next while a parcel has no news: a parcel is on its way for days. News start them anew."""
BATCH = 50
"""At most so many parcels go into one question; as many as the carrier cancels at once."""
ASKED_LATELY = timedelta(minutes=2)
"""Nobody, neither an open page nor a hook, has the carrier asked about a parcel more often than this."""
GIVEN_UP_AFTER = timedelta(days=60)
"""A parcel that was not delivered until then never is, or the carrier has forgotten it: a person must look."""

TRACKING = "tracking"
"""The carrier's own words in a parcel's `data`: `words`, `expected_at`, `received_by`."""

_OPEN = (Fulfillment.state == "created") & Fulfillment.next_track_at.is_not(None)


def follow_from_now(parcel: Fulfillment) -> None:
    """Its guide was just made: the carrier is asked about it from now on, if it knows it by any number."""
    has_number = parcel.carrier_order_id is not None or parcel.tracking_number is not None
    parcel.stage, parcel.tracks, parcel.tracked_at = None, 0, None
    parcel.next_track_at = now() + GAPS[0] if has_number else None


async def claim_due(database: Database) -> list[Fulfillment]:
    """Take parcels that are due, those that are due the longest first; none when a rival took them."""
    return await _claim(database, Fulfillment.next_track_at <= now())


async def claim_unasked(database: Database, since: datetime) -> list[Fulfillment]:
    """Take parcels that are open and were not asked about since then, due or not."""
    return await _claim(database, _not_asked_since(since))


async def claim_of_order(database: Database, order_id: str) -> list[Fulfillment]:
    """Take the order's parcels, but not those that were asked about a moment ago."""
    lately = now() - ASKED_LATELY
    return await _claim(database, (Fulfillment.order_id == order_id) & _not_asked_since(lately))


async def make_due(database: Database, carrier_order_id: int | None, tracking_number: str | None) -> bool:
    """Somebody says that there are news of this parcel: have the carrier asked soon. Whether it is ours and open."""
    known_by: list[ColumnElement[bool]] = []
    if carrier_order_id is not None:
        known_by.append(Fulfillment.carrier_order_id == carrier_order_id)
    if tracking_number:
        known_by.append(Fulfillment.tracking_number == tracking_number)
    if not known_by:
        return False
    async with database.transaction() as session:
        found = await session.execute(
            select(Fulfillment).where(or_(*known_by), _OPEN).order_by(Fulfillment.id).with_for_update()
        )
        parcels = found.scalars().all()
        for parcel in parcels:
            soon = max(now(), parcel.tracked_at + ASKED_LATELY) if parcel.tracked_at else now()
            parcel.next_track_at = min(parcel.next_track_at or soon, soon)
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
    if sighting.stage is Stage.CANCELED:
        log.warning("the guide of parcel %s was cancelled at the carrier; someone must look", parcel.id)
    parcel.tracks = 0
    parcel.next_track_at = None if sighting.stage.is_final else moment + GAPS[0]
    return True


async def _claim(database: Database, which: ColumnElement[bool]) -> list[Fulfillment]:
    wanted = (
        select(Fulfillment)
        .options(defer(Fulfillment.label_pdf))  # nobody reads fifty labels to ask about fifty parcels
        .where(_OPEN, which)
        .order_by(Fulfillment.next_track_at, Fulfillment.id)
        .limit(BATCH)
    )
    async with database.read() as session:
        if (await session.execute(wanted.limit(1))).first() is None:
            return []  # the usual case takes no lock
    async with database.transaction() as session:
        found = await session.execute(wanted.with_for_update(skip_locked=True))
        parcels = list(found.scalars())
        for parcel in parcels:
            _asked(parcel, now())
    return parcels


def _asked(parcel: Fulfillment, moment: datetime) -> None:
    parcel.tracked_at = moment
    parcel.next_track_at = moment + GAPS[min(parcel.tracks, len(GAPS) - 1)]
    parcel.tracks += 1
    if parcel.created_at < moment - GIVEN_UP_AFTER:
        log.warning("parcel %s is not asked about any more: it never arrived; someone must look", parcel.id)
        parcel.next_track_at = None


def _not_asked_since(moment: datetime) -> ColumnElement[bool]:
    return or_(Fulfillment.tracked_at.is_(None), Fulfillment.tracked_at < moment)
