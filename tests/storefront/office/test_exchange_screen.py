"""The screen «Hacer un cambio»."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.draft_orders.counter_sale import ReceivedMoney, sell
from backend.draft_orders.drafts import add_units, open_current_draft
from backend.exchanges.models import Exchange
from backend.payment.manual_methods import ManualMethod
from backend.staff.rights import Actor, Role
from storefront.office.orders.detail_state import OrderState
from storefront.office.orders.exchange_state import ExchangeState
from storefront.office.returns.detail_state import ReturnState
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

SELLER = Actor("staff_seller", Role.SHOP)


async def open_screen(browser_of: BrowserFactory, state: Any, path: str, role: Role = Role.SHOP) -> Any:
    screen: Any = await (await browser_of(role, path)).get_state(state)
    await send_event(screen, "load")
    return screen


async def open_exchange_screen(browser_of: BrowserFactory, order_id: str, role: Role = Role.SHOP) -> Any:
    return await open_screen(browser_of, ExchangeState, f"/oficina/pedidos/cambio?pedido={order_id}", role)


@pytest.fixture
async def order_id(shop: Shop, defaults: Defaults) -> str:
    """Return the id of an order of two trompos at 40,000 pesos, sold in cash. The shop also has yoyos and baleros."""
    async with shop.database.transaction() as session:
        trompo = await add_product(session, defaults, "trompo", stock=5, price=40_000)
        await add_product(session, defaults, "yoyo", stock=5, price=45_000)
        await add_product(session, defaults, "balero", stock=5, price=30_000)
        draft = await open_current_draft(session, SELLER)
        await add_units(session, SELLER, draft.id, trompo, 2)
        received = ReceivedMoney(80_000, ManualMethod.CASH)
        return (await sell(session, SELLER, shop.settings, draft.id, received=received)).id


async def read_exchanges(shop: Shop) -> list[Exchange]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Exchange).order_by(Exchange.number))).scalars())


def form(screen: Any, method: str = "", reference: str = "", damaged: str = "") -> dict[str, str]:
    view = screen.content
    return {
        "exchange": view.exchange_id,
        "difference": str(view.difference),
        "method": method,
        "reference": reference,
        "damaged": damaged,
    }


async def test_unit_is_exchanged_for_a_scanned_product_and_the_difference_is_received(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    order = await open_screen(browser_of, OrderState, f"/oficina/pedidos/{order_id}")
    assert "exchange" in order.content.actions
    screen = await open_exchange_screen(browser_of, order_id)
    (line,) = screen.content.inbound
    assert (line.title, line.quantity, line.most, await read_exchanges(shop)) == ("Trompo", 0, 2, [])
    await send_event(screen, "set_inbound", line.id, 1)
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    assert [(one.title, one.quantity) for one in screen.content.outbound] == [("Yoyo", 1)]
    assert (screen.content.kind, screen.content.sentence) == ("owed", cop("El cliente paga $ 5.000 más"))
    assert "later" not in [value for value, _name in screen.methods]
    await send_event(screen, "settle", form(screen))
    assert "method" in screen.problems
    await send_event(screen, "settle", form(screen, "nequi"))
    assert "reference" in screen.problems
    await send_event(screen, "settle", form(screen, "cash"))
    (exchange,) = await read_exchanges(shop)
    assert (exchange.status, exchange.credit) == ("completed", 40_000)
    new = await open_screen(browser_of, OrderState, f"/oficina/pedidos/{exchange.draft_order_id}")
    assert "Cambio del pedido" in new.content.payment.method
    assert new.content.difference.kind == ""
    old_number, new_number = order.content.number, new.content.number
    credit = f"El comprador pagó con lo que devolvió del pedido {old_number}"
    assert credit in [event.title for event in new.content.events]
    await send_event(order, "load")
    titles = [event.title for event in order.content.events]
    assert "Cambio hecho" in titles
    assert f"El comprador pagó el pedido {new_number} con lo que devolvió" in titles
    assert [row.kind for row in order.content.returns] == ["Cambio"]
    assert "exchange" in order.content.actions  # the other unit


async def test_only_the_owner_can_record_the_refund_of_an_exchange(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_exchange_screen(browser_of, order_id)
    await send_event(screen, "set_inbound", screen.content.inbound[0].id, 1)
    await send_event(screen, "scan", {"code": "SKU-balero"})
    view = screen.content
    assert (view.kind, view.sentence, view.can_give_back) == ("refund", cop("Le devuelves $ 10.000"), False)
    owner = await open_exchange_screen(browser_of, order_id, Role.OWNER)
    assert owner.content.can_give_back
    await send_event(screen, "settle", form(screen, "later"))
    (exchange,) = await read_exchanges(shop)
    new = await open_screen(browser_of, OrderState, f"/oficina/pedidos/{exchange.draft_order_id}")
    assert (new.content.difference.kind, new.content.difference.amount) == ("refund", 10_000)


async def test_new_exchange_can_begin_after_the_first_was_cancelled(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_exchange_screen(browser_of, order_id)
    await send_event(screen, "set_inbound", screen.content.inbound[0].id, 2)
    await send_event(screen, "discard", screen.content.exchange_id)
    await send_event(screen, "load")
    assert screen.content.exchange_id == ""
    await send_event(screen, "set_inbound", screen.content.inbound[0].id, 1)
    assert [one.status for one in await read_exchanges(shop)] == ["canceled", "open"]


async def test_exchange_that_waits_for_its_return_is_finished_when_the_return_arrives(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_exchange_screen(browser_of, order_id)
    await send_event(screen, "set_inbound", screen.content.inbound[0].id, 1)
    await send_event(screen, "wait_for_return", screen.content.exchange_id)
    assert screen.content.status == "open"  # nothing goes out
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    await send_event(screen, "wait_for_return", screen.content.exchange_id)
    view = screen.content
    assert (view.status, view.has_arrived, view.inbound[0].quantity) == ("requested", False, 1)
    returned = await open_screen(browser_of, ReturnState, f"/oficina/devoluciones/{view.return_id}")
    assert "exchange" in returned.content.actions
    await send_event(screen, "settle", form(screen, "cash", damaged="yes"))
    await send_event(returned, "load")
    assert "exchange" not in returned.content.actions
    assert returned.content.lines[0].arrived == "con daño: 1"
    assert [one.status for one in await read_exchanges(shop)] == ["completed"]


async def test_new_products_of_an_exchange_are_delivered_to_an_address_or_handed_over(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_exchange_screen(browser_of, order_id)
    await send_event(screen, "set_inbound", screen.content.inbound[0].id, 1)
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    assert (screen.content.can_deliver, screen.content.asks_email) == (
        False,
        True,
    )  # the counter asked nothing
    await send_event(screen, "deliver_elsewhere", {"first_name": "Ana"})
    assert {"email", "address", "town"} <= set(screen.problems)
    await send_event(screen, "find_towns", "medel")
    assert [town.label for town in screen.towns][:1] == ["Medellín, Antioquia"]
    typed = {
        "first_name": "Ana",
        "last_name": "Gómez",
        "email": "ana@example.com",
        "phone": "3001234567",
        "town": "Medellín, Antioquia",
        "address": "Carrera 43A # 1-50",
        "suburb": "El Poblado",
    }
    await send_event(screen, "deliver_elsewhere", typed)
    view = screen.content
    assert (view.address[:2], bool(view.shipping), view.can_settle) == (
        ["Ana Gómez", "Carrera 43A # 1-50"],
        True,
        True,
    )
    (pickup,) = view.pickups
    await send_event(screen, "choose_shipping", pickup.id)
    shown = screen.content
    assert (shown.address, shown.has_address, shown.shipping) == (
        [],
        True,
        pickup.name,
    )  # the point has no address
    await send_event(screen, "list_shipping")
    assert (screen.content.shipping, len(screen.options) > 1) == (pickup.name, True)
    carrier = next(one["id"] for one in screen.options if one["id"] != pickup.id)
    await send_event(screen, "choose_shipping", carrier)
    assert screen.content.address[0] == "Ana Gómez"
    await send_event(screen, "set_quantity", view.outbound[0].id, 2)
    view = screen.content
    assert (bool(view.address), view.shipping, view.can_settle, screen.options) == (True, "", False, [])
    await send_event(screen, "list_shipping")
    assert screen.content.can_settle
    await send_event(screen, "hand_over", view.exchange_id)
    assert (screen.content.address, screen.content.can_settle, screen.options) == ([], True, [])


async def test_new_products_of_an_order_without_address_are_picked_up_later(
    shop: Shop, order_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_exchange_screen(browser_of, order_id)
    await send_event(screen, "set_inbound", screen.content.inbound[0].id, 1)
    await send_event(screen, "scan", {"code": "SKU-yoyo"})
    (pickup,) = screen.content.pickups
    await send_event(screen, "pick_up", "so_unknown")
    assert (screen.announcement.tone, screen.content.shipping) == ("problem", "")
    await send_event(screen, "pick_up", pickup.id)
    view = screen.content
    assert (view.address, view.has_address, view.shipping, view.can_settle) == ([], False, pickup.name, True)
    assert "later" in [value for value, _name in screen.methods]
    await send_event(screen, "set_quantity", view.outbound[0].id, 2)
    assert screen.content.shipping == pickup.name
    await send_event(screen, "hand_over", view.exchange_id)
    assert (screen.content.shipping, screen.content.can_settle) == ("", True)
    await send_event(screen, "pick_up", pickup.id)
    await send_event(screen, "settle", form(screen, "later"))
    (exchange,) = await read_exchanges(shop)
    new = await open_screen(browser_of, OrderState, f"/oficina/pedidos/{exchange.draft_order_id}")
    assert (new.content.is_pickup, new.content.difference.kind) == (True, "owed")
    assert new.content.recipient == "Sin nombre"  # the counter asked nothing
