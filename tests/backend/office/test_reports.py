"""The sales report of the office."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.catalog.models import Product
from backend.core.clock import now
from backend.core.errors import Forbidden
from backend.core.money import format_cop
from backend.office.reports import ReportView, report_view
from backend.pricing import Adjustment, PricedLine
from backend.staff.rights import RIGHTS, Actor, Right, Role
from tests.amounts import cop
from tests.backend.reports.selling import Sold, paid_order, store_cart, store_orders
from tests.store_defaults import Defaults, add_product

OWNER = Actor("user_1", Role.OWNER)
MARCH = datetime(2026, 3, 10, 15, tzinfo=UTC)
DAYS = {"desde": "2026-03-01", "hasta": "2026-03-31"}
ODD = "=HYPERLINK(\"x\") <b>Ñandú</b> 'años' 🪀"


async def read_report(shop: Shop, asked: Mapping[str, str] = DAYS, actor: Actor = OWNER) -> ReportView:
    async with shop.database.read() as session:
        return await report_view(session, actor, asked)


async def sell(shop: Shop, *orders: Sold) -> None:
    async with shop.database.transaction() as session:
        await store_orders(session, list(orders))


async def test_sales_report_of_an_empty_shop_shows_zeros(shop: Shop) -> None:
    view = await read_report(shop, {})
    assert (view.net, view.orders, view.average, view.conversion) == (cop("$ 0"), 0, "", "")
    assert (view.stock_units, view.stock_value, view.best, view.slow) == (0, cop("$ 0"), [], [])
    assert [(row.kind, row.total) for row in view.tax] == [("all", cop("$ 0"))]
    assert {bar.sold_height for bar in view.bars} == {0}
    assert (view.has_money, view.has_sold) == (False, False)


async def test_sales_report_shows_the_margin_of_units_with_a_known_cost(
    shop: Shop, shop_defaults: Defaults
) -> None:
    """Returned units, discounts and IVA are subtracted; units without a cost are only counted."""
    usual = paid_order(
        PricedLine("trompo", 3, 119_000),
        PricedLine("yoyo", 2, 10_000),
        at=MARCH,
        costs={"trompo": 40_000, "yoyo": 9_000},
    )
    usual.refunds = [(MARCH, 119_000, {"trompo": 1})]
    reduced = paid_order(
        PricedLine("trompo", 1, 119_000),
        at=MARCH + timedelta(days=1),
        costs={"trompo": 60_000},
        adjustments=[Adjustment(59_500, "trompo", "PROMO")],
    )
    without = paid_order(PricedLine("balero", 5, 500), at=MARCH)
    await sell(shop, usual, reduced, without)
    margin = (await read_report(shop)).margin
    assert (margin.pesos, margin.detail) == (
        cop("$ 108.807"),
        "41 % de lo vendido, sin IVA · falta el costo de 5 unidades",
    )
    assert [(toy.title, toy.units, toy.pesos, toy.width) for toy in margin.products] == [
        ("trompo", 3, cop("$ 110.000 · 44 %"), 100),
        ("yoyo", 2, cop("-$ 1.193 · -7 %"), 0),
    ]
    april = (await read_report(shop, {"desde": "2026-04-01", "hasta": "2026-04-30"})).margin
    assert (april.pesos, april.products) == ("", [])


async def test_sales_report_shows_the_figures_of_a_month(shop: Shop, shop_defaults: Defaults) -> None:
    one = paid_order(PricedLine("trompo", 2, 119_000), at=MARCH, shipping=11_900)
    one.refunds = [(MARCH + timedelta(days=40), 119_000, {"trompo": 1})]  # in April
    two = paid_order(PricedLine("book", 3, 20_000, 0), at=MARCH + timedelta(days=1), titles={"book": ODD})
    gone = paid_order(PricedLine("yoyo", 9, 1_000), at=MARCH, status="canceled")
    gone.refunds = [(MARCH, 9_000, {})]
    await sell(shop, one, two, gone, Sold([PricedLine("balero", 5, 500)], placed=MARCH))
    view = await read_report(shop)
    assert (view.captured, view.refunded, view.net) == (cop("$ 318.900"), cop("$ 9.000"), cop("$ 309.900"))
    assert (view.orders, view.average) == (2, format_cop(154_950))
    assert [(toy.title, toy.units, toy.pesos, toy.width) for toy in view.best] == [
        (ODD, 3, cop("$ 60.000"), 100),
        ("trompo", 1, cop("$ 119.000"), 33),
    ]
    tenth, eleventh = view.bars[9:11]
    assert (tenth.sold, tenth.refunded, tenth.net) == (cop("$ 258.900"), cop("$ 9.000"), cop("$ 249.900"))
    assert (tenth.sold_height, tenth.refunded_height, eleventh.sold_height) == (100, 4, 24)
    assert [(row.label, row.base, row.tax, row.total) for row in view.tax if row.kind != "line"] == [
        ("Neto al 19 %", cop("$ 210.000"), cop("$ 39.900"), cop("$ 249.900")),
        ("Neto al 0 %", cop("$ 60.000"), cop("$ 0"), cop("$ 60.000")),
        ("Total", cop("$ 270.000"), cop("$ 39.900"), cop("$ 309.900")),
    ]
    april = await read_report(shop, {"desde": "2026-04-01", "hasta": "2026-04-30"})
    assert (april.net, april.orders, april.average, april.best) == (cop("-$ 119.000"), 0, "", [])
    assert april.tax[-1].tax == cop("-$ 19.000")


async def test_best_sellers_show_the_paid_amount(shop: Shop, shop_defaults: Defaults) -> None:
    trompo = PricedLine("trompo", 2, 50_000)
    cheap = paid_order(
        trompo, PricedLine("yoyo", 1, 9_000), at=MARCH, adjustments=[Adjustment(30_000, "trompo")]
    )
    await sell(shop, cheap, paid_order(trompo, at=MARCH))
    best = (await read_report(shop)).best
    assert [(toy.title, toy.units, toy.pesos) for toy in best] == [
        ("trompo", 4, cop("$ 170.000")),
        ("yoyo", 1, cop("$ 9.000")),
    ]


async def test_money_without_an_order_has_its_own_line_in_the_report(
    shop: Shop, shop_defaults: Defaults
) -> None:
    await sell(shop, Sold([PricedLine("trompo", 1, 5_000)], has_order=False, captures=[(MARCH, 7_000)]))
    view = await read_report(shop)
    assert [(row.label, row.base, row.total) for row in view.tax] == [
        ("Dinero que no es de un pedido", "", cop("$ 7.000")),
        ("Total", cop("$ 0"), cop("$ 7.000")),
    ]
    assert view.orders == 0


async def test_report_shows_stock_value_and_slow_products(shop: Shop, shop_defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        for handle, units, price in (("quieto", 2, 40_000), ("vendido", 1, 10_000), ("nuevo", 3, 5_000)):
            await add_product(session, shop_defaults, handle, stock=units, price=price, id=f"prod_{handle}")
        await add_product(session, shop_defaults, "agotado", stock=0)
        old = update(Product).where(Product.handle != "nuevo")
        await session.execute(old.values(created_at=now() - timedelta(days=91)))
    await sell(shop, paid_order(PricedLine("vendido", 1, 10_000), at=now() - timedelta(days=89)))
    view = await read_report(shop)
    assert (view.stock_units, view.stock_value) == (6, cop("$ 105.000"))
    assert (view.has_money, view.has_sold) == (False, True)  # nothing in the period, but earlier
    assert [(toy.title, toy.units, toy.pesos) for toy in view.slow] == [("Quieto", 2, cop("$ 80.000"))]


async def test_conversion_rate_is_the_share_of_paid_carts(shop: Shop, shop_defaults: Defaults) -> None:
    moment = now()
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
        first = await store_cart(session, variant, moment - timedelta(days=1))
        await store_cart(session, variant, moment - timedelta(days=1), replaces=first)  # the same shopper
        await store_cart(session, variant, moment - timedelta(days=40))
    await sell(shop, paid_order(PricedLine("trompo", 1, 5_000), at=moment - timedelta(days=2)))
    last = (moment + timedelta(days=1)).date()
    week = {"desde": (last - timedelta(days=7)).isoformat(), "hasta": last.isoformat()}
    view = await read_report(shop, week)
    assert (view.conversion, view.conversion_note) == ("50 %", "1 de 2 carritos se pagaron.")
    # older carts may have been deleted: they are not counted, and the note has the first counted day
    longer = await read_report(shop, {**week, "desde": (last - timedelta(days=60)).isoformat()})
    assert longer.conversion == "50 %"
    assert longer.conversion_note.startswith("1 de 2 carritos se pagaron. Desde el ")
    assert (await read_report(shop)).conversion == ""


async def test_sales_report_is_not_readable_without_the_right(shop: Shop) -> None:
    assert [role for role in Role if Right.READ_REPORTS in RIGHTS[role]] == [
        Role.OWNER,
        Role.SHOP,
        Role.ACCOUNTANT,
    ]
    assert (await read_report(shop, actor=Actor("user_2", Role.ACCOUNTANT))).orders == 0
    with pytest.raises(Forbidden):
        await read_report(shop, actor=Actor("user_3", Role.STOCKROOM))
