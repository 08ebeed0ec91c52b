"""Counts on pages are cached, and counted again on the next page after a change that affects them."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any

import pytest
from sqlalchemy import delete, update

from backend.app import Shop
from backend.catalog.category_tree import category_tree
from backend.catalog.count_cache import get_or_count
from backend.catalog.derived_models import CatalogVersion
from backend.catalog.models import Category, Product, ProductCategory, Variant
from backend.catalog.storefront.product_list import catalog_page, read_age_facets
from backend.catalog.storefront.sitemap import count_products
from backend.catalog.views import CatalogFilter
from backend.core.db.database import Database
from tests.store_defaults import Defaults, add_product

ALL = CatalogFilter()


@pytest.fixture
async def ids_by_handle(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Create two nested categories with three products, two of them for sale in the inner one.

    Return all ids by handle.
    """
    async with shop.database.transaction() as session:
        root = Category(name="Todo", handle="todo")
        outer = Category(name="Madera", handle="madera", parent_id=root.id)
        inner = Category(name="Trenes", handle="trenes", parent_id=outer.id)
        for category in (root, outer, inner):
            session.add(category)
            await session.flush()
        ids = {"outer": outer.id, "inner": inner.id}
        for handle, status in (("tren", "published"), ("vagon", "published"), ("riel", "draft")):
            variant = await add_product(
                session, shop_defaults, handle, brand="Roble", age_range="3-5 años", status=status
            )
            row = await session.get_one(Variant, variant)
            ids[handle] = row.product_id
            session.add(ProductCategory(product_id=row.product_id, category_id=inner.id))
    return ids


async def read_counts(database: Database, catalog_filter: CatalogFilter = ALL) -> dict[str, Any]:
    """Return all counts that pages show."""
    async with database.read() as session:
        page = await catalog_page(session, catalog_filter)
        tree = await category_tree(session)
        return {
            "total": page.total,
            "categories": {facet.value: facet.count for facet in page.categories},
            "brands": {facet.value: facet.count for facet in page.brands},
            "ages": {facet.value: facet.count for facet in page.ages},
            "tree": {node.handle: node.count for node in (tree[0], *tree[0].children)},
            "all ages": {facet.value: facet.count for facet in await read_age_facets(session)},
            "in the sitemap": await count_products(session),
        }


def expected_counts(ids_by_handle: int) -> dict[str, Any]:
    """Return the expected counts, with this number of products for sale in the inner category."""
    placed = {"madera": ids_by_handle, "trenes": ids_by_handle}
    ages = {"3-5 años": ids_by_handle}
    return {
        "total": ids_by_handle,
        "categories": placed,
        "brands": {"Roble": ids_by_handle},
        "ages": ages,
        "tree": placed,
        "all ages": ages,
        "in the sitemap": ids_by_handle,
    }


BEFORE = expected_counts(2)


def _publish(ids: dict[str, str]) -> Any:
    return update(Product).where(Product.id == ids["riel"]).values(status="published")


def _unpublish(ids: dict[str, str]) -> Any:
    return update(Product).where(Product.id == ids["vagon"]).values(status="draft")


def _rename_brand(ids: dict[str, str]) -> Any:
    return update(Product).where(Product.id == ids["vagon"]).values(brand="ROBLE")


def _change_age(ids: dict[str, str]) -> Any:
    return update(Product).where(Product.id == ids["vagon"]).values(age_range="6-8 años")


def _move_to_category(ids: dict[str, str]) -> Any:
    return (
        update(ProductCategory)
        .where(ProductCategory.product_id == ids["vagon"])
        .values(category_id=ids["outer"])
    )


def _remove_from_category(ids: dict[str, str]) -> Any:
    return delete(ProductCategory).where(ProductCategory.product_id == ids["vagon"])


TWO_AGES = {"3-5 años": 1, "6-8 años": 1}
CHANGES: list[tuple[Callable[[dict[str, str]], Any], dict[str, Any]]] = [
    (_publish, expected_counts(3)),
    (_unpublish, expected_counts(1)),
    (_rename_brand, {"brands": {"ROBLE": 1, "Roble": 1}}),
    (_change_age, {"ages": TWO_AGES, "all ages": TWO_AGES}),
    (_move_to_category, {"categories": {"madera": 2, "trenes": 1}, "tree": {"madera": 2, "trenes": 1}}),
    (_remove_from_category, {"categories": {"madera": 1, "trenes": 1}, "tree": {"madera": 1, "trenes": 1}}),
]


@pytest.mark.parametrize(("change", "after"), CHANGES)
async def test_next_page_shows_changed_counts_on_every_replica(
    shop: Shop, ids_by_handle: dict[str, str], change: Callable[[dict[str, str]], Any], after: dict[str, Any]
) -> None:
    other = Database.from_settings(shop.settings)
    assert await read_counts(shop.database) == await read_counts(other) == BEFORE
    async with shop.database.transaction() as session:
        await session.execute(change(ids_by_handle))
    assert await read_counts(other) == {**BEFORE, **after}
    assert await read_counts(shop.database) == {**BEFORE, **after}
    await other.close()


async def test_unchanged_products_are_not_counted_again(
    shop: Shop, ids_by_handle: dict[str, str], statements: list[str]
) -> None:
    first = await read_counts(shop.database)
    assert any("count(" in statement for statement in statements)
    statements.clear()
    assert await read_counts(shop.database) == first
    assert not any("count(" in statement for statement in statements)


async def test_concurrent_readers_run_the_count_queries_only_once(
    shop: Shop, ids_by_handle: dict[str, str], statements: list[str]
) -> None:
    first = await read_counts(shop.database)
    once = sum("count(" in statement for statement in statements)
    async with shop.database.transaction() as session:
        await session.execute(_rename_brand(ids_by_handle))
    statements.clear()
    renamed = {**first, "brands": {"ROBLE": 1, "Roble": 1}}
    assert await asyncio.gather(*(read_counts(shop.database) for _ in range(5))) == [renamed] * 5
    assert sum("count(" in statement for statement in statements) == once


async def test_lower_version_number_also_invalidates_the_cached_counts(
    shop: Shop, ids_by_handle: dict[str, str]
) -> None:
    """Lower the version, as on PostgreSQL, where an older transaction with a lower number may commit later."""
    assert await read_counts(shop.database) == BEFORE
    async with shop.database.transaction() as session:
        await session.execute(_unpublish(ids_by_handle))
    async with shop.database.transaction() as session:
        await session.execute(update(CatalogVersion).values(lists=0))
    assert (await read_counts(shop.database))["total"] == 1


async def test_waiting_reader_counts_if_the_first_reader_is_cancelled(
    shop: Shop, ids_by_handle: dict[str, str]
) -> None:
    counts = asyncio.Event()

    async def wait_forever() -> int:
        counts.set()
        return await asyncio.Future[int]()

    async def two() -> int:
        return 2

    async def ask(count: Callable[[], Awaitable[int]]) -> int:
        async with shop.database.read() as session:
            return await get_or_count(session, "toys", count)

    stopped = asyncio.create_task(ask(wait_forever))
    await counts.wait()
    waits = asyncio.create_task(ask(two))
    stopped.cancel()
    assert await waits == 2
    with pytest.raises(asyncio.CancelledError):
        await stopped


async def test_counts_read_inside_a_transaction_are_not_cached(
    shop: Shop, ids_by_handle: dict[str, str]
) -> None:
    """Count in a transaction and roll it back: on SQLite, the next change gets the same version."""
    async with shop.database.transaction() as session:
        await session.execute(_unpublish(ids_by_handle))
        assert (await catalog_page(session, ALL)).total == 1
        await session.rollback()
    async with shop.database.transaction() as session:
        await session.execute(_publish(ids_by_handle))
    assert (await read_counts(shop.database))["total"] == 3


async def test_every_filter_has_its_own_counts(shop: Shop, ids_by_handle: dict[str, str]) -> None:
    async with shop.database.transaction() as session:
        await session.execute(_change_age(ids_by_handle))
    catalog_filter = CatalogFilter(ages=("6-8 años",))
    for _ in range(2):
        assert (await read_counts(shop.database))["total"] == 2
        found = await read_counts(shop.database, catalog_filter)
        assert (found["total"], found["categories"]) == (1, {"madera": 1, "trenes": 1})
        assert found["ages"] == TWO_AGES
        assert (await read_counts(shop.database, CatalogFilter(categories=("trenes",))))["brands"] == {
            "Roble": 2
        }


async def test_counts_filtered_by_price_are_read_again_after_every_change(
    shop: Shop, ids_by_handle: dict[str, str]
) -> None:
    """Change a price: counts with a price filter are read again, unlike those without one."""
    cheap = CatalogFilter(max_price=40_000)
    for _ in range(2):
        assert (await read_counts(shop.database, cheap))["total"] == 0
    async with shop.database.transaction() as session:
        await session.execute(
            update(Variant).where(Variant.product_id == ids_by_handle["vagon"]).values(price=30_000)
        )
    assert (await read_counts(shop.database, cheap))["total"] == 1


PRICES = [(30, 50), (50, 30, 40), (40,), (40, 40), (40, 40, 60), (), (0,), (60, 20)]
"""Prices of the variants of each product, in thousands of pesos."""


@pytest.fixture
async def priced_products(shop: Shop, shop_defaults: Defaults) -> dict[str, int]:
    """Create products with the variants of `PRICES`. Return the lowest price by handle, if the product has variants."""
    async with shop.database.transaction() as session:
        for number, prices in enumerate(PRICES):
            variant = await add_product(session, shop_defaults, f"toy-{number}")
            product_id = (await session.get_one(Variant, variant)).product_id
            await session.execute(delete(Variant).where(Variant.product_id == product_id))
            session.add_all([Variant(product_id=product_id, price=price * 1000) for price in prices])
    return {f"toy-{number}": min(prices) * 1000 for number, prices in enumerate(PRICES) if prices}


async def test_price_filter_and_sort_use_the_price_of_the_cheapest_variant(
    shop: Shop, priced_products: dict[str, int]
) -> None:
    bounds = (None, 0, 1, 29_999, 30_000, 40_000, 61_000)
    for lowest, highest, sort in product(bounds, bounds, ("featured", "price_asc", "price_desc")):
        catalog_filter = CatalogFilter(min_price=lowest, max_price=highest, sort=sort)
        async with shop.database.read() as session:
            page = await catalog_page(session, catalog_filter)
        expected = {
            handle: price
            for handle, price in priced_products.items()
            if (lowest is None or price >= lowest) and (highest is None or price <= highest)
        }
        found = [card.handle for card in page.cards]
        assert sorted(found) == sorted(expected), catalog_filter
        # a product without a price is in no such list
        assert page.total == len(expected) + (lowest is highest is None), catalog_filter
        costs = [expected[handle] for handle in found]
        if sort != "featured":
            assert costs == sorted(costs, reverse=sort == "price_desc"), catalog_filter


FillShop = Callable[[str], Awaitable[None]]


@pytest.fixture
def fill_shop(shop: Shop, shop_defaults: Defaults) -> FillShop:
    """Return a function that creates a product for each character of a text.

    | character | available | featured |
    |---|---|---|
    | `x` | yes | no |
    | `X` | yes | yes |
    | `-` | no | no |
    | `_` | no | yes |
    """

    async def put(kinds: str) -> None:
        async with shop.database.transaction() as session:
            for number, kind in enumerate(kinds):
                await add_product(
                    session,
                    shop_defaults,
                    f"{number}-{kind}",
                    stock=5 if kind in "xX" else 0,
                    featured=kind in "X_",
                )

    return put


@pytest.mark.parametrize("kinds", ["x-xX-_x-X", "xxxx", "----", "x---", "---x", "_X", ""])
async def test_catalogue_pages_list_available_products_first(
    shop: Shop, fill_shop: FillShop, kinds: str
) -> None:
    await fill_shop(kinds)
    numbered = list(enumerate(kinds))
    expected = [
        f"{number}-{kind}"
        for expected_kind in ("X", "x", "_", "-")
        for number, kind in reversed(numbered)
        if kind == expected_kind
    ]
    for limit in (1, 2, 3, 4, 20):
        found = []
        async with shop.database.read() as session:
            for offset in range(0, len(kinds) + limit, limit):
                page = await catalog_page(session, ALL, offset=offset, limit=limit)
                assert page.total == len(kinds)
                found += [card.handle for card in page.cards]
        assert found == expected, limit
