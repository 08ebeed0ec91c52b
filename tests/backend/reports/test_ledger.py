"""The ledger of a period equals captures minus refunds, to the peso, with the IVA of the sold lines."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import event

from backend.app import Shop
from backend.pricing import CART, SHIPPING, Adjustment, PricedLine
from backend.reports.figures import read_cash_flows
from backend.reports.ledger import PeriodLedger, TaxedAmount, read_ledger
from backend.reports.periods import Period, split_period
from tests.backend.reports.selling import Sold, paid_order, store_orders, store_refunded_payment
from tests.store_defaults import Defaults

MARCH = datetime(2026, 3, 10, 15, tzinfo=UTC)
APRIL = datetime(2026, 4, 10, 15, tzinfo=UTC)
YEAR = Period("rango", date(2026, 1, 1), date(2026, 12, 31))
TROMPO, BOOK = PricedLine("trompo", 2, 119_000, 19), PricedLine("book", 1, 20_000, 0)


async def store_and_read(shop: Shop, *orders: Sold, period: Period = YEAR) -> PeriodLedger:
    async with shop.database.transaction() as session:
        await store_orders(session, list(orders))
    return await read_period_ledger(shop, period)


async def read_period_ledger(shop: Shop, period: Period) -> PeriodLedger:
    async with shop.database.read() as session:
        return await read_ledger(session, period)


def to_period(first: date, last: date) -> Period:
    return Period("rango", first, last)


def to_pesos(sums: dict[int, TaxedAmount]) -> dict[int, tuple[int, int]]:
    """Return total and IVA in pesos by rate, without rates whose total is 0."""
    return {rate: (one.total, one.tax) for rate, one in sums.items() if one.total}


async def test_empty_shop_has_an_empty_ledger(shop: Shop) -> None:
    empty = await read_period_ledger(shop, YEAR)
    assert (empty.captured, empty.refunded, empty.tax) == (0, 0, 0)


async def test_paid_order_is_counted_by_the_tax_rates_of_lines_and_shipping(
    shop: Shop, shop_defaults: Defaults
) -> None:
    one = await store_and_read(shop, paid_order(TROMPO, BOOK, at=MARCH, shipping=11_900))
    assert to_pesos(one.items) == {19: (238_000, 38_000), 0: (20_000, 0)}
    assert to_pesos(one.shipping) == {19: (11_900, 1_900)}
    assert (one.captured, one.refunded, one.tax) == (269_900, 0, 39_900)


async def test_refund_is_counted_on_the_day_of_the_refund(shop: Shop, shop_defaults: Defaults) -> None:
    sold = paid_order(TROMPO, BOOK, at=MARCH, refunds=[(APRIL, 119_000, {"trompo": 1})])
    await store_and_read(shop, sold)
    march, april = [
        await read_period_ledger(shop, to_period(date(2026, n, 1), date(2026, n, 28))) for n in (3, 4)
    ]
    assert (march.captured, march.refunded, march.tax) == (258_000, 0, 38_000)
    assert (april.captured, april.refunded, april.tax) == (0, 119_000, -19_000)
    assert to_pesos(april.refunded_sums) == {19: (119_000, 19_000)}


async def test_ledger_entry_for_a_refund_of_all_units_includes_the_shipping(
    shop: Shop, shop_defaults: Defaults
) -> None:
    sold = paid_order(TROMPO, BOOK, at=MARCH, shipping=11_900)
    sold.refunds = [(APRIL, 269_900, {"trompo": 2, "book": 1})]
    one = await store_and_read(shop, sold)
    assert to_pesos(one.refunded_sums) == {19: (249_900, 39_900), 0: (20_000, 0)}
    assert (one.captured - one.refunded, one.tax) == (0, 0)


async def test_discounts_reduce_the_iva_in_the_ledger(shop: Shop, shop_defaults: Defaults) -> None:
    sold = paid_order(TROMPO, at=MARCH, shipping=11_900, adjustments=[Adjustment(119_000, "trompo")])
    free = paid_order(
        TROMPO, at=MARCH, shipping=11_900, adjustments=[Adjustment(11_900, SHIPPING), Adjustment(1, CART)]
    )
    one = await store_and_read(shop, sold, free)
    assert one.captured == 119_000 + 11_900 + 237_999
    assert to_pesos(one.shipping) == {19: (11_900, 1_900)}
    assert one.items[19].tax == sold.totals.items.tax_total + free.totals.items.tax_total


async def test_day_of_the_ledger_ends_at_midnight_in_colombia(shop: Shop, shop_defaults: Defaults) -> None:
    midnight = datetime(2026, 3, 11, 5, tzinfo=UTC)  # 00:00 of the 11th in Bogotá
    before, after = midnight - timedelta(microseconds=1), midnight
    await store_and_read(shop, paid_order(TROMPO, at=before), paid_order(BOOK, at=after))
    tenth, eleventh = [
        await read_period_ledger(shop, to_period(date(2026, 3, n), date(2026, 3, n))) for n in (10, 11)
    ]
    assert (tenth.captured, eleventh.captured) == (238_000, 20_000)


async def test_unpaid_order_is_not_in_the_ledger(shop: Shop, shop_defaults: Defaults) -> None:
    unpaid = Sold([TROMPO], placed=MARCH)
    canceled = Sold([TROMPO], placed=MARCH, status="canceled")
    assert (await store_and_read(shop, unpaid, canceled)).captured == 0


async def test_money_without_an_order_is_listed_as_unallocated_without_iva(
    shop: Shop, shop_defaults: Defaults
) -> None:
    nobody = Sold([TROMPO], has_order=False, captures=[(MARCH, 50_000)], refunds=[(APRIL, 30_000, {})])
    twice = Sold([BOOK], captures=[(MARCH, 20_000), (APRIL, 20_000)])
    one = await store_and_read(shop, nobody, twice)
    assert (one.unallocated, one.unallocated_refunds) == (70_000, 30_000)
    assert (one.captured, one.refunded, one.tax) == (90_000, 30_000, 0)
    assert to_pesos(one.items) == {0: (20_000, 0)}


async def test_order_paid_again_after_its_refund_is_counted_again(
    shop: Shop, shop_defaults: Defaults
) -> None:
    sold = Sold([TROMPO], captures=[(MARCH, 238_000), (APRIL, 238_000)])
    sold.refunds = [(MARCH + timedelta(days=1), 238_000, {})]
    one = await store_and_read(shop, sold)
    assert (one.unallocated, one.items[19].total, one.refunded_sums[19].total) == (0, 476_000, 238_000)
    assert one.tax == 38_000


async def test_refund_of_money_without_an_order_does_not_change_the_iva(
    shop: Shop, shop_defaults: Defaults
) -> None:
    """Check that a second payment of a partly refunded order is not allocated to the order's lines."""
    sold = paid_order(TROMPO, BOOK, at=MARCH, refunds=[(MARCH + timedelta(days=1), 20_000, {"book": 1})])
    before = await store_and_read(shop, sold)
    async with shop.database.transaction() as session:
        await store_refunded_payment(session, sold, APRIL, 258_000)
    after = await read_period_ledger(shop, YEAR)
    assert (after.unallocated, after.unallocated_refunds) == (258_000, 258_000)
    assert (to_pesos(after.items), to_pesos(after.refunded_sums), after.tax) == (
        to_pesos(before.items),
        to_pesos(before.refunded_sums),
        before.tax,
    )


async def test_captures_of_a_period_are_read_by_a_database_index(shop: Shop) -> None:
    asked: list[tuple[str, Any]] = []
    engine = shop.database.engine.sync_engine

    def note(_conn: object, _cursor: object, statement: str, values: Any, *_rest: object) -> None:
        if not statement.startswith("EXPLAIN"):
            asked.append((statement, values))

    event.listen(engine, "before_cursor_execute", note)
    async with shop.database.read() as session:
        await read_ledger(session, YEAR)
        await read_cash_flows(session, split_period(YEAR))
        event.remove(engine, "before_cursor_execute", note)
        connection = await session.connection()
        explain = "EXPLAIN QUERY PLAN" if shop.database.is_sqlite else "EXPLAIN"
        if not shop.database.is_sqlite:  # its tables are too small for an index to be used
            await connection.exec_driver_sql("SET enable_seqscan = off")
        plans = [
            str((await connection.exec_driver_sql(f"{explain} {sql}", values)).all()) for sql, values in asked
        ]
    assert len([plan for plan in plans if "ix_payment_session_captured" in plan]) == 3 * 12 + 1
    # the plan reads neither all sessions of a state nor all captured ones
    assert [
        plan for plan in plans if "ix_payment_session_state" in plan or "SCAN payment_session" in plan
    ] == []


def random_orders(count: int) -> list[Sold]:
    """Create random orders with several IVA rates: discounted, unpaid, partly paid, paid twice or refunded.

    A few of the payments have no order.
    """
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


async def test_ledger_equals_captures_minus_refunds(shop: Shop, shop_defaults: Defaults) -> None:
    orders = random_orders(1_000 if shop.database.is_sqlite else 100)
    whole = await store_and_read(shop, *orders)
    captured = [(at, pesos) for one in orders for at, pesos in one.captures]
    refunded = [(at, pesos) for one in orders for at, pesos, _units in one.refunds]
    assert (whole.captured, whole.refunded) == (
        sum(pesos for _at, pesos in captured),
        sum(pesos for _at, pesos in refunded),
    )
    # also check each month; the sum of the months is the whole
    months = [
        to_period(date(2026, 1, 1), date(2026, 3, 31)),
        to_period(date(2026, 4, 1), date(2026, 4, 30)),
        to_period(date(2026, 5, 1), date(2026, 12, 31)),
    ]
    taxes = 0
    for period in months:
        one = await read_period_ledger(shop, period)
        assert one.captured == sum(pesos for at, pesos in captured if period.begin <= at < period.end)
        assert one.refunded == sum(pesos for at, pesos in refunded if period.begin <= at < period.end)
        taxes += one.tax
    assert taxes == whole.tax


async def test_iva_equals_the_iva_of_the_order_lines(shop: Shop, shop_defaults: Defaults) -> None:
    orders = [
        one
        for one in random_orders(1_000 if shop.database.is_sqlite else 100)
        if one.has_order and [pesos for _at, pesos in one.captures] == [one.totals.total]
    ]
    given_back = [one for one in orders if sum(pesos for _at, pesos, _ in one.refunds) == one.totals.total]
    for one in orders:
        if one not in given_back:
            one.refunds = []
    sold = await store_and_read(shop, *orders)
    expected: dict[int, tuple[int, int]] = {}
    for one in orders:
        for line in one.totals.lines:
            total, tax = expected.get(line.tax_rate, (0, 0))
            expected[line.tax_rate] = (total + line.total, tax + line.tax_total)
    assert to_pesos(sold.items) == expected
    assert sold.shipping[19].tax == sum(one.totals.shipping.tax_total for one in orders)
    # if all money was refunded, no IVA remains
    assert given_back
    assert sum(one.tax for one in sold.refunded_sums.values()) == sum(
        one.totals.tax_total for one in given_back
    )
