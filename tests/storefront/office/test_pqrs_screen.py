"""PQRS in the office: what waits, and answering it from a browser."""

from typing import Any

import pytest

from backend.app import Shop
from backend.office import pqrs as module
from backend.pqrs.service import ask
from backend.rate_limit.limiter import Client
from backend.staff.rights import Role
from storefront.office.pqrs import PqrsScreen
from tests.storefront.office.conftest import At

ASKED = {"kind": "queja", "name": "Ana", "email": "ana@example.com", "text": "Nadie contesta el teléfono."}


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)


async def opened(browser_of: At, role: Role) -> Any:
    screen: Any = await (await browser_of(role, "/oficina/pqrs")).get_state(PqrsScreen)
    await sent(screen, "load")
    return screen


async def test_it_is_answered_by_whoever_may(shop: Shop, browser_of: At) -> None:
    row = await ask(shop.database, ASKED, client=Client("190.24.1.1"))
    stockroom = await opened(browser_of, Role.STOCKROOM)
    assert [one.number for one in stockroom.content.rows] == [row.number]
    await sent(stockroom, "answer", {"id": row.id, "answer": "Hola"})
    assert stockroom.told.text == "Tu rol no permite hacer esto."
    screen = await opened(browser_of, Role.SHOP)
    await sent(screen, "answer", {"id": row.id, "answer": " "})
    assert list(screen.problems) == [f"{row.id}-answer"]
    await sent(screen, "answer", {"id": row.id, "answer": "Ya contestamos."})
    assert (screen.told.tone, screen.content.rows) == ("news", [])
    assert [one.answer for one in screen.content.answered] == ["Ya contestamos."]
    await sent(screen, "answer", {"id": row.id, "answer": "Otra vez."})
    assert screen.told.text == "Otra persona la respondió antes."


async def test_row_of_the_next_page_is_not_new(
    shop: Shop, browser_of: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 1)
    for person in range(2):
        words = {**ASKED, "email": f"ana{person}@example.com"}
        await ask(shop.database, words, client=Client(f"190.24.{person}.1"))
    screen = await opened(browser_of, Role.SHOP)
    await screen._update()
    assert (len(screen.content.rows), screen.fresh) == (1, 0)
    await ask(shop.database, {**ASKED, "kind": "peticion"}, client=Client("190.24.2.1"))  # is due earlier
    await screen._update()
    assert (len(screen.content.rows), screen.fresh) == (1, 1)


@pytest.mark.parametrize("nonsense", [None, {}, {"id": "x" * 9000}, {"id": "pqrs_1", "answer": "Hola"}, 7])
async def test_nonsense_changes_nothing(browser_of: At, nonsense: Any) -> None:
    screen = await opened(browser_of, Role.OWNER)
    await sent(screen, "answer", nonsense)
    assert screen.told.tone == "problem"
