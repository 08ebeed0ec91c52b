"""Customer screens: the list, corrections, notes, and invalid input."""

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
from storefront.office.staff_session import find_actor
from storefront.state.frame import SHOP_UNAVAILABLE
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import open_screen, send_event
from tests.storefront.outage import without_database

LIST = "/oficina/clientes"
NONSENSE: list[Any] = [None, 7, {"text": ["x"]}, {"text": "x" * 9000}, {"first_name": {}}]


async def create_customer(shop: Shop) -> str:
    customer = Customer(email="luz@ejemplo.co", first_name="Luz", last_name="Ángel")
    async with shop.database.transaction() as session:
        session.add(customer)
    return customer.id


async def test_customers_are_found_on_the_customers_screen(
    shop: Shop, browser_of: BrowserFactory, shopper: Callable[[], rx.State]
) -> None:
    luz = await create_customer(shop)
    screen = await open_screen(browser_of, Role.ACCOUNTANT, f"{LIST}?q=angel", CustomersState)
    assert [row.id for row in screen.content.rows] == [luz]
    assert "tipo=con-cuenta" in str(await send_event(screen, "apply_filters", {"tipo": "con-cuenta"}))
    none = await open_screen(browser_of, Role.STOCKROOM, LIST, CustomersState)
    assert (none.content, none.problem) == (None, "forbidden")
    for role, found in ((Role.SHOP, [f"{LIST}/{luz}"]), (Role.STOCKROOM, [])):
        actor = await find_actor(await browser_of(role))
        assert actor is not None
        assert [hit.path for hit in await find_customers(actor, "luz")] == found


@pytest.mark.parametrize("event", ["add_staff_note", "correct"])
async def test_customer_form_that_failed_in_an_outage_can_be_sent_again(
    shop: Shop, browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    luz = await create_customer(shop)
    screen = await open_screen(browser_of, Role.SHOP, f"{LIST}/{luz}", CustomerState)
    form = {"text": "Llama los martes.", "first_name": "Luz", "last_name": "Ángel", "phone": ""}
    count = Mock()
    monkeypatch.setattr(office_state, "count_failure", count)
    with without_database(shop, monkeypatch):
        await send_event(screen, event, form)
    assert (screen.announcement.tone, screen.announcement.text) == ("problem", SHOP_UNAVAILABLE)
    assert count.call_count == 0  # the database's outage is not counted as a failure of the page
    before = screen.announcement.number
    with monkeypatch.context() as broken:
        broken.setattr(shop.database, "transaction", None)
        await send_event(screen, event, form)
    assert (screen.announcement.tone, screen.announcement.text) == ("problem", FAILURE)
    assert screen.announcement.number > before
    assert count.call_count == 1
    assert (screen.note_count, screen.content.notes) == (0, [])
    await send_event(screen, event, form)
    assert screen.announcement.tone == "news"
    assert screen.note_count == (event == "add_staff_note")


async def test_name_and_telephone_of_a_customer_are_corrected_and_a_note_is_added(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    luz = await create_customer(shop)
    screen = await open_screen(browser_of, Role.SHOP, f"{LIST}/{luz}", CustomerState)
    await send_event(screen, "correct", {"first_name": "", "last_name": "Ángel", "phone": "12"})
    assert sorted(screen.problems) == ["first_name", "phone"]
    await send_event(screen, "correct", {"first_name": "Lucía", "last_name": "Ángel", "phone": "3001234567"})
    assert (screen.content.name, screen.content.phone_path, screen.problems) == (
        "Lucía Ángel",
        "tel:+573001234567",
        {},
    )
    await send_event(screen, "add_staff_note", {"text": " "})
    assert list(screen.problems) == ["text"]
    await send_event(screen, "add_staff_note", {"text": "Llama los martes."})
    assert [note.text for note in screen.content.notes] == ["Llama los martes."]
    for nonsense in NONSENSE:
        for event in ("add_staff_note", "correct"):
            screen.announcement = None
            await send_event(screen, event, nonsense)
            assert screen.announcement.tone == "problem", (event, nonsense)
    reader = await open_screen(browser_of, Role.ACCOUNTANT, f"{LIST}/{luz}", CustomerState)
    await send_event(reader, "add_staff_note", {"text": "Yo no puedo."})
    assert (reader.announcement.text, reader.content.actions) == ("Tu rol no permite hacer esto.", ["export"])
    missing = await open_screen(browser_of, Role.OWNER, f"{LIST}/cus_nobody", CustomerState)
    assert missing.problem == "missing"
