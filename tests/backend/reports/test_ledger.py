"""The books of a period are the captures less the refunds, to the peso, with the IVA of what was really sold."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import event

from backend.app import Shop
from backend.pricing import CART, SHIPPING, Adjustment, PricedLine
from backend.reports.figures import flows
from backend.reports.ledger import Books, Sum, books_of
from backend.reports.periods import Period, pieces
from tests.backend.reports.selling import Sold, paid, store_given_back, store_orders
from tests.store_defaults import Defaults

MARCH = datetime(2026, 3, 10, 15, tzinfo=UTC)
APRIL = datetime(2026, 4, 10, 15, tzinfo=UTC)
YEAR = Period("rango", date(2026, 1, 1), date(2026, 12, 31))
TROMPO, BOOK = PricedLine("trompo", 2, 119_000, 19), PricedLine("book", 1, 20_000, 0)


async def books(shop: Shop, *orders: Sold, period: Period = YEAR) -> Books:
    async with shop.database.transaction() as session:
        await store_orders(session, list(orders))
    return await read(shop, period)


async def read(shop: Shop, period: Period) -> Books:
    async with shop.database.read() as session:
        return await books_of(session, period)


def days(first: date, last: date) -> Period:
    return Period("rango", first, last)


def found(sums: dict[int, Sum]) -> dict[int, tuple[int, int]]:
    """Pesos and their IVA by rate."""
    return {rate: (one.total, one.tax) for rate, one in sums.items() if one.total}


async def test_an_empty_shop(shop: Shop) -> None:
    empty = await read(shop, YEAR)
    assert (empty.captured, empty.refunded, empty.tax) == (0, 0, 0)


async def test_an_order_is_its_lines_and_its_shipping_by_rate(shop: Shop, shop_defaults: Defaults) -> None:
    one = await books(shop, paid(TROMPO, BOOK, at=MARCH, shipping=11_900))
    assert found(one.items) == {19: (238_000, 38_000), 0: (20_000, 0)}
    assert found(one.shipping) == {19: (11_900, 1_900)}
    assert (one.captured, one.refunded, one.tax) == (269_900, 0, 39_900)


async def test_a_refund_counts_on_its_own_day(shop: Shop, shop_defaults: Defaults) -> None:
    sold = paid(TROMPO, BOOK, at=MARCH, refunds=[(APRIL, 119_000, {"trompo": 1})])
    await books(shop, sold)
    march, april = [await read(shop, days(date(2026, n, 1), date(2026, n, 28))) for n in (3, 4)]
    assert (march.captured, march.refunded, march.tax) == (258_000, 0, 38_000)
    assert (april.captured, april.refunded, april.tax) == (0, 119_000, -19_000)
    assert found(april.given_back) == {19: (119_000, 19_000)}


async def test_a_refund_of_all_units_takes_the_shipping_too(shop: Shop, shop_defaults: Defaults) -> None:
    sold = paid(TROMPO, BOOK, at=MARCH, shipping=11_900)
    sold.refunds = [(APRIL, 269_900, {"trompo": 2, "book": 1})]
    one = await books(shop, sold)
    assert found(one.given_back) == {19: (249_900, 39_900), 0: (20_000, 0)}
    assert (one.captured - one.refunded, one.tax) == (0, 0)


async def test_adjustments_lower_the_iva(shop: Shop, shop_defaults: Defaults) -> None:
    sold = paid(TROMPO, at=MARCH, shipping=11_900, adjustments=[Adjustment(119_000, "trompo")])
    free = paid(
        TROMPO, at=MARCH, shipping=11_900, adjustments=[Adjustment(11_900, SHIPPING), Adjustment(1, CART)]
    )
    one = await books(shop, sold, free)
    assert one.captured == 119_000 + 11_900 + 237_999
    assert found(one.shipping) == {19: (11_900, 1_900)}
    assert one.items[19].tax == sold.totals.items.tax_total + free.totals.items.tax_total


async def test_the_day_ends_at_midnight_in_colombia(shop: Shop, shop_defaults: Defaults) -> None:
    midnight = datetime(2026, 3, 11, 5, tzinfo=UTC)  # 00:00 of the 11th in Bogotá
    before, after = midnight - timedelta(microseconds=1), midnight
    await books(shop, paid(TROMPO, at=before), paid(BOOK, at=after))
    tenth, eleventh = [await read(shop, days(date(2026, 3, n), date(2026, 3, n))) for n in (10, 11)]
    assert (tenth.captured, eleventh.captured) == (238_000, 20_000)


async def test_what_was_not_paid_does_not_count(shop: Shop, shop_defaults: Defaults) -> None:
    unpaid = Sold([TROMPO], placed=MARCH)
    canceled = Sold([TROMPO], placed=MARCH, status="canceled")
    assert (await books(shop, unpaid, canceled)).captured == 0


async def test_money_that_pays_nothing_has_no_iva(shop: Shop, shop_defaults: Defaults) -> None:
    nobody = Sold([TROMPO], has_order=False, captures=[(MARCH, 50_000)], refunds=[(APRIL, 30_000, {})])
    twice = Sold([BOOK], captures=[(MARCH, 20_000), (APRIL, 20_000)])
    one = await books(shop, nobody, twice)
    assert (one.beyond, one.beyond_given_back) == (70_000, 30_000)
    assert (one.captured, one.refunded, one.tax) == (90_000, 30_000, 0)
    assert found(one.items) == {0: (20_000, 0)}


async def test_an_order_that_is_paid_again_after_its_refund_is_sold_again(
    shop: Shop, shop_defaults: Defaults
) -> None:
    sold = Sold([TROMPO], captures=[(MARCH, 238_000), (APRIL, 238_000)])
    sold.refunds = [(MARCH + timedelta(days=1), 238_000, {})]
    one = await books(shop, sold)
    assert (one.beyond, one.items[19].total, one.given_back[19].total) == (0, 476_000, 238_000)
    assert one.tax == 38_000


async def test_money_that_went_back_without_paying_leaves_the_iva_as_it_is(
    shop: Shop, shop_defaults: Defaults
) -> None:
    """Though something of the order was refunded before, which it could have paid."""
    sold = paid(TROMPO, BOOK, at=MARCH, refunds=[(MARCH + timedelta(days=1), 20_000, {"book": 1})])
    before = await books(shop, sold)
    async with shop.database.transaction() as session:
        await store_given_back(session, sold, APRIL, 258_000)
    after = await read(shop, YEAR)
    assert (after.beyond, after.beyond_given_back) == (258_000, 258_000)
    assert (found(after.items), found(after.given_back), after.tax) == (
        found(before.items),
        found(before.given_back),
        before.tax,
    )


async def test_captures_of_a_period_are_found_by_their_index(shop: Shop) -> None:
    asked: list[tuple[str, Any]] = []
    engine = shop.database.engine.sync_engine

    def note(_conn: object, _cursor: object, statement: str, values: Any, *_rest: object) -> None:
        if not statement.startswith("EXPLAIN"):
            asked.append((statement, values))

    event.listen(engine, "before_cursor_execute", note)
    async with shop.database.read() as session:
        await books_of(session, YEAR)
        await flows(session, pieces(YEAR))
        event.remove(engine, "before_cursor_execute", note)
        connection = await session.connection()
        explain = "EXPLAIN QUERY PLAN" if shop.database.is_sqlite else "EXPLAIN"
        if not shop.database.is_sqlite:  # its tables are too small to be worth an index
            await connection.exec_driver_sql("SET enable_seqscan = off")
        plans = [
            str((await connection.exec_driver_sql(f"{explain} {sql}", values)).all()) for sql, values in asked
        ]
    assert len([plan for plan in plans if "ix_payment_session_captured" in plan]) == 3 * 12 + 1
    # neither the sessions of a state, nor all that were captured
    assert [
        plan for plan in plans if "ix_payment_session_state" in plan or "SCAN payment_session" in plan
    ] == []


def random_orders(count: int) -> list[Sold]:
    """Orders of every kind: promotions, several rates, partly paid, paid twice, without an order, with refunds."""
    chance, orders = random.Random(23), []
    for _order in range(count):
        lines = [
            PricedLine(
                f"toy{number}",
                chance.randint(1, 4),
                chance.choice([0, 1, 9_900, 19_990, chance.randint(1, 3_000_000)]),
                chance.choice([0, 5, 19]),
            )
            for number in range(chance.randint(1, 4))
        ]
        targets = [CART, SHIPPING, *(line.id for line in lines)]
        sold = Sold(lines, chance.choice([0, 9_500, chance.randint(1, 60_000)]))
        if chance.random() < 0.4:
            sold.adjustments = [
                Adjustment(chance.randint(0, 50_000), chance.choice(targets), "MADERA")
                for _one in range(chance.randint(1, 3))
            ]
        sold.placed = at = MARCH + timedelta(seconds=chance.randint(0, 90 * 86_400))
        total = sold.totals.total
        kind = chance.random()
        if kind > 0.9 or not total:
            sold.status = chance.choice(["pending", "canceled"])
            orders.append(sold)
            continue
        captured = total if kind < 0.7 else chance.randint(1, 2 * total)
        sold.captures = [(at, captured)]
        if chance.random() < 0.1:
            sold.captures.append((at + timedelta(days=chance.randint(0, 40)), chance.randint(1, total)))
        sold.has_order = chance.random() > 0.05
        left = captured
        for _refund in range(chance.choice([0, 0, 0, 1, 1, 2])):
            amount = left if chance.random() < 0.4 else chance.randint(0, left)
            units = {line.id: line.quantity for line in lines if chance.random() < 0.4}
            if amount:
                sold.refunds.append((at + timedelta(days=chance.randint(0, 60)), amount, units))
            left -= amount
        orders.append(sold)
    return orders


async def test_the_books_are_the_captures_less_the_refunds(shop: Shop, shop_defaults: Defaults) -> None:
    orders = random_orders(1_000 if shop.database.is_sqlite else 100)
    whole = await books(shop, *orders)
    captured = [(at, pesos) for one in orders for at, pesos in one.captures]
    refunded = [(at, pesos) for one in orders for at, pesos, _units in one.refunds]
    assert (whole.captured, whole.refunded) == (
        sum(pesos for _at, pesos in captured),
        sum(pesos for _at, pesos in refunded),
    )
    # every month by itself too, and together the months are the whole
    months = [
        days(date(2026, 1, 1), date(2026, 3, 31)),
        days(date(2026, 4, 1), date(2026, 4, 30)),
        days(date(2026, 5, 1), date(2026, 12, 31)),
    ]
    taxes = 0
    for period in months:
        one = await read(shop, period)
        assert one.captured == sum(pesos for at, pesos in captured if period.begin <= at < period.end)
        assert one.refunded == sum(pesos for at, pesos in refunded if period.begin <= at < period.end)
        taxes += one.tax
    assert taxes == whole.tax


async def test_the_iva_is_that_of_the_orders_lines(shop: Shop, shop_defaults: Defaults) -> None:
    orders = [
        one
        for one in random_orders(1_000 if shop.database.is_sqlite else 100)
        if one.has_order and [pesos for _at, pesos in one.captures] == [one.totals.total]
    ]
    given_back = [one for one in orders if sum(pesos for _at, pesos, _ in one.refunds) == one.totals.total]
    for one in orders:
        if one not in given_back:
            one.refunds = []
    sold = await books(shop, *orders)
    expected: dict[int, tuple[int, int]] = {}
    for one in orders:
        for line in one.totals.lines:
            total, tax = expected.get(line.tax_rate, (0, 0))
            expected[line.tax_rate] = (total + line.total, tax + line.tax_total)
    assert found(sold.items) == expected
    assert sold.shipping[19].tax == sum(one.totals.shipping.tax_total for one in orders)
    # where all of the money went back, no IVA is left
    assert given_back
    assert sum(one.tax for one in sold.given_back.values()) == sum(one.totals.tax_total for one in given_back)
