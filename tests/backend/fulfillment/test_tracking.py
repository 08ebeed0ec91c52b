"""Selection of labels for tracking, and the changes by an update, on both databases."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.attention.models import Attention
from backend.core.clock import now
from backend.core.db.database import Database, database_now, db_now
from backend.fulfillment.tracker import Tracker
from backend.fulfillment.tracking import (
    BATCH_SIZE,
    MIN_REQUEST_INTERVAL,
    REQUEST_INTERVALS,
    TRACK,
    TRACKING_PERIOD,
    apply_update,
    claim_due,
    claim_order_fulfillments,
    claim_untracked,
    schedule_tracking,
    start_tracking,
)
from backend.jobs import Worker, enqueue
from backend.jobs.models import Job
from backend.orders.models import Fulfillment
from backend.orders.states import LabelState
from backend.shipping.providers.base import TrackingStage, TrackingUpdate
from tests.store_defaults import Defaults

MINUTE = timedelta(minutes=1)


async def add_fulfillment(
    database: Database, defaults: Defaults, number: int, *, tracked: bool = True, **values: Any
) -> str:
    """Store a fulfillment with a label, and its due tracking job. `values` overrides columns of the fulfillment."""
    fulfillment = Fulfillment(
        order_id=f"order_{number}",
        reference="1042-1",
        location_id=defaults.location_id,
        provider_id="carrier_standard",
        **{
            "state": LabelState.CREATED,
            "carrier_order_id": number,
            "tracking_number": f"TRM{number}",
            **values,
        },
    )
    async with database.transaction() as session:
        session.add(fulfillment)
        await session.flush()
        if tracked:
            await enqueue(session, TRACK, key=fulfillment.id)
    return fulfillment.id


async def read_fulfillment(database: Database, fulfillment_id: str) -> Fulfillment:
    async with database.read() as session:
        return await session.get_one(Fulfillment, fulfillment_id)


async def find_job(database: Database, fulfillment_id: str) -> Job | None:
    async with database.read() as session:
        found = await session.execute(select(Job).where(Job.kind == TRACK, Job.key == fulfillment_id))
        return found.scalar_one_or_none()


async def make_all_due(database: Database) -> None:
    """Make the tracking of every fulfillment due, and move its latest request back in time."""
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))
        await session.execute(update(Fulfillment).values(tracked_at=db_now(-MIN_REQUEST_INTERVAL - MINUTE)))


# selection and time


async def test_due_fulfillment_is_claimed_for_tracking_once(database: Database, defaults: Defaults) -> None:
    fulfillment_id = await add_fulfillment(database, defaults, 1)
    assert [fulfillment.id for fulfillment in await claim_due(database, [fulfillment_id])] == [fulfillment_id]
    assert await claim_due(database, [fulfillment_id]) == []


async def test_each_fulfillment_is_claimed_by_only_one_of_several_concurrent_claims(
    database: Database, defaults: Defaults
) -> None:
    wanted = {await add_fulfillment(database, defaults, number) for number in range(6)}
    claims = await asyncio.gather(*(claim_due(database, wanted) for _ in range(5)))
    ids = [fulfillment.id for claim in claims for fulfillment in claim]
    assert (len(ids), set(ids)) == (6, wanted)


async def test_number_of_claimed_fulfillments_is_limited_to_a_batch(
    database: Database, defaults: Defaults
) -> None:
    for number in range(BATCH_SIZE + 1):
        await add_fulfillment(database, defaults, number)
    async with database.read() as session:
        started = await database_now(session)
    assert [len(await claim_untracked(database, started)) for _ in range(3)] == [BATCH_SIZE, 1, 0]


async def test_tracking_intervals_grow_while_there_are_no_updates(
    database: Database, defaults: Defaults
) -> None:
    fulfillment_id = await add_fulfillment(database, defaults, 1)
    worker = Worker(database, [Tracker(database, {})])  # without a carrier there are no updates
    gaps = []
    for _ in range(len(REQUEST_INTERVALS) + 1):
        assert await worker.run_due() == 1
        job = await find_job(database, fulfillment_id)
        async with database.read() as session:
            moment = await database_now(session)
        assert job is not None
        gaps.append(round((job.run_at - moment) / MINUTE))
        await make_all_due(database)
    assert gaps == [gap / MINUTE for gap in (*REQUEST_INTERVALS, REQUEST_INTERVALS[-1])]
    assert list(REQUEST_INTERVALS) == sorted(REQUEST_INTERVALS)


@pytest.mark.parametrize(
    "values",
    [
        {"state": LabelState.CANCELED},
        {"state": LabelState.FAILED},
        {"state": LabelState.UNKNOWN},
        {"delivered_at": now()},
        {"tracked": False},
    ],
    ids=["cancelled", "failed", "in doubt", "arrived", "by hand"],
)
async def test_cancelled_failed_or_ended_fulfillment_is_not_tracked(
    database: Database, defaults: Defaults, values: dict[str, Any]
) -> None:
    fulfillment_id = await add_fulfillment(database, defaults, 1, **values)
    assert await claim_due(database, [fulfillment_id]) == []
    assert await Worker(database, [Tracker(database, {})]).run_due() == (0 if "tracked" in values else 1)
    assert await find_job(database, fulfillment_id) is None


async def test_undelivered_fulfillment_raises_attention_and_is_no_longer_tracked(
    database: Database, defaults: Defaults
) -> None:
    fulfillment_id = await add_fulfillment(database, defaults, 1, created_at=now() - TRACKING_PERIOD - MINUTE)
    assert await Worker(database, [Tracker(database, {})]).run_due() == 1
    assert await find_job(database, fulfillment_id) is None
    async with database.read() as session:
        (attention,) = (await session.execute(select(Attention))).scalars()
    assert (attention.kind, attention.fulfillment_id) == ("not_delivered", fulfillment_id)


async def test_tracking_of_all_fulfillments_claims_each_of_them_once(
    database: Database, defaults: Defaults
) -> None:
    for number in range(3):
        await add_fulfillment(database, defaults, number)
    await add_fulfillment(database, defaults, 9, tracked=False)
    async with database.read() as session:
        started = await database_now(session)
    assert len(await claim_untracked(database, started)) == 3
    assert await claim_untracked(database, started) == []


async def test_repeated_views_of_the_order_page_cause_one_tracking_request(
    database: Database, defaults: Defaults
) -> None:
    fulfillment_id = await add_fulfillment(database, defaults, 1)
    await add_fulfillment(database, defaults, 2)
    claims = await asyncio.gather(*(claim_order_fulfillments(database, "order_1") for _ in range(4)))
    assert [fulfillment.id for claim in claims for fulfillment in claim] == [fulfillment_id]
    await make_all_due(database)
    assert len(await claim_order_fulfillments(database, "order_1")) == 1


@pytest.mark.parametrize("known_by", [(7, None), (None, "TRM7"), (7, "TRM7")])
async def test_carrier_hook_makes_its_fulfillment_due_for_tracking(
    database: Database, defaults: Defaults, known_by: tuple[int | None, str | None]
) -> None:
    fulfillment_id = await add_fulfillment(database, defaults, 7)
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now(timedelta(hours=3))))
    assert await schedule_tracking(database, *known_by)
    assert await Worker(database, [Tracker(database, {})]).run_due() == 1
    assert (await read_fulfillment(database, fulfillment_id)).tracked_at


async def test_repeated_carrier_hooks_keep_the_minimum_tracking_interval(
    database: Database, defaults: Defaults
) -> None:
    fulfillment_id = await add_fulfillment(database, defaults, 7)
    worker = Worker(database, [Tracker(database, {})])
    assert await worker.run_due() == 1
    for _ in range(3):
        assert await schedule_tracking(database, 7, None)
    assert await worker.run_due() == 0
    fulfillment, job = (
        await read_fulfillment(database, fulfillment_id),
        await find_job(database, fulfillment_id),
    )
    assert job is not None
    assert fulfillment.tracked_at
    assert abs(job.run_at - fulfillment.tracked_at - MIN_REQUEST_INTERVAL) < timedelta(seconds=1)


@pytest.mark.parametrize("known_by", [(8, None), (None, "TRM8"), (None, ""), (None, None)])
async def test_carrier_hook_of_an_unknown_label_changes_nothing(
    database: Database, defaults: Defaults, known_by: tuple[int | None, str | None]
) -> None:
    await add_fulfillment(database, defaults, 9, state=LabelState.CANCELED)
    assert not await schedule_tracking(database, *known_by)
    assert not await schedule_tracking(database, 9, None)


async def test_manual_fulfillment_is_not_tracked(database: Database, defaults: Defaults) -> None:
    numbers: dict[str, Any] = {"carrier_order_id": None, "tracking_number": None}
    fulfillment_id = await add_fulfillment(database, defaults, 1, tracked=False, **numbers)
    async with database.transaction() as session:
        await start_tracking(session, await session.get_one(Fulfillment, fulfillment_id))
    assert await find_job(database, fulfillment_id) is None


# changes by an update


def make_fulfillment(**values: Any) -> Fulfillment:
    fulfillment = Fulfillment(
        order_id="order_1",
        reference="1042-1",
        location_id="sloc_1",
        provider_id="carrier_standard",
        state=LabelState.CREATED,
        tracking_number="TRM1",
        data={"packed_at": "kept"},
    )
    for name, value in values.items():
        setattr(fulfillment, name, value)
    return fulfillment


YESTERDAY = now() - timedelta(days=1)


@pytest.mark.parametrize("stage", list(TrackingStage))
def test_tracking_update_sets_the_stage_of_the_fulfillment(stage: TrackingStage) -> None:
    fulfillment = make_fulfillment()
    assert apply_update(fulfillment, TrackingUpdate(stage, "palabras"))
    assert fulfillment.stage == stage
    assert fulfillment.data["tracking"]["words"] == "palabras"
    assert fulfillment.data["packed_at"] == "kept"
    assert (fulfillment.shipped_at is not None) == stage.has_left
    assert (fulfillment.delivered_at is not None) == (stage is TrackingStage.DELIVERED)


def test_tracking_update_stores_the_carriers_pickup_and_delivery_times() -> None:
    fulfillment = make_fulfillment()
    apply_update(
        fulfillment,
        TrackingUpdate(TrackingStage.DELIVERED, picked_up_at=YESTERDAY, delivered_at=YESTERDAY + 60 * MINUTE),
    )
    assert (fulfillment.shipped_at, fulfillment.delivered_at) == (YESTERDAY, YESTERDAY + 60 * MINUTE)


def test_future_times_in_a_tracking_update_are_replaced_by_the_present_time() -> None:
    fulfillment = make_fulfillment()
    apply_update(
        fulfillment,
        TrackingUpdate(
            TrackingStage.DELIVERED, picked_up_at=now() + 60 * MINUTE, delivered_at=now() + 60 * MINUTE
        ),
    )
    assert fulfillment.shipped_at
    assert fulfillment.delivered_at
    assert fulfillment.shipped_at <= now()
    assert fulfillment.delivered_at <= now()


def test_parcel_with_an_incident_counts_as_shipped_only_after_its_pickup() -> None:
    collected, waiting = make_fulfillment(), make_fulfillment()
    apply_update(collected, TrackingUpdate(TrackingStage.INCIDENT, picked_up_at=YESTERDAY))
    apply_update(waiting, TrackingUpdate(TrackingStage.INCIDENT))
    assert (collected.shipped_at, waiting.shipped_at) == (YESTERDAY, None)


def test_repeated_tracking_update_changes_nothing() -> None:
    fulfillment = make_fulfillment()
    assert apply_update(fulfillment, TrackingUpdate(TrackingStage.IN_TRANSIT, "Bogotá"))
    shipped_at = fulfillment.shipped_at
    assert not apply_update(fulfillment, TrackingUpdate(TrackingStage.IN_TRANSIT, "Bogotá"))
    assert apply_update(fulfillment, TrackingUpdate(TrackingStage.IN_TRANSIT, "Medellín"))
    assert fulfillment.shipped_at == shipped_at


@pytest.mark.parametrize(
    "values",
    [
        {"state": LabelState.CANCELED},
        {"delivered_at": YESTERDAY, "stage": TrackingStage.DELIVERED},
    ],
    ids=["late events after a cancellation", "delivered"],
)
@pytest.mark.parametrize(
    "stage", [TrackingStage.IN_TRANSIT, TrackingStage.CANCELED, TrackingStage.AWAITING_PICKUP]
)
def test_tracking_update_after_cancellation_or_delivery_is_ignored(
    values: dict[str, Any], stage: TrackingStage
) -> None:
    """Apply an update that the carrier sends late (wire: carrier 2.4)."""
    fulfillment = make_fulfillment(**values)
    assert not apply_update(fulfillment, TrackingUpdate(stage))
    assert fulfillment.shipped_at is None
    assert fulfillment.delivered_at == values.get("delivered_at")


def test_update_back_to_awaiting_pickup_is_ignored_after_shipping() -> None:
    fulfillment = make_fulfillment(shipped_at=YESTERDAY)
    assert not apply_update(fulfillment, TrackingUpdate(TrackingStage.AWAITING_PICKUP))
    assert fulfillment.stage is None


async def test_tracking_data_of_an_update_are_stored(database: Database, defaults: Defaults) -> None:
    fulfillment_id = await add_fulfillment(database, defaults, 1)
    expected = datetime(2026, 11, 23, 22, tzinfo=UTC)
    async with database.transaction() as session:
        fulfillment = (await session.execute(select(Fulfillment))).scalar_one()
        apply_update(
            fulfillment, TrackingUpdate(TrackingStage.OUT_FOR_DELIVERY, "En la ciudad", None, None, expected)
        )
    kept = await read_fulfillment(database, fulfillment_id)
    assert kept.stage == "out_for_delivery"
    assert kept.data["tracking"] == {
        "words": "En la ciudad",
        "expected_at": "2026-11-23T22:00:00+00:00",
        "received_by": "",
    }
