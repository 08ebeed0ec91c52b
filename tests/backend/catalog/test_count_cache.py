"""What pages count: counted once, and again for the very next page after anything changed that decides of it."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any

import pytest
from sqlalchemy import delete, update

from backend.app import Shop
from backend.catalog.category_tree import category_tree
from backend.catalog.count_cache import counted
from backend.catalog.derived_models import CatalogVersion
from backend.catalog.models import Category, Product, ProductCategory, Variant
from backend.catalog.storefront.product_list import ages_of, catalog_page
from backend.catalog.storefront.sitemap import count_products
from backend.catalog.views import CatalogFilter
from backend.core.db.database import Database
from tests.store_defaults import Defaults, make_toy

ALL = CatalogFilter()


@pytest.fixture
async def toys(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """The ids of two categories (one in the other) and of three toys: two for sale, in the inner category."""
    async with shop.database.transaction() as session:
        root = Category(name="Todo", handle="todo")
        outer = Category(name="Madera", handle="madera", parent_id=root.id)
        inner = Category(name="Trenes", handle="trenes", parent_id=outer.id)
        for category in (root, outer, inner):
            session.add(category)
            await session.flush()
        ids = {"outer": outer.id, "inner": inner.id}
        for handle, status in (("tren", "published"), ("vagon", "published"), ("riel", "draft")):
            variant = await make_toy(
                session, shop_defaults, handle, brand="Roble", age_range="3-5 años", status=status
            )
            row = await session.get_one(Variant, variant)
            ids[handle] = row.product_id
            session.add(ProductCategory(product_id=row.product_id, category_id=inner.id))
    return ids


async def shown(database: Database, wanted: CatalogFilter = ALL) -> dict[str, Any]:
    """All numbers that pages show."""
    async with database.read() as session:
        page = await catalog_page(session, wanted)
        tree = await category_tree(session)
        return {
            "total": page.total,
            "categories": {facet.value: facet.count for facet in page.categories},
            "brands": {facet.value: facet.count for facet in page.brands},
            "ages": {facet.value: facet.count for facet in page.ages},
            "tree": {node.handle: node.count for node in (tree[0], *tree[0].children)},
            "all ages": {facet.value: facet.count for facet in await ages_of(session)},
            "in the sitemap": await count_products(session),
        }


def of(toys: int) -> dict[str, Any]:
    """All numbers, with so many toys for sale in the inner category."""
    placed = {"madera": toys, "trenes": toys}
    ages = {"3-5 años": toys}
    return {
        "total": toys,
        "categories": placed,
        "brands": {"Roble": toys},
        "ages": ages,
        "tree": placed,
        "all ages": ages,
        "in the sitemap": toys,
    }


BEFORE = of(2)


def _publish(ids: dict[str, str]) -> Any:
    return update(Product).where(Product.id == ids["riel"]).values(status="published")


def _unpublish(ids: dict[str, str]) -> Any:
    return update(Product).where(Product.id == ids["vagon"]).values(status="draft")


def _rename_brand(ids: dict[str, str]) -> Any:
    return update(Product).where(Product.id == ids["vagon"]).values(brand="ROBLE")


def _grow(ids: dict[str, str]) -> Any:
    return update(Product).where(Product.id == ids["vagon"]).values(age_range="6-8 años")


def _move(ids: dict[str, str]) -> Any:
    return (
        update(ProductCategory)
        .where(ProductCategory.product_id == ids["vagon"])
        .values(category_id=ids["outer"])
    )


def _take_out(ids: dict[str, str]) -> Any:
    return delete(ProductCategory).where(ProductCategory.product_id == ids["vagon"])


TWO_AGES = {"3-5 años": 1, "6-8 años": 1}
CHANGES: list[tuple[Callable[[dict[str, str]], Any], dict[str, Any]]] = [
    (_publish, of(3)),
    (_unpublish, of(1)),
    (_rename_brand, {"brands": {"ROBLE": 1, "Roble": 1}}),
    (_grow, {"ages": TWO_AGES, "all ages": TWO_AGES}),
    (_move, {"categories": {"madera": 2, "trenes": 1}, "tree": {"madera": 2, "trenes": 1}}),
    (_take_out, {"categories": {"madera": 1, "trenes": 1}, "tree": {"madera": 1, "trenes": 1}}),
]


@pytest.mark.parametrize(("change", "after"), CHANGES)
async def test_the_next_page_shows_a_change_on_every_replica(
    shop: Shop, toys: dict[str, str], change: Callable[[dict[str, str]], Any], after: dict[str, Any]
) -> None:
    other = Database.from_settings(shop.settings)
    assert await shown(shop.database) == await shown(other) == BEFORE
    async with shop.database.transaction() as session:
        await session.execute(change(toys))
    assert await shown(other) == {**BEFORE, **after}
    assert await shown(shop.database) == {**BEFORE, **after}
    await other.close()


async def test_nothing_is_counted_twice(shop: Shop, toys: dict[str, str], statements: list[str]) -> None:
    first = await shown(shop.database)
    assert any("count(" in statement for statement in statements)
    statements.clear()
    assert await shown(shop.database) == first
    assert not any("count(" in statement for statement in statements)


async def test_readers_beside_one_another_count_once(
    shop: Shop, toys: dict[str, str], statements: list[str]
) -> None:
    first = await shown(shop.database)
    once = sum("count(" in statement for statement in statements)
    async with shop.database.transaction() as session:
        await session.execute(_rename_brand(toys))
    statements.clear()
    renamed = {**first, "brands": {"ROBLE": 1, "Roble": 1}}
    assert await asyncio.gather(*(shown(shop.database) for _ in range(5))) == [renamed] * 5
    assert sum("count(" in statement for statement in statements) == once


async def test_a_later_version_may_be_a_lower_number(shop: Shop, toys: dict[str, str]) -> None:
    """On PostgreSQL it is the number of a transaction that began earlier and was committed later."""
    assert await shown(shop.database) == BEFORE
    async with shop.database.transaction() as session:
        await session.execute(_unpublish(toys))
    async with shop.database.transaction() as session:
        await session.execute(update(CatalogVersion).values(lists=0))
    assert (await shown(shop.database))["total"] == 1


async def test_who_waits_counts_when_the_one_that_counts_is_stopped(shop: Shop, toys: dict[str, str]) -> None:
    counts = asyncio.Event()

    async def for_ever() -> int:
        counts.set()
        return await asyncio.Future[int]()

    async def two() -> int:
        return 2

    async def ask(count: Callable[[], Awaitable[int]]) -> int:
        async with shop.database.read() as session:
            return await counted(session, "toys", count)

    stopped = asyncio.create_task(ask(for_ever))
    await counts.wait()
    waits = asyncio.create_task(ask(two))
    stopped.cancel()
    assert await waits == 2
    with pytest.raises(asyncio.CancelledError):
        await stopped


async def test_what_a_transaction_counts_is_not_kept(shop: Shop, toys: dict[str, str]) -> None:
    """Its version may be given to another change: on SQLite it is the next number."""
    async with shop.database.transaction() as session:
        await session.execute(_unpublish(toys))
        assert (await catalog_page(session, ALL)).total == 1
        await session.rollback()
    async with shop.database.transaction() as session:
        await session.execute(_publish(toys))
    assert (await shown(shop.database))["total"] == 3


async def test_every_filter_has_its_own_numbers(shop: Shop, toys: dict[str, str]) -> None:
    async with shop.database.transaction() as session:
        await session.execute(_grow(toys))
    wanted = CatalogFilter(ages=("6-8 años",))
    for _ in range(2):
        assert (await shown(shop.database))["total"] == 2
        found = await shown(shop.database, wanted)
        assert (found["total"], found["categories"]) == (1, {"madera": 1, "trenes": 1})
        assert found["ages"] == TWO_AGES
        assert (await shown(shop.database, CatalogFilter(categories=("trenes",))))["brands"] == {"Roble": 2}


async def test_prices_are_counted_as_they_are(shop: Shop, toys: dict[str, str]) -> None:
    """No list but that of prices changes with them: under a condition of prices every change counts."""
    cheap = CatalogFilter(highest=40_000)
    for _ in range(2):
        assert (await shown(shop.database, cheap))["total"] == 0
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).where(Variant.product_id == toys["vagon"]).values(price=30_000))
    assert (await shown(shop.database, cheap))["total"] == 1


PRICES = [(30, 50), (50, 30, 40), (40,), (40, 40), (40, 40, 60), (), (0,), (60, 20)]
"""Of the variants of each toy, in thousands of pesos."""


@pytest.fixture
async def priced(shop: Shop, shop_defaults: Defaults) -> dict[str, int]:
    """What toys cost with several variants, some of them as much as another, one toy without any; by their handles."""
    async with shop.database.transaction() as session:
        for number, prices in enumerate(PRICES):
            variant = await make_toy(session, shop_defaults, f"toy-{number}")
            product_id = (await session.get_one(Variant, variant)).product_id
            await session.execute(delete(Variant).where(Variant.product_id == product_id))
            session.add_all([Variant(product_id=product_id, price=price * 1000) for price in prices])
    return {f"toy-{number}": min(prices) * 1000 for number, prices in enumerate(PRICES) if prices}


async def test_a_toy_costs_what_its_cheapest_variant_does(shop: Shop, priced: dict[str, int]) -> None:
    bounds = (None, 0, 1, 29_999, 30_000, 40_000, 61_000)
    for lowest, highest, sort in product(bounds, bounds, ("featured", "price_asc", "price_desc")):
        wanted = CatalogFilter(lowest=lowest, highest=highest, sort=sort)
        async with shop.database.read() as session:
            page = await catalog_page(session, wanted)
        expected = {
            handle: price
            for handle, price in priced.items()
            if (lowest is None or price >= lowest) and (highest is None or price <= highest)
        }
        found = [card.handle for card in page.cards]
        assert sorted(found) == sorted(expected), wanted
        # the one without a price is in no such list
        assert page.total == len(expected) + (lowest is highest is None), wanted
        costs = [expected[handle] for handle in found]
        if sort != "featured":
            assert costs == sorted(costs, reverse=sort == "price_desc"), wanted


Fill = Callable[[str], Awaitable[None]]


@pytest.fixture
def fill(shop: Shop, shop_defaults: Defaults) -> Fill:
    """Puts toys into the shop: `x` can be bought, `-` is sold out, in capitals or as `_` it is put forward."""

    async def put(kinds: str) -> None:
        async with shop.database.transaction() as session:
            for number, kind in enumerate(kinds):
                await make_toy(
                    session,
                    shop_defaults,
                    f"{number}-{kind}",
                    stock=5 if kind in "xX" else 0,
                    featured=kind in "X_",
                )

    return put


@pytest.mark.parametrize("kinds", ["x-xX-_x-X", "xxxx", "----", "x---", "---x", "_X", ""])
async def test_pages_follow_one_another_with_what_can_be_bought_first(
    shop: Shop, fill: Fill, kinds: str
) -> None:
    await fill(kinds)
    numbered = list(enumerate(kinds))
    expected = [
        f"{number}-{kind}"
        for wanted in ("X", "x", "_", "-")
        for number, kind in reversed(numbered)
        if kind == wanted
    ]
    for limit in (1, 2, 3, 4, 20):
        found = []
        async with shop.database.read() as session:
            for offset in range(0, len(kinds) + limit, limit):
                page = await catalog_page(session, ALL, offset=offset, limit=limit)
                assert page.total == len(kinds)
                found += [card.handle for card in page.cards]
        assert found == expected, limit
