"""Selection of fulfillments for tracking requests, and the changes that a response makes to a fulfillment.

A tracked fulfillment has a job `shipping.track`. `tracked_at` is the time of the latest request. A process first
updates `tracked_at` and then sends the request, so that two processes do not send the same request. No transaction
is open during the request.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention
from backend.core.clock import now
from backend.core.db.database import Database, database_now, db_now
from backend.jobs import cancel_job, enqueue
from backend.jobs.models import Job
from backend.orders.fulfillments import FULFILLMENTS
from backend.orders.models import Fulfillment
from backend.orders.states import TRACKING, LabelState
from backend.shipping.providers.base import TrackingStage, TrackingUpdate

TRACK = "shipping.track"
"""Job that tracks a fulfillment; its key is the fulfillment's id."""
REQUEST_INTERVALS = tuple(timedelta(minutes=minutes) for minutes in (20, 30, 60, 120, 240, 360))
"""Times between two requests without an update. After an update they restart with the first."""
BATCH_SIZE = 50
"""Maximum number of labels in one request; also the number that the carrier cancels in one request."""
MIN_REQUEST_INTERVAL = timedelta(minutes=2)
"""Minimum time between two requests about a label that an open page or a hook triggers."""
TRACKING_PERIOD = timedelta(days=60)
"""Time without a delivery after which tracking stops and staff must decide."""

_TRACKED = (
    (Fulfillment.state == LabelState.CREATED)
    & Fulfillment.delivered_at.is_(None)
    & select(Job.id).where(Job.kind == TRACK, Job.key == Fulfillment.id).exists()
)
_NOT_TRACKED_RECENTLY = or_(
    Fulfillment.tracked_at.is_(None), Fulfillment.tracked_at <= db_now(-MIN_REQUEST_INTERVAL)
)


async def start_tracking(session: AsyncSession, fulfillment: Fulfillment) -> None:
    """Start tracking the fulfillment, if its label has a number."""
    fulfillment.stage, fulfillment.tracked_at = None, None
    if fulfillment.carrier_order_id is not None or fulfillment.tracking_number is not None:
        await enqueue(session, TRACK, key=fulfillment.id, after=REQUEST_INTERVALS[0])


async def stop_tracking(session: AsyncSession, fulfillment: Fulfillment) -> None:
    """Stop tracking a fulfillment that was cancelled or has reached its final stage, and close its incident."""
    await cancel_job(session, TRACK, fulfillment.id)
    await close_incident(session, fulfillment, note="The parcel is no longer tracked")


async def close_incident(session: AsyncSession, fulfillment: Fulfillment, *, note: str) -> None:
    """Close the attention row about an incident of the (locked) fulfillment's label."""
    await close_attention(session, AttentionKind.LABEL_INCIDENT, fulfillment.id, note=note)


def get_next_interval(attempt: int) -> timedelta:
    """Return the time until the next tracking request, after `attempt` requests without an update."""
    return REQUEST_INTERVALS[min(attempt, len(REQUEST_INTERVALS)) - 1]


async def claim_due(database: Database, ids: Iterable[str]) -> list[Fulfillment]:
    """Claim and return the fulfillments among these ids that are tracked and had no request a moment ago."""
    return await _claim(database, Fulfillment.id.in_(list(ids)) & _NOT_TRACKED_RECENTLY)


async def claim_untracked(database: Database, since: datetime) -> list[Fulfillment]:
    """Claim the tracked fulfillments whose latest request was before `since`, even if their next request is not due."""
    return await _claim(database, or_(Fulfillment.tracked_at.is_(None), Fulfillment.tracked_at < since))


async def claim_order_fulfillments(database: Database, order_id: str) -> list[Fulfillment]:
    """Claim the order's tracked fulfillments that had no request a moment ago."""
    return await _claim(database, (Fulfillment.order_id == order_id) & _NOT_TRACKED_RECENTLY)


async def schedule_tracking(
    database: Database, carrier_order_id: int | None, tracking_number: str | None
) -> bool:
    """Schedule a tracking request for the label with one of these numbers. Return False if no tracked label has it."""
    conditions: list[ColumnElement[bool]] = []
    if carrier_order_id is not None:
        conditions.append(Fulfillment.carrier_order_id == carrier_order_id)
    if tracking_number:
        conditions.append(Fulfillment.tracking_number == tracking_number)
    if not conditions:
        return False
    async with database.transaction() as session:
        found = await session.execute(
            select(Fulfillment).where(or_(*conditions), _TRACKED).order_by(Fulfillment.id).with_for_update()
        )
        fulfillments = found.scalars().all()
        moment = await database_now(session)
        for fulfillment in fulfillments:
            last_request = fulfillment.tracked_at
            wait = max(timedelta(), last_request + MIN_REQUEST_INTERVAL - moment) if last_request else None
            await enqueue(session, TRACK, key=fulfillment.id, after=wait)
    return bool(fulfillments)


def apply_update(fulfillment: Fulfillment, update: TrackingUpdate) -> bool:
    """Change the (locked) fulfillment according to the carrier's update. Return True if something changed.

    Shipping and delivery are never reversed. A late update about a label that the shop cancelled changes nothing
    (wire: carrier 2.4).
    """
    is_behind = fulfillment.shipped_at is not None and update.stage is TrackingStage.AWAITING_PICKUP
    if fulfillment.state != LabelState.CREATED or fulfillment.delivered_at is not None or is_behind:
        return False
    carrier_data = {
        "words": update.words,
        "expected_at": update.expected_at.isoformat() if update.expected_at else None,
        "received_by": update.received_by,
    }
    if fulfillment.stage == update.stage and fulfillment.data.get(TRACKING) == carrier_data:
        return False
    moment = now()
    fulfillment.stage, fulfillment.data = update.stage, {**fulfillment.data, TRACKING: carrier_data}
    if fulfillment.shipped_at is None and (update.stage.has_left or update.picked_up_at is not None):
        fulfillment.shipped_at = min(update.picked_up_at or update.delivered_at or moment, moment)
    if update.stage is TrackingStage.DELIVERED:
        fulfillment.delivered_at = min(update.delivered_at or moment, moment)
    return True


async def _claim(database: Database, condition: ColumnElement[bool]) -> list[Fulfillment]:
    query = FULFILLMENTS.where(_TRACKED, condition).limit(BATCH_SIZE)
    async with database.read() as session:
        if (await session.execute(query.limit(1))).first() is None:
            return []  # the usual case needs no lock
    async with database.transaction() as session:
        found = await session.execute(query.with_for_update(skip_locked=True))
        fulfillments = list(found.scalars())
        moment = await database_now(session)
        for fulfillment in fulfillments:
            fulfillment.tracked_at = moment
    return fulfillments
