"""The PQRS screen: open requests and their answers."""

from typing import Any

import pytest

from backend.app import Shop
from backend.office import pqrs as module
from backend.pqrs.service import send_pqrs
from backend.rate_limit.limiter import Client
from backend.staff.rights import Role
from storefront.live.refresh import update_state
from storefront.office.pqrs import PqrsScreen
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

REQUEST = {"kind": "queja", "name": "Ana", "email": "ana@example.com", "text": "Nadie contesta el teléfono."}


async def open_screen(browser_of: BrowserFactory, role: Role) -> Any:
    screen: Any = await (await browser_of(role, "/oficina/pqrs")).get_state(PqrsScreen)
    await send_event(screen, "load")
    return screen


async def test_pqrs_request_can_be_answered_only_by_a_role_with_the_right(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    row = await send_pqrs(shop.database, REQUEST, client=Client("190.24.1.1"))
    stockroom = await open_screen(browser_of, Role.STOCKROOM)
    assert [row.number for row in stockroom.content.rows] == [row.number]
    await send_event(stockroom, "answer", {"id": row.id, "answer": "Hola"})
    assert stockroom.announcement.text == "Tu rol no permite hacer esto."
    screen = await open_screen(browser_of, Role.SHOP)
    await send_event(screen, "answer", {"id": row.id, "answer": " "})
    assert list(screen.problems) == [f"{row.id}-answer"]
    await send_event(screen, "answer", {"id": row.id, "answer": "Ya contestamos."})
    assert (screen.announcement.tone, screen.content.rows) == ("news", [])
    assert [row.answer for row in screen.content.answered] == ["Ya contestamos."]
    await send_event(screen, "answer", {"id": row.id, "answer": "Otra vez."})
    assert screen.announcement.text == "Otra persona la respondió antes."


async def test_pqrs_request_on_the_next_page_does_not_count_as_new(
    shop: Shop, browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 1)
    for person in range(2):
        words = {**REQUEST, "email": f"ana{person}@example.com"}
        await send_pqrs(shop.database, words, client=Client(f"190.24.{person}.1"))
    screen = await open_screen(browser_of, Role.SHOP)
    await update_state(screen)
    assert (len(screen.content.rows), screen.new_count) == (1, 0)
    await send_pqrs(
        shop.database, {**REQUEST, "kind": "peticion"}, client=Client("190.24.2.1")
    )  # its deadline is earlier
    await update_state(screen)
    assert (len(screen.content.rows), screen.new_count) == (1, 1)


@pytest.mark.parametrize("nonsense", [None, {}, {"id": "x" * 9000}, {"id": "pqrs_1", "answer": "Hola"}, 7])
async def test_invalid_input_of_the_pqrs_screen_changes_nothing(
    browser_of: BrowserFactory, nonsense: Any
) -> None:
    screen = await open_screen(browser_of, Role.OWNER)
    await send_event(screen, "answer", nonsense)
    assert screen.announcement.tone == "problem"
