"""The packing screen (Empacar): a part of an order's units, and a delivery that staff record, each with its audit."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.staff.rights import Role
from storefront.office.orders.detail_state import OrderState
from storefront.office.orders.packing import PackState
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


@pytest.fixture
async def order_id(shop: Shop, defaults: Defaults, store: httpx.AsyncClient) -> str:
    """Return the id of a paid order of three units, which a carrier ships."""
    async with shop.database.transaction() as session:
        toy = await add_product(session, defaults, "trompo", stock=5)
    return str((await complete_purchase(store, toy, 3, price_type="calculated"))["id"])


async def open_packing(browser_of: BrowserFactory, role: Role, order_id: str) -> Any:
    screen: Any = await (await browser_of(role, f"/oficina/empacar?pedido={order_id}")).get_state(PackState)
    await send_event(screen, "load")
    return screen


async def list_actions(shop: Shop) -> list[tuple[str, str]]:
    """Return the action and the kind of actor of each audit entry about an order."""
    async with shop.database.read() as session:
        query = select(AuditEntry.action, AuditEntry.actor_id).where(AuditEntry.subject_type == "order")
        found = (await session.execute(query.order_by(AuditEntry.id))).all()
    return [(action, actor_id.partition("_")[0]) for action, actor_id in found]


async def test_packing_some_units_of_a_line_creates_a_label_and_an_audit_entry(
    shop: Shop, browser_of: BrowserFactory, order_id: str
) -> None:
    screen = await open_packing(browser_of, Role.STOCKROOM, order_id)
    (line,) = screen.content.order.lines
    assert (screen.content.order.id, line.units) == (order_id, 3)
    await send_event(screen, "create_partial_label", order_id, {line.id: 2}, 0)
    assert screen.announcement.text == "Guía lista."
    (left,) = screen.content.order.lines
    assert (left.units, screen.content.order.parcels, len(screen.content.order.made)) == (1, 1, 1)
    assert ("packed", "user") in await list_actions(shop)
    await send_event(screen, "create_partial_label", order_id, {line.id: 2}, 1)  # only one is left
    assert screen.announcement.tone == "problem"
    await send_event(screen, "create_partial_label", order_id, {line.id: 1}, 1)
    assert screen.content.order.state == "packed"


@pytest.mark.parametrize(
    "units", [{}, {"line": 0}, {"line": -1}, {"line": "2"}, {"line": 10**9}, "line", None]
)
async def test_invalid_units_pack_nothing(
    shop: Shop, browser_of: BrowserFactory, order_id: str, units: Any
) -> None:
    screen = await open_packing(browser_of, Role.STOCKROOM, order_id)
    before = await list_actions(shop)
    await send_event(screen, "create_partial_label", order_id, units, 0)
    assert screen.announcement.tone == "problem"
    assert (await list_actions(shop), screen.content.order.made) == (before, [])


async def test_delivery_recorded_by_staff_needs_a_reason_and_is_audited(
    shop: Shop, browser_of: BrowserFactory, order_id: str
) -> None:
    browser = await browser_of(Role.SHOP, f"/oficina/pedidos/{order_id}")
    screen: Any = await browser.get_state(OrderState)
    for event in ("load", "pack", "ship"):
        await send_event(screen, event)
    (parcel,) = screen.content.parcels
    await send_event(screen, "deliver_parcel", {"fulfillment": parcel.id, "reason": " "})
    assert screen.problems == {"reason": "Escribe cómo sabes que llegó."}
    await send_event(
        screen, "deliver_parcel", {"fulfillment": parcel.id, "reason": "Lo confirmó por WhatsApp"}
    )
    assert (screen.announcement.text, screen.content.parcels[0].can_deliver) == ("Entregado.", False)
    assert ("delivered", "user") in await list_actions(shop)
