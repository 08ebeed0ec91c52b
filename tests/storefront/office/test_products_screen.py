"""The product list (Productos), used by a staff member with the shop role."""

from dataclasses import replace
from typing import Any

import pytest
from reflex.event import Event
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Variant
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel
from backend.news.topics import Topic
from backend.staff.rights import Role
from storefront.live.open_pages import OpenPages
from storefront.live.refresh import update_state
from storefront.office import state as office_state
from storefront.office.products.listing_state import ProductsState
from storefront.office.products.search import find_products
from storefront.office.staff_session import find_actor
from storefront.reflex_ext.state_loss import HYDRATE, StateLossMiddleware
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    """Create ten wooden tops for 50,000 pesos each and return their variant's id."""
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "trompo-de-madera", stock=10)


async def open_list(browser_of: BrowserFactory, role: Role = Role.SHOP) -> Any:
    root = await browser_of(role, "/oficina/productos")
    screen: Any = await root.get_state(ProductsState)
    await send_event(screen, "load")
    return screen


async def test_product_list_is_refreshed_after_changes_of_its_products_or_stock(
    shop: Shop,
    defaults: Defaults,
    variant_id: str,
    browser_of: BrowserFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_pages = OpenPages()
    monkeypatch.setattr(office_state, "open_pages", open_pages)
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "yoyo")
        product_id = (await session.get_one(Variant, variant_id)).product_id
    screen = await open_list(browser_of)
    assert len(screen.content.rows) == 2
    for changed in (product_id, Topic.STOCK, Topic.BULK_CHANGES):
        found = open_pages.showing({changed}).values()
        assert [showing.state for showings in found for showing in showings] == [ProductsState]
    assert open_pages.showing({"prod_of_another_page"}) == {}


async def read_price(shop: Shop, variant_id: str) -> tuple[int, int | None]:
    async with shop.database.read() as session:
        variant = await session.get_one(Variant, variant_id)
        return variant.price, variant.compare_at_price


async def read_stock(shop: Shop, variant_id: str) -> int:
    async with shop.database.read() as session:
        query = select(InventoryLevel.stocked).where(InventoryLevel.variant_id == variant_id)
        return (await session.execute(query)).scalar_one()


async def test_changed_price_can_be_undone_until_it_changes_again(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_list(browser_of)
    typed = {
        "variant_id": variant_id,
        "price": "$ 39.900",
        "old_price": "50.000",
        "seen": "50000",
        "seen_old": "0",
    }
    await send_event(screen, "change_price", typed)
    (row,) = screen.content.rows
    assert (row.price, row.old_price, screen.problems) == (39_900, 50_000, {})
    subject = screen.announcement.subject
    await send_event(screen, "change_price", {**typed, "price": "45000"})  # its form showed the old price
    assert "39.900" in screen.problems[f"price-{variant_id}"]
    assert "45.000" in screen.problems[f"price-{variant_id}"]
    await send_event(screen, "undo", subject)
    assert await read_price(shop, variant_id) == (50_000, None)
    assert (screen.announcement.tone, screen.announcement.subject) == ("news", "")
    await send_event(screen, "change_price", {**typed, "price": "1"})
    await send_event(screen, "undo", subject)  # too late
    assert screen.announcement.tone == "problem"
    assert await read_price(shop, variant_id) == (1, 50_000)


@pytest.mark.parametrize(
    ("typed", "old"),
    [("", ""), ("mil", ""), ("0", ""), ("45.00", ""), ("100", "x"), ("100", "100"), ("9", "8")],
)
async def test_invalid_price_in_the_product_list_marks_its_field(
    shop: Shop, variant_id: str, browser_of: BrowserFactory, typed: str, old: str
) -> None:
    screen = await open_list(browser_of)
    form = {"variant_id": variant_id, "price": typed, "old_price": old, "seen": "50000"}
    await send_event(screen, "change_price", form)
    assert screen.announcement.tone == "problem"
    assert screen.problems[f"price-{variant_id}"]
    assert await read_price(shop, variant_id) == (50_000, None)


@pytest.mark.parametrize(
    ("typed", "reason", "units"),
    [("12", "count", 12), ("+3", "count", 13), ("-2", "damaged", 8), ("−2", "lost", 8), ("0", "lost", 0)],
)
async def test_units_of_a_product_can_be_counted_received_or_removed(  # noqa: PLR0917
    shop: Shop,
    defaults: Defaults,
    variant_id: str,
    browser_of: BrowserFactory,
    typed: str,
    reason: str,
    units: int,
) -> None:
    screen = await open_list(browser_of)
    form = {"variant_id": variant_id, "location_id": defaults.location_id, "seen": "10", "reason": reason}
    await send_event(screen, "change_units", {**form, "units": typed})
    assert (await read_stock(shop, variant_id), screen.content.rows[0].free) == (units, units)
    subject = screen.announcement.subject
    await send_event(screen, "undo", subject)
    assert await read_stock(shop, variant_id) == 10


async def test_units_changed_by_others_must_be_counted_again(
    shop: Shop, defaults: Defaults, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_list(browser_of)
    form = {"variant_id": variant_id, "location_id": defaults.location_id, "seen": "9", "reason": "count"}
    await send_event(screen, "change_units", {**form, "units": "5"})
    assert "10" in screen.problems[f"units-{variant_id}"]
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {variant_id: 4}, None)
    await send_event(screen, "change_units", {**form, "seen": "10", "units": "3"})
    assert "4" in screen.problems[f"units-{variant_id}"]
    assert await read_stock(shop, variant_id) == 10


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"variant_id": "x"},
        {"variant_id": "variant_none", "location_id": "sloc", "units": "1", "price": "5", "reason": "count"},
        {"variant_id": "variant", "location_id": "sloc", "units": "+0", "reason": "received"},
        {"variant_id": "variant", "location_id": "sloc", "units": "+-1", "reason": "count"},
        {"variant_id": "variant", "location_id": "sloc", "units": "1", "reason": "sale"},
        {"variant_id": ["a"]},
        "x",
    ],
)
async def test_invalid_form_of_the_product_list_changes_nothing(
    shop: Shop, variant_id: str, browser_of: BrowserFactory, form: Any
) -> None:
    screen = await open_list(browser_of)
    for name in ("change_price", "change_units"):
        await send_event(screen, name, form)
        assert screen.announcement.tone == "problem"
    for subject in (
        "",
        "price|a|b|c|d",
        f"units|{variant_id}|x|1|10",
        "price||||",
        f"price|{variant_id}|0|0|50000",
    ):
        await send_event(screen, "undo", subject)
    assert (await read_price(shop, variant_id), await read_stock(shop, variant_id)) == ((50_000, None), 10)


async def test_undo_requires_the_right_that_the_action_requires(
    shop: Shop, variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_list(browser_of, Role.STOCKROOM)
    await send_event(screen, "undo", f"price|{variant_id}|1|0|50000|0")
    assert screen.announcement.tone == "problem"
    assert await read_price(shop, variant_id) == (50_000, None)


async def test_chosen_filters_redirect_to_a_url_with_the_filters(
    variant_id: str, browser_of: BrowserFactory
) -> None:
    del variant_id
    screen = await open_list(browser_of)
    assert "/oficina/productos?q=trompo&ver=pocas" in str(
        await send_event(screen, "apply_filters", {"q": "trompo", "ver": "pocas"})
    )
    await send_event(screen, "load_more")
    assert len(screen.content.rows) == 1


async def test_office_search_finds_products(variant_id: str, browser_of: BrowserFactory) -> None:
    del variant_id
    screen = await open_list(browser_of, Role.STOCKROOM)
    actor = await find_actor(screen)
    assert actor is not None
    (hit,) = await find_products(actor, "madera")
    assert (hit.label, hit.path) == ("Trompo de madera", f"/oficina/productos/{screen.content.rows[0].id}")
    assert await find_products(actor, " ") == []


async def read_prices(shop: Shop) -> list[tuple[int, int | None]]:
    async with shop.database.read() as session:
        query = select(Variant.price, Variant.compare_at_price).order_by(Variant.sku)
        return [(price, old) for price, old in await session.execute(query)]


async def test_bulk_change_starts_only_after_its_preview(
    shop: Shop, defaults: Defaults, variant_id: str, browser_of: BrowserFactory
) -> None:
    del variant_id
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "yoyo", price=20_000)
    screen = await open_list(browser_of)
    await send_event(screen, "start_draft", "more", [screen.content.rows[0].id])
    assert (screen.draft.count, screen.draft.action, screen.plan) == (1, "", None)
    await send_event(screen, "begin_change")  # ignored without a preview
    await send_event(screen, "choose_action", "sale")
    await send_event(screen, "show_plan", {"percent": "x", "step": "50"})
    assert screen.problems["percent"]
    await send_event(screen, "show_plan", {"percent": "20 %", "step": "50"})
    assert (screen.plan.changed, screen.problems) == (1, {})
    await send_event(screen, "toggle_all_matching")
    assert (screen.plan.changed, screen.plan.total_label) == (2, cop("En total: de $ 70.000 a $ 56.000."))
    await send_event(screen, "begin_change")
    await send_event(screen, "begin_change")  # a second click is ignored
    (change,) = screen.changes
    assert (change.label, change.status, change.total, change.finished) == (
        "Oferta de −20 %",
        "cambiando…",
        2,
        0,
    )
    await shop.worker.run_due("catalog.bulk")
    assert await read_prices(shop) == [(40_000, 50_000), (16_000, 20_000)]
    await update_state(screen)
    (change,) = screen.changes
    assert (change.result_label, change.can_be_undone) == ("cambiados: 2", True)
    assert screen.content.rows[0].price == 40_000
    await send_event(screen, "undo_change", change.id)
    await shop.worker.run_due("catalog.bulk")
    await update_state(screen)
    assert screen.changes[0].result_label == "deshechos: 2"
    assert await read_prices(shop) == [(50_000, None), (20_000, None)]
    await send_event(screen, "undo_change", change.id)
    assert screen.announcement.tone == "problem"


async def test_draft_of_a_bulk_change_is_retained_while_the_filters_are_the_same(
    variant_id: str, browser_of: BrowserFactory
) -> None:
    """Load the list again, as a browser that reconnects does."""
    screen = await open_list(browser_of)
    await send_event(screen, "start_draft", "hide", [screen.content.rows[0].id])
    draft, plan = screen.draft, screen.plan
    await send_event(screen, "load")
    assert (screen.draft, screen.plan) == (draft, plan)
    screen.content = None  # an event that was sent before the first load
    await send_event(screen, "load")
    assert (screen.draft, screen.plan) == (draft, plan)
    screen.content = replace(screen.content, filters={**screen.content.filters, "q": "yoyo"})
    await send_event(screen, "load")
    assert (screen.draft, screen.plan) == (None, None)


async def test_previewed_bulk_change_can_be_discarded(variant_id: str, browser_of: BrowserFactory) -> None:
    del variant_id
    screen = await open_list(browser_of)
    await send_event(screen, "start_draft", "hide", [screen.content.rows[0].id])
    (example,) = screen.plan.examples
    assert (example.before, example.after) == ("publicado", "oculto")
    await send_event(screen, "choose_action", "add to category")
    assert screen.plan is None
    await send_event(screen, "show_plan", {"target": "no-such"})
    assert screen.problems["target"]
    await send_event(screen, "discard_draft")
    assert (screen.draft, screen.plan, screen.problems) == (None, None, {})
    for name, arguments in (
        ("start_draft", ("nonsense", [])),
        ("start_draft", ("sale", "x")),
        ("choose_action", ("nonsense",)),
        ("show_plan", ("x",)),
        ("undo_change", ("bulk_none",)),
    ):
        await send_event(screen, name, *arguments)
    for name in ("toggle_all_matching", "begin_change", "discard_draft"):
        await send_event(screen, name)
    assert screen.changes == []


async def test_announcement_is_cleared_when_the_page_is_loaded_again(
    variant_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_list(browser_of)
    page = Event(name=HYDRATE, payload={"hashes": ["a document sends them when it first connects"]})
    again = Event(name=HYDRATE)
    for connects, is_told in ((again, True), (page, False)):
        await send_event(screen, "change_price", {"variant_id": variant_id, "price": "", "seen": "50000"})
        assert screen.announcement is not None
        await StateLossMiddleware([]).preprocess(None, screen.parent_state.parent_state, connects)  # type: ignore[arg-type]
        await send_event(screen, "load")
        assert (screen.announcement is not None) is is_told
