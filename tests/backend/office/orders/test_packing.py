"""What is packed next: the order that waits longest, and how it stands."""

from datetime import timedelta

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.core.errors import Forbidden, NotFound
from backend.fulfillment.bulk_fulfillment import send_rest
from backend.office.orders.packing import PackView, pack_view
from backend.orders.admin.corrections import add_note
from backend.orders.models import Order
from backend.payment.providers.base import ProviderState
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from backend.staff.rights import Actor, Role
from tests.backend.orders.paying import said, sessions_of
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import PSE, bought, get, post

OWNER = Actor("user_1", Role.OWNER)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo", stock=50, price=40_000)


async def paid(shop: Shop, store: httpx.AsyncClient, trompo: str) -> str:
    order = await bought(store, trompo, 2, PSE, "calculated")
    await said(shop, (await sessions_of(shop, order["id"]))[-1].id, ProviderState.CAPTURED)
    return str(order["id"])


async def seen(shop: Shop, order_id: str = "", after: str = "", actor: Actor = OWNER) -> PackView:
    async with shop.database.read() as session:
        return await pack_view(session, actor, order_id, after=after)


def shown(view: PackView) -> tuple[str, str]:
    """Which order, and how it stands."""
    assert view.order is not None
    return view.order.id, view.order.state


async def test_the_one_that_waits_longest_comes_first_and_may_be_left_for_later(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    assert (await seen(shop)).order is None
    newer = await paid(shop, store, trompo)
    older = await paid(shop, store, trompo)
    async with shop.database.transaction() as session:
        earlier = update(Order).where(Order.id == older)
        await session.execute(earlier.values(paid_at=db_now(-timedelta(days=2))))
        await add_note(session, OWNER, older, "Con moño")
    view = await seen(shop)
    assert (view.waiting, shown(view)) == (2, (older, "open"))
    assert view.order is not None
    assert (view.order.notes, view.order.town) == (["Con moño"], "Medellín")
    assert [(line.units, line.codes) for line in view.order.lines] == [(2, ["SKU-TROMPO"])]
    assert shown(await seen(shop, after=older)) == (newer, "open")
    assert shown(await seen(shop, after=newer)) == (older, "open")  # round again
    assert shown(await seen(shop, after="order_nosuch")) == (older, "open")


async def test_what_was_packed_says_by_whom_and_what_is_next(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await paid(shop, store, trompo)
    await send_rest(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    view = await seen(shop, order_id)
    assert (view.waiting, shown(view)) == (0, (order_id, "packed"))
    assert view.order is not None
    assert view.order.label_path.endswith("/label")
    assert [line.units for line in view.order.lines] == [2]
    assert (await seen(shop)).order is None


async def test_a_label_in_doubt_stops_its_order_here(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await paid(shop, store, trompo)
    assert shop.sandbox.carrier
    shop.sandbox.carrier.faults.plan(Fault.DROP, Operation.SHIPMENT)
    await send_rest(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    view = await seen(shop, order_id)
    assert (view.waiting, view.doubtful, shown(view)) == (0, 1, (order_id, "doubt"))
    assert (await seen(shop)).order is None  # nobody is led to ask for it again


async def line_of(admin: httpx.AsyncClient, order_id: str) -> str:
    """The id of its one line, of two units."""
    return str((await get(admin, f"/admin/orders/{order_id}"))["order"]["items"][0]["id"])


async def test_the_rest_of_an_order_that_was_sent_in_part_waits_to_be_packed(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await paid(shop, store, trompo)
    parcels = f"/admin/orders/{order_id}/fulfillments"
    one = {"items": [{"id": await line_of(admin, order_id), "quantity": 1}]}
    parcel = (await post(admin, parcels, one))["order"]["fulfillments"][0]["id"]
    for step, status in (("shipments", "partially_shipped"), ("mark-as-delivered", "partially_delivered")):
        order = (await post(admin, f"{parcels}/{parcel}/{step}"))["order"]
        assert order["fulfillment_status"] == status
        view = await seen(shop)
        assert (view.waiting, shown(view)) == (1, (order_id, "open"))
        assert view.order is not None
        assert [line.units for line in view.order.lines] == [1]
    await send_rest(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    view = await seen(shop)
    assert (view.waiting, view.order) == (0, None)


async def test_an_order_of_which_nothing_is_sent_any_more_does_not_wait(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    """A part of its money was given back for all of its units: the shop keeps the rest."""
    order_id = await paid(shop, store, trompo)
    units = {"line_id": await line_of(admin, order_id), "quantity": 2, "restock": True}
    refund = {"amount": 1_000, "reference": "A-1", "lines": [units]}
    order = (await post(admin, f"/admin/orders/{order_id}/refunds", refund))["order"]
    assert (order["status"], order["payment_status"]) == ("pending", "partially_refunded")
    view = await seen(shop)
    assert (view.waiting, view.order) == (0, None)


async def test_what_is_not_to_be_packed_says_so(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    order = await bought(store, trompo, 1, PSE, "calculated")
    assert shown(await seen(shop, order["id"])) == (order["id"], "closed")
    with pytest.raises(NotFound):
        await seen(shop, "order_nosuch")
    with pytest.raises(Forbidden):
        await seen(shop, actor=Actor("user_2", Role.ACCOUNTANT))
