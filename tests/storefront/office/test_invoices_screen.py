"""Invoices in the office: turning them on, the list, trying one again, and what a browser may not send."""

from typing import Any

import pytest

from backend.app import Shop
from backend.invoices.creation import ISSUE
from backend.sandbox.invoicing import Fault
from backend.staff.rights import Role
from storefront.office.invoices import InvoicesState
from storefront.office.orders.detail_state import OrderState
from tests.backend.invoices.desk import RANGE, sell
from tests.store_defaults import Defaults
from tests.storefront.office.conftest import At

PLACE = "/oficina/facturas"


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)


async def at(browser_of: At, role: Role, path: str = PLACE, state: Any = InvoicesState) -> Any:
    screen: Any = await (await browser_of(role, path)).get_state(state)
    await sent(screen, "load")
    return screen


async def test_it_is_turned_on_and_one_is_tried_again(shop: Shop, defaults: Defaults, browser_of: At) -> None:
    owner = await at(browser_of, Role.OWNER)
    assert [one.value for one in owner.content.providers] == ["", "file", "ubl"]
    await sent(owner, "save", {**RANGE, "provider": "ubl", "last": "1"})
    assert (owner.told.tone, list(owner.problems), owner.content.is_on) == ("problem", ["last"], False)
    await sent(owner, "save", {**RANGE, "provider": "ubl"})
    assert (owner.told.tone, owner.problems, owner.content.form.about) == (
        "news", {}, "Quedan 5000001 números.",
    )  # fmt: skip
    assert shop.sandbox.invoicing is not None
    shop.sandbox.invoicing.faults.plan(Fault.REJECT)
    sold = await sell(shop)
    await owner._update()
    assert (owner.content.rows, owner.fresh) == ([], 1)
    await sent(owner, "load")
    await shop.worker.run_due(ISSUE)
    await owner._update()
    (row,) = owner.content.rows
    assert (row.title, row.chip.text, row.can_retry, row.pdf_href) == (
        "Factura SETP990000000", "Rechazada", True, "",
    )  # fmt: skip
    assert row.reason.startswith("FAK21")
    accountant = await at(browser_of, Role.ACCOUNTANT, f"{PLACE}?estado=rechazadas&q=SETP990000000")
    assert [(one.id, one.can_retry) for one in accountant.content.rows] == [(row.id, False)]
    await sent(accountant, "retry", row.id)
    assert accountant.told.text == "Tu rol no permite hacer esto."
    await sent(owner, "retry", row.id)
    assert owner.content.rows[0].chip.text == "Pendiente"
    await shop.worker.run_due(ISSUE)
    await owner._update()
    (row,) = owner.content.rows
    assert (row.chip.text, row.pdf_href) == ("Emitida", f"/admin/invoices/{row.id}/pdf")
    await sent(owner, "retry", row.id)
    assert owner.told.tone == "problem"
    order = await at(browser_of, Role.OWNER, f"/oficina/pedidos/order_{sold.number}", OrderState)
    assert [one.id for one in order.content.invoices] == [row.id]
    stockroom = await at(browser_of, Role.STOCKROOM, f"/oficina/pedidos/order_{sold.number}", OrderState)
    assert stockroom.content.invoices == []


async def test_others_see_no_invoices_and_change_no_numbering(shop: Shop, browser_of: At) -> None:
    stockroom = await at(browser_of, Role.STOCKROOM)
    assert (stockroom.problem, stockroom.content) == ("forbidden", None)
    seller = await at(browser_of, Role.SHOP)
    await sent(seller, "save", {**RANGE, "provider": "file"})
    assert seller.told.text == "Tu rol no permite hacer esto."
    assert not seller.content.is_on


@pytest.mark.parametrize(
    "nonsense", [None, {}, {"provider": "x" * 9000}, {"first": ["1"]}, 7, {"provider": "ubl"}]
)
async def test_nonsense_changes_nothing(browser_of: At, nonsense: Any) -> None:
    owner = await at(browser_of, Role.OWNER)
    await sent(owner, "save", nonsense)
    await sent(owner, "retry", nonsense)
    assert not owner.content.is_on
    assert owner.told.tone == "problem"
