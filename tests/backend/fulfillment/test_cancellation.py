"""Labels are cancelled once, and only while the parcel is not on its way."""

import asyncio

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.core import clock
from backend.core.config.modules import MANUAL
from backend.core.db.database import Database
from backend.core.errors import Conflict, NotAllowed, NotFound, OutsideFailure
from backend.fulfillment.bulk_fulfillment import hand_over, send_remaining_units
from backend.fulfillment.cancellation import cancel_fulfillment, cancel_label
from backend.fulfillment.label_decisions import resolve_doubt
from backend.fulfillment.labels import create_label
from backend.orders.models import Fulfillment
from backend.sandbox.carrier import Fault, SandboxCarrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, Status
from backend.shipping.providers.base import Label
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.registry import ManualProvider
from backend.staff.rights import COMMAND_LINE
from tests.backend.fulfillment.courier_kit import Courier, create_label_in_doubt, list_fulfillments, new_label
from tests.backend.orders.paying import order_row, read_stock
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase


async def test_cancelled_label_stays_cancelled(
    database: Database, defaults: Defaults, provider: CarrierStandard
) -> None:
    made = await create_label(database, provider, new_label(defaults), actor=COMMAND_LINE)
    cancelled = await cancel_label(database, provider, made.id, actor=COMMAND_LINE)
    assert (cancelled.state, cancelled.canceled_at is not None) == ("canceled", True)
    again = await cancel_label(database, provider, made.id, actor=COMMAND_LINE)
    assert again.canceled_at == cancelled.canceled_at
    with pytest.raises(NotAllowed, match="was cancelled"):
        await create_label(database, provider, new_label(defaults), actor=COMMAND_LINE)


async def test_label_is_cancelled_once_by_concurrent_cancellations(
    database: Database, defaults: Defaults
) -> None:
    courier = Courier()
    made = await create_label(database, courier, new_label(defaults), actor=COMMAND_LINE)
    fulfillments = await asyncio.gather(
        *(cancel_label(database, courier, made.id, actor=COMMAND_LINE) for _ in range(4))
    )
    assert {each.state for each in fulfillments} == {"canceled"}
    assert len({each.canceled_at for each in fulfillments}) == 1


async def test_label_is_not_cancelled_if_the_carrier_refuses(
    database: Database, defaults: Defaults, provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    made = await create_label(database, provider, new_label(defaults), actor=COMMAND_LINE)
    await carrier.ledger.move_shipment(TEST_ORDER_ID, Status.IN_TRANSIT)
    with pytest.raises(OutsideFailure):
        await cancel_label(database, provider, made.id, actor=COMMAND_LINE)
    carrier.faults.plan(Fault.IGNORED, Operation.CANCELLATION)
    with pytest.raises(OutsideFailure):
        await cancel_label(database, provider, made.id, actor=COMMAND_LINE)
    assert [each.state for each in await list_fulfillments(database)] == ["created"]


async def test_label_in_doubt_or_missing_cannot_be_cancelled(database: Database, defaults: Defaults) -> None:
    doubtful = await create_label_in_doubt(database, defaults)
    courier = Courier()
    with pytest.raises(Conflict):
        await cancel_label(database, courier, doubtful.id, actor=COMMAND_LINE)
    async with database.transaction() as session:
        await resolve_doubt(session, doubtful.id, None)
    with pytest.raises(NotAllowed, match="no label"):
        await cancel_label(database, courier, doubtful.id, actor=COMMAND_LINE)
    with pytest.raises(NotFound):
        await cancel_label(database, courier, "ful_unknown", actor=COMMAND_LINE)
    assert courier.cancelled == 0


async def test_fulfillment_on_its_way_cannot_be_cancelled(database: Database, defaults: Defaults) -> None:
    courier = Courier()
    made = await create_label(database, courier, new_label(defaults), actor=COMMAND_LINE)
    async with database.transaction() as session:
        await session.execute(update(Fulfillment).values(shipped_at=clock.now()))
    with pytest.raises(NotAllowed, match="on its way"):
        await cancel_label(database, courier, made.id, actor=COMMAND_LINE)
    assert courier.cancelled == 0


async def test_fulfillment_picked_up_during_cancellation_is_not_cancelled(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, shop_defaults, "trompo", stock=5)
    order_id = str((await complete_purchase(store, variant_id, 2))["id"])
    await send_remaining_units(
        shop.database, COMMAND_LINE, shop.settings, shop.fulfillment_providers, order_id
    )
    (parcel,) = await list_fulfillments(shop.database)

    class Counter(ManualProvider):
        """A provider that hands the parcel over to the customer while its label is being cancelled."""

        async def cancel_fulfillment(self, label: Label) -> None:
            async with shop.database.transaction() as session:
                await hand_over(session, COMMAND_LINE, order_id)

    with pytest.raises(NotAllowed):
        await cancel_fulfillment(shop.database, COMMAND_LINE, {MANUAL: Counter()}, order_id, parcel.id)
    assert await read_stock(shop) == (3, 0)
    assert (await order_row(shop, order_id)).fulfillment_status == "delivered"
