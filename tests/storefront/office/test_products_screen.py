"""Productos, as a browser at which somebody of the shop is signed in."""

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
from storefront.live.open_pages import open_pages
from storefront.office.products.listing_state import ProductsState
from storefront.office.products.search import find_products
from storefront.office.staff_session import actor_at
from storefront.reflex_ext.state_loss import HYDRATE, StateLossMiddleware
from tests.store_defaults import Defaults, make_toy
from tests.storefront.office.conftest import At


@pytest.fixture
async def top(shop: Shop, defaults: Defaults) -> str:
    """Ten wooden tops for 50,000 pesos each, by their variant."""
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "trompo-de-madera", stock=10)


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await ProductsState.event_handlers[name].fn(screen, *arguments)


async def opened(browser_of: At, role: Role = Role.SHOP) -> Any:
    root = await browser_of(role, "/oficina/productos")
    screen: Any = await root.get_state(ProductsState)
    await sent(screen, "load")
    return screen


async def test_the_list_follows_the_products_that_it_shows(
    shop: Shop, defaults: Defaults, top: str, browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "yoyo")
        product_id = (await session.get_one(Variant, top)).product_id
    screen = await opened(browser_of)
    assert len(screen.content.rows) == 2
    for changed in (product_id, Topic.STOCK, Topic.BULK_CHANGES):
        found = open_pages.showing({changed}).values()
        assert [one.state for showings in found for one in showings] == [ProductsState]
    assert open_pages.showing({"prod_of_another_page"}) == {}


async def price(shop: Shop, variant_id: str) -> tuple[int, int | None]:
    async with shop.database.read() as session:
        variant = await session.get_one(Variant, variant_id)
        return variant.price, variant.compare_at_price


async def stocked(shop: Shop, variant_id: str) -> int:
    async with shop.database.read() as session:
        query = select(InventoryLevel.stocked).where(InventoryLevel.variant_id == variant_id)
        return (await session.execute(query)).scalar_one()


async def test_a_price_is_changed_and_put_back(shop: Shop, top: str, browser_of: At) -> None:
    screen = await opened(browser_of)
    typed = {"variant_id": top, "price": "$ 39.900", "old_price": "50.000", "seen": "50000", "seen_old": "0"}
    await sent(screen, "price", typed)
    (row,) = screen.content.rows
    assert (row.price, row.old_price, screen.problems) == (39_900, 50_000, {})
    subject = screen.told.subject
    await sent(screen, "price", {**typed, "price": "45000"})  # it showed the price of before
    assert "39.900" in screen.problems[f"price-{top}"]
    assert "45.000" in screen.problems[f"price-{top}"]
    await sent(screen, "undo", subject)
    assert await price(shop, top) == (50_000, None)
    assert (screen.told.tone, screen.told.subject) == ("news", "")
    await sent(screen, "price", {**typed, "price": "1"})
    await sent(screen, "undo", subject)  # too late
    assert screen.told.tone == "problem"
    assert await price(shop, top) == (1, 50_000)


@pytest.mark.parametrize(
    ("typed", "old"),
    [("", ""), ("mil", ""), ("0", ""), ("45.00", ""), ("100", "x"), ("100", "100"), ("9", "8")],
)
async def test_what_is_no_price_is_said_beside_it(
    shop: Shop, top: str, browser_of: At, typed: str, old: str
) -> None:
    screen = await opened(browser_of)
    form = {"variant_id": top, "price": typed, "old_price": old, "seen": "50000"}
    await sent(screen, "price", form)
    assert screen.told.tone == "problem"
    assert screen.problems[f"price-{top}"]
    assert await price(shop, top) == (50_000, None)


@pytest.mark.parametrize(
    ("typed", "reason", "units"),
    [("12", "count", 12), ("+3", "count", 13), ("-2", "damaged", 8), ("−2", "lost", 8), ("0", "lost", 0)],
)
async def test_units_are_counted_or_come_or_leave(  # noqa: PLR0917
    shop: Shop, defaults: Defaults, top: str, browser_of: At, typed: str, reason: str, units: int
) -> None:
    screen = await opened(browser_of)
    form = {"variant_id": top, "location_id": defaults.location_id, "seen": "10", "reason": reason}
    await sent(screen, "units", {**form, "units": typed})
    assert (await stocked(shop, top), screen.content.rows[0].free) == (units, units)
    subject = screen.told.subject
    await sent(screen, "undo", subject)
    assert await stocked(shop, top) == 10


async def test_units_that_others_moved_are_counted_again(
    shop: Shop, defaults: Defaults, top: str, browser_of: At
) -> None:
    screen = await opened(browser_of)
    form = {"variant_id": top, "location_id": defaults.location_id, "seen": "9", "reason": "count"}
    await sent(screen, "units", {**form, "units": "5"})
    assert "10" in screen.problems[f"units-{top}"]
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {top: 4}, None)
    await sent(screen, "units", {**form, "seen": "10", "units": "3"})
    assert "4" in screen.problems[f"units-{top}"]
    assert await stocked(shop, top) == 10


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
async def test_what_no_form_sends_changes_nothing(shop: Shop, top: str, browser_of: At, form: Any) -> None:
    screen = await opened(browser_of)
    for name in ("price", "units"):
        await sent(screen, name, form)
        assert screen.told.tone == "problem"
    for subject in ("", "price|a|b|c|d", f"units|{top}|x|1|10", "price||||", f"price|{top}|0|0|50000"):
        await sent(screen, "undo", subject)
    assert (await price(shop, top), await stocked(shop, top)) == ((50_000, None), 10)


async def test_undoing_needs_the_right_of_what_was_done(shop: Shop, top: str, browser_of: At) -> None:
    screen = await opened(browser_of, Role.STOCKROOM)
    await sent(screen, "undo", f"price|{top}|1|0|50000|0")
    assert screen.told.tone == "problem"
    assert await price(shop, top) == (50_000, None)


async def test_the_address_is_asked_for(top: str, browser_of: At) -> None:
    del top
    screen = await opened(browser_of)
    assert "/oficina/productos?q=trompo&ver=pocas" in str(
        await sent(screen, "ask", {"q": "trompo", "ver": "pocas"})
    )
    await sent(screen, "more")
    assert len(screen.content.rows) == 1


async def test_the_search_of_the_office_finds_products(top: str, browser_of: At) -> None:
    del top
    screen = await opened(browser_of, Role.STOCKROOM)
    actor = await actor_at(screen)
    assert actor is not None
    (hit,) = await find_products(actor, "madera")
    assert (hit.label, hit.path) == ("Trompo de madera", f"/oficina/productos/{screen.content.rows[0].id}")
    assert await find_products(actor, " ") == []


async def seen(shop: Shop) -> list[tuple[int, int | None]]:
    async with shop.database.read() as session:
        query = select(Variant.price, Variant.compare_at_price).order_by(Variant.sku)
        return [(price, old) for price, old in await session.execute(query)]


async def test_many_are_changed_once_it_was_shown(
    shop: Shop, defaults: Defaults, top: str, browser_of: At
) -> None:
    del top
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "yoyo", price=20_000)
    screen = await opened(browser_of)
    await sent(screen, "act", "more", [screen.content.rows[0].id])
    assert (screen.draft.count, screen.draft.action, screen.plan) == (1, "", None)
    await sent(screen, "begin_change")  # nothing was shown yet
    await sent(screen, "pick", "sale")
    await sent(screen, "show_plan", {"percent": "x", "step": "50"})
    assert screen.problems["percent"]
    await sent(screen, "show_plan", {"percent": "20 %", "step": "50"})
    assert (screen.plan.changed, screen.problems) == (1, {})
    await sent(screen, "widen")
    assert (screen.plan.changed, screen.plan.total_label) == (2, "En total: de $ 70.000 a $ 56.000.")
    await sent(screen, "begin_change")
    await sent(screen, "begin_change")  # pressed twice
    (change,) = screen.changes
    assert (change.label, change.status, change.total, change.settled) == (
        "Oferta de −20 %",
        "cambiando…",
        2,
        0,
    )
    await shop.worker.run_due("catalog.bulk")
    assert await seen(shop) == [(40_000, 50_000), (16_000, 20_000)]
    await screen._update()
    (change,) = screen.changes
    assert (change.counted, change.can_be_undone) == ("cambiados: 2", True)
    assert screen.content.rows[0].price == 40_000
    await sent(screen, "undo_change", change.id)
    await shop.worker.run_due("catalog.bulk")
    await screen._update()
    assert screen.changes[0].counted == "deshechos: 2"
    assert await seen(shop) == [(50_000, None), (20_000, None)]
    await sent(screen, "undo_change", change.id)
    assert screen.told.tone == "problem"


async def test_what_is_seen_at_once_can_be_dropped(top: str, browser_of: At) -> None:
    del top
    screen = await opened(browser_of)
    await sent(screen, "act", "hide", [screen.content.rows[0].id])
    (example,) = screen.plan.examples
    assert (example.before, example.after) == ("publicado", "oculto")
    await sent(screen, "pick", "add to category")
    assert screen.plan is None
    await sent(screen, "show_plan", {"target": "no-such"})
    assert screen.problems["target"]
    await sent(screen, "drop")
    assert (screen.draft, screen.plan, screen.problems) == (None, None, {})
    for name, arguments in (
        ("act", ("nonsense", [])),
        ("act", ("sale", "x")),
        ("pick", ("nonsense",)),
        ("show_plan", ("x",)),
        ("undo_change", ("bulk_none",)),
    ):
        await sent(screen, name, *arguments)
    for name in ("widen", "begin_change", "drop"):
        await sent(screen, name)
    assert screen.changes == []


async def test_what_an_earlier_document_told_is_no_news_in_the_next(top: str, browser_of: At) -> None:
    screen = await opened(browser_of)
    page = Event(name=HYDRATE, payload={"hashes": ["a document sends them when it first connects"]})
    again = Event(name=HYDRATE)
    for connects, is_told in ((again, True), (page, False)):
        await sent(screen, "price", {"variant_id": top, "price": "", "seen": "50000"})
        assert screen.told is not None
        await StateLossMiddleware([]).preprocess(None, screen.parent_state.parent_state, connects)  # type: ignore[arg-type]
        await sent(screen, "load")
        assert (screen.told is not None) is is_told
