"""Which parcels the carrier is asked about, and what a sighting changes, on both databases."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.clock import now
from backend.database import Database
from backend.shipping.guides import GuideState
from backend.shipping.models import Fulfillment
from backend.shipping.stages import Sighting, Stage
from backend.shipping.tracking import (
    ASKED_LATELY,
    BATCH,
    GAPS,
    GIVEN_UP_AFTER,
    claim_due,
    claim_of_order,
    claim_unasked,
    follow_from_now,
    make_due,
    see,
)
from tests.shop_floor import Floor

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


async def sent(database: Database, floor: Floor, number: int, **values: Any) -> str:
    """A parcel with its guide, due for a long time unless the test says otherwise."""
    parcel = Fulfillment(
        order_id=f"order_{number}",
        reference="1042-1",
        location_id=floor.location_id,
        provider_id="carrier_standard",
        **{
            "state": GuideState.CREATED,
            "carrier_order_id": number,
            "tracking_number": f"TRM{number}",
            "next_track_at": LONG_AGO,
            **values,
        },
    )
    async with database.transaction() as session:
        session.add(parcel)
    return parcel.id


async def parcel_of(database: Database, parcel_id: str) -> Fulfillment:
    async with database.read() as session:
        return await session.get_one(Fulfillment, parcel_id)


async def is_due_again(database: Database, parcel_id: str) -> None:
    async with database.transaction() as session:
        await session.execute(
            update(Fulfillment).where(Fulfillment.id == parcel_id).values(next_track_at=LONG_AGO)
        )


# which, and when


async def test_a_parcel_that_is_due_is_claimed_once(database: Database, floor: Floor) -> None:
    parcel_id = await sent(database, floor, 1)
    assert [parcel.id for parcel in await claim_due(database)] == [parcel_id]
    assert await claim_due(database) == []


async def test_two_who_look_at_once_share_the_parcels(database: Database, floor: Floor) -> None:
    wanted = {await sent(database, floor, number) for number in range(6)}
    claims = await asyncio.gather(*(claim_due(database) for _ in range(5)))
    ids = [parcel.id for claim in claims for parcel in claim]
    assert (len(ids), set(ids)) == (6, wanted)


async def test_no_more_than_a_batch_at_a_time(database: Database, floor: Floor) -> None:
    for number in range(BATCH + 1):
        await sent(database, floor, number)
    assert [len(await claim_due(database)) for _ in range(3)] == [BATCH, 1, 0]


async def test_the_gaps_grow_while_there_are_no_news(database: Database, floor: Floor) -> None:
    parcel_id = await sent(database, floor, 1)
    gaps = []
    for _ in range(len(GAPS) + 1):
        (parcel,) = await claim_due(database)
        assert parcel.next_track_at
        assert parcel.tracked_at
        gaps.append(parcel.next_track_at - parcel.tracked_at)
        await is_due_again(database, parcel_id)
    assert gaps == [*GAPS, GAPS[-1]]
    assert list(GAPS) == sorted(GAPS)


@pytest.mark.parametrize(
    "values",
    [
        {"state": GuideState.CANCELED},
        {"state": GuideState.FAILED},
        {"state": GuideState.UNKNOWN},
        {"next_track_at": None},
        {"next_track_at": datetime(2100, 1, 1, tzinfo=UTC)},
    ],
    ids=["cancelled", "failed", "in doubt", "done", "not due yet"],
)
async def test_nobody_asks_about(database: Database, floor: Floor, values: dict[str, Any]) -> None:
    await sent(database, floor, 1, **values)
    assert await claim_due(database) == []


async def test_one_that_never_arrives_is_given_up(
    database: Database, floor: Floor, caplog: pytest.LogCaptureFixture
) -> None:
    parcel_id = await sent(database, floor, 1, created_at=now() - GIVEN_UP_AFTER - MINUTE)
    assert len(await claim_due(database)) == 1
    assert (await parcel_of(database, parcel_id)).next_track_at is None
    assert "someone must look" in caplog.text


async def test_everything_open_is_asked_about_once_due_or_not(database: Database, floor: Floor) -> None:
    later = now() + timedelta(days=1)
    for number in range(3):
        await sent(database, floor, number, next_track_at=later)
    await sent(database, floor, 9, next_track_at=None)
    started = now()
    assert len(await claim_unasked(database, started)) == 3
    assert await claim_unasked(database, started) == []


async def test_a_page_that_is_opened_again_and_again_asks_once(database: Database, floor: Floor) -> None:
    parcel_id = await sent(database, floor, 1, next_track_at=now() + timedelta(hours=3))
    await sent(database, floor, 2)
    claims = await asyncio.gather(*(claim_of_order(database, "order_1") for _ in range(4)))
    assert [parcel.id for claim in claims for parcel in claim] == [parcel_id]
    async with database.transaction() as session:
        await session.execute(update(Fulfillment).values(tracked_at=now() - ASKED_LATELY - MINUTE))
    assert len(await claim_of_order(database, "order_1")) == 1


@pytest.mark.parametrize("known_by", [(7, None), (None, "TRM7"), (7, "TRM7")])
async def test_a_hint_makes_a_parcel_due(
    database: Database, floor: Floor, known_by: tuple[int | None, str | None]
) -> None:
    await sent(database, floor, 7, next_track_at=now() + timedelta(hours=3))
    assert await make_due(database, *known_by)
    assert len(await claim_due(database)) == 1


async def test_a_flood_of_hints_asks_no_more_often(database: Database, floor: Floor) -> None:
    parcel_id = await sent(database, floor, 7)
    assert len(await claim_due(database)) == 1
    for _ in range(3):
        assert await make_due(database, 7, None)
    assert await claim_due(database) == []
    parcel = await parcel_of(database, parcel_id)
    assert parcel.tracked_at
    assert parcel.next_track_at == parcel.tracked_at + ASKED_LATELY


@pytest.mark.parametrize("known_by", [(8, None), (None, "TRM8"), (None, ""), (None, None)])
async def test_a_hint_of_nothing_of_ours_changes_nothing(
    database: Database, floor: Floor, known_by: tuple[int | None, str | None]
) -> None:
    await sent(database, floor, 7, next_track_at=now() + timedelta(hours=3))
    await sent(database, floor, 9, state=GuideState.CANCELED)
    assert not await make_due(database, *known_by)
    assert not await make_due(database, 9, None)
    assert await claim_due(database) == []


# what a sighting changes


def on_the_way(**values: Any) -> Fulfillment:
    parcel = Fulfillment(
        order_id="order_1",
        reference="1042-1",
        location_id="sloc_1",
        provider_id="carrier_standard",
        state=GuideState.CREATED,
        tracking_number="TRM1",
        data={"packed_at": "kept"},
    )
    follow_from_now(parcel)
    for name, value in values.items():
        setattr(parcel, name, value)
    return parcel


YESTERDAY = now() - timedelta(days=1)


@pytest.mark.parametrize("stage", list(Stage))
def test_a_parcel_learns_its_stage(stage: Stage) -> None:
    parcel = on_the_way(tracks=4)
    assert see(parcel, Sighting(stage, "palabras"))
    assert (parcel.stage, parcel.tracks) == (stage, 0)
    assert parcel.data["tracking"]["words"] == "palabras"
    assert parcel.data["packed_at"] == "kept"
    assert (parcel.shipped_at is not None) == stage.has_left
    assert (parcel.delivered_at is not None) == (stage is Stage.DELIVERED)
    assert (parcel.next_track_at is None) == stage.is_final


def test_the_carriers_moments_count() -> None:
    parcel = on_the_way()
    see(parcel, Sighting(Stage.DELIVERED, picked_up_at=YESTERDAY, delivered_at=YESTERDAY + 60 * MINUTE))
    assert (parcel.shipped_at, parcel.delivered_at) == (YESTERDAY, YESTERDAY + 60 * MINUTE)


def test_a_moment_to_come_is_none_yet() -> None:
    parcel = on_the_way()
    see(parcel, Sighting(Stage.DELIVERED, picked_up_at=now() + 60 * MINUTE, delivered_at=now() + 60 * MINUTE))
    assert parcel.shipped_at
    assert parcel.delivered_at
    assert parcel.shipped_at <= now()
    assert parcel.delivered_at <= now()


def test_an_incident_on_the_way_has_left_and_one_at_the_door_has_not() -> None:
    collected, waiting = on_the_way(), on_the_way()
    see(collected, Sighting(Stage.INCIDENT, picked_up_at=YESTERDAY))
    see(waiting, Sighting(Stage.INCIDENT))
    assert (collected.shipped_at, waiting.shipped_at) == (YESTERDAY, None)


def test_the_same_again_is_no_news() -> None:
    parcel = on_the_way()
    assert see(parcel, Sighting(Stage.IN_TRANSIT, "Bogotá"))
    shipped_at = parcel.shipped_at
    assert not see(parcel, Sighting(Stage.IN_TRANSIT, "Bogotá"))
    assert see(parcel, Sighting(Stage.IN_TRANSIT, "Medellín"))
    assert parcel.shipped_at == shipped_at


@pytest.mark.parametrize(
    "values",
    [
        {"state": GuideState.CANCELED},
        {"delivered_at": YESTERDAY, "stage": Stage.DELIVERED},
    ],
    ids=["late events after a cancellation", "delivered"],
)
@pytest.mark.parametrize("stage", [Stage.IN_TRANSIT, Stage.CANCELED, Stage.AWAITING_PICKUP])
def test_what_has_happened_is_not_undone(values: dict[str, Any], stage: Stage) -> None:
    """wire: carrier 2.4, late events arrive after cancel."""
    parcel = on_the_way(**values)
    assert not see(parcel, Sighting(stage))
    assert parcel.shipped_at is None
    assert parcel.delivered_at == values.get("delivered_at")


def test_one_that_has_left_does_not_wait_again() -> None:
    parcel = on_the_way(shipped_at=YESTERDAY)
    assert not see(parcel, Sighting(Stage.AWAITING_PICKUP))
    assert parcel.stage is None


def test_what_goes_by_hand_has_nobody_to_be_asked() -> None:
    parcel = on_the_way(tracking_number=None)
    follow_from_now(parcel)
    assert parcel.next_track_at is None


async def test_tracking_is_kept_with_the_parcel(database: Database, floor: Floor) -> None:
    parcel_id = await sent(database, floor, 1)
    expected = datetime(2026, 11, 23, 22, tzinfo=UTC)
    async with database.transaction() as session:
        parcel = (await session.execute(select(Fulfillment))).scalar_one()
        see(parcel, Sighting(Stage.OUT_FOR_DELIVERY, "En la ciudad", None, None, expected))
    kept = await parcel_of(database, parcel_id)
    assert kept.stage == "out_for_delivery"
    assert kept.data["tracking"] == {
        "words": "En la ciudad",
        "expected_at": "2026-11-23T22:00:00+00:00",
        "received_by": "",
    }
