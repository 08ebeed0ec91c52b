"""Rebajas: looked at, made, changed and ended from a browser, by whoever may."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.models import Variant
from backend.catalog.price_lists import price_plan
from backend.catalog.price_lists.models import PriceList
from backend.catalog.price_lists.sales_job import Sales
from backend.catalog.price_lists.service import JOB
from backend.core.clock import now
from backend.jobs import JobRun
from backend.staff.rights import Role
from storefront.office.offers.sale_state import SaleState
from storefront.office.offers.state import OffersState
from tests.store_defaults import Defaults, make_toy
from tests.storefront.office.conftest import At
from tests.storefront.office.test_offers_screen import sent

TYPED = {
    "title": "Diciembre", "method": "percentage", "value": "10", "target": "all", "toys": "", "starts": "",
    "ends": "2999-12-24",
}  # fmt: skip


@pytest.fixture
async def toys(shop: Shop, defaults: Defaults) -> list[str]:
    """A toy for 10,003 pesos and one for 40."""
    async with shop.database.transaction() as session:
        dear = await make_toy(session, defaults, "trompo", price=10_003)
        return [dear, await make_toy(session, defaults, "bolita", price=40)]


async def opened(browser_of: At, role: Role = Role.SHOP, sale: str = "nueva") -> Any:
    screen: Any = await (await browser_of(role, f"/oficina/ofertas/rebajas/{sale}")).get_state(SaleState)
    await sent(screen, "load")
    return screen


async def made(shop: Shop, browser_of: At, typed: dict[str, str]) -> str:
    screen = await opened(browser_of)
    await sent(screen, "look", typed)
    await sent(screen, "save")
    async with shop.database.read() as session:
        return str((await session.execute(select(PriceList.id))).scalar_one())


async def price_of(shop: Shop, variant_id: str) -> tuple[int, int | None]:
    async with shop.database.read() as session:
        variant = await session.get_one(Variant, variant_id)
        return variant.price, variant.compare_at_price


async def work(shop: Shop) -> None:
    await Sales(shop.database).run(JobRun(1, JOB, "", {}, 1))


async def test_a_sale_is_seen_price_by_price_before_it_is_stored(
    shop: Shop, toys: list[str], browser_of: At
) -> None:
    screen = await opened(browser_of)
    await sent(screen, "look", TYPED)
    rows = [(row.title, row.before, row.after, row.note != "") for row in screen.preview.rows]
    assert rows == [("Bolita", "$ 40", "", True), ("Trompo", "$ 10.003", "$ 9.000", False)]
    assert "Precios que bajan: 1, con 10 % menos." in screen.preview.words
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).where(Variant.id == toys[0]).values(price=20_000))
    await sent(screen, "save")  # somebody changed a price since: it is shown again, and not stored
    assert (screen.told.tone, screen.preview.rows[1].after) == ("problem", "$ 18.000")
    await sent(screen, "save")
    await work(shop)
    assert await price_of(shop, toys[0]) == (18_000, 20_000)
    async with shop.database.read() as session:
        sale = (await session.execute(select(PriceList))).scalar_one()
    assert sale.ends_at is not None
    assert sale.ends_at.isoformat() == "2999-12-25T05:00:00+00:00"
    running = await opened(browser_of, Role.ACCOUNTANT, sale.id)
    assert (running.content.form, running.content.last_day) == (None, "2999-12-24")
    assert [(row.before, row.after) for row in running.content.rows] == [("$ 20.000", "$ 18.000")]
    running = await opened(browser_of, sale=sale.id)
    await sent(running, "move_end", {"last_day": "2020-01-01"})
    assert list(running.problems) == ["last_day"]
    await sent(running, "move_end", {"last_day": "2999-12-31"})
    assert running.content.last_day == "2999-12-31"
    await sent(running, "end")
    assert (running.content.can_end, running.told.tone) == (False, "news")
    await work(shop)
    assert await price_of(shop, toys[0]) == (20_000, None)
    listing: Any = await (await browser_of(Role.ACCOUNTANT, "/oficina/ofertas")).get_state(OffersState)
    await sent(listing, "load")
    assert ([row.title for row in listing.content.sales_over], listing.content.sales) == (["Diciembre"], [])


async def test_sales_that_run_are_listed_however_many_are_over(
    shop: Shop, toys: list[str], browser_of: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.office.offers.sales.MOST_SALES", 1)
    await made(shop, browser_of, TYPED)
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
    await sent(listing, "load")
    assert [row.title for row in listing.content.sales] == ["No end", "Diciembre"]
    assert [row.title for row in listing.content.sales_over] == ["Over"]


async def test_one_that_has_not_begun_comes_back_as_it_was_typed(
    shop: Shop, toys: list[str], browser_of: At
) -> None:
    typed = {
        **TYPED,
        "method": "fixed",
        "value": "1.000",
        "target": "toys",
        "toys": "trompo",
        "starts": "2999-12-01",
    }
    sale = await made(shop, browser_of, typed)
    again = await opened(browser_of, sale=sale)
    shown = {name: getattr(again.content.form, name) for name in TYPED}
    assert shown == {**typed, "value": "1000", "toys": "Trompo"}
    await sent(again, "look", {**typed, "value": "500"})
    await sent(again, "save")
    async with shop.database.transaction() as session:
        await session.execute(update(PriceList).values(starts_at=now() - timedelta(days=1)))
    await work(shop)
    assert await price_of(shop, toys[0]) == (9_503, 10_003)


async def test_one_that_waits_shows_the_prices_that_come_back_after_the_one_that_runs(
    shop: Shop, toys: list[str], browser_of: At
) -> None:
    running = await made(shop, browser_of, TYPED)
    await work(shop)
    assert await price_of(shop, toys[0]) == (9_000, 10_003)
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, "value": "20", "starts": "2999-12-26", "ends": "2999-12-31"})
    previewed = [(row.before, row.after) for row in screen.preview.rows if row.after]
    await sent(screen, "save")
    async with shop.database.read() as session:
        waiting = (await session.execute(select(PriceList.id).where(PriceList.id != running))).scalar_one()
    shown = await opened(browser_of, sale=waiting)
    assert [(row.before, row.after) for row in shown.content.rows] == previewed == [("$ 10.003", "$ 8.000")]


async def test_toys_of_the_same_name_are_told_apart_by_their_codes(
    shop: Shop, defaults: Defaults, toys: list[str], browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        twin = await make_toy(session, defaults, "otro", title="Trompo", price=30_000)
    typed = {**TYPED, "target": "toys", "toys": "Trompo", "starts": "2999-12-01"}
    screen = await opened(browser_of)
    await sent(screen, "look", typed)
    assert screen.problems == {
        "toys": "Hay más de un juguete con ese nombre; escribe su código (SKU): Trompo"
    }
    sale = await made(shop, browser_of, {**typed, "toys": "SKU-trompo"})
    again = await opened(browser_of, sale=sale)
    assert again.content.form.toys == "SKU-trompo"
    await sent(again, "look", {**typed, "toys": again.content.form.toys})
    await sent(again, "save")
    async with shop.database.transaction() as session:
        await session.execute(update(PriceList).values(starts_at=now() - timedelta(days=1)))
    await work(shop)
    assert (await price_of(shop, toys[0]), await price_of(shop, twin)) == ((9_000, 10_003), (30_000, None))


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
        ({"target": "toys", "toys": "Nadie"}, "toys"),
        ({"target": "categories"}, "categories"),
    ],
)
async def test_what_is_wrong_is_said_beside_its_field(
    browser_of: At, typed: dict[str, str], field: str
) -> None:
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, **typed})
    assert (list(screen.problems), screen.preview) == ([field], None)
    await sent(screen, "save")
    assert screen.told.tone == "problem"


async def test_a_sale_that_lowers_no_price_is_not_stored(shop: Shop, toys: list[str], browser_of: At) -> None:
    del toys
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, "target": "toys", "toys": "bolita"})
    assert not screen.preview.can_save
    await sent(screen, "save")
    assert screen.told.text == "Ningún precio bajaría."
    async with shop.database.read() as session:
        assert (await session.execute(select(PriceList))).first() is None


async def test_a_sale_of_too_many_prices_says_so(
    toys: list[str], browser_of: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    del toys
    monkeypatch.setattr(price_plan, "MOST_PRICES", 1)
    screen = await opened(browser_of)
    await sent(screen, "look", TYPED)
    assert (screen.told.text, screen.preview) == (
        "Una rebaja cubre hasta 20.000 precios: elige menos juguetes.", None,
    )  # fmt: skip


async def test_only_the_owner_and_the_shop_change_sales(shop: Shop, toys: list[str], browser_of: At) -> None:
    sale = await made(shop, browser_of, TYPED)
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        screen = await opened(browser_of, role, sale)
        calls = (("look", (TYPED,)), ("save", ()), ("end", ()), ("move_end", ({"last_day": "2999-01-01"},)))
        for name, arguments in calls:
            await sent(screen, name, *arguments)
            assert screen.told.text == "Tu rol no permite hacer esto."
    async with shop.database.read() as session:
        assert (await session.execute(select(PriceList.ended_at))).scalar_one() is None


@pytest.mark.parametrize(
    "nonsense", [None, 7, {"title": 5}, {"title": "x" * 90_000}, dict.fromkeys(map(str, range(99)), "")]
)
async def test_nonsense_changes_nothing(browser_of: At, nonsense: Any) -> None:
    screen = await opened(browser_of)
    for name in ("look", "move_end"):
        await sent(screen, name, nonsense)
        assert (screen.told.tone, screen.preview) == ("problem", None)


async def test_a_sale_that_is_not_there_says_so(browser_of: At) -> None:
    assert (await opened(browser_of, sale="plist_none")).problem == "missing"


async def test_of_two_who_change_a_sale_the_second_is_told_before_anything_is_overwritten(
    shop: Shop, toys: list[str], browser_of: At
) -> None:
    del toys
    typed = {**TYPED, "starts": "2999-12-01"}
    sale = await made(shop, browser_of, typed)
    one, other = [await opened(browser_of, sale=sale) for _time in range(2)]
    await sent(other, "look", {**typed, "value": "20"})
    await sent(other, "save")
    await sent(one, "look", {**typed, "ends": "2999-12-31"})
    assert one.preview.words[0].startswith(
        "Alguien la cambió mientras la tenías abierta. Ahora es: 20 % menos"
    )
    async with shop.database.read() as session:
        assert (await session.execute(select(PriceList.rule))).scalar_one()["value"] == 20
    await sent(one, "save")  # who was told decides
    assert one.told.tone == "news"
    async with shop.database.read() as session:
        assert (await session.execute(select(PriceList.rule))).scalar_one()["value"] == 10
    await sent(other, "look", {**typed, "value": "30"})
    await sent(one, "look", typed)
    await sent(one, "save")
    await sent(other, "save")
    assert other.told.tone == "problem"
