"""Bodega, as a browser at which somebody of the stockroom is signed in."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.inventory.models import InventoryLevel
from backend.presses.service import Sending, handle_press
from backend.staff.rights import Role
from backend.warehouse.service import MOST_LINES
from storefront.office.state import DONE_BEFORE
from storefront.office.stock.state import RECEIPT, Line, StockState
from tests.store_defaults import Defaults, make_toy
from tests.storefront.office.conftest import At


@pytest.fixture
async def top(shop: Shop, defaults: Defaults) -> str:
    """Ten wooden tops, by their variant."""
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "trompo-de-madera", stock=10)


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await StockState.event_handlers[name].fn(screen, *arguments)


async def stocked(shop: Shop, variant_id: str) -> int:
    async with shop.database.read() as session:
        query = select(InventoryLevel.stocked).where(InventoryLevel.variant_id == variant_id)
        return (await session.execute(query)).scalar_one()


async def opened(browser_of: At) -> Any:
    root = await browser_of(Role.STOCKROOM, "/oficina/bodega")
    screen: Any = await root.get_state(StockState)
    await sent(screen, "load")
    return screen


async def test_what_is_scanned_is_received(shop: Shop, defaults: Defaults, top: str, browser_of: At) -> None:
    screen = await opened(browser_of)
    for _time in range(2):
        await sent(screen, "scan", {"code": "SKU-trompo-de-madera"})
    (line,) = screen.lines
    assert (line.title, line.units) == ("Trompo de madera", 2)
    await sent(screen, "scan", {"code": "nobody's"})
    assert "code" in screen.problems
    typed = {"location_id": defaults.location_id, f"units-{top}": "x"}
    await sent(screen, "receive", typed)
    assert (screen.told.tone, list(screen.problems)) == ("problem", [f"units-{top}"])
    await sent(screen, "receive", {**typed, f"units-{top}": "6"})
    assert (screen.lines, screen.told.tone) == ([], "news")
    assert await stocked(shop, top) == 16


async def test_receipt_sent_again_is_received_once(
    shop: Shop, defaults: Defaults, top: str, browser_of: At
) -> None:
    screen = await opened(browser_of)
    await sent(screen, "scan", {"code": "SKU-trompo-de-madera"})
    typed = {"location_id": defaults.location_id, f"units-{top}": "6"}
    for _sending in range(2):
        with handle_press(Sending("receive", "a" * 32)):
            await sent(screen, "receive", typed)
    assert (screen.told.tone, screen.told.text) == ("news", DONE_BEFORE)
    assert await stocked(shop, top) == 16


async def test_what_is_scanned_again_is_one_more_than_what_was_typed(top: str, browser_of: At) -> None:
    screen = await opened(browser_of)
    await sent(screen, "scan", {"code": "SKU-trompo-de-madera"})
    for text in ("24", "", "x", "-3"):
        await sent(screen, "note_units", top, text)
    assert [(line.units, line.added) for line in screen.lines] == [(24, 0)]  # its field stays as it is
    await sent(screen, "scan", {"code": "SKU-trompo-de-madera"})
    assert [(line.units, line.added) for line in screen.lines] == [(25, 1)]


async def test_a_long_name_is_looked_for(shop: Shop, defaults: Defaults, browser_of: At) -> None:
    name = "Trompo de guayacán con punta de acero " * 5
    async with shop.database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo-largo", title=name.strip())
    screen = await opened(browser_of)
    await sent(screen, "scan", {"code": name})
    assert [line.variant_id for line in screen.lines] == [toy]
    assert await sent(screen, "ask", {"q": name, "only": ""}) is not None
    assert screen.told is None


async def test_a_full_receipt_says_so_and_is_saved(
    shop: Shop, defaults: Defaults, top: str, browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        toys = [
            await make_toy(session, defaults, f"pelota-{number}", stock=0) for number in range(MOST_LINES)
        ]
    screen = await opened(browser_of)
    screen.lines = [Line(toy, "Pelota", "", "", 2) for toy in toys]
    await sent(screen, "scan", {"code": "SKU-trompo-de-madera"})
    assert (len(screen.lines), list(screen.problems)) == (MOST_LINES, ["code"])
    assert str(MOST_LINES) in screen.problems["code"]
    await sent(screen, "scan", {"code": "SKU-pelota-7"})  # one more of what is there already
    assert (screen.lines[7].units, screen.problems) == (3, {})
    typed = dict.fromkeys(RECEIPT, "x") | {f"units-{toy}": "2" for toy in toys}
    await sent(screen, "receive", {**typed, "location_id": defaults.location_id})
    assert (screen.lines, screen.problems, screen.told.tone) == ([], {}, "news")
    assert [await stocked(shop, toy) for toy in (toys[0], toys[-1])] == [2, 2]


async def test_a_count_is_saved_and_undone(shop: Shop, top: str, browser_of: At) -> None:
    screen = await opened(browser_of)
    (row,) = screen.content.rows
    await sent(screen, "open_row", row.id)
    count = {"key": row.id, "seen": "10", "counted": "7", "reason": "damaged"}
    await sent(screen, "correct", count)
    assert screen.content.rows[0].stocked == 7
    assert [one.delta for one in screen.movements] == [-3]
    subject = screen.told.subject
    await sent(screen, "correct", {**count, "counted": "6"})  # others counted since
    assert "7" in screen.problems["counted"]
    await sent(screen, "undo", subject)
    assert await stocked(shop, top) == 10
    await sent(screen, "undo", subject)  # too late
    assert screen.told.tone == "problem"
    assert await stocked(shop, top) == 10


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"key": "x"},
        {"key": "variant|sloc", "counted": "-1", "reason": "count"},
        {"key": "variant|sloc", "counted": "1", "reason": "sale"},
        {"key": "variant|sloc", "counted": "1", "reason": "count"},
        {"key": ["a"]},
        "x",
    ],
)
async def test_what_no_form_sends_changes_nothing(shop: Shop, top: str, browser_of: At, form: Any) -> None:
    screen = await opened(browser_of)
    for name in ("correct", "set_low", "receive"):
        await sent(screen, name, form)
        assert screen.told.tone == "problem"
    for subject in ("", "a|b|c|d", f"{top}|x|1|10", "|||"):
        await sent(screen, "undo", subject)
    assert await stocked(shop, top) == 10


async def test_a_warning_is_saved(top: str, browser_of: At) -> None:
    screen = await opened(browser_of)
    (row,) = screen.content.rows
    await sent(screen, "set_low", {"key": row.id, "low_at": "12"})
    assert (screen.content.rows[0].low_at, screen.content.rows[0].is_low) == (12, True)
    await sent(screen, "set_low", {"key": row.id, "low_at": ""})
    assert screen.content.rows[0].low_at == 3
