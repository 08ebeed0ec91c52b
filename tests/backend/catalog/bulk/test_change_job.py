"""Bulk changes of products in batches, and undoing them."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.audit import AuditEntry, Subject, record
from backend.catalog.bulk import change_job
from backend.catalog.bulk import service as planning
from backend.catalog.bulk.change_job import BulkChangeJob
from backend.catalog.bulk.changes import Action, Change, Problem
from backend.catalog.bulk.models import BulkChange, BulkChangeRow, BulkStatus, RowState
from backend.catalog.bulk.service import (
    Preview,
    Selection,
    preview_bulk_change,
    start_bulk_change,
    undo_bulk_change,
)
from backend.catalog.derived_models import SearchTerm
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant
from backend.catalog.search.staff_search import ProductFilter
from backend.core.clock import now
from backend.core.errors import Conflict, Forbidden, InvalidData, NotFound
from backend.core.outage import DatabaseUnavailable
from backend.jobs import JobRun, RunAgain
from backend.outbox.models import OutboxEvent
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, add_product

ANA = Actor("user_ana", Role.SHOP)
ALL = Selection()
SALE = Change(Action.SALE, percent=20)


@pytest.fixture
async def variant_ids(shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Create five products for 10,000 to 50,000 pesos, and set the batch size to two. Return their variants' ids."""
    monkeypatch.setattr(change_job, "BATCH_SIZE", 2)
    monkeypatch.setattr(planning, "PAGE_SIZE", 2)
    async with shop.database.transaction() as session:
        return [
            await add_product(session, shop_defaults, f"toy-{number}", price=10_000 * number, stock=3)
            for number in range(1, 6)
        ]


async def read_preview(shop: Shop, change: Change, selection: Selection = ALL) -> Preview:
    async with shop.database.read() as session:
        return await preview_bulk_change(session, ANA, change, selection)


async def start_change(shop: Shop, change: Change, selection: Selection = ALL, actor: Actor = ANA) -> str:
    async with shop.database.transaction() as session:
        return await start_bulk_change(session, actor, change, selection, now())


async def run_job(shop: Shop, bulk_id: str, actor_id: str = "") -> RunAgain | None:
    payload = {"bulk_change_id": bulk_id, **({"actor_id": actor_id} if actor_id else {})}
    return await BulkChangeJob(shop.database).run(JobRun(1, planning.JOB, bulk_id, payload, 1))


async def run_change(shop: Shop, change: Change, selection: Selection = ALL) -> str:
    bulk_id = await start_change(shop, change, selection)
    assert await run_job(shop, bulk_id) is None
    return bulk_id


async def run_undo(shop: Shop, bulk_id: str) -> None:
    async with shop.database.transaction() as session:
        await undo_bulk_change(session, ANA, bulk_id)
    assert await run_job(shop, bulk_id, ANA.id) is None


async def read_states(shop: Shop, bulk_id: str) -> dict[str, list[str]]:
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


async def read_prices(shop: Shop, variants: Sequence[str]) -> list[tuple[int, int | None]]:
    async with shop.database.read() as session:
        query = select(Variant.price, Variant.compare_at_price).where(Variant.id.in_(variants))
        return [(price, old) for price, old in await session.execute(query.order_by(Variant.id))]


async def read_product_id(shop: Shop, variant_id: str) -> Product:
    async with shop.database.read() as session:
        query = select(Product).join(Variant, Variant.product_id == Product.id)
        return (await session.execute(query.where(Variant.id == variant_id))).scalar_one()


async def set_price(shop: Shop, variant_id: str, price: int) -> None:
    async with shop.database.transaction() as session:
        (await session.get_one(Variant, variant_id)).price = price


async def test_preview_of_a_bulk_change_shows_the_result_and_changes_nothing(
    shop: Shop, variant_ids: list[str]
) -> None:
    await set_price(shop, variant_ids[0], 40)  # 32 pesos are not a multiple of 50
    async with shop.database.transaction() as session:
        twice = await session.get_one(Variant, variant_ids[4])
        twice.price, twice.compare_at_price = 40_000, 50_000
    shown = await read_preview(shop, SALE)
    assert (shown.changed, shown.unchanged, dict(shown.refused)) == (3, 1, {Problem.NOT_LOWER: 1})
    assert (shown.before, shown.after) == (90_000, 72_000)
    assert [(one.title, one.problem) for one in shown.examples] == [
        ("Toy 1", Problem.NOT_LOWER),
        ("Toy 2", None),
        ("Toy 3", None),
        ("Toy 4", None),
    ]
    assert await read_prices(shop, variant_ids[1:2]) == [(20_000, None)]


async def test_bulk_sale_lowers_prices_and_its_undo_restores_them(shop: Shop, variant_ids: list[str]) -> None:
    bulk_id = await run_change(shop, SALE)
    assert await read_prices(shop, variant_ids) == [(8_000 * n, 10_000 * n) for n in range(1, 6)]
    assert list(await read_states(shop, bulk_id)) == [RowState.CHANGED]
    await run_undo(shop, bulk_id)
    assert await read_prices(shop, variant_ids) == [(10_000 * n, None) for n in range(1, 6)]
    assert list(await read_states(shop, bulk_id)) == [RowState.UNDONE]
    with pytest.raises(Conflict):
        await run_undo(shop, bulk_id)


async def test_audit_entry_of_each_changed_product_names_the_staff_member(
    shop: Shop, variant_ids: list[str]
) -> None:
    bulk_id = await run_change(shop, SALE)
    async with shop.database.read() as session:
        entries = (await session.execute(select(AuditEntry))).scalars().all()
        published = set((await session.execute(select(OutboxEvent.product_id))).scalars())
    begun_by = [one for one in entries if one.action == "bulk change begun"]
    assert [(one.subject_id, one.actor_id) for one in begun_by] == [(bulk_id, ANA.id)]
    changed = {one.subject_id: one for one in entries if one.action == "changed"}
    assert len(changed) == len(variant_ids) == len(published)
    entry = changed[(await read_product_id(shop, variant_ids[0])).id]
    assert {(one["field"], one["before"], one["after"]) for one in entry.changes} == {
        ("price", 10_000, 8_000),
        ("compare_at_price", None, 10_000),
    }


async def test_undoing_a_bulk_change_keeps_later_changes(shop: Shop, variant_ids: list[str]) -> None:
    bulk_id = await run_change(shop, SALE)
    await set_price(shop, variant_ids[2], 29_000)
    await run_undo(shop, bulk_id)
    assert await read_states(shop, bulk_id) == {
        RowState.KEPT: ["Toy 3"],
        RowState.UNDONE: ["Toy 1", "Toy 2", "Toy 4", "Toy 5"],
    }
    assert await read_prices(shop, variant_ids[2:4]) == [(29_000, 30_000), (40_000, None)]


async def test_price_that_was_changed_after_the_preview_is_not_overwritten(
    shop: Shop, variant_ids: list[str]
) -> None:
    bulk_id = await start_change(shop, Change(Action.PRICES, percent=10))
    other = await run_change(shop, Change(Action.PRICES, percent=10))  # another staff member at the same time
    await run_job(shop, bulk_id)
    assert await read_prices(shop, variant_ids) == [(11_000 * n, None) for n in range(1, 6)]
    assert list(await read_states(shop, other)) == [RowState.CHANGED]
    assert list(await read_states(shop, bulk_id)) == [RowState.REFUSED]


async def test_bulk_change_hides_and_publishes_products(shop: Shop, variant_ids: list[str]) -> None:
    chosen = [(await read_product_id(shop, one)).id for one in variant_ids[:2]]
    bulk_id = await run_change(shop, Change(Action.HIDE), Selection(chosen))
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).where(SearchTerm.term == "toy"))).scalar_one() == 3
    hidden = Selection(product_filter=ProductFilter(is_published=False))
    assert (await read_preview(shop, Change(Action.PUBLISH), hidden)).changed == 2
    await run_change(shop, Change(Action.PUBLISH), hidden)
    assert (await read_preview(shop, Change(Action.PUBLISH))).unchanged == 5
    await run_undo(shop, bulk_id)  # they are already published again
    assert list(await read_states(shop, bulk_id)) == [RowState.KEPT]


async def test_category_and_collection_are_changed_and_restored(shop: Shop, variant_ids: list[str]) -> None:
    async with shop.database.transaction() as session:
        category = Category(name="Madera", handle="madera")
        one, other = Collection(title="Uno", handle="uno"), Collection(title="Otro", handle="otro")
        session.add_all([category, one, other])
        await session.flush()
        inside = (await session.get_one(Variant, variant_ids[0])).product_id
        session.add(ProductCategory(product_id=inside, category_id=category.id))
        (await session.get_one(Product, inside)).collection_id = other.id

    async def read_assignments() -> tuple[int, list[str | None]]:
        async with shop.database.read() as session:
            count = (await session.execute(select(func.count()).select_from(ProductCategory))).scalar_one()
            query = select(Product.collection_id).order_by(Product.title)
            return count, list((await session.execute(query)).scalars())

    before = await read_assignments()
    added = await run_change(shop, Change(Action.ADD_TO_CATEGORY, category.id))
    put = await run_change(shop, Change(Action.COLLECTION, one.id))
    assert await read_assignments() == (5, [one.id] * 5)
    assert await read_states(shop, added) == {
        RowState.UNCHANGED: ["Toy 1"],
        RowState.CHANGED: ["Toy 2", "Toy 3", "Toy 4", "Toy 5"],
    }
    await run_undo(shop, added)
    await run_undo(shop, put)
    assert await read_assignments() == before
    removed = await run_change(shop, Change(Action.REMOVE_FROM_CATEGORY, category.id))
    taken = await run_change(shop, Change(Action.COLLECTION))
    assert await read_assignments() == (0, [None] * 5)
    async with shop.database.transaction() as session:
        for gone in (
            await session.get_one(Category, category.id),
            await session.get_one(Collection, other.id),
        ):
            await session.delete(gone)
    await run_undo(shop, removed)
    await run_undo(shop, taken)
    assert await read_assignments() == (0, [None] * 5)
    assert (await read_states(shop, removed))[RowState.KEPT] == ["Toy 1"]
    assert (await read_states(shop, taken))[RowState.KEPT] == ["Toy 1"]


async def test_products_are_refused_if_their_new_category_or_collection_was_deleted(
    shop: Shop, variant_ids: list[str]
) -> None:
    del variant_ids
    async with shop.database.transaction() as session:
        category = Category(name="Madera", handle="madera")
        session.add(category)
    bulk_id = await start_change(shop, Change(Action.ADD_TO_CATEGORY, category.id))
    async with shop.database.transaction() as session:
        await session.delete(await session.get_one(Category, category.id))
    await run_job(shop, bulk_id)
    assert list(await read_states(shop, bulk_id)) == [RowState.REFUSED]


async def test_product_that_fails_in_a_bulk_change_does_not_stop_the_others(
    shop: Shop, variant_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bulk_id = await start_change(shop, SALE)
    async with shop.database.transaction() as session:
        product_id = (await session.get_one(Variant, variant_ids[1])).product_id
        (await session.get_one(Product, product_id)).deleted_at = now()
    broken = (await read_product_id(shop, variant_ids[3])).id

    async def fail_for_one(session: Any, actor: Any, action: str, subject: Subject, changes: Any) -> None:
        if subject.id == broken:
            raise RuntimeError("nobody expects this")
        await record(session, actor, action, subject, changes)

    monkeypatch.setattr(change_job, "record", fail_for_one)
    assert await run_job(shop, bulk_id) is None
    assert await read_states(shop, bulk_id) == {
        RowState.CHANGED: ["Toy 1", "Toy 3", "Toy 5"],
        RowState.REFUSED: ["Toy 2", "Toy 4"],
    }
    async with shop.database.read() as session:
        query = select(BulkChangeRow.problem).where(BulkChangeRow.state == RowState.REFUSED)
        assert sorted((await session.execute(query)).scalars()) == [Problem.FAILED, Problem.GONE]


async def test_interrupted_bulk_change_is_continued_by_the_next_run(
    shop: Shop, variant_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bulk_id = await start_change(shop, Change(Action.PRICES, percent=10))
    calls = 0

    async def interrupt(*arguments: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise DatabaseUnavailable("the machine is switched off")
        await record(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(change_job, "record", interrupt)
        with pytest.raises(DatabaseUnavailable):
            await run_job(shop, bulk_id)
    assert await read_prices(shop, variant_ids[:3]) == [(11_000, None), (22_000, None), (30_000, None)]
    monkeypatch.setattr(change_job, "MAX_RUN_S", -1.0)
    assert isinstance(await run_job(shop, bulk_id), RunAgain)
    monkeypatch.setattr(change_job, "MAX_RUN_S", 20.0)
    assert await run_job(shop, bulk_id) is None
    assert await run_job(shop, bulk_id) is None  # nothing remains to be done
    assert await read_prices(shop, variant_ids) == [(11_000 * n, None) for n in range(1, 6)]


async def test_change_run_by_three_workers_is_applied_once(shop: Shop, variant_ids: list[str]) -> None:
    bulk_id = await start_change(shop, Change(Action.PRICES, percent=10))
    await asyncio.gather(*(run_job(shop, bulk_id) for _worker in range(3)))
    assert await read_prices(shop, variant_ids) == [(11_000 * n, None) for n in range(1, 6)]
    assert list(await read_states(shop, bulk_id)) == [RowState.CHANGED]


async def test_two_concurrent_equal_discounts_lower_each_price_once(
    shop: Shop, variant_ids: list[str]
) -> None:
    one, other = await start_change(shop, SALE), await start_change(shop, SALE)
    await asyncio.gather(run_job(shop, one), run_job(shop, other))
    assert await read_prices(shop, variant_ids) == [(8_000 * n, 10_000 * n) for n in range(1, 6)]


async def test_worker_of_the_shop_runs_a_started_bulk_change(shop: Shop, variant_ids: list[str]) -> None:
    bulk_id = await start_change(shop, SALE)
    await shop.worker.run_due(planning.JOB)
    async with shop.database.read() as session:
        assert (await session.get_one(BulkChange, bulk_id)).status == BulkStatus.DONE
    assert await read_prices(shop, variant_ids[:1]) == [(8_000, 10_000)]


async def test_only_recent_bulk_changes_can_be_undone(
    shop: Shop, variant_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del variant_ids
    monkeypatch.setattr(planning, "MAX_UNDOABLE_CHANGES", 2)
    first = await run_change(shop, Change(Action.FEATURE))
    for action in (Action.UNFEATURE, Action.FEATURE):
        last = await run_change(shop, Change(action))
    with pytest.raises(NotFound):
        await run_undo(shop, first)
    async with shop.database.read() as session:
        kept = set((await session.execute(select(BulkChangeRow.bulk_change_id))).scalars())
    assert first not in kept
    await run_undo(shop, last)
    with pytest.raises(NotFound):
        await run_undo(shop, "bulk_none")


async def test_running_bulk_change_cannot_be_undone(shop: Shop, variant_ids: list[str]) -> None:
    del variant_ids
    bulk_id = await start_change(shop, SALE)
    with pytest.raises(Conflict):
        async with shop.database.transaction() as session:
            await undo_bulk_change(session, ANA, bulk_id)


async def test_invalid_bulk_change_is_refused(shop: Shop, variant_ids: list[str]) -> None:
    del variant_ids
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
            await start_change(shop, change, selection)
    async with shop.database.read() as session:
        assert (await session.execute(select(BulkChange))).all() == []
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        with pytest.raises(Forbidden):
            await start_change(shop, SALE, actor=Actor("user_1", role))


async def test_job_of_a_finished_or_unknown_bulk_change_does_nothing(
    shop: Shop, variant_ids: list[str]
) -> None:
    del variant_ids
    bulk_id = await start_change(shop, SALE)
    async with shop.database.transaction() as session:
        await session.execute(update(BulkChange).values(status=BulkStatus.DONE))
    assert await run_job(shop, bulk_id) is None
    assert await run_job(shop, "bulk_none") is None
