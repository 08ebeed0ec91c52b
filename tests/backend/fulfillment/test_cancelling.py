"""Labels are cancelled once, and only as long as nothing is on its way."""

import asyncio

import pytest
from sqlalchemy import update

from backend import clock
from backend.database import Database
from backend.errors import Conflict, NotAllowed, NotFound, OutsideFailure
from backend.fulfillment.cancelling import cancel_label
from backend.fulfillment.decisions import resolve_doubt
from backend.fulfillment.labels import create_label
from backend.orders.models import Fulfillment
from backend.sandbox.carrier import Fault, SandboxCarrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, Status
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.staff.rights import COMMAND_LINE
from tests.backend.fulfillment.courier_kit import Courier, lost_answer, new_label, stored
from tests.store_defaults import Defaults


async def test_a_label_is_cancelled_once_and_for_all(
    database: Database, defaults: Defaults, provider: CarrierStandard
) -> None:
    made = await create_label(database, provider, new_label(defaults), by=COMMAND_LINE)
    cancelled = await cancel_label(database, provider, made.id, by=COMMAND_LINE)
    assert (cancelled.state, cancelled.canceled_at is not None) == ("canceled", True)
    again = await cancel_label(database, provider, made.id, by=COMMAND_LINE)
    assert again.canceled_at == cancelled.canceled_at
    with pytest.raises(NotAllowed, match="was cancelled"):
        await create_label(database, provider, new_label(defaults), by=COMMAND_LINE)


async def test_cancelled_at_once_is_cancelled(database: Database, defaults: Defaults) -> None:
    courier = Courier()
    made = await create_label(database, courier, new_label(defaults), by=COMMAND_LINE)
    fulfillments = await asyncio.gather(
        *(cancel_label(database, courier, made.id, by=COMMAND_LINE) for _ in range(4))
    )
    assert {each.state for each in fulfillments} == {"canceled"}
    assert len({each.canceled_at for each in fulfillments}) == 1


async def test_the_carriers_no_is_a_no(
    database: Database, defaults: Defaults, provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    made = await create_label(database, provider, new_label(defaults), by=COMMAND_LINE)
    await carrier.ledger.move(TEST_ORDER_ID, Status.IN_TRANSIT)
    with pytest.raises(OutsideFailure):
        await cancel_label(database, provider, made.id, by=COMMAND_LINE)
    carrier.faults.plan(Fault.IGNORED, Operation.CANCELLATION)
    with pytest.raises(OutsideFailure):
        await cancel_label(database, provider, made.id, by=COMMAND_LINE)
    assert [each.state for each in await stored(database)] == ["created"]


async def test_nothing_certain_is_nothing_to_cancel(database: Database, defaults: Defaults) -> None:
    doubtful = await lost_answer(database, defaults)
    courier = Courier()
    with pytest.raises(Conflict):
        await cancel_label(database, courier, doubtful.id, by=COMMAND_LINE)
    async with database.transaction() as session:
        await resolve_doubt(session, doubtful.id, None)
    with pytest.raises(NotAllowed, match="no label"):
        await cancel_label(database, courier, doubtful.id, by=COMMAND_LINE)
    with pytest.raises(NotFound):
        await cancel_label(database, courier, "ful_unknown", by=COMMAND_LINE)
    assert courier.cancelled == 0


async def test_a_fulfillment_on_its_way_is_not_cancelled(database: Database, defaults: Defaults) -> None:
    courier = Courier()
    made = await create_label(database, courier, new_label(defaults), by=COMMAND_LINE)
    async with database.transaction() as session:
        await session.execute(update(Fulfillment).values(shipped_at=clock.now()))
    with pytest.raises(NotAllowed, match="on its way"):
        await cancel_label(database, courier, made.id, by=COMMAND_LINE)
    assert courier.cancelled == 0
