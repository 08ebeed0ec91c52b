"""Customers in the office: the list, one of them corrected and noted, and what a browser may not send."""

from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
import reflex as rx

from backend.app import Shop
from backend.core.error_texts import FAILURE
from backend.customers.models import Customer
from backend.staff.rights import Role
from storefront.office import state as office_state
from storefront.office.customers.detail_state import CustomerState
from storefront.office.customers.listing import CustomersState
from storefront.office.customers.search import find_customers
from storefront.office.staff_session import actor_at
from storefront.state.frame import COMING_BACK
from tests.storefront.office.conftest import At
from tests.storefront.office.test_returns_screen import at, sent
from tests.storefront.outage import without_database

LIST = "/oficina/clientes"
NONSENSE: list[Any] = [None, 7, {"text": ["x"]}, {"text": "x" * 9000}, {"first_name": {}}]


async def stored(shop: Shop) -> str:
    customer = Customer(email="luz@ejemplo.co", first_name="Luz", last_name="Ángel")
    async with shop.database.transaction() as session:
        session.add(customer)
    return customer.id


async def test_customers_are_looked_for_and_found(
    shop: Shop, browser_of: At, shopper: Callable[[], rx.State]
) -> None:
    luz = await stored(shop)
    screen = await at(browser_of, Role.ACCOUNTANT, f"{LIST}?q=angel", CustomersState)
    assert [row.id for row in screen.content.rows] == [luz]
    assert "tipo=con-cuenta" in str(await sent(screen, "ask", {"tipo": "con-cuenta"}))
    none = await at(browser_of, Role.STOCKROOM, LIST, CustomersState)
    assert (none.content, none.problem) == (None, "forbidden")
    for role, found in ((Role.SHOP, [f"{LIST}/{luz}"]), (Role.STOCKROOM, [])):
        actor = await actor_at(await browser_of(role))
        assert actor is not None
        assert [hit.path for hit in await find_customers(actor, "luz")] == found


@pytest.mark.parametrize("event", ["note", "correct"])
async def test_what_fails_is_told_and_can_be_sent_again(
    shop: Shop, browser_of: At, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    luz = await stored(shop)
    screen = await at(browser_of, Role.SHOP, f"{LIST}/{luz}", CustomerState)
    form = {"text": "Llama los martes.", "first_name": "Luz", "last_name": "Ángel", "phone": ""}
    count = Mock()
    monkeypatch.setattr(office_state, "count_failure", count)
    with without_database(shop, monkeypatch):
        await sent(screen, event, form)
    assert (screen.told.tone, screen.told.text) == ("problem", COMING_BACK)
    assert count.call_count == 0  # whoever sent it has done nothing for that
    before = screen.told.number
    with monkeypatch.context() as broken:
        broken.setattr(shop.database, "transaction", None)
        await sent(screen, event, form)
    assert (screen.told.tone, screen.told.text) == ("problem", FAILURE)
    assert screen.told.number > before
    assert count.call_count == 1
    assert (screen.noted, screen.content.notes) == (0, [])
    await sent(screen, event, form)
    assert screen.told.tone == "news"
    assert screen.noted == (event == "note")


async def test_a_customer_is_corrected_and_noted(shop: Shop, browser_of: At) -> None:
    luz = await stored(shop)
    screen = await at(browser_of, Role.SHOP, f"{LIST}/{luz}", CustomerState)
    await sent(screen, "correct", {"first_name": "", "last_name": "Ángel", "phone": "12"})
    assert sorted(screen.problems) == ["first_name", "phone"]
    await sent(screen, "correct", {"first_name": "Lucía", "last_name": "Ángel", "phone": "3001234567"})
    assert (screen.content.name, screen.content.phone_path, screen.problems) == (
        "Lucía Ángel",
        "tel:+573001234567",
        {},
    )
    await sent(screen, "note", {"text": " "})
    assert list(screen.problems) == ["text"]
    await sent(screen, "note", {"text": "Llama los martes."})
    assert [note.text for note in screen.content.notes] == ["Llama los martes."]
    for nonsense in NONSENSE:
        for event in ("note", "correct"):
            screen.told = None
            await sent(screen, event, nonsense)
            assert screen.told.tone == "problem", (event, nonsense)
    reader = await at(browser_of, Role.ACCOUNTANT, f"{LIST}/{luz}", CustomerState)
    await sent(reader, "note", {"text": "Yo no puedo."})
    assert (reader.told.text, reader.content.actions) == ("Tu rol no permite hacer esto.", ["export"])
    gone = await at(browser_of, Role.OWNER, f"{LIST}/cus_nobody", CustomerState)
    assert gone.problem == "missing"
