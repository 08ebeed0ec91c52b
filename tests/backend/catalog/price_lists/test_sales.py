"""Sales begin and end by themselves, on both databases; every price afterwards is the one that should stand."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.events import products_changed
from backend.catalog.models import WRAPPING_SKU, Category, Product, ProductCategory, Variant
from backend.catalog.price_lists import sales_job
from backend.catalog.price_lists.models import PriceList, PriceListPrice, PriceState
from backend.catalog.price_lists.price_plan import (
    Method,
    Planned,
    Problem,
    Rule,
    Target,
    Window,
    fingerprint,
    plan,
)
from backend.catalog.price_lists.sales_job import Sales, SalesNotMoved
from backend.catalog.price_lists.service import JOB, Sale, end_sale, save_sale, set_end
from backend.catalog.products.commands import WriteVariant
from backend.catalog.products.service import change_variant, delete_product
from backend.core.clock import now
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound
from backend.jobs import JobRun
from backend.jobs.models import Job
from backend.outbox.models import OutboxEvent
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, make_toy

ANA = Actor("user_ana", Role.SHOP)
DAY = timedelta(days=1)
FIFTH = Rule(Method.PERCENTAGE, 20, Target.ALL)


@pytest.fixture
async def toys(shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Five toys for 10,000 to 50,000 pesos, by their variants; changed two at a time."""
    monkeypatch.setattr(sales_job, "AT_ONCE", 2)
    async with shop.database.transaction() as session:
        return [
            await make_toy(session, shop_defaults, f"toy-{number}", price=10_000 * number)
            for number in range(1, 6)
        ]


def window(begin: timedelta = -DAY, end: timedelta | None = DAY) -> Window:
    moment = now()
    return Window(moment + begin, None if end is None else moment + end)


async def planned(shop: Shop, rule: Rule, when: Window) -> list[Planned]:
    async with shop.database.read() as session:
        return await plan(session, rule, when)


async def saved(
    shop: Shop, rule: Rule = FIFTH, when: Window | None = None, list_id: str = "", who: Actor = ANA
) -> str:
    when = when or window()
    async with shop.database.transaction() as session:
        made = await plan(session, rule, when, list_id)
        return await save_sale(session, who, Sale("Diciembre", rule, when), made, list_id)


async def work(shop: Shop) -> None:
    await Sales(shop.database).run(JobRun(1, JOB, "", {}, 1))


async def work_failing_for(shop: Shop, variant_id: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let one toy fail: of how many products each change was."""
    calls: list[int] = []
    (failing,) = await products(shop, [variant_id])

    async def fails_for_one(session: Any, product_ids: Sequence[str]) -> None:
        calls.append(len(product_ids))
        if failing in product_ids:
            raise RuntimeError
        await products_changed(session, product_ids)

    with monkeypatch.context() as patch:
        patch.setattr(sales_job, "products_changed", fails_for_one)
        with pytest.raises(SalesNotMoved):
            await work(shop)
    return calls


async def pass_time(shop: Shop, list_id: str, **moments: datetime | None) -> None:
    """Let the sale be of another time, as if that had come."""
    async with shop.database.transaction() as session:
        await session.execute(update(PriceList).where(PriceList.id == list_id).values(moments))


async def over(shop: Shop, list_id: str) -> None:
    await pass_time(shop, list_id, starts_at=now() - DAY, ends_at=now() - timedelta(seconds=1))
    await work(shop)


async def prices(shop: Shop, variants: Sequence[str]) -> list[tuple[int, int | None]]:
    async with shop.database.read() as session:
        query = select(Variant.price, Variant.compare_at_price).where(Variant.id.in_(variants))
        return [(price, old) for price, old in await session.execute(query.order_by(Variant.id))]


async def outcomes(shop: Shop, list_id: str) -> list[tuple[str, str]]:
    async with shop.database.read() as session:
        query = select(PriceListPrice.state, PriceListPrice.problem)
        query = query.where(PriceListPrice.price_list_id == list_id).order_by(PriceListPrice.variant_id)
        return [(state, problem) for state, problem in await session.execute(query)]


async def change(shop: Shop, variant_id: str, **fields: Any) -> None:
    """As staff does it, with the product's editor or the Admin API."""
    async with shop.database.transaction() as session:
        product_id = (await session.get_one(Variant, variant_id)).product_id
        await change_variant(session, ANA, product_id, variant_id, WriteVariant(**fields))


def costs(amount: int) -> dict[str, Any]:
    return {"price": amount}


REGULAR = [(10_000 * number, None) for number in range(1, 6)]
LOWERED = [(8_000 * number, 10_000 * number) for number in range(1, 6)]


async def test_a_sale_begins_and_ends_by_itself(shop: Shop, shop_defaults: Defaults, toys: list[str]) -> None:
    await change(shop, toys[4], compare_at_price=60_000)
    before = await shop_rows(shop)
    async with shop.database.transaction() as session:
        wrapping = await session.get_one(Variant, await make_toy(session, shop_defaults, "envoltura"))
        wrapping.sku = WRAPPING_SKU
    sale = await saved(shop, when=window(DAY, 2 * DAY))
    async with shop.database.read() as session:
        assert (await session.execute(select(Job.kind).where(Job.kind == JOB))).scalars().all() == [JOB]
    await work(shop)
    assert await prices(shop, toys) == [*REGULAR[:4], (50_000, 60_000)]
    await pass_time(shop, sale, starts_at=now() - DAY)
    await work(shop)
    await work(shop)
    # the price of until now is the one that is struck through, also where another was
    assert await prices(shop, toys) == LOWERED
    async with shop.database.read() as session:
        told = (await session.execute(select(OutboxEvent.product_id))).scalars().all()
        noted = select(AuditEntry.actor_id, AuditEntry.changes).where(AuditEntry.action == "sale began")
        entries = (await session.execute(noted)).all()
    assert set(before) <= set(told)
    assert [actor for actor, _changes in entries] == ["shop"] * 5
    after = await shop_rows(shop)
    assert all(after[product] > moment for product, moment in before.items())
    await over(shop, sale)
    await work(shop)
    assert await prices(shop, toys) == [*REGULAR[:4], (50_000, 60_000)]
    assert await outcomes(shop, sale) == [("over", "")] * 5


async def shop_rows(shop: Shop) -> dict[str, datetime]:
    """When each product was changed last: what an editor that is open compares."""
    async with shop.database.read() as session:
        rows = await session.execute(select(Product.id, Product.updated_at))
        return {row.id: row.updated_at for row in rows}


async def test_two_replicas_do_it_once_and_a_restart_goes_on(
    shop: Shop, toys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await saved(shop)
    await asyncio.gather(work(shop), work(shop))
    assert await prices(shop, toys) == LOWERED
    async with shop.database.read() as session:
        begun = select(AuditEntry.id).where(AuditEntry.action == "sale began")
        assert len((await session.execute(begun)).all()) == 5
        sale = (await session.execute(select(PriceList.id))).scalar_one()
    await pass_time(shop, sale, ends_at=now())
    calls = await work_failing_for(shop, toys[2], monkeypatch)
    assert await prices(shop, toys) == [*REGULAR[:2], LOWERED[2], *REGULAR[3:]]
    assert calls == [2, 2, 1, 1, 1]
    await work(shop)
    assert await prices(shop, toys) == REGULAR


async def test_what_staff_changes_while_it_is_on(shop: Shop, toys: list[str]) -> None:
    sale = await saved(shop)
    await work(shop)
    await change(shop, toys[0], **costs(7_000))  # lower still: it ends with the sale
    await change(shop, toys[1], **costs(17_000), compare_at_price=22_000)  # dearer, as all is
    await change(shop, toys[2], **costs(29_000), compare_at_price=None)  # no sale any more
    async with shop.database.transaction() as session:
        gone = (await session.get_one(Variant, toys[3])).product_id
        await delete_product(session, ANA, gone)
    await over(shop, sale)
    assert await prices(shop, toys) == [
        (10_000, None),
        (22_000, None),
        (29_000, None),
        (32_000, 40_000),
        (50_000, None),
    ]
    assert await outcomes(shop, sale) == [("over", "")] * 3 + [("over", "gone"), ("over", "")]


async def test_what_staff_changes_before_it_begins(shop: Shop, toys: list[str]) -> None:
    sale = await saved(shop, when=window(DAY, 2 * DAY))
    await change(shop, toys[0], **costs(12_000))
    await change(shop, toys[1], **costs(16_000))
    async with shop.database.transaction() as session:
        gone = (await session.get_one(Variant, toys[2])).product_id
        await delete_product(session, ANA, gone)
        await session.delete(await session.get_one(Variant, toys[3]))
    await pass_time(shop, sale, starts_at=now() - DAY)
    await work(shop)
    # what was seen is what it costs; never more than before, and nothing is said to have been dearer than it was
    assert await prices(shop, [toys[0], toys[1], toys[4]]) == [
        (8_000, 12_000),
        (16_000, None),
        (40_000, 50_000),
    ]
    assert await outcomes(shop, sale) == [
        ("on", ""),
        ("skipped", Problem.NOT_LOWER),
        ("skipped", Problem.GONE),
        ("on", ""),
    ]


async def test_a_sale_is_ended_early_or_taken_back(shop: Shop, toys: list[str]) -> None:
    sale = await saved(shop)
    await work(shop)
    for _again in range(2):
        async with shop.database.transaction() as session:
            await end_sale(session, ANA, sale)
        await work(shop)
        assert await prices(shop, toys) == REGULAR
    later = await saved(shop, when=window(DAY, 2 * DAY))
    async with shop.database.transaction() as session:
        await end_sale(session, ANA, later)
    await pass_time(shop, later, starts_at=now() - DAY)
    await work(shop)
    assert await prices(shop, toys) == REGULAR


async def test_it_is_changed_before_it_begins_and_only_its_end_after(shop: Shop, toys: list[str]) -> None:
    sale = await saved(shop, when=window(DAY, 2 * DAY))
    thousand = Rule(Method.FIXED, 1_000, Target.ALL)
    assert await saved(shop, thousand, window(DAY, None), sale) == sale
    await pass_time(shop, sale, starts_at=now() - DAY)
    await work(shop)
    assert await prices(shop, toys[:2]) == [(9_000, 10_000), (19_000, 20_000)]
    with pytest.raises(NotAllowed):
        await saved(shop, FIFTH, window(DAY, 2 * DAY), sale)
    async with shop.database.transaction() as session:
        await set_end(session, ANA, sale, now() + DAY)
    await saved(shop, when=window(2 * DAY, 3 * DAY))
    for moment in (now() - DAY, now() + 3 * DAY):  # past; in the other sale
        with pytest.raises(InvalidData):
            async with shop.database.transaction() as session:
                await set_end(session, ANA, sale, moment)
    await over(shop, sale)
    with pytest.raises(NotAllowed):
        async with shop.database.transaction() as session:
            await set_end(session, ANA, sale, now() + DAY)


async def test_a_toy_is_in_one_sale_at_a_time(shop: Shop, toys: list[str]) -> None:
    first = await saved(shop, Rule(Method.PERCENTAGE, 20, Target.PRODUCTS, await products(shop, toys[:2])))
    at_once = [one.problem for one in await planned(shop, FIFTH, window())]
    assert at_once == [Problem.OTHER_SALE] * 2 + [None] * 3
    await work(shop)
    # after it, the price that comes back counts, not the lowered one
    assert [one.before for one in await planned(shop, FIFTH, window(DAY, None))][:2] == [10_000, 20_000]
    # two saved at the same moment: whichever begins first has the toy, and the other leaves it alone
    second = await saved(shop, Rule(Method.PERCENTAGE, 50, Target.ALL), window(2 * DAY, 3 * DAY))
    await pass_time(shop, second, starts_at=now() - DAY)
    await work(shop)
    assert await prices(shop, toys) == [*LOWERED[:2], (15_000, 30_000), (20_000, 40_000), (25_000, 50_000)]
    # one ends in the moment in which the next begins
    third = await saved(shop, Rule(Method.FIXED, 500, Target.ALL), window(4 * DAY, 5 * DAY))
    await pass_time(shop, third, starts_at=now() - DAY)
    await pass_time(shop, first, ends_at=now())
    await pass_time(shop, second, ends_at=now())
    await work(shop)
    assert await prices(shop, toys) == [(price - 500, price) for price, _old in REGULAR]


async def one_after_the_other(shop: Shop) -> tuple[str, str]:
    """A sale that runs, and one of 500 pesos whose time came as well."""
    first = await saved(shop)
    await work(shop)
    second = await saved(shop, Rule(Method.FIXED, 500, Target.ALL), window(2 * DAY, 3 * DAY))
    await pass_time(shop, second, starts_at=now() - DAY)
    return first, second


AFTER = [(price - 500, price) for price, _old in REGULAR]


async def test_a_toy_whose_price_was_not_put_back_yet_waits_for_its_next_sale(
    shop: Shop, toys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await one_after_the_other(shop)
    await pass_time(shop, first, ends_at=now())
    await work_failing_for(shop, toys[2], monkeypatch)
    assert await prices(shop, toys) == [*AFTER[:2], LOWERED[2], *AFTER[3:]]
    assert (await outcomes(shop, second))[2] == ("waiting", "")
    await work(shop)
    assert await prices(shop, toys) == AFTER
    assert await outcomes(shop, second) == [("on", "")] * 5


async def test_the_next_sale_waits_for_one_that_ends_while_the_job_runs(
    shop: Shop, toys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await one_after_the_other(shop)
    found_due = Sales._due

    async def ends_meanwhile(self: Sales, due: Any, state: PriceState) -> Sequence[str]:
        found = await found_due(self, due, state)
        if state is PriceState.ON:
            await pass_time(shop, first, ends_at=now())
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Sales, "_due", ends_meanwhile)
        await work(shop)
    assert await prices(shop, toys) == LOWERED
    assert await outcomes(shop, second) == [("waiting", "")] * 5
    await work(shop)
    assert await prices(shop, toys) == AFTER


async def test_a_sale_is_planned_with_the_price_that_comes_back_after_the_one_that_runs(
    shop: Shop, toys: list[str]
) -> None:
    await saved(shop)
    await work(shop)
    await change(shop, toys[0], **costs(8_800), compare_at_price=11_000)  # dearer, as all is
    await change(shop, toys[1], **costs(17_000), compare_at_price=15_000)  # no sale any more
    await change(shop, toys[2], **costs(29_000), compare_at_price=None)
    tenth = Rule(Method.PERCENTAGE, 10, Target.ALL)
    shown = [(one.before, one.amount) for one in await planned(shop, tenth, window(DAY, None))]
    assert shown == [
        (11_000, 9_900),
        (17_000, 15_300),
        (29_000, 26_100),
        (40_000, 36_000),
        (50_000, 45_000),
    ]


async def products(shop: Shop, variants: Sequence[str]) -> tuple[str, ...]:
    async with shop.database.read() as session:
        query = select(Variant.product_id).where(Variant.id.in_(variants)).order_by(Variant.id)
        return tuple((await session.execute(query)).scalars())


async def test_no_price_reaches_zero(shop: Shop, toys: list[str]) -> None:
    rule = Rule(Method.FIXED, 10_000, Target.ALL)
    shown = await planned(shop, rule, window())
    assert [(one.amount, one.problem) for one in shown][:2] == [(None, Problem.NOT_LOWER), (10_000, None)]
    await change(shop, toys[1], **costs(40))
    assert (await planned(shop, FIFTH, window()))[1].problem == Problem.NOT_LOWER  # 32 is no multiple of 50
    for wrong in (
        Rule(Method.PERCENTAGE, 0, Target.ALL),
        Rule(Method.PERCENTAGE, 91, Target.ALL),
        Rule(Method.FIXED, -1, Target.ALL),
        Rule(Method.PERCENTAGE, 10, Target.PRODUCTS),
        Rule(Method.FIXED, 50_000, Target.ALL),
    ):
        with pytest.raises(InvalidData):
            await saved(shop, wrong)
    for when in (window(-2 * DAY, -DAY), window(2 * DAY, DAY)):
        with pytest.raises(InvalidData):
            await saved(shop, when=when)


async def test_it_is_for_a_category_with_those_inside(shop: Shop, toys: list[str]) -> None:
    async with shop.database.transaction() as session:
        above = Category(name="Madera", handle="madera")
        session.add(above)
        await session.flush()
        below = Category(name="Trompos", handle="trompos", parent_id=above.id)
        session.add(below)
        await session.flush()
        (second,) = await products(shop, toys[1:2])
        session.add(ProductCategory(product_id=second, category_id=below.id))
        category = above.id
    rule = Rule(Method.PERCENTAGE, 20, Target.CATEGORIES, (category,))
    shown = await planned(shop, rule, window())
    assert [(one.title, one.before, one.amount) for one in shown] == [("Toy 2", 20_000, 16_000)]
    seen = fingerprint(shown)
    assert fingerprint(await planned(shop, rule, window())) == seen
    await change(shop, toys[1], **costs(20_100))
    assert fingerprint(await planned(shop, rule, window())) != seen


async def test_who_may_not_changes_nothing(shop: Shop, toys: list[str]) -> None:
    sale = await saved(shop)
    bodega = Actor("user_beto", Role.STOCKROOM)
    with pytest.raises(Forbidden):
        await saved(shop, who=bodega)
    async with shop.database.transaction() as session:
        with pytest.raises(Forbidden):
            await set_end(session, bodega, sale, now() + DAY)
        with pytest.raises(Forbidden):
            await end_sale(session, bodega, sale)
        with pytest.raises(NotFound):
            await end_sale(session, ANA, "plist_none")
    await work(shop)
    assert await prices(shop, toys) == LOWERED
