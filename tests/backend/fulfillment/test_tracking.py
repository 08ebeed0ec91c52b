"""Which labels the carrier is asked about, and what a update changes, on both databases."""

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
    ASKED_LATELY,
    BATCH,
    GAPS,
    GIVEN_UP_AFTER,
    TRACK,
    apply_update,
    ask_soon,
    claim_due,
    claim_of_order,
    claim_unasked,
    start_tracking,
)
from backend.jobs import Worker, enqueue
from backend.jobs.models import Job
from backend.orders.models import Fulfillment
from backend.orders.states import LabelState
from backend.shipping.providers.base import TrackingStage, TrackingUpdate
from tests.store_defaults import Defaults

MINUTE = timedelta(minutes=1)


async def sent(
    database: Database, defaults: Defaults, number: int, *, tracked: bool = True, **values: Any
) -> str:
    """A fulfillment with its label, to be asked about now unless the test says otherwise."""
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


async def fulfillment_of(database: Database, fulfillment_id: str) -> Fulfillment:
    async with database.read() as session:
        return await session.get_one(Fulfillment, fulfillment_id)


async def job_of(database: Database, fulfillment_id: str) -> Job | None:
    async with database.read() as session:
        found = await session.execute(select(Job).where(Job.kind == TRACK, Job.key == fulfillment_id))
        return found.scalar_one_or_none()


async def long_ago(database: Database) -> None:
    """Everything is due, and was asked about a while ago."""
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))
        await session.execute(update(Fulfillment).values(tracked_at=db_now(-ASKED_LATELY - MINUTE)))


# which, and when


async def test_a_fulfillment_is_claimed_once(database: Database, defaults: Defaults) -> None:
    fulfillment_id = await sent(database, defaults, 1)
    assert [fulfillment.id for fulfillment in await claim_due(database, [fulfillment_id])] == [fulfillment_id]
    assert await claim_due(database, [fulfillment_id]) == []


async def test_two_who_look_at_once_share_the_fulfillments(database: Database, defaults: Defaults) -> None:
    wanted = {await sent(database, defaults, number) for number in range(6)}
    claims = await asyncio.gather(*(claim_due(database, wanted) for _ in range(5)))
    ids = [fulfillment.id for claim in claims for fulfillment in claim]
    assert (len(ids), set(ids)) == (6, wanted)


async def test_no_more_than_a_batch_at_a_time(database: Database, defaults: Defaults) -> None:
    for number in range(BATCH + 1):
        await sent(database, defaults, number)
    async with database.read() as session:
        started = await database_now(session)
    assert [len(await claim_unasked(database, started)) for _ in range(3)] == [BATCH, 1, 0]


async def test_the_gaps_grow_while_there_are_no_news(database: Database, defaults: Defaults) -> None:
    fulfillment_id = await sent(database, defaults, 1)
    worker = Worker(database, [Tracker(database, {})])  # no carrier: there are never news
    gaps = []
    for _ in range(len(GAPS) + 1):
        assert await worker.run_due() == 1
        job = await job_of(database, fulfillment_id)
        async with database.read() as session:
            moment = await database_now(session)
        assert job is not None
        gaps.append(round((job.run_at - moment) / MINUTE))
        await long_ago(database)
    assert gaps == [gap / MINUTE for gap in (*GAPS, GAPS[-1])]
    assert list(GAPS) == sorted(GAPS)


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
async def test_nobody_asks_about(database: Database, defaults: Defaults, values: dict[str, Any]) -> None:
    fulfillment_id = await sent(database, defaults, 1, **values)
    assert await claim_due(database, [fulfillment_id]) == []
    assert await Worker(database, [Tracker(database, {})]).run_due() == (0 if "tracked" in values else 1)
    assert await job_of(database, fulfillment_id) is None


async def test_one_that_never_arrives_is_given_up_and_someone_is_told(
    database: Database, defaults: Defaults
) -> None:
    fulfillment_id = await sent(database, defaults, 1, created_at=now() - GIVEN_UP_AFTER - MINUTE)
    assert await Worker(database, [Tracker(database, {})]).run_due() == 1
    assert await job_of(database, fulfillment_id) is None
    async with database.read() as session:
        (attention,) = (await session.execute(select(Attention))).scalars()
    assert (attention.kind, attention.fulfillment_id) == ("not_delivered", fulfillment_id)


async def test_everything_open_is_asked_about_once_due_or_not(database: Database, defaults: Defaults) -> None:
    for number in range(3):
        await sent(database, defaults, number)
    await sent(database, defaults, 9, tracked=False)
    async with database.read() as session:
        started = await database_now(session)
    assert len(await claim_unasked(database, started)) == 3
    assert await claim_unasked(database, started) == []


async def test_a_page_that_is_opened_again_and_again_asks_once(
    database: Database, defaults: Defaults
) -> None:
    fulfillment_id = await sent(database, defaults, 1)
    await sent(database, defaults, 2)
    claims = await asyncio.gather(*(claim_of_order(database, "order_1") for _ in range(4)))
    assert [fulfillment.id for claim in claims for fulfillment in claim] == [fulfillment_id]
    await long_ago(database)
    assert len(await claim_of_order(database, "order_1")) == 1


@pytest.mark.parametrize("known_by", [(7, None), (None, "TRM7"), (7, "TRM7")])
async def test_a_hint_makes_a_fulfillment_due(
    database: Database, defaults: Defaults, known_by: tuple[int | None, str | None]
) -> None:
    fulfillment_id = await sent(database, defaults, 7)
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now(timedelta(hours=3))))
    assert await ask_soon(database, *known_by)
    assert await Worker(database, [Tracker(database, {})]).run_due() == 1
    assert (await fulfillment_of(database, fulfillment_id)).tracked_at


async def test_a_flood_of_hints_asks_no_more_often(database: Database, defaults: Defaults) -> None:
    fulfillment_id = await sent(database, defaults, 7)
    worker = Worker(database, [Tracker(database, {})])
    assert await worker.run_due() == 1
    for _ in range(3):
        assert await ask_soon(database, 7, None)
    assert await worker.run_due() == 0
    fulfillment, job = await fulfillment_of(database, fulfillment_id), await job_of(database, fulfillment_id)
    assert job is not None
    assert fulfillment.tracked_at
    assert abs(job.run_at - fulfillment.tracked_at - ASKED_LATELY) < timedelta(seconds=1)


@pytest.mark.parametrize("known_by", [(8, None), (None, "TRM8"), (None, ""), (None, None)])
async def test_a_hint_of_nothing_of_ours_changes_nothing(
    database: Database, defaults: Defaults, known_by: tuple[int | None, str | None]
) -> None:
    await sent(database, defaults, 9, state=LabelState.CANCELED)
    assert not await ask_soon(database, *known_by)
    assert not await ask_soon(database, 9, None)


async def test_what_goes_by_hand_has_nobody_to_be_asked(database: Database, defaults: Defaults) -> None:
    numbers: dict[str, Any] = {"carrier_order_id": None, "tracking_number": None}
    fulfillment_id = await sent(database, defaults, 1, tracked=False, **numbers)
    async with database.transaction() as session:
        await start_tracking(session, await session.get_one(Fulfillment, fulfillment_id))
    assert await job_of(database, fulfillment_id) is None


# what a update changes


def on_the_way(**values: Any) -> Fulfillment:
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
def test_a_fulfillment_learns_its_stage(stage: TrackingStage) -> None:
    fulfillment = on_the_way()
    assert apply_update(fulfillment, TrackingUpdate(stage, "palabras"))
    assert fulfillment.stage == stage
    assert fulfillment.data["tracking"]["words"] == "palabras"
    assert fulfillment.data["packed_at"] == "kept"
    assert (fulfillment.shipped_at is not None) == stage.has_left
    assert (fulfillment.delivered_at is not None) == (stage is TrackingStage.DELIVERED)


def test_the_carriers_moments_count() -> None:
    fulfillment = on_the_way()
    apply_update(
        fulfillment,
        TrackingUpdate(TrackingStage.DELIVERED, picked_up_at=YESTERDAY, delivered_at=YESTERDAY + 60 * MINUTE),
    )
    assert (fulfillment.shipped_at, fulfillment.delivered_at) == (YESTERDAY, YESTERDAY + 60 * MINUTE)


def test_a_moment_to_come_is_none_yet() -> None:
    fulfillment = on_the_way()
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


def test_an_incident_on_the_way_has_left_and_one_at_the_door_has_not() -> None:
    collected, waiting = on_the_way(), on_the_way()
    apply_update(collected, TrackingUpdate(TrackingStage.INCIDENT, picked_up_at=YESTERDAY))
    apply_update(waiting, TrackingUpdate(TrackingStage.INCIDENT))
    assert (collected.shipped_at, waiting.shipped_at) == (YESTERDAY, None)


def test_the_same_again_is_no_news() -> None:
    fulfillment = on_the_way()
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
def test_what_has_happened_is_not_undone(values: dict[str, Any], stage: TrackingStage) -> None:
    """wire: carrier 2.4, late events arrive after cancel."""
    fulfillment = on_the_way(**values)
    assert not apply_update(fulfillment, TrackingUpdate(stage))
    assert fulfillment.shipped_at is None
    assert fulfillment.delivered_at == values.get("delivered_at")


def test_one_that_has_left_does_not_wait_again() -> None:
    fulfillment = on_the_way(shipped_at=YESTERDAY)
    assert not apply_update(fulfillment, TrackingUpdate(TrackingStage.AWAITING_PICKUP))
    assert fulfillment.stage is None


async def test_tracking_is_kept_with_the_fulfillment(database: Database, defaults: Defaults) -> None:
    fulfillment_id = await sent(database, defaults, 1)
    expected = datetime(2026, 11, 23, 22, tzinfo=UTC)
    async with database.transaction() as session:
        fulfillment = (await session.execute(select(Fulfillment))).scalar_one()
        apply_update(
            fulfillment, TrackingUpdate(TrackingStage.OUT_FOR_DELIVERY, "En la ciudad", None, None, expected)
        )
    kept = await fulfillment_of(database, fulfillment_id)
    assert kept.stage == "out_for_delivery"
    assert kept.data["tracking"] == {
        "words": "En la ciudad",
        "expected_at": "2026-11-23T22:00:00+00:00",
        "received_by": "",
    }
