"""The packing screen: the oldest order first, with its state."""

from datetime import timedelta

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.core.errors import Forbidden, NotFound
from backend.fulfillment.bulk_fulfillment import send_remaining_units
from backend.office.orders.packing import PackView, pack_view
from backend.orders.admin.corrections import add_note
from backend.orders.models import Order
from backend.payment.providers.base import ProviderState
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from backend.staff.rights import Actor, Role
from tests.backend.orders.paying import list_sessions, report_payment
from tests.backend.returns.steps import Sold, pack_units
from tests.sold_order import SoldOrder
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, complete_purchase, get, post

OWNER = Actor("user_1", Role.OWNER)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)


async def place_captured_order(shop: Shop, store: httpx.AsyncClient, trompo: str) -> str:
    order = await complete_purchase(store, trompo, 2, PSE, "calculated")
    await report_payment(shop, (await list_sessions(shop, order["id"]))[-1].id, ProviderState.CAPTURED)
    return str(order["id"])


async def read_pack_view(shop: Shop, order_id: str = "", after: str = "", actor: Actor = OWNER) -> PackView:
    async with shop.database.read() as session:
        return await pack_view(session, actor, order_id, after=after)


def order_and_state(view: PackView) -> tuple[str, str]:
    """Return the id and the state of the view's order."""
    assert view.order is not None
    return view.order.id, view.order.state


async def test_packing_starts_with_the_oldest_order_which_can_be_skipped(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    assert (await read_pack_view(shop)).order is None
    newer = await place_captured_order(shop, store, trompo)
    older = await place_captured_order(shop, store, trompo)
    async with shop.database.transaction() as session:
        earlier = update(Order).where(Order.id == older)
        await session.execute(earlier.values(paid_at=db_now(-timedelta(days=2))))
        await add_note(session, OWNER, older, "Con moño")
    view = await read_pack_view(shop)
    assert (view.waiting, order_and_state(view)) == (2, (older, "open"))
    assert view.order is not None
    assert (view.order.notes, view.order.town) == (["Con moño"], "Medellín")
    assert [(line.units, line.codes) for line in view.order.lines] == [(2, ["SKU-TROMPO"])]
    assert order_and_state(await read_pack_view(shop, after=older)) == (newer, "open")
    assert order_and_state(await read_pack_view(shop, after=newer)) == (
        older,
        "open",
    )  # after the newest order, the oldest
    assert order_and_state(await read_pack_view(shop, after="order_nosuch")) == (older, "open")


async def test_packed_order_shows_packer_and_next_order(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_captured_order(shop, store, trompo)
    await send_remaining_units(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    view = await read_pack_view(shop, order_id)
    assert (view.waiting, order_and_state(view)) == (0, (order_id, "packed"))
    assert view.order is not None
    assert [(one.label_path.endswith("/label"), one.is_test) for one in view.order.made] == [(True, True)]
    assert [line.units for line in view.order.lines] == [2]
    assert (await read_pack_view(shop)).order is None


async def test_packed_part_of_a_pickup_order_gets_a_parcel_number_and_no_label(
    shop: Shop, admin: httpx.AsyncClient, sold_order: SoldOrder
) -> None:
    await pack_units(admin, Sold(sold_order.order_id, sold_order.line_id), 1)
    order = (await read_pack_view(shop, sold_order.order_id)).order
    assert order is not None
    assert (order.is_pickup, order.state, [line.units for line in order.lines]) == (True, "open", [1])
    assert [(one.reference, one.guide, one.label_path, one.is_test) for one in order.made] == [
        (f"{order.number}-1", "", "", False)
    ]


async def test_label_in_doubt_blocks_packing(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    order_id = await place_captured_order(shop, store, trompo)
    assert shop.sandbox.carrier
    shop.sandbox.carrier.faults.plan(Fault.DROP, Operation.SHIPMENT)
    await send_remaining_units(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    view = await read_pack_view(shop, order_id)
    assert (view.waiting, view.doubtful, order_and_state(view)) == (0, 1, (order_id, "doubt"))
    assert (await read_pack_view(shop)).order is None  # no second label can be requested


async def find_line_id(admin: httpx.AsyncClient, order_id: str) -> str:
    """Return the id of the order's only line."""
    return str((await get(admin, f"/admin/orders/{order_id}"))["order"]["items"][0]["id"])


async def test_partially_sent_order_is_listed_for_packing(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_captured_order(shop, store, trompo)
    parcels = f"/admin/orders/{order_id}/fulfillments"
    one = {"items": [{"id": await find_line_id(admin, order_id), "quantity": 1}]}
    parcel = (await post(admin, parcels, one))["order"]["fulfillments"][0]["id"]
    for step, status in (("shipments", "partially_shipped"), ("mark-as-delivered", "partially_delivered")):
        order = (await post(admin, f"{parcels}/{parcel}/{step}"))["order"]
        assert order["fulfillment_status"] == status
        view = await read_pack_view(shop)
        assert (view.waiting, order_and_state(view)) == (1, (order_id, "open"))
        assert view.order is not None
        assert [line.units for line in view.order.lines] == [1]
        assert (view.order.parcels, len(view.order.made)) == (1, 1)
    await send_remaining_units(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    view = await read_pack_view(shop)
    assert (view.waiting, view.order) == (0, None)


async def test_order_without_units_to_send_is_not_listed_for_packing(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    """Refund all units, but only a part of their price: no unit is left to send."""
    order_id = await place_captured_order(shop, store, trompo)
    units = {"line_id": await find_line_id(admin, order_id), "quantity": 2, "restock": True}
    refund = {"amount": 1_000, "reference": "A-1", "lines": [units]}
    order = (await post(admin, f"/admin/orders/{order_id}/refunds", refund))["order"]
    assert (order["status"], order["payment_status"]) == ("pending", "partially_refunded")
    view = await read_pack_view(shop)
    assert (view.waiting, view.order) == (0, None)


async def test_order_that_cannot_be_packed_is_shown_with_its_state(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order = await complete_purchase(store, trompo, 1, PSE, "calculated")
    assert order_and_state(await read_pack_view(shop, order["id"])) == (order["id"], "closed")
    with pytest.raises(NotFound):
        await read_pack_view(shop, "order_nosuch")
    with pytest.raises(Forbidden):
        await read_pack_view(shop, actor=Actor("user_2", Role.ACCOUNTANT))
