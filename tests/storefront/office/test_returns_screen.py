"""Returns in the office: the list, one from opening to the money, and what a browser may not send."""

from typing import Any

import pytest

from backend.app import Shop
from backend.staff.rights import Role
from storefront.office.orders.detail_state import OrderState
from storefront.office.returns.detail_state import ReturnState
from storefront.office.returns.listing import ReturnsState
from storefront.office.returns.new_return import OpeningState
from tests.backend.returns.steps import ACCOUNT, Sold, asked, deliver, of_the_shop, opened, send, sold
from tests.store_defaults import Defaults, make_toy
from tests.storefront.office.conftest import At

LIST = "/oficina/devoluciones"
NONSENSE: list[Any] = [
    None, {}, 7, {"amount": "x" * 9000}, {"good-x": "1"}, {"good-x": []}, {"amount": "²"},
]  # fmt: skip


@pytest.fixture
async def delivered(shop: Shop, defaults: Defaults) -> Sold:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", stock=5, price=40_000)
    async with of_the_shop(shop) as (store, admin):
        of = await sold(shop, store, admin, toy)
        await send(admin, of)
    await deliver(shop, of)
    return of


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)


async def at(browser_of: At, role: Role, path: str, state: Any) -> Any:
    screen: Any = await (await browser_of(role, path)).get_state(state)
    await sent(screen, "load")
    return screen


async def test_the_list_is_by_deadline_pages_and_counts_what_is_new(
    shop: Shop, browser_of: At, delivered: Sold, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = await asked(shop, delivered, "warranty", reason="No gira.")
    soon = await asked(shop, delivered)
    monkeypatch.setattr("backend.office.returns.listing.MOST_ROWS", 1)
    screen = await at(browser_of, Role.STOCKROOM, LIST, ReturnsState)
    assert [row.id for row in screen.content.rows] == [soon.id]
    assert [chip.text for chip in screen.content.rows[0].chips] == ["Solicitada", "Quedan 15 días"]
    await sent(screen, "more")
    assert [row.id for row in screen.content.rows] == [soon.id, late.id]
    assert screen.content.cursor == ""
    nothing_came = await opened(shop, delivered, "reversal", 0)
    await screen._update()
    assert screen.fresh == 1
    await sent(screen, "load")
    assert screen.content.newest == str(nothing_came.number)
    for query, shown in (("estado=pagadas", []), ("tipo=garantia&estado=solicitadas", [late.id])):
        other = await at(browser_of, Role.OWNER, f"{LIST}?{query}", ReturnsState)
        assert [row.id for row in other.content.rows] == shown
        assert len(other.content.active) == query.count("=")
    for text, count in ((f"q={soon.number}", 1), ("q=%23x", 0), ("q=ana@example.com", 1)):
        found = await at(browser_of, Role.OWNER, f"{LIST}?{text}", ReturnsState)
        assert len(found.content.rows) == count


async def test_the_shop_proposes_and_the_owner_pays(shop: Shop, browser_of: At, delivered: Sold) -> None:
    order = await at(browser_of, Role.SHOP, f"/oficina/pedidos/{delivered.order_id}", OrderState)
    assert "return" in order.content.actions
    opening = await at(browser_of, Role.SHOP, f"{LIST}/nueva?pedido={delivered.order_id}", OpeningState)
    assert [(line.sent, line.unsent) for line in opening.content.lines] == [(2, 0)]
    await sent(opening, "open", {"kind": "withdrawal", f"units-{delivered.line_id}": "9"})
    assert list(opening.problems) == [f"units-{delivered.line_id}"]
    moved = await sent(opening, "open", delivered.asked("withdrawal", 2))
    path = str(moved).partition(f"{LIST}/")[2].partition('"')[0]
    await sent(order, "load")
    (listed,) = order.content.returns
    assert path.startswith(listed.id)
    here = f"{LIST}/{listed.id}"
    screen = await at(browser_of, Role.SHOP, here, ReturnState)
    assert screen.content.actions == ["receive", "approve", "deny", "account"]
    assert (screen.content.proposed, dict(screen.content.account)["Banco"]) == ("80000", "Bancolombia")
    await sent(screen, "receive", {f"good-{delivered.line_id}": "3"})
    assert screen.told.tone == "problem"
    await sent(screen, "receive", {f"good-{delivered.line_id}": "1", f"damaged-{delivered.line_id}": "1"})
    assert screen.content.lines[0].arrived == "en buen estado: 1, con daño: 1"
    await sent(screen, "approve", {"amount": "90.000"})
    assert list(screen.problems) == ["amount"]
    await sent(screen, "approve", {"amount": "$ 80.000", "restock": "yes"})
    assert (screen.content.amount_label, screen.content.actions) == ("$ 80.000", ["account"])
    await sent(screen, "pay", {"amount": "80000", "reference": "A-1"})
    assert screen.told.text == "Tu rol no permite hacer esto."
    await sent(screen, "deny", {"denial": "No."})
    assert screen.told.text.startswith("Alguien lo cambió antes")
    await sent(screen, "save_account", {**ACCOUNT, "holder": ""})
    assert list(screen.problems) == ["holder"]
    await sent(screen, "save_account", {**ACCOUNT, "bank": "Nequi"})
    owner = await at(browser_of, Role.OWNER, here, ReturnState)
    assert owner.content.actions == ["account", "pay", "receipt"]
    await sent(owner, "pay", {"amount": "80.001", "reference": "A-1"})
    assert list(owner.problems) == ["amount"]
    await sent(owner, "pay", {"amount": "80.000", "reference": "A-1"})
    assert (owner.told.tone, dict(owner.content.facts)["Referencia"]) == ("news", "A-1")
    await sent(owner, "pay", {"amount": "80.000", "reference": "A-2"})
    assert owner.told.text == "Ya está pagada, o esa referencia es de otra devolución."
    accountant = await at(browser_of, Role.ACCOUNTANT, here, ReturnState)
    assert (accountant.content.account, accountant.content.actions) == ([], [])


async def test_nonsense_changes_nothing(shop: Shop, browser_of: At, delivered: Sold) -> None:
    row = await asked(shop, delivered)
    screen = await at(browser_of, Role.OWNER, f"{LIST}/{row.id}", ReturnState)
    for event in ("receive", "approve", "deny", "save_account", "pay"):
        for nonsense in NONSENSE:
            screen.told = None
            await sent(screen, event, nonsense)
            assert screen.told.tone == "problem", (event, nonsense)
    await sent(screen, "load")
    assert [chip.text for chip in screen.content.chips][:1] == ["Solicitada"]
