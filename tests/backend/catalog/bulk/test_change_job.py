"""Many products are changed, batch by batch, and put back."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.bulk import change_job
from backend.catalog.bulk import service as planning
from backend.catalog.bulk.change_job import BulkChanges
from backend.catalog.bulk.changes import Action, Change, Problem
from backend.catalog.bulk.models import BulkChange, BulkChangeRow, BulkStatus, RowState
from backend.catalog.bulk.service import Preview, Selection, begin, preview, undo
from backend.catalog.derived_models import SearchTerm
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant
from backend.catalog.search.staff_search import ProductFilter
from backend.core.clock import now
from backend.core.errors import Conflict, Forbidden, InvalidData, NotFound
from backend.core.outage import DatabaseUnavailable
from backend.jobs import JobRun, RunAgain
from backend.outbox.models import OutboxEvent
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, make_toy

ANA = Actor("user_ana", Role.SHOP)
ALL = Selection()
SALE = Change(Action.SALE, percent=20)


@pytest.fixture
async def toys(shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Five toys for 10,000 to 50,000 pesos, by their variants; changed two at a time."""
    monkeypatch.setattr(change_job, "AT_ONCE", 2)
    monkeypatch.setattr(planning, "AT_ONCE", 2)
    async with shop.database.transaction() as session:
        return [
            await make_toy(session, shop_defaults, f"toy-{number}", price=10_000 * number, stock=3)
            for number in range(1, 6)
        ]


async def seen(shop: Shop, change: Change, selection: Selection = ALL) -> Preview:
    async with shop.database.read() as session:
        return await preview(session, ANA, change, selection)


async def begun(shop: Shop, change: Change, selection: Selection = ALL, who: Actor = ANA) -> str:
    async with shop.database.transaction() as session:
        return await begin(session, who, change, selection, now())


async def work(shop: Shop, bulk_id: str, actor_id: str = "") -> RunAgain | None:
    payload = {"bulk_change_id": bulk_id, **({"actor_id": actor_id} if actor_id else {})}
    return await BulkChanges(shop.database).run(JobRun(1, planning.JOB, bulk_id, payload, 1))


async def done(shop: Shop, change: Change, selection: Selection = ALL) -> str:
    bulk_id = await begun(shop, change, selection)
    assert await work(shop, bulk_id) is None
    return bulk_id


async def undone(shop: Shop, bulk_id: str) -> None:
    async with shop.database.transaction() as session:
        await undo(session, ANA, bulk_id)
    assert await work(shop, bulk_id, ANA.id) is None


async def states(shop: Shop, bulk_id: str) -> dict[str, list[str]]:
    async with shop.database.read() as session:
        query = (
            select(BulkChangeRow.state, Product.title)
            .join(Product, Product.id == BulkChangeRow.product_id)
            .where(BulkChangeRow.bulk_change_id == bulk_id)
            .order_by(Product.title)
        )
        found: dict[str, list[str]] = {}
        for state, title in await session.execute(query):
            found.setdefault(state, []).append(title)
        return found


async def prices(shop: Shop, variants: Sequence[str]) -> list[tuple[int, int | None]]:
    async with shop.database.read() as session:
        query = select(Variant.price, Variant.compare_at_price).where(Variant.id.in_(variants))
        return [(price, old) for price, old in await session.execute(query.order_by(Variant.id))]


async def product_of(shop: Shop, variant_id: str) -> Product:
    async with shop.database.read() as session:
        query = select(Product).join(Variant, Variant.product_id == Product.id)
        return (await session.execute(query.where(Variant.id == variant_id))).scalar_one()


async def set_price(shop: Shop, variant_id: str, price: int) -> None:
    async with shop.database.transaction() as session:
        (await session.get_one(Variant, variant_id)).price = price


async def test_it_is_shown_before_it_is_done(shop: Shop, toys: list[str]) -> None:
    await set_price(shop, toys[0], 40)  # 32 pesos are no multiple of 50
    async with shop.database.transaction() as session:
        twice = await session.get_one(Variant, toys[4])
        twice.price, twice.compare_at_price = 40_000, 50_000
    shown = await seen(shop, SALE)
    assert (shown.changed, shown.unchanged, dict(shown.refused)) == (3, 1, {Problem.NOT_LOWER: 1})
    assert (shown.before, shown.after) == (90_000, 72_000)
    assert [(one.title, one.problem) for one in shown.examples] == [
        ("Toy 1", Problem.NOT_LOWER),
        ("Toy 2", None),
        ("Toy 3", None),
        ("Toy 4", None),
    ]
    assert await prices(shop, toys[1:2]) == [(20_000, None)]


async def test_a_sale_is_done_and_undone(shop: Shop, toys: list[str]) -> None:
    bulk_id = await done(shop, SALE)
    assert await prices(shop, toys) == [(8_000 * n, 10_000 * n) for n in range(1, 6)]
    assert list(await states(shop, bulk_id)) == [RowState.CHANGED]
    await undone(shop, bulk_id)
    assert await prices(shop, toys) == [(10_000 * n, None) for n in range(1, 6)]
    assert list(await states(shop, bulk_id)) == [RowState.UNDONE]
    with pytest.raises(Conflict):
        await undone(shop, bulk_id)


async def test_each_product_says_who_changed_it(shop: Shop, toys: list[str]) -> None:
    bulk_id = await done(shop, SALE)
    async with shop.database.read() as session:
        entries = (await session.execute(select(AuditEntry))).scalars().all()
        told = set((await session.execute(select(OutboxEvent.product_id))).scalars())
    begun_by = [one for one in entries if one.action == "bulk change begun"]
    assert [(one.subject_id, one.actor_id) for one in begun_by] == [(bulk_id, ANA.id)]
    changed = {one.subject_id: one for one in entries if one.action == "changed"}
    assert len(changed) == len(toys) == len(told)
    entry = changed[(await product_of(shop, toys[0])).id]
    assert {(one["field"], one["before"], one["after"]) for one in entry.changes} == {
        ("price", 10_000, 8_000),
        ("compare_at_price", None, 10_000),
    }


async def test_what_somebody_changed_since_stays(shop: Shop, toys: list[str]) -> None:
    bulk_id = await done(shop, SALE)
    await set_price(shop, toys[2], 29_000)
    await undone(shop, bulk_id)
    assert await states(shop, bulk_id) == {
        RowState.KEPT: ["Toy 3"],
        RowState.UNDONE: ["Toy 1", "Toy 2", "Toy 4", "Toy 5"],
    }
    assert await prices(shop, toys[2:4]) == [(29_000, 30_000), (40_000, None)]


async def test_a_price_that_was_changed_after_it_was_shown_is_left_alone(shop: Shop, toys: list[str]) -> None:
    bulk_id = await begun(shop, Change(Action.PRICES, percent=10))
    other = await done(shop, Change(Action.PRICES, percent=10))  # somebody else at the same time
    await work(shop, bulk_id)
    assert await prices(shop, toys) == [(11_000 * n, None) for n in range(1, 6)]
    assert list(await states(shop, other)) == [RowState.CHANGED]
    assert list(await states(shop, bulk_id)) == [RowState.REFUSED]


async def test_products_are_hidden_and_published(shop: Shop, toys: list[str]) -> None:
    chosen = [(await product_of(shop, one)).id for one in toys[:2]]
    bulk_id = await done(shop, Change(Action.HIDE), Selection(chosen))
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).where(SearchTerm.term == "toy"))).scalar_one() == 3
    hidden = Selection(wanted=ProductFilter(is_published=False))
    assert (await seen(shop, Change(Action.PUBLISH), hidden)).changed == 2
    await done(shop, Change(Action.PUBLISH), hidden)
    assert (await seen(shop, Change(Action.PUBLISH))).unchanged == 5
    await undone(shop, bulk_id)  # they are published again already
    assert list(await states(shop, bulk_id)) == [RowState.KEPT]


async def test_places_are_changed_and_put_back(shop: Shop, toys: list[str]) -> None:
    async with shop.database.transaction() as session:
        category = Category(name="Madera", handle="madera")
        one, other = Collection(title="Uno", handle="uno"), Collection(title="Otro", handle="otro")
        session.add_all([category, one, other])
        await session.flush()
        inside = (await session.get_one(Variant, toys[0])).product_id
        session.add(ProductCategory(product_id=inside, category_id=category.id))
        (await session.get_one(Product, inside)).collection_id = other.id

    async def placed() -> tuple[int, list[str | None]]:
        async with shop.database.read() as session:
            count = (await session.execute(select(func.count()).select_from(ProductCategory))).scalar_one()
            query = select(Product.collection_id).order_by(Product.title)
            return count, list((await session.execute(query)).scalars())

    before = await placed()
    added = await done(shop, Change(Action.ADD_TO_CATEGORY, category.id))
    put = await done(shop, Change(Action.COLLECTION, one.id))
    assert await placed() == (5, [one.id] * 5)
    assert await states(shop, added) == {
        RowState.UNCHANGED: ["Toy 1"],
        RowState.CHANGED: ["Toy 2", "Toy 3", "Toy 4", "Toy 5"],
    }
    await undone(shop, added)
    await undone(shop, put)
    assert await placed() == before
    removed = await done(shop, Change(Action.REMOVE_FROM_CATEGORY, category.id))
    taken = await done(shop, Change(Action.COLLECTION))
    assert await placed() == (0, [None] * 5)
    async with shop.database.transaction() as session:
        for gone in (
            await session.get_one(Category, category.id),
            await session.get_one(Collection, other.id),
        ):
            await session.delete(gone)
    await undone(shop, removed)
    await undone(shop, taken)
    assert await placed() == (0, [None] * 5)
    assert (await states(shop, removed))[RowState.KEPT] == ["Toy 1"]
    assert (await states(shop, taken))[RowState.KEPT] == ["Toy 1"]


async def test_a_place_that_is_gone_meanwhile_takes_nothing(shop: Shop, toys: list[str]) -> None:
    del toys
    async with shop.database.transaction() as session:
        category = Category(name="Madera", handle="madera")
        session.add(category)
    bulk_id = await begun(shop, Change(Action.ADD_TO_CATEGORY, category.id))
    async with shop.database.transaction() as session:
        await session.delete(await session.get_one(Category, category.id))
    await work(shop, bulk_id)
    assert list(await states(shop, bulk_id)) == [RowState.REFUSED]


async def test_what_one_refuses_stops_no_other(
    shop: Shop, toys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bulk_id = await begun(shop, SALE)
    async with shop.database.transaction() as session:
        product_id = (await session.get_one(Variant, toys[1])).product_id
        (await session.get_one(Product, product_id)).deleted_at = now()
    broken = (await product_of(shop, toys[3])).id
    whole = change_job._set

    async def fails(session: Any, who: Any, change: Any, product: Product, values: Any) -> None:
        if product.id == broken:
            raise RuntimeError("nobody expects this")
        await whole(session, who, change, product, values)

    monkeypatch.setattr(change_job, "_set", fails)
    assert await work(shop, bulk_id) is None
    assert await states(shop, bulk_id) == {
        RowState.CHANGED: ["Toy 1", "Toy 3", "Toy 5"],
        RowState.REFUSED: ["Toy 2", "Toy 4"],
    }
    async with shop.database.read() as session:
        query = select(BulkChangeRow.problem).where(BulkChangeRow.state == RowState.REFUSED)
        assert sorted((await session.execute(query)).scalars()) == [Problem.FAILED, Problem.GONE]


async def test_it_goes_on_where_it_was(shop: Shop, toys: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    bulk_id = await begun(shop, Change(Action.PRICES, percent=10))
    whole, calls = change_job._set, 0

    async def ends(*arguments: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise DatabaseUnavailable("the machine is switched off")
        await whole(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(change_job, "_set", ends)
        with pytest.raises(DatabaseUnavailable):
            await work(shop, bulk_id)
    assert await prices(shop, toys[:3]) == [(11_000, None), (22_000, None), (30_000, None)]
    monkeypatch.setattr(change_job, "WITHIN", -1.0)
    assert isinstance(await work(shop, bulk_id), RunAgain)
    monkeypatch.setattr(change_job, "WITHIN", 20.0)
    assert await work(shop, bulk_id) is None
    assert await work(shop, bulk_id) is None  # nothing is left of it
    assert await prices(shop, toys) == [(11_000 * n, None) for n in range(1, 6)]


async def test_two_workers_do_it_once(shop: Shop, toys: list[str]) -> None:
    bulk_id = await begun(shop, Change(Action.PRICES, percent=10))
    await asyncio.gather(*(work(shop, bulk_id) for _worker in range(3)))
    assert await prices(shop, toys) == [(11_000 * n, None) for n in range(1, 6)]
    assert list(await states(shop, bulk_id)) == [RowState.CHANGED]


async def test_two_sales_at_once_are_one(shop: Shop, toys: list[str]) -> None:
    one, other = await begun(shop, SALE), await begun(shop, SALE)
    await asyncio.gather(work(shop, one), work(shop, other))
    assert await prices(shop, toys) == [(8_000 * n, 10_000 * n) for n in range(1, 6)]


async def test_the_worker_of_the_shop_does_it(shop: Shop, toys: list[str]) -> None:
    bulk_id = await begun(shop, SALE)
    await shop.worker.run_due(planning.JOB)
    async with shop.database.read() as session:
        assert (await session.get_one(BulkChange, bulk_id)).status == BulkStatus.DONE
    assert await prices(shop, toys[:1]) == [(8_000, 10_000)]


async def test_the_last_ones_can_be_undone(
    shop: Shop, toys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del toys
    monkeypatch.setattr(planning, "MOST_KEPT", 2)
    first = await done(shop, Change(Action.FEATURE))
    for action in (Action.UNFEATURE, Action.FEATURE):
        last = await done(shop, Change(action))
    with pytest.raises(NotFound):
        await undone(shop, first)
    async with shop.database.read() as session:
        kept = set((await session.execute(select(BulkChangeRow.bulk_change_id))).scalars())
    assert first not in kept
    await undone(shop, last)
    with pytest.raises(NotFound):
        await undone(shop, "bulk_none")


async def test_one_that_runs_is_not_undone(shop: Shop, toys: list[str]) -> None:
    del toys
    bulk_id = await begun(shop, SALE)
    with pytest.raises(Conflict):
        async with shop.database.transaction() as session:
            await undo(session, ANA, bulk_id)


async def test_what_cannot_be_begun_is_refused(shop: Shop, toys: list[str]) -> None:
    del toys
    refused = (
        (Change(Action.SALE, percent=99), ALL, InvalidData),
        (SALE, Selection(["prod_none"]), InvalidData),
        (SALE, Selection([]), InvalidData),
        (SALE, Selection(["x"] * 1_001), InvalidData),
        (Change(Action.ADD_TO_CATEGORY, "pcat_none"), ALL, NotFound),
        (Change(Action.COLLECTION, "pcol_none"), ALL, NotFound),
    )
    for change, selection, error in refused:
        with pytest.raises(error):
            await begun(shop, change, selection)
    async with shop.database.read() as session:
        assert (await session.execute(select(BulkChange))).all() == []
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        with pytest.raises(Forbidden):
            await begun(shop, SALE, who=Actor("user_1", role))


async def test_nobody_else_is_asked_for_a_change_that_is_gone(shop: Shop, toys: list[str]) -> None:
    del toys
    bulk_id = await begun(shop, SALE)
    async with shop.database.transaction() as session:
        await session.execute(update(BulkChange).values(status=BulkStatus.DONE))
    assert await work(shop, bulk_id) is None
    assert await work(shop, "bulk_none") is None
