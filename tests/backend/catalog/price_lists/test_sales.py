"""Sales start and end automatically, on both databases, and leave the right prices."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.events import publish_product_changes
from backend.catalog.models import WRAPPING_SKU, Category, Product, ProductCategory, Variant
from backend.catalog.price_lists import sales_job
from backend.catalog.price_lists.models import PriceList, PriceListPrice
from backend.catalog.price_lists.price_plan import (
    Method,
    PlannedPrice,
    Problem,
    Rule,
    Target,
    Window,
    plan_fingerprint,
    plan_sale,
)
from backend.catalog.price_lists.sales_job import PricesNotChanged, SalesJob
from backend.catalog.price_lists.service import JOB, Sale, end_sale, save_sale, set_end
from backend.catalog.products.commands import WriteVariant
from backend.catalog.products.service import change_variant, delete_product
from backend.core.clock import now
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound
from backend.jobs import JobRun
from backend.jobs.models import Job
from backend.outbox.models import OutboxEvent
from backend.staff.rights import Actor, Role
from tests.statements import run_after_query
from tests.store_defaults import Defaults, add_product

ANA = Actor("user_ana", Role.SHOP)
DAY = timedelta(days=1)
FIFTH = Rule(Method.PERCENTAGE, 20, Target.ALL)


@pytest.fixture
async def variant_ids(shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Create five products for 10,000 to 50,000 pesos, and set the batch size to two. Return their variants' ids."""
    monkeypatch.setattr(sales_job, "BATCH_SIZE", 2)
    async with shop.database.transaction() as session:
        return [
            await add_product(session, shop_defaults, f"toy-{number}", price=10_000 * number)
            for number in range(1, 6)
        ]


def make_window(begin: timedelta = -DAY, end: timedelta | None = DAY) -> Window:
    moment = now()
    return Window(moment + begin, None if end is None else moment + end)


async def make_plan(shop: Shop, rule: Rule, when: Window) -> list[PlannedPrice]:
    async with shop.database.read() as session:
        return await plan_sale(session, rule, when)


async def save_new_sale(
    shop: Shop, rule: Rule = FIFTH, when: Window | None = None, list_id: str = "", who: Actor = ANA
) -> str:
    when = when or make_window()
    async with shop.database.transaction() as session:
        made = await plan_sale(session, rule, when, list_id)
        return await save_sale(session, who, Sale("Diciembre", rule, when), made, list_id)


async def run_job(shop: Shop) -> None:
    await SalesJob(shop.database).run(JobRun(1, JOB, "", {}, 1))


async def run_job_failing_for(shop: Shop, variant_id: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Run the job while every change of one product fails. Return the number of products in each attempt."""
    calls: list[int] = []
    (failing,) = await read_product_ids(shop, [variant_id])

    async def fail_for_one(session: Any, product_ids: Sequence[str]) -> None:
        calls.append(len(product_ids))
        if failing in product_ids:
            raise RuntimeError
        await publish_product_changes(session, product_ids)

    with monkeypatch.context() as patch:
        patch.setattr(sales_job, "publish_product_changes", fail_for_one)
        with pytest.raises(PricesNotChanged):
            await run_job(shop)
    return calls


async def pass_time(shop: Shop, list_id: str, **moments: datetime | None) -> None:
    """Set the start or the end of the sale to this time, as if time had passed."""
    async with shop.database.transaction() as session:
        await session.execute(update(PriceList).where(PriceList.id == list_id).values(moments))


async def set_past_end(shop: Shop, list_id: str) -> None:
    await pass_time(shop, list_id, starts_at=now() - DAY, ends_at=now() - timedelta(seconds=1))
    await run_job(shop)


async def read_prices(shop: Shop, variants: Sequence[str]) -> list[tuple[int, int | None]]:
    async with shop.database.read() as session:
        query = select(Variant.price, Variant.compare_at_price).where(Variant.id.in_(variants))
        return [(price, old) for price, old in await session.execute(query.order_by(Variant.id))]


async def read_outcomes(shop: Shop, list_id: str) -> list[tuple[str, str]]:
    async with shop.database.read() as session:
        query = select(PriceListPrice.state, PriceListPrice.problem)
        query = query.where(PriceListPrice.price_list_id == list_id).order_by(PriceListPrice.variant_id)
        return [(state, problem) for state, problem in await session.execute(query)]


async def change_variant_price(shop: Shop, variant_id: str, **fields: Any) -> None:
    """Change a price as staff do, in the product's editor or through the Admin API."""
    async with shop.database.transaction() as session:
        product_id = (await session.get_one(Variant, variant_id)).product_id
        await change_variant(session, ANA, product_id, variant_id, WriteVariant(**fields))


def price_body(amount: int) -> dict[str, Any]:
    return {"price": amount}


REGULAR = [(10_000 * number, None) for number in range(1, 6)]
LOWERED = [(8_000 * number, 10_000 * number) for number in range(1, 6)]


async def test_sale_starts_and_ends_automatically(
    shop: Shop, shop_defaults: Defaults, variant_ids: list[str]
) -> None:
    await change_variant_price(shop, variant_ids[4], compare_at_price=60_000)
    before = await read_change_times(shop)
    async with shop.database.transaction() as session:
        wrapping = await session.get_one(Variant, await add_product(session, shop_defaults, "envoltura"))
        wrapping.sku = WRAPPING_SKU
    sale = await save_new_sale(shop, when=make_window(DAY, 2 * DAY))
    async with shop.database.read() as session:
        assert (await session.execute(select(Job.kind).where(Job.kind == JOB))).scalars().all() == [JOB]
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == [*REGULAR[:4], (50_000, 60_000)]
    await pass_time(shop, sale, starts_at=now() - DAY)
    await run_job(shop)
    await run_job(shop)
    # the previous price is struck through, even if another one was before
    assert await read_prices(shop, variant_ids) == LOWERED
    async with shop.database.read() as session:
        told = (await session.execute(select(OutboxEvent.product_id))).scalars().all()
        noted = select(AuditEntry.actor_id, AuditEntry.changes).where(AuditEntry.action == "sale began")
        entries = (await session.execute(noted)).all()
    assert set(before) <= set(told)
    assert [actor for actor, _changes in entries] == ["shop"] * 5
    after = await read_change_times(shop)
    assert all(after[product] > moment for product, moment in before.items())
    await set_past_end(shop, sale)
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == [*REGULAR[:4], (50_000, 60_000)]
    assert await read_outcomes(shop, sale) == [("over", "")] * 5


async def read_change_times(shop: Shop) -> dict[str, datetime]:
    """Return the time of each product's latest change, by product id."""
    async with shop.database.read() as session:
        rows = await session.execute(select(Product.id, Product.updated_at))
        return {row.id: row.updated_at for row in rows}


async def test_prices_are_changed_once_by_two_replicas_and_completed_after_a_restart(
    shop: Shop, variant_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await save_new_sale(shop)
    await asyncio.gather(run_job(shop), run_job(shop))
    assert await read_prices(shop, variant_ids) == LOWERED
    async with shop.database.read() as session:
        begun = select(AuditEntry.id).where(AuditEntry.action == "sale began")
        assert len((await session.execute(begun)).all()) == 5
        sale = (await session.execute(select(PriceList.id))).scalar_one()
    await pass_time(shop, sale, ends_at=now())
    calls = await run_job_failing_for(shop, variant_ids[2], monkeypatch)
    assert await read_prices(shop, variant_ids) == [*REGULAR[:2], LOWERED[2], *REGULAR[3:]]
    assert calls == [2, 2, 1, 1, 1]
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == REGULAR


async def test_end_of_a_sale_restores_the_regular_price_that_staff_last_set(
    shop: Shop, variant_ids: list[str]
) -> None:
    sale = await save_new_sale(shop)
    await run_job(shop)
    await change_variant_price(shop, variant_ids[0], **price_body(7_000))  # even lower: it ends with the sale
    await change_variant_price(
        shop, variant_ids[1], **price_body(17_000), compare_at_price=22_000
    )  # dearer, as all is
    await change_variant_price(
        shop, variant_ids[2], **price_body(29_000), compare_at_price=None
    )  # no sale any more
    async with shop.database.transaction() as session:
        gone = (await session.get_one(Variant, variant_ids[3])).product_id
        await delete_product(session, ANA, gone)
    await set_past_end(shop, sale)
    assert await read_prices(shop, variant_ids) == [
        (10_000, None),
        (22_000, None),
        (29_000, None),
        (32_000, 40_000),
        (50_000, None),
    ]
    assert await read_outcomes(shop, sale) == [("over", "")] * 3 + [("over", "gone"), ("over", "")]


async def test_sale_skips_deleted_variants_and_prices_that_it_would_not_lower(
    shop: Shop, variant_ids: list[str]
) -> None:
    sale = await save_new_sale(shop, when=make_window(DAY, 2 * DAY))
    await change_variant_price(shop, variant_ids[0], **price_body(12_000))
    await change_variant_price(shop, variant_ids[1], **price_body(16_000))
    async with shop.database.transaction() as session:
        gone = (await session.get_one(Variant, variant_ids[2])).product_id
        await delete_product(session, ANA, gone)
        await session.delete(await session.get_one(Variant, variant_ids[3]))
    await pass_time(shop, sale, starts_at=now() - DAY)
    await run_job(shop)
    # the planned price applies, but never a higher one, and no wrong struck-through price
    assert await read_prices(shop, [variant_ids[0], variant_ids[1], variant_ids[4]]) == [
        (8_000, 12_000),
        (16_000, None),
        (40_000, 50_000),
    ]
    assert await read_outcomes(shop, sale) == [
        ("on", ""),
        ("skipped", Problem.NOT_LOWER),
        ("skipped", Problem.GONE),
        ("on", ""),
    ]


async def test_sale_can_be_ended_early_or_before_its_start(shop: Shop, variant_ids: list[str]) -> None:
    sale = await save_new_sale(shop)
    await run_job(shop)
    for _again in range(2):
        async with shop.database.transaction() as session:
            await end_sale(session, ANA, sale)
        await run_job(shop)
        assert await read_prices(shop, variant_ids) == REGULAR
    later = await save_new_sale(shop, when=make_window(DAY, 2 * DAY))
    async with shop.database.transaction() as session:
        await end_sale(session, ANA, later)
    await pass_time(shop, later, starts_at=now() - DAY)
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == REGULAR


async def test_only_the_end_of_a_started_sale_can_be_changed(shop: Shop, variant_ids: list[str]) -> None:
    sale = await save_new_sale(shop, when=make_window(DAY, 2 * DAY))
    thousand = Rule(Method.FIXED, 1_000, Target.ALL)
    assert await save_new_sale(shop, thousand, make_window(DAY, None), sale) == sale
    await pass_time(shop, sale, starts_at=now() - DAY)
    await run_job(shop)
    assert await read_prices(shop, variant_ids[:2]) == [(9_000, 10_000), (19_000, 20_000)]
    with pytest.raises(NotAllowed):
        await save_new_sale(shop, FIFTH, make_window(DAY, 2 * DAY), sale)
    async with shop.database.transaction() as session:
        await set_end(session, ANA, sale, now() + DAY)
    await save_new_sale(shop, when=make_window(2 * DAY, 3 * DAY))
    for moment in (now() - DAY, now() + 3 * DAY):  # in the past; during the other sale
        with pytest.raises(InvalidData):
            async with shop.database.transaction() as session:
                await set_end(session, ANA, sale, moment)
    await set_past_end(shop, sale)
    with pytest.raises(NotAllowed):
        async with shop.database.transaction() as session:
            await set_end(session, ANA, sale, now() + DAY)


async def test_product_cannot_be_in_two_sales_at_the_same_time(shop: Shop, variant_ids: list[str]) -> None:
    first = await save_new_sale(
        shop, Rule(Method.PERCENTAGE, 20, Target.PRODUCTS, await read_product_ids(shop, variant_ids[:2]))
    )
    at_once = [one.problem for one in await make_plan(shop, FIFTH, make_window())]
    assert at_once == [Problem.OTHER_SALE] * 2 + [None] * 3
    await run_job(shop)
    # after the other sale: the restored price counts, not the lowered one
    assert [one.before for one in await make_plan(shop, FIFTH, make_window(DAY, None))][:2] == [
        10_000,
        20_000,
    ]
    # two saved concurrently: the one that starts first gets the product, and the other skips it
    second = await save_new_sale(shop, Rule(Method.PERCENTAGE, 50, Target.ALL), make_window(2 * DAY, 3 * DAY))
    await pass_time(shop, second, starts_at=now() - DAY)
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == [
        *LOWERED[:2],
        (15_000, 30_000),
        (20_000, 40_000),
        (25_000, 50_000),
    ]
    # one sale ends at the moment when the next one starts
    third = await save_new_sale(shop, Rule(Method.FIXED, 500, Target.ALL), make_window(4 * DAY, 5 * DAY))
    await pass_time(shop, third, starts_at=now() - DAY)
    await pass_time(shop, first, ends_at=now())
    await pass_time(shop, second, ends_at=now())
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == [(price - 500, price) for price, _old in REGULAR]


async def make_consecutive_sales(shop: Shop) -> tuple[str, str]:
    """Create a running sale, and a sale of the same products that is due but not started. Return both ids."""
    first = await save_new_sale(shop)
    await run_job(shop)
    second = await save_new_sale(shop, Rule(Method.FIXED, 500, Target.ALL), make_window(2 * DAY, 3 * DAY))
    await pass_time(shop, second, starts_at=now() - DAY)
    return first, second


AFTER = [(price - 500, price) for price, _old in REGULAR]


async def test_next_sale_waits_until_the_previous_sale_has_restored_the_price(
    shop: Shop, variant_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await make_consecutive_sales(shop)
    await pass_time(shop, first, ends_at=now())
    await run_job_failing_for(shop, variant_ids[2], monkeypatch)
    assert await read_prices(shop, variant_ids) == [*AFTER[:2], LOWERED[2], *AFTER[3:]]
    assert (await read_outcomes(shop, second))[2] == ("waiting", "")
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == AFTER
    assert await read_outcomes(shop, second) == [("on", "")] * 5


async def test_next_sale_waits_if_the_earlier_sale_ends_while_the_job_runs(
    shop: Shop, variant_ids: list[str]
) -> None:
    """End the first sale during the job, after the job has looked for ended sales."""
    first, second = await make_consecutive_sales(shop)
    with run_after_query("price_list.ends_at <=", lambda: pass_time(shop, first, ends_at=now())):
        await run_job(shop)
    assert await read_prices(shop, variant_ids) == LOWERED
    assert await read_outcomes(shop, second) == [("waiting", "")] * 5
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == AFTER


async def test_sale_planned_during_another_sale_is_computed_from_regular_prices(
    shop: Shop, variant_ids: list[str]
) -> None:
    await save_new_sale(shop)
    await run_job(shop)
    await change_variant_price(
        shop, variant_ids[0], **price_body(8_800), compare_at_price=11_000
    )  # dearer, as all is
    await change_variant_price(
        shop, variant_ids[1], **price_body(17_000), compare_at_price=15_000
    )  # no sale any more
    await change_variant_price(shop, variant_ids[2], **price_body(29_000), compare_at_price=None)
    tenth = Rule(Method.PERCENTAGE, 10, Target.ALL)
    shown = [(one.before, one.amount) for one in await make_plan(shop, tenth, make_window(DAY, None))]
    assert shown == [
        (11_000, 9_900),
        (17_000, 15_300),
        (29_000, 26_100),
        (40_000, 36_000),
        (50_000, 45_000),
    ]


async def read_product_ids(shop: Shop, variants: Sequence[str]) -> tuple[str, ...]:
    async with shop.database.read() as session:
        query = select(Variant.product_id).where(Variant.id.in_(variants)).order_by(Variant.id)
        return tuple((await session.execute(query)).scalars())


async def test_sale_never_lowers_a_price_to_zero(shop: Shop, variant_ids: list[str]) -> None:
    rule = Rule(Method.FIXED, 10_000, Target.ALL)
    shown = await make_plan(shop, rule, make_window())
    assert [(one.amount, one.problem) for one in shown][:2] == [(None, Problem.NOT_LOWER), (10_000, None)]
    await change_variant_price(shop, variant_ids[1], **price_body(40))
    assert (await make_plan(shop, FIFTH, make_window()))[
        1
    ].problem == Problem.NOT_LOWER  # 32 is not a multiple of 50
    for wrong in (
        Rule(Method.PERCENTAGE, 0, Target.ALL),
        Rule(Method.PERCENTAGE, 91, Target.ALL),
        Rule(Method.FIXED, -1, Target.ALL),
        Rule(Method.PERCENTAGE, 10, Target.PRODUCTS),
        Rule(Method.FIXED, 50_000, Target.ALL),
    ):
        with pytest.raises(InvalidData):
            await save_new_sale(shop, wrong)
    for when in (make_window(-2 * DAY, -DAY), make_window(2 * DAY, DAY)):
        with pytest.raises(InvalidData):
            await save_new_sale(shop, when=when)


async def test_sale_of_a_category_includes_its_descendants(shop: Shop, variant_ids: list[str]) -> None:
    async with shop.database.transaction() as session:
        above = Category(name="Madera", handle="madera")
        session.add(above)
        await session.flush()
        below = Category(name="Trompos", handle="trompos", parent_id=above.id)
        session.add(below)
        await session.flush()
        (second,) = await read_product_ids(shop, variant_ids[1:2])
        session.add(ProductCategory(product_id=second, category_id=below.id))
        category = above.id
    rule = Rule(Method.PERCENTAGE, 20, Target.CATEGORIES, (category,))
    shown = await make_plan(shop, rule, make_window())
    assert [(one.title, one.before, one.amount) for one in shown] == [("Toy 2", 20_000, 16_000)]
    seen = plan_fingerprint(shown)
    assert plan_fingerprint(await make_plan(shop, rule, make_window())) == seen
    await change_variant_price(shop, variant_ids[1], **price_body(20_100))
    assert plan_fingerprint(await make_plan(shop, rule, make_window())) != seen


async def test_sale_changes_without_permission_are_refused(shop: Shop, variant_ids: list[str]) -> None:
    sale = await save_new_sale(shop)
    bodega = Actor("user_beto", Role.STOCKROOM)
    with pytest.raises(Forbidden):
        await save_new_sale(shop, who=bodega)
    async with shop.database.transaction() as session:
        with pytest.raises(Forbidden):
            await set_end(session, bodega, sale, now() + DAY)
        with pytest.raises(Forbidden):
            await end_sale(session, bodega, sale)
        with pytest.raises(NotFound):
            await end_sale(session, ANA, "plist_none")
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == LOWERED
