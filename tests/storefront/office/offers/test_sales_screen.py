"""Sales (Rebajas): preview, saving, changing and ending them, and the rights for it."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Variant
from backend.catalog.price_lists import price_plan
from backend.catalog.price_lists.models import PriceList
from backend.catalog.price_lists.sales_job import SalesJob
from backend.catalog.price_lists.service import JOB
from backend.core.clock import now
from backend.jobs import JobRun
from backend.staff.rights import Role
from storefront.office.offers.sale_state import SaleState
from storefront.office.offers.state import OffersState
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product, read_product_id
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

TYPED = {
    "title": "Diciembre", "method": "percentage", "value": "10", "target": "all", "product_ids": "",
    "starts": "", "ends": "2999-12-24",
}  # fmt: skip


@pytest.fixture
async def variant_ids(shop: Shop, defaults: Defaults) -> list[str]:
    """Create a product for 10,003 pesos and one for 40 pesos. Return the ids of their variants."""
    async with shop.database.transaction() as session:
        dear = await add_product(session, defaults, "trompo", price=10_003)
        return [dear, await add_product(session, defaults, "bolita", price=40)]


async def open_sale(browser_of: BrowserFactory, role: Role = Role.SHOP, sale: str = "nueva") -> Any:
    screen: Any = await (await browser_of(role, f"/oficina/ofertas/rebajas/{sale}")).get_state(SaleState)
    await send_event(screen, "load")
    return screen


async def create_sale(shop: Shop, browser_of: BrowserFactory, typed: dict[str, str]) -> str:
    screen = await open_sale(browser_of)
    await send_event(screen, "preview_changes", typed)
    await send_event(screen, "save")
    async with shop.database.read() as session:
        return str((await session.execute(select(PriceList.id))).scalar_one())


async def read_price(shop: Shop, variant_id: str) -> tuple[int, int | None]:
    async with shop.database.read() as session:
        variant = await session.get_one(Variant, variant_id)
        return variant.price, variant.compare_at_price


async def run_sales_job(shop: Shop) -> None:
    await SalesJob(shop.database).run(JobRun(1, JOB, "", {}, 1))


async def test_every_price_of_a_sale_is_previewed_before_it_is_saved(
    shop: Shop, variant_ids: list[str], browser_of: BrowserFactory
) -> None:
    screen = await open_sale(browser_of)
    await send_event(screen, "preview_changes", TYPED)
    rows = [(row.title, row.before, row.after, row.note != "") for row in screen.preview.rows]
    assert rows == [("Bolita", cop("$ 40"), "", True), ("Trompo", cop("$ 10.003"), cop("$ 9.000"), False)]
    assert "Precios que bajan: 1, con 10 % menos." in screen.preview.words
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).where(Variant.id == variant_ids[0]).values(price=20_000))
    await send_event(screen, "save")  # a price has changed since: shown again, not saved
    assert (screen.announcement.tone, screen.preview.rows[1].after) == ("problem", cop("$ 18.000"))
    await send_event(screen, "save")
    await run_sales_job(shop)
    assert await read_price(shop, variant_ids[0]) == (18_000, 20_000)
    async with shop.database.read() as session:
        sale = (await session.execute(select(PriceList))).scalar_one()
    assert sale.ends_at is not None
    assert sale.ends_at.isoformat() == "2999-12-25T05:00:00+00:00"
    running = await open_sale(browser_of, Role.ACCOUNTANT, sale.id)
    assert (running.content.form, running.content.last_day) == (None, "2999-12-24")
    assert [(row.before, row.after) for row in running.content.rows] == [(cop("$ 20.000"), cop("$ 18.000"))]
    running = await open_sale(browser_of, sale=sale.id)
    await send_event(running, "move_end", {"last_day": "2020-01-01"})
    assert list(running.problems) == ["last_day"]
    await send_event(running, "move_end", {"last_day": "2999-12-31"})
    assert running.content.last_day == "2999-12-31"
    await send_event(running, "end")
    assert (running.content.can_end, running.announcement.tone) == (False, "news")
    await run_sales_job(shop)
    assert await read_price(shop, variant_ids[0]) == (20_000, None)
    listing: Any = await (await browser_of(Role.ACCOUNTANT, "/oficina/ofertas")).get_state(OffersState)
    await send_event(listing, "load")
    assert ([row.title for row in listing.content.sales_over], listing.content.sales) == (["Diciembre"], [])
    async with shop.database.read() as session:
        recorded = select(AuditEntry.actor_id, AuditEntry.action).where(AuditEntry.subject_id == sale.id)
        entries = (await session.execute(recorded.order_by(AuditEntry.id))).all()
    assert [action for _actor, action in entries] == ["created", "changed", "ended"]
    assert None not in {actor for actor, _action in entries}


async def test_running_sales_are_listed_despite_many_ended_sales(
    shop: Shop, variant_ids: list[str], browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.office.offers.sales.MAX_ENDED_SALES", 1)
    await create_sale(shop, browser_of, TYPED)
    moment, day = now(), timedelta(days=1)
    async with shop.database.transaction() as session:
        first = (await session.execute(select(PriceList))).scalar_one()
        rest: dict[str, Any] = {"rule": first.rule, "starts_at": moment - day}
        session.add_all([
            PriceList(title="No end", created_at=moment + day, **rest),
            PriceList(title="Ended", ended_at=moment, created_at=moment + 2 * day, **rest),
            PriceList(title="Over", ends_at=moment, created_at=moment + 3 * day, **rest),
        ])  # fmt: skip
    listing: Any = await (await browser_of(Role.SHOP, "/oficina/ofertas")).get_state(OffersState)
    await send_event(listing, "load")
    assert [row.title for row in listing.content.sales] == ["No end", "Diciembre"]
    assert [row.title for row in listing.content.sales_over] == ["Over"]


async def test_future_sale_is_shown_in_the_form_as_typed(
    shop: Shop, variant_ids: list[str], browser_of: BrowserFactory
) -> None:
    typed = {
        **TYPED,
        "method": "fixed",
        "value": "1.000",
        "target": "products",
        "product_ids": await read_product_id(shop.database, variant_ids[0]),
        "starts": "2999-12-01",
    }
    sale = await create_sale(shop, browser_of, typed)
    again = await open_sale(browser_of, sale=sale)
    shown = {name: getattr(again.content.form, name) for name in TYPED}
    (toy,) = again.content.products
    assert (shown, toy.title) == ({**typed, "value": "1000"}, "Trompo")
    await send_event(again, "preview_changes", {**typed, "value": "500"})
    await send_event(again, "save")
    async with shop.database.transaction() as session:
        await session.execute(update(PriceList).values(starts_at=now() - timedelta(days=1)))
    await run_sales_job(shop)
    assert await read_price(shop, variant_ids[0]) == (9_503, 10_003)


async def test_future_sale_lowers_the_prices_after_the_running_sale(
    shop: Shop, variant_ids: list[str], browser_of: BrowserFactory
) -> None:
    running = await create_sale(shop, browser_of, TYPED)
    await run_sales_job(shop)
    assert await read_price(shop, variant_ids[0]) == (9_000, 10_003)
    screen = await open_sale(browser_of)
    await send_event(
        screen, "preview_changes", {**TYPED, "value": "20", "starts": "2999-12-26", "ends": "2999-12-31"}
    )
    previewed = [(row.before, row.after) for row in screen.preview.rows if row.after]
    await send_event(screen, "save")
    async with shop.database.read() as session:
        waiting = (await session.execute(select(PriceList.id).where(PriceList.id != running))).scalar_one()
    shown = await open_sale(browser_of, sale=waiting)
    assert (
        [(row.before, row.after) for row in shown.content.rows]
        == previewed
        == [(cop("$ 10.003"), cop("$ 8.000"))]
    )


async def test_sale_of_a_product_does_not_change_another_with_the_same_title(
    shop: Shop, defaults: Defaults, variant_ids: list[str], browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        twin = await add_product(session, defaults, "otro", title="Trompo", price=30_000)
    product_id = await read_product_id(shop.database, variant_ids[0])
    typed = {**TYPED, "target": "products", "product_ids": product_id, "starts": "2999-12-01"}
    sale = await create_sale(shop, browser_of, typed)
    again = await open_sale(browser_of, sale=sale)
    assert again.content.form.product_ids == again.content.products[0].id == product_id
    await send_event(again, "preview_changes", typed)
    await send_event(again, "save")
    async with shop.database.transaction() as session:
        await session.execute(update(PriceList).values(starts_at=now() - timedelta(days=1)))
    await run_sales_job(shop)
    assert (await read_price(shop, variant_ids[0]), await read_price(shop, twin)) == (
        (9_000, 10_003),
        (30_000, None),
    )


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"title": " "}, "title"),
        ({"title": "x" * 61}, "title"),
        ({"value": "91"}, "value"),
        ({"value": "0"}, "value"),
        ({"method": "fixed", "value": "diez"}, "value"),
        ({"ends": ""}, "ends"),
        ({"ends": "2020-01-01"}, "ends"),
        ({"ends": "9999-12-31"}, "ends"),
        ({"starts": "3000-01-01"}, "starts"),
        ({"starts": "2999-12-25"}, "ends"),
        ({"target": "everything"}, "target"),
        ({"target": "products"}, "product_ids"),
        ({"target": "products", "product_ids": "Trompo"}, "product_ids"),
        ({"target": "categories"}, "categories"),
    ],
)
async def test_invalid_value_in_the_sale_form_marks_its_field(
    browser_of: BrowserFactory, typed: dict[str, str], field: str
) -> None:
    screen = await open_sale(browser_of)
    await send_event(screen, "preview_changes", {**TYPED, **typed})
    assert (list(screen.problems), screen.preview) == ([field], None)
    await send_event(screen, "save")
    assert screen.announcement.tone == "problem"


async def test_sale_that_lowers_no_price_is_not_saved(
    shop: Shop, variant_ids: list[str], browser_of: BrowserFactory
) -> None:
    product_id = await read_product_id(shop.database, variant_ids[1])
    screen = await open_sale(browser_of)
    await send_event(screen, "preview_changes", {**TYPED, "target": "products", "product_ids": product_id})
    assert not screen.preview.can_save
    await send_event(screen, "save")
    assert screen.announcement.text == "Ningún precio bajaría."
    async with shop.database.read() as session:
        assert (await session.execute(select(PriceList))).first() is None


async def test_sale_of_too_many_prices_is_refused(
    variant_ids: list[str], browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    del variant_ids
    monkeypatch.setattr(price_plan, "MAX_PRICES", 1)
    screen = await open_sale(browser_of)
    await send_event(screen, "preview_changes", TYPED)
    assert (screen.announcement.text, screen.preview) == (
        "Una rebaja cubre hasta 20.000 precios: elige menos productos.", None,
    )  # fmt: skip


async def test_only_owner_and_shop_roles_change_sales(
    shop: Shop, variant_ids: list[str], browser_of: BrowserFactory
) -> None:
    sale = await create_sale(shop, browser_of, TYPED)
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        screen = await open_sale(browser_of, role, sale)
        calls = (
            ("preview_changes", (TYPED,)),
            ("save", ()),
            ("end", ()),
            ("move_end", ({"last_day": "2999-01-01"},)),
        )
        for name, arguments in calls:
            await send_event(screen, name, *arguments)
            assert screen.announcement.text == "Tu rol no permite hacer esto."
    async with shop.database.read() as session:
        assert (await session.execute(select(PriceList.ended_at))).scalar_one() is None


@pytest.mark.parametrize(
    "nonsense", [None, 7, {"title": 5}, {"title": "x" * 90_000}, dict.fromkeys(map(str, range(99)), "")]
)
async def test_invalid_input_of_the_sales_screen_changes_nothing(
    browser_of: BrowserFactory, nonsense: Any
) -> None:
    screen = await open_sale(browser_of)
    for name in ("preview_changes", "move_end"):
        await send_event(screen, name, nonsense)
        assert (screen.announcement.tone, screen.preview) == ("problem", None)


async def test_unknown_sale_is_shown_as_missing(browser_of: BrowserFactory) -> None:
    assert (await open_sale(browser_of, sale="plist_none")).problem == "missing"


async def test_second_editor_of_a_sale_is_warned_before_overwriting(
    shop: Shop, variant_ids: list[str], browser_of: BrowserFactory
) -> None:
    del variant_ids
    typed = {**TYPED, "starts": "2999-12-01"}
    sale = await create_sale(shop, browser_of, typed)
    screen, rival = [await open_sale(browser_of, sale=sale) for _time in range(2)]
    await send_event(rival, "preview_changes", {**typed, "value": "20"})
    await send_event(rival, "save")
    await send_event(screen, "preview_changes", {**typed, "ends": "2999-12-31"})
    assert screen.preview.words[0].startswith(
        "Alguien la cambió mientras la tenías abierta. Ahora es: 20 % menos"
    )
    async with shop.database.read() as session:
        assert (await session.execute(select(PriceList.rule))).scalar_one()["value"] == 20
    await send_event(screen, "save")  # after the warning it is saved
    assert screen.announcement.tone == "news"
    async with shop.database.read() as session:
        assert (await session.execute(select(PriceList.rule))).scalar_one()["value"] == 10
    await send_event(rival, "preview_changes", {**typed, "value": "30"})
    await send_event(screen, "preview_changes", typed)
    await send_event(screen, "save")
    await send_event(rival, "save")
    assert rival.announcement.tone == "problem"
