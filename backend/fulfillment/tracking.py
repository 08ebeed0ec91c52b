"""Which fulfillments the carrier is asked about, and when; and what its answer changes in one.

A fulfillment that is tracked has a job `shipping.track`. `tracked_at` says when the carrier was last asked: of several
replicas, the one that moves it on asks. No transaction is open while the carrier answers.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention
from backend.core.clock import now
from backend.core.db.database import Database, database_now, db_now
from backend.jobs import cancel, enqueue
from backend.jobs.models import Job
from backend.orders.fulfillments import FULFILLMENTS
from backend.orders.models import Fulfillment
from backend.orders.states import TRACKING, LabelState
from backend.shipping.providers.base import TrackingStage, TrackingUpdate

TRACK = "shipping.track"
"""The job that asks about a fulfillment; its key is the fulfillment's id."""
GAPS = tuple(timedelta(minutes=minutes) for minutes in (20, 30, 60, 120, 240, 360))
"""Times between two questions without news in between. After news they start again with the first."""
BATCH = 50
"""At most so many labels go into one question; as many as the carrier cancels at once."""
ASKED_LATELY = timedelta(minutes=2)
"""An open page or a hook does not have the carrier asked about a label more often than this."""
GIVEN_UP_AFTER = timedelta(days=60)
"""What was not delivered by then waits for a person."""

_TRACKED = (
    (Fulfillment.state == LabelState.CREATED)
    & Fulfillment.delivered_at.is_(None)
    & select(Job.id).where(Job.kind == TRACK, Job.key == Fulfillment.id).exists()
)
_NOT_ASKED_LATELY = or_(Fulfillment.tracked_at.is_(None), Fulfillment.tracked_at <= db_now(-ASKED_LATELY))


async def start_tracking(session: AsyncSession, fulfillment: Fulfillment) -> None:
    """Ask the carrier from now on, if it knows the label by any number."""
    fulfillment.stage, fulfillment.tracked_at = None, None
    if fulfillment.carrier_order_id is not None or fulfillment.tracking_number is not None:
        await enqueue(session, TRACK, key=fulfillment.id, after=GAPS[0])


async def stop_tracking(session: AsyncSession, fulfillment: Fulfillment) -> None:
    """Ask no more: it was cancelled or has arrived. Nor does an incident on its way need anybody now."""
    await cancel(session, TRACK, fulfillment.id)
    await close_incident(session, fulfillment, note="Nothing more is asked about the parcel")


async def close_incident(session: AsyncSession, fulfillment: Fulfillment, *, note: str) -> None:
    """Nobody needs to look at an incident of the (locked) fulfillment any more."""
    await close_attention(session, AttentionKind.LABEL_INCIDENT, fulfillment.id, note=note)


def next_gap(attempt: int) -> timedelta:
    """The time until the next question, after so many questions without news."""
    return GAPS[min(attempt, len(GAPS)) - 1]


async def claim_due(database: Database, ids: Iterable[str]) -> list[Fulfillment]:
    """Take those of these fulfillments that are tracked and were not asked about a moment ago."""
    return await _claim(database, Fulfillment.id.in_(list(ids)) & _NOT_ASKED_LATELY)


async def claim_unasked(database: Database, since: datetime) -> list[Fulfillment]:
    """Take fulfillments that are tracked and were not asked about since then, due or not."""
    return await _claim(database, or_(Fulfillment.tracked_at.is_(None), Fulfillment.tracked_at < since))


async def claim_of_order(database: Database, order_id: str) -> list[Fulfillment]:
    """Take the order's tracked fulfillments, but not those that were asked about a moment ago."""
    return await _claim(database, (Fulfillment.order_id == order_id) & _NOT_ASKED_LATELY)


async def ask_soon(database: Database, carrier_order_id: int | None, tracking_number: str | None) -> bool:
    """Have the carrier asked soon about the label with one of these numbers. False: none that is tracked has it."""
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
        fulfillments = found.scalars().all()
        moment = await database_now(session)
        for fulfillment in fulfillments:
            asked = fulfillment.tracked_at
            wait = max(timedelta(), asked + ASKED_LATELY - moment) if asked else None
            await enqueue(session, TRACK, key=fulfillment.id, after=wait)
    return bool(fulfillments)


def apply_update(fulfillment: Fulfillment, update: TrackingUpdate) -> bool:
    """Change the (locked) fulfillment as the carrier says. Returns whether that was news.

    What has happened is not undone: what left has left, what arrived has arrived. Late words about a label that we
    cancelled change nothing (wire: carrier 2.4).
    """
    is_behind = fulfillment.shipped_at is not None and update.stage is TrackingStage.AWAITING_PICKUP
    if fulfillment.state != LabelState.CREATED or fulfillment.delivered_at is not None or is_behind:
        return False
    said = {
        "words": update.words,
        "expected_at": update.expected_at.isoformat() if update.expected_at else None,
        "received_by": update.received_by,
    }
    if fulfillment.stage == update.stage and fulfillment.data.get(TRACKING) == said:
        return False
    moment = now()
    fulfillment.stage, fulfillment.data = update.stage, {**fulfillment.data, TRACKING: said}
    if fulfillment.shipped_at is None and (update.stage.has_left or update.picked_up_at is not None):
        fulfillment.shipped_at = min(update.picked_up_at or update.delivered_at or moment, moment)
    if update.stage is TrackingStage.DELIVERED:
        fulfillment.delivered_at = min(update.delivered_at or moment, moment)
    return True


async def _claim(database: Database, which: ColumnElement[bool]) -> list[Fulfillment]:
    wanted = FULFILLMENTS.where(_TRACKED, which).limit(BATCH)
    async with database.read() as session:
        if (await session.execute(wanted.limit(1))).first() is None:
            return []  # the usual case takes no lock
    async with database.transaction() as session:
        found = await session.execute(wanted.with_for_update(skip_locked=True))
        fulfillments = list(found.scalars())
        moment = await database_now(session)
        for fulfillment in fulfillments:
            fulfillment.tracked_at = moment
    return fulfillments
