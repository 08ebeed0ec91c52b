"""Return screens: the list, a return from opening to payment, and invalid input."""

from typing import Any

import pytest
import reflex as rx
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.errors import InvalidData
from backend.staff.rights import Role
from storefront.live.refresh import update_state
from storefront.office.orders.detail_state import OrderState
from storefront.office.returns import detail, new_return
from storefront.office.returns.detail_state import ReturnState, parse_arrived_units
from storefront.office.returns.listing import ReturnsState
from storefront.office.returns.new_return import NewReturnState
from tests.amounts import cop
from tests.api_clients import open_clients
from tests.backend.returns.steps import (
    ACCOUNT,
    Sold,
    deliver_order,
    open_by_staff,
    pack_units,
    request_return,
)
from tests.sold_order import SoldOrder
from tests.storefront.components_tree import walk
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import open_screen, send_event

LIST = "/oficina/devoluciones"
NONSENSE: list[Any] = [
    None, {}, 7, {"amount": "x" * 9000}, {"good-x": "1"}, {"good-x": []}, {"amount": "²"},
]  # fmt: skip


@pytest.fixture
async def delivered(shop: Shop, sold_order: SoldOrder) -> Sold:
    order = Sold(sold_order.order_id, sold_order.line_id)
    async with open_clients(shop) as (_store, admin):
        await pack_units(admin, order)
    await deliver_order(shop, order)
    return order


async def test_list_of_returns_is_sorted_by_deadline_paged_filtered_and_searched(
    shop: Shop, browser_of: BrowserFactory, delivered: Sold, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = await request_return(shop, delivered, "warranty", reason="No gira.")
    soon = await request_return(shop, delivered)
    monkeypatch.setattr("backend.office.returns.listing.PAGE_SIZE", 1)
    screen = await open_screen(browser_of, Role.STOCKROOM, LIST, ReturnsState)
    assert [row.id for row in screen.content.rows] == [soon.id]
    assert [chip.text for chip in screen.content.rows[0].chips] == ["Solicitada", "Quedan 15 días"]
    await send_event(screen, "load_more")
    assert [row.id for row in screen.content.rows] == [soon.id, late.id]
    assert screen.content.cursor == ""
    nothing_came = await open_by_staff(shop, delivered, "reversal", 0)
    await update_state(screen)
    assert screen.new_count == 1
    await send_event(screen, "load")
    assert screen.content.newest == str(nothing_came.number)
    for query, shown in (("estado=pagadas", []), ("tipo=garantia&estado=solicitadas", [late.id])):
        other = await open_screen(browser_of, Role.OWNER, f"{LIST}?{query}", ReturnsState)
        assert [row.id for row in other.content.rows] == shown
        assert len(other.content.active) == query.count("=")
    for text, count in ((f"q={soon.number}", 1), ("q=%23x", 0), ("q=ana@example.com", 1)):
        found = await open_screen(browser_of, Role.OWNER, f"{LIST}?{text}", ReturnsState)
        assert len(found.content.rows) == count


async def test_return_is_approved_by_the_shop_role_and_paid_by_the_owner(
    shop: Shop, browser_of: BrowserFactory, delivered: Sold
) -> None:
    order = await open_screen(browser_of, Role.SHOP, f"/oficina/pedidos/{delivered.order_id}", OrderState)
    assert "return" in order.content.actions
    opening = await open_screen(
        browser_of, Role.SHOP, f"{LIST}/nueva?pedido={delivered.order_id}", NewReturnState
    )
    assert [(line.sent, line.unsent) for line in opening.content.lines] == [(2, 0)]
    await send_event(opening, "open", {"kind": "withdrawal", f"units-{delivered.line_id}": "9"})
    assert list(opening.problems) == [f"units-{delivered.line_id}"]
    moved = await send_event(opening, "open", delivered.form_fields("withdrawal", 2))
    path = str(moved).partition(f"{LIST}/")[2].partition('"')[0]
    await send_event(order, "load")
    (listed,) = order.content.returns
    assert path.startswith(listed.id)
    here = f"{LIST}/{listed.id}"
    screen = await open_screen(browser_of, Role.SHOP, here, ReturnState)
    assert screen.content.actions == ["receive", "approve", "deny", "account"]
    assert (screen.content.proposed, dict(screen.content.account)["Banco"]) == ("80000", "Bancolombia")
    arrival, good, damaged = (f"{name}-{delivered.line_id}" for name in ("arrival", "good", "damaged"))
    await send_event(screen, "receive", {good: "2"})
    assert screen.announcement.text == "Di cómo llegó cada producto."
    for wrong in ({arrival: "other", good: "3"}, {arrival: "none"}, {arrival: "other"}):
        await send_event(screen, "receive", wrong)
        assert (screen.announcement.tone, screen.content.lines[0].arrived) == ("problem", ""), wrong
    await send_event(screen, "receive", {arrival: "other", good: "1", damaged: "1"})
    assert screen.content.lines[0].arrived == "en buen estado: 1, con daño: 1"
    await send_event(screen, "approve", {"amount": "90.000"})
    assert list(screen.problems) == ["amount"]
    await send_event(screen, "approve", {"amount": "$ 80.000", "restock": "yes"})
    assert (screen.content.amount_label, screen.content.actions) == (cop("$ 80.000"), ["account"])
    await send_event(screen, "pay", {"amount": "80000", "reference": "A-1"})
    assert screen.announcement.text == "Tu rol no permite hacer esto."
    await send_event(screen, "deny", {"denial": "No."})
    assert screen.announcement.text.startswith("Alguien lo cambió antes")
    await send_event(screen, "save_account", {**ACCOUNT, "holder": ""})
    assert list(screen.problems) == ["holder"]
    await send_event(screen, "save_account", {**ACCOUNT, "bank": "Nequi"})
    owner = await open_screen(browser_of, Role.OWNER, here, ReturnState)
    assert owner.content.actions == ["account", "pay", "receipt"]
    await send_event(owner, "pay", {"amount": "80.001", "reference": "A-1"})
    assert list(owner.problems) == ["amount"]
    await send_event(owner, "pay", {"amount": "80.000", "reference": "A-1"})
    assert (owner.announcement.tone, dict(owner.content.facts)["Referencia"]) == ("news", "A-1")
    await send_event(owner, "pay", {"amount": "80.000", "reference": "A-2"})
    assert owner.announcement.text == "Ya está pagada, o esa referencia es de otra devolución."
    accountant = await open_screen(browser_of, Role.ACCOUNTANT, here, ReturnState)
    assert (accountant.content.account, accountant.content.actions) == ([], [])


async def test_invalid_input_of_the_returns_screen_changes_nothing(
    shop: Shop, browser_of: BrowserFactory, delivered: Sold
) -> None:
    row = await request_return(shop, delivered)
    screen = await open_screen(browser_of, Role.OWNER, f"{LIST}/{row.id}", ReturnState)
    for event in ("receive", "approve", "deny", "save_account", "pay"):
        for nonsense in NONSENSE:
            screen.announcement = None
            await send_event(screen, event, nonsense)
            assert screen.announcement.tone == "problem", (event, nonsense)
    await send_event(screen, "load")
    assert [chip.text for chip in screen.content.chips][:1] == ["Solicitada"]


async def test_all_requested_units_are_received_at_once_and_audited(
    shop: Shop, browser_of: BrowserFactory, delivered: Sold
) -> None:
    row = await request_return(shop, delivered, units=2)
    screen = await open_screen(browser_of, Role.SHOP, f"{LIST}/{row.id}", ReturnState)
    await send_event(screen, "receive_all")
    assert screen.announcement.text == "Recibida. Ahora propón cuánto se devuelve."
    assert screen.content.lines[0].arrived == "en buen estado: 2"
    await send_event(screen, "receive_all")
    assert screen.announcement.text.startswith("Alguien lo cambió antes")
    async with shop.database.read() as session:
        query = select(AuditEntry.actor_id).where(AuditEntry.action == "return received")
        (actor_id,) = (await session.execute(query)).scalars()
    assert actor_id.startswith("user_")


def test_arrived_units_of_a_line_follow_from_the_chosen_condition_on_arrival() -> None:
    requested = {"a": 3, "b": 2, "c": 1, "d": 4}
    form = {
        "arrival-a": "all good",
        "arrival-b": "all damaged",
        "arrival-c": "none",
        "arrival-d": "other",
        "good-d": "1",
        "damaged-d": "2",
        "good-a": "9",
    }
    assert parse_arrived_units(form, requested) == {"a": (3, 0), "b": (0, 2), "c": (0, 0), "d": (1, 2)}
    with pytest.raises(InvalidData) as refused:
        parse_arrived_units({**form, "arrival-c": ""}, requested)
    assert refused.value.fields == {"units": "Di cómo llegó cada producto."}


def test_fields_for_counted_units_of_a_return_are_initially_empty() -> None:
    """Check that no field has a number before a staff member has counted."""
    returned, sold = ReturnState.content.lines[0], NewReturnState.content.lines[0]
    rows = rx.fragment(*detail.arrived_fields(returned), new_return.return_line(sold))
    fields = [part for part in walk(rows) if part.tag in ("input", "select")]
    assert len(fields) == 4
    values = [str(getattr(field, name)) for field in fields for name in ("value", "default_value")]
    assert set(values) <= {"None", '""'}
