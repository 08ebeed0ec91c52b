"""The screen «Cambiar el pedido», and the panel of the difference on the order's screen."""

from typing import Any

import pytest
from reflex.istate.data import RouterData
from sqlalchemy import select

from backend.app import Shop
from backend.order_edits.models import OrderEdit
from backend.staff.rights import Role
from storefront.office.orders.detail_state import OrderState
from storefront.office.orders.editing_state import EditOrderState
from tests.amounts import cop
from tests.sold_order import SoldOrder
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


@pytest.fixture
async def order_id(shop: Shop, defaults: Defaults, sold_order: SoldOrder) -> str:
    """Return the id of a paid order of two trompos at 40,000 pesos each. The shop also has a yoyo."""
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "yoyo", stock=5, price=15_000)
    return sold_order.order_id


async def open_screen(browser_of: BrowserFactory, state: Any, path: str, role: Role = Role.SHOP) -> Any:
    screen: Any = await (await browser_of(role, path)).get_state(state)
    await send_event(screen, "load")
    return screen


async def open_edit_screen(browser_of: BrowserFactory, order_id: str, role: Role = Role.SHOP) -> Any:
    return await open_screen(browser_of, EditOrderState, f"/oficina/pedidos/cambiar?pedido={order_id}", role)


async def open_order(browser_of: BrowserFactory, order_id: str, role: Role = Role.SHOP) -> Any:
    return await open_screen(browser_of, OrderState, f"/oficina/pedidos/{order_id}", role)


def form(screen: Any, reason: str = "lo pidió por teléfono") -> dict[str, str]:
    return {"edit": screen.content.edit_id, "total": str(screen.content.total), "reason": reason}


async def list_edits(shop: Shop) -> list[OrderEdit]:
    async with shop.database.read() as session:
        return list((await session.execute(select(OrderEdit))).scalars())


async def test_scanned_product_is_added_and_its_difference_is_received(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    order = await open_order(browser_of, order_id)
    assert "edit" in order.content.actions
    screen = await open_edit_screen(browser_of, order_id)
    assert (screen.content.edit_id, screen.content.refusal, await list_edits(shop)) == ("", "", [])
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    assert [(line.title, line.quantity, line.note) for line in screen.content.lines] == [
        ("Trompo", 2, ""),
        ("Yoyo", 1, "Nuevo"),
    ]
    assert screen.content.difference == cop("El comprador paga $ 15.000 más")
    await send_event(screen, "set_quantity", screen.content.lines[1].id, 2)
    await send_event(screen, "save", form(screen, reason=""))
    assert "reason" in screen.problems
    await send_event(screen, "save", form(screen))
    (edit,) = await list_edits(shop)
    assert (edit.status, edit.reason) == ("confirmed", "lo pidió por teléfono")
    await send_event(order, "load")
    shown = order.content
    assert (shown.difference.kind, shown.difference.amount, shown.is_held) == ("owed", 30_000, True)
    assert {"edit", "receive"} <= set(shown.actions)
    assert "pack" not in shown.actions
    (event,) = [event for event in shown.events if event.title == "Pedido cambiado"]
    assert event.text == cop("Agregamos 2 × Yoyo. Total: $ 80.000 → $ 110.000. lo pidió por teléfono")
    await send_event(order, "receive", {"amount": "30000", "method": "transfer", "reference": ""})
    assert "reference" in order.problems
    await send_event(order, "receive", {"amount": "30000", "method": "cash", "reference": ""})
    shown = order.content
    assert (shown.difference.kind, shown.is_held, "pack" in shown.actions) == ("", False, True)


async def test_chosen_line_is_forgotten_when_the_screen_shows_another_order(
    order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_edit_screen(browser_of, order_id)
    await send_event(screen, "replace_line", screen.content.lines[0].id)
    await send_event(screen, "load")
    assert screen.replaced_title == "Trompo"
    path, cookie = "/oficina/pedidos/cambiar?pedido=order_none", screen.router.headers.cookie
    screen.router = RouterData.from_router_data(
        {"headers": {"cookie": cookie}, "pathname": path, "asPath": path, "token": "page"}
    )
    await send_event(screen, "load")
    assert (screen.problem, screen.replaced_id, screen.replaced_title) == ("missing", "", "")


async def test_cheaper_product_replaces_a_line_and_the_owner_refunds_the_difference(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_edit_screen(browser_of, order_id)
    await send_event(screen, "replace_line", screen.content.lines[0].id)
    assert screen.replaced_title == "Trompo"
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    assert [(line.title, line.quantity, line.note) for line in screen.content.lines] == [
        ("Trompo", 0, "Se quita"),
        ("Yoyo", 2, "Nuevo"),
    ]
    assert (screen.replaced_id, screen.content.difference) == ("", cop("Le devuelves $ 50.000"))
    await send_event(screen, "save", form(screen))
    order = await open_order(browser_of, order_id)
    assert (order.content.difference.kind, "give_back" in order.content.actions) == ("refund", False)
    receipt = {"amount": "50000", "method": "transfer", "reference": "T-1"}
    await send_event(order, "give_back", receipt)
    assert order.content.difference.kind == "refund"
    owner = await open_order(browser_of, order_id, Role.OWNER)
    await send_event(owner, "give_back", receipt)
    assert (owner.content.difference.kind, owner.content.payment.refunded_label) == ("", cop("$ 50.000"))


async def test_discarded_edit_does_not_change_the_order(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_edit_screen(browser_of, order_id)
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    await send_event(screen, "discard", screen.content.edit_id)
    await send_event(screen, "load")
    assert (screen.content.edit_id, [line.title for line in screen.content.lines]) == ("", ["Trompo"])


async def test_edit_whose_total_has_changed_is_not_saved(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_edit_screen(browser_of, order_id)
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    typed = form(screen)
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    await send_event(screen, "save", typed)
    assert (screen.announcement.tone, screen.content.lines[1].quantity) == ("problem", 2)
    assert (await list_edits(shop))[0].status == "pending"


async def test_stockroom_role_cannot_edit_an_order(order_id: str, browser_of: BrowserFactory) -> None:
    order = await open_order(browser_of, order_id, Role.STOCKROOM)
    assert "edit" not in order.content.actions
    screen = await open_edit_screen(browser_of, order_id, Role.STOCKROOM)
    assert screen.content is None


async def test_shipping_of_an_order_is_changed_and_changed_back(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_edit_screen(browser_of, order_id)
    before = screen.content.shipping
    await send_event(screen, "list_shipping")
    assert (len(screen.options) > 1, screen.content.edit_id) == (True, "")
    other = next(one for one in screen.options if one["name"] not in before)
    await send_event(screen, "choose_shipping", other["id"])
    view = screen.content
    assert (view.former_shipping, view.can_save, screen.options) == (before, True, [])
    assert other["name"] in view.shipping
    await send_event(screen, "keep_shipping", view.edit_id)
    assert (screen.content.shipping, screen.content.is_changed) == (before, False)
    await send_event(screen, "list_shipping")
    await send_event(screen, "choose_shipping", other["id"])
    view = screen.content
    await send_event(screen, "save", {"edit": view.edit_id, "total": str(view.total), "reason": "Llamó"})
    order = await open_screen(browser_of, OrderState, f"/oficina/pedidos/{order_id}")
    assert any(other["name"] in event.text for event in order.content.events)
