"""The invoices screen: enabling invoices, the list, retries, and invalid input."""

from typing import Any

import pytest

from backend.app import Shop
from backend.invoices.creation import ISSUE
from backend.sandbox.invoicing import Fault
from backend.staff.rights import Role
from storefront.live.refresh import update_state
from storefront.office.invoices import InvoicesState
from storefront.office.orders.detail_state import OrderState
from tests.backend.invoices.desk import RANGE, place_paid_order
from tests.store_defaults import Defaults
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

PATH = "/oficina/facturas"


async def open_screen(
    browser_of: BrowserFactory, role: Role, path: str = PATH, state: Any = InvoicesState
) -> Any:
    screen: Any = await (await browser_of(role, path)).get_state(state)
    await send_event(screen, "load")
    return screen


async def test_selected_earlier_orders_are_invoiced_or_marked_as_invoiced_elsewhere(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    sold = [await place_paid_order(shop) for _number in range(2)]
    owner = await open_screen(browser_of, Role.OWNER)
    assert (owner.content.earlier_count, len(owner.content.earlier)) == (2, 2)
    first, second = (f"order-order_{one.number}" for one in sold)
    await send_event(owner, "settle_earlier_orders", {"decision": "issue"})
    assert owner.problems == {"decision": "Marca al menos un pedido."}
    await send_event(owner, "settle_earlier_orders", {"decision": "issue", first: "yes"})
    assert owner.announcement.text == "Primero elige quién hace las facturas y guarda la numeración."
    await send_event(owner, "save", {**RANGE, "provider": "file"})
    await send_event(owner, "settle_earlier_orders", {"decision": "issue", first: "yes", second: ""})
    assert owner.announcement.text == "1 factura va en camino."
    await send_event(owner, "settle_earlier_orders", {"decision": "elsewhere", second: "yes"})
    assert (owner.announcement.text, owner.content.earlier) == ("1 pedido quedó facturado.", [])


async def test_invoicing_is_enabled_and_a_rejected_invoice_is_retried(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    owner = await open_screen(browser_of, Role.OWNER)
    assert [item.value for item in owner.content.providers] == ["", "file", "ubl"]
    await send_event(owner, "save", {**RANGE, "provider": "ubl", "last": "1"})
    assert (owner.announcement.tone, list(owner.problems), owner.content.is_on) == (
        "problem",
        ["last"],
        False,
    )
    await send_event(owner, "save", {**RANGE, "provider": "ubl"})
    assert (owner.announcement.tone, owner.problems, owner.content.form.about) == (
        "news", {}, "Quedan 5.000.001 números.",
    )  # fmt: skip
    assert shop.sandbox.invoicing is not None
    shop.sandbox.invoicing.faults.plan(Fault.REJECT)
    sold = await place_paid_order(shop)
    await update_state(owner)
    assert (owner.content.rows, owner.new_count) == ([], 1)
    await send_event(owner, "load")
    await shop.worker.run_due(ISSUE)
    await update_state(owner)
    (row,) = owner.content.rows
    assert (row.title, row.chip.text, row.can_retry, row.pdf_href) == (
        "Factura SETP990000000", "Rechazada", True, "",
    )  # fmt: skip
    assert row.reason.startswith("FAK21")
    accountant = await open_screen(browser_of, Role.ACCOUNTANT, f"{PATH}?estado=rechazadas&q=SETP990000000")
    assert [(item.id, item.can_retry) for item in accountant.content.rows] == [(row.id, False)]
    await send_event(accountant, "retry", row.id)
    assert accountant.announcement.text == "Tu rol no permite hacer esto."
    await send_event(owner, "retry", row.id)
    assert owner.content.rows[0].chip.text == "Pendiente"
    await shop.worker.run_due(ISSUE)
    await update_state(owner)
    (row,) = owner.content.rows
    assert (row.chip.text, row.pdf_href) == ("Emitida", f"/admin/invoices/{row.id}/pdf")
    await send_event(owner, "retry", row.id)
    assert owner.announcement.tone == "problem"
    order = await open_screen(browser_of, Role.OWNER, f"/oficina/pedidos/order_{sold.number}", OrderState)
    assert [item.id for item in order.content.invoices] == [row.id]
    stockroom = await open_screen(
        browser_of, Role.STOCKROOM, f"/oficina/pedidos/order_{sold.number}", OrderState
    )
    assert stockroom.content.invoices == []


async def test_roles_without_the_right_see_no_invoices_and_cannot_change_numbering(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    stockroom = await open_screen(browser_of, Role.STOCKROOM)
    assert (stockroom.problem, stockroom.content) == ("forbidden", None)
    seller = await open_screen(browser_of, Role.SHOP)
    await send_event(seller, "save", {**RANGE, "provider": "file"})
    assert seller.announcement.text == "Tu rol no permite hacer esto."
    assert not seller.content.is_on


@pytest.mark.parametrize(
    "nonsense", [None, {}, {"provider": "x" * 9000}, {"first": ["1"]}, 7, {"provider": "ubl"}]
)
async def test_invalid_input_of_the_invoices_screen_changes_nothing(
    browser_of: BrowserFactory, nonsense: Any
) -> None:
    owner = await open_screen(browser_of, Role.OWNER)
    await send_event(owner, "save", nonsense)
    await send_event(owner, "retry", nonsense)
    assert not owner.content.is_on
    assert owner.announcement.tone == "problem"
