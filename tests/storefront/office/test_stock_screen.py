"""The stock screen (Bodega), used by a staff member with the stockroom role."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.inventory.models import InventoryLevel
from backend.presses.service import Sending, handle_press
from backend.staff.rights import Role
from storefront.office.state import REPEATED_PRESS_TEXT
from storefront.office.stock.state import RECEIPT_FIELDS, ReceiptLine, StockState
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    """Create ten wooden tops and return their variant's id."""
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "trompo-de-madera", stock=10)


async def read_stock(shop: Shop, variant_id: str) -> int:
    async with shop.database.read() as session:
        query = select(InventoryLevel.stocked).where(InventoryLevel.variant_id == variant_id)
        return (await session.execute(query)).scalar_one()


async def open_screen(browser_of: BrowserFactory) -> Any:
    root = await browser_of(Role.STOCKROOM, "/oficina/bodega")
    screen: Any = await root.get_state(StockState)
    await send_event(screen, "load")
    return screen


async def test_scanned_units_are_received(
    shop: Shop, defaults: Defaults, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    for _time in range(2):
        await send_event(screen, "scan", {"code": "SKU-trompo-de-madera"})
    (line,) = screen.lines
    assert (line.title, line.units) == ("Trompo de madera", 2)
    await send_event(screen, "scan", {"code": "nobody's"})
    assert "code" in screen.problems
    typed = {"location_id": defaults.location_id, f"units-{variant_id}": "x"}
    await send_event(screen, "receive", typed)
    assert (screen.announcement.tone, list(screen.problems)) == ("problem", [f"units-{variant_id}"])
    await send_event(screen, "receive", {**typed, f"units-{variant_id}": "6"})
    assert (screen.lines, screen.announcement.tone) == ([], "news")
    assert await read_stock(shop, variant_id) == 16


async def test_stock_receipt_that_is_sent_again_is_stored_once(
    shop: Shop, defaults: Defaults, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", {"code": "SKU-trompo-de-madera"})
    typed = {"location_id": defaults.location_id, f"units-{variant_id}": "6"}
    for _sending in range(2):
        with handle_press(Sending("receive", "a" * 32)):
            await send_event(screen, "receive", typed)
    assert (screen.announcement.tone, screen.announcement.text) == ("news", REPEATED_PRESS_TEXT)
    assert await read_stock(shop, variant_id) == 16


async def test_scanning_a_product_again_adds_one_to_the_typed_units(
    variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", {"code": "SKU-trompo-de-madera"})
    for text in ("24", "", "x", "-3"):
        await send_event(screen, "set_line_units", variant_id, text)
    assert [(line.units, line.times_added) for line in screen.lines] == [(24, 0)]  # the field is not reset
    await send_event(screen, "scan", {"code": "SKU-trompo-de-madera"})
    assert [(line.units, line.times_added) for line in screen.lines] == [(25, 1)]


async def test_product_with_a_long_title_is_found(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    name = "Trompo de guayacán con punta de acero " * 5
    async with shop.database.transaction() as session:
        toy = await add_product(session, defaults, "trompo-largo", title=name.strip())
    screen = await open_screen(browser_of)
    await send_event(screen, "scan", {"code": name})
    assert [line.variant_id for line in screen.lines] == [toy]
    assert await send_event(screen, "apply_filters", {"q": name, "only": ""}) is not None
    assert screen.announcement is None


async def test_receipt_with_the_maximum_of_lines_refuses_another_and_is_saved(
    shop: Shop,
    defaults: Defaults,
    variant_id: str,
    browser_of: BrowserFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = 10
    for module in ("backend.warehouse.service", "storefront.office.stock.state"):
        monkeypatch.setattr(f"{module}.MAX_RECEIPT_LINES", most)
    async with shop.database.transaction() as session:
        toys = [await add_product(session, defaults, f"pelota-{number}", stock=0) for number in range(most)]
    screen = await open_screen(browser_of)
    screen.lines = [ReceiptLine(toy, "Pelota", "", "", 2) for toy in toys]
    await send_event(screen, "scan", {"code": "SKU-trompo-de-madera"})
    assert (len(screen.lines), list(screen.problems)) == (most, ["code"])
    assert str(most) in screen.problems["code"]
    await send_event(screen, "scan", {"code": "SKU-pelota-7"})  # one more unit of an existing line
    assert (screen.lines[7].units, screen.problems) == (3, {})
    typed = dict.fromkeys(RECEIPT_FIELDS, "x") | {f"units-{toy}": "2" for toy in toys}
    await send_event(screen, "receive", {**typed, "location_id": defaults.location_id})
    assert (screen.lines, screen.problems, screen.announcement.tone) == ([], {}, "news")
    assert [await read_stock(shop, toy) for toy in (toys[0], toys[-1])] == [2, 2]


async def test_stock_count_is_saved_and_undone(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of)
    (row,) = screen.content.rows
    await send_event(screen, "open_row", row.id)
    count = {"key": row.id, "seen": "10", "counted": "7", "reason": "damaged"}
    await send_event(screen, "correct", count)
    assert screen.content.rows[0].stocked == 7
    assert [movement.delta for movement in screen.movements] == [-3]
    subject = screen.announcement.subject
    await send_event(screen, "correct", {**count, "counted": "6"})  # the stock has changed since
    assert "7" in screen.problems["counted"]
    await send_event(screen, "undo", subject)
    assert await read_stock(shop, variant_id) == 10
    await send_event(screen, "undo", subject)  # too late
    assert screen.announcement.tone == "problem"
    assert await read_stock(shop, variant_id) == 10


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
async def test_invalid_stock_form_changes_nothing(
    shop: Shop, variant_id: str, browser_of: BrowserFactory, form: Any
) -> None:
    screen = await open_screen(browser_of)
    for name in ("correct", "change_low_stock", "receive"):
        await send_event(screen, name, form)
        assert screen.announcement.tone == "problem"
    for subject in ("", "a|b|c|d", f"{variant_id}|x|1|10", "|||"):
        await send_event(screen, "undo", subject)
    assert await read_stock(shop, variant_id) == 10


async def test_low_stock_threshold_is_saved(variant_id: str, browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of)
    (row,) = screen.content.rows
    await send_event(screen, "change_low_stock", {"key": row.id, "low_at": "12"})
    assert (screen.content.rows[0].low_at, screen.content.rows[0].is_low) == (12, True)
    await send_event(screen, "change_low_stock", {"key": row.id, "low_at": ""})
    assert screen.content.rows[0].low_at == 3
