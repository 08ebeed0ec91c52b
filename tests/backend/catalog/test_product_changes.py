"""A change of one product does not invalidate cached responses with other products, on every replica."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.sql.base import Executable
from sqlmodel import SQLModel

from backend.app import Shop
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.derived_models import CatalogVersion, ProductChange
from backend.catalog.models import (
    Category,
    Picture,
    Product,
    ProductCategory,
    ProductHasTag,
    ProductHasType,
    ProductOption,
    ProductTag,
    ProductType,
    Variant,
)
from backend.channels.models import Region
from backend.core.caching import version_probe
from backend.core.caching.version_probe import ProductChanges, Version, VersionProbe
from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.reviews.models import Review
from tests.store_defaults import Defaults, add_product

FIRST = Version(catalog=1, stock=1, lists=1, sold_out=1, shared=1, product_changes=7)


@pytest.fixture
async def ids_by_handle(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Create two products. Return their ids by handle."""
    async with shop.database.transaction() as session:
        for handle in ("aro", "bola"):
            await add_product(session, shop_defaults, handle, price=40_000, stock=5)
        return dict((await session.execute(select(Product.handle, Product.id))).all())


async def do(database: Database, *statements: Executable) -> None:
    async with database.transaction() as session:
        for statement in statements:
            await session.execute(statement)


async def read_change_numbers(database: Database) -> dict[str, int]:
    """Return the number of each product's latest change."""
    async with database.read() as session:
        return dict((await session.execute(select(ProductChange.product_id, ProductChange.number))).all())


async def read_change_count(database: Database) -> int:
    async with database.read() as session:
        return (await session.execute(select(CatalogVersion.product_changes))).scalar_one()


def prices(answer: httpx.Response) -> list[int]:
    shown = [one for product in answer.json()["products"] for one in product["variants"]]
    return [variant["calculated_price"]["calculated_amount"] for variant in shown]


async def test_price_change_affects_only_responses_with_that_product(
    shop: Shop,
    store: httpx.AsyncClient,
    replica: httpx.AsyncClient,
    ids_by_handle: dict[str, str],
    statements: list[str],
) -> None:
    async with shop.database.read() as session:
        region = (await session.execute(select(Region.id))).scalar_one()
    priced = f"fields=*variants.calculated_price&region_id={region}"
    asks = {name: f"/store/products?handle={name}&{priced}" for name in ids_by_handle} | {
        "all": f"/store/products?{priced}",
        "by price": f"/store/products?{priced}&order=-price",
        "word": f"/store/products?q=bola&{priced}",
        "one": f"/store/products/{ids_by_handle['bola']}?{priced}",
    }
    before = {name: (await store.get(ask)).content for name, ask in asks.items()}
    assert {name: (await replica.get(ask)).content for name, ask in asks.items()} == before
    cheap = update(Variant).where(Variant.product_id == ids_by_handle["aro"]).values(price=39_000)
    await do(shop.database, cheap)
    statements.clear()
    for alone in ("bola", "word", "one"):
        assert (await store.get(asks[alone])).content == before[alone]
    assert statements == []
    for client in (store, replica):
        assert prices(await client.get(asks["aro"])) == [39_000]
        assert sorted(prices(await client.get(asks["all"]))) == [39_000, 40_000]
        assert prices(await client.get(asks["by price"])) == [40_000, 39_000]
        assert {name: (await client.get(asks[name])).content for name in ("bola", "word", "one")} == {
            name: before[name] for name in ("bola", "word", "one")
        }


async def test_response_read_before_a_concurrent_change_is_not_reused(
    shop: Shop, store: httpx.AsyncClient, ids_by_handle: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commit a concurrent change after the products were read, and before the response is cached."""
    write, rivals = ProductWriter.write, [set_subtitle(ids_by_handle["aro"], "Otro")]

    async def write_late(*args: Any) -> Any:
        written = await write(*args)
        while rivals:
            await do(shop.database, rivals.pop())
        return written

    ask = "/store/products?handle=aro&fields=subtitle"
    monkeypatch.setattr(ProductWriter, "write", write_late)
    seen = [(await store.get(ask)).json()["products"][0]["subtitle"] for _ in range(3)]
    assert seen == ["", "Otro", "Otro"]


def set_subtitle(product_id: str, subtitle: str) -> Executable:
    return update(Product).where(Product.id == product_id).values(subtitle=subtitle)


@pytest.fixture
async def parts(shop: Shop, ids_by_handle: dict[str, str]) -> list[SQLModel]:
    """Return rows that can be stored for the first product: a picture, a tag, a review and others."""
    category, tag = Category(name="Aros", handle="aros"), ProductTag(value="De madera")
    kind = ProductType(value="Juego")
    async with shop.database.transaction() as session:
        session.add_all([category, tag, kind])
    aro = ids_by_handle["aro"]
    return [
        Picture(product_id=aro, url="/demo/a.webp"),
        ProductCategory(product_id=aro, category_id=category.id),
        ProductHasTag(product_id=aro, tag_id=tag.id),
        ProductHasType(product_id=aro, type_id=kind.id),
        ProductOption(product_id=aro, title="Color"),
        Review(product_id=aro, name="Ana", stars=5, text="Gira", written_at=tag.created_at),
    ]


async def test_change_of_any_part_of_a_product_raises_its_change_number(
    shop: Shop, ids_by_handle: dict[str, str], parts: list[SQLModel]
) -> None:
    variants, pictures = (
        table_of(Variant).c.product_id == ids_by_handle["aro"],
        update(Picture).values(alt="Un aro"),
    )
    statements: dict[str, Executable] = {
        "product": set_subtitle(ids_by_handle["aro"], "Otro"),
        "product, by hand": text("UPDATE product SET subtitle = 'x' WHERE handle = 'aro'"),
        "variant": update(Variant).where(variants).values(price=1),
        **{f"{type(part).__name__} added": insert(type(part)).values(part.model_dump()) for part in parts},
        "picture": pictures,
        **{f"{type(part).__name__} gone": delete(type(part)) for part in parts},
        "variant gone": delete(Variant).where(variants),
    }
    seen = await read_change_numbers(shop.database)
    for name, statement in statements.items():
        await do(shop.database, statement)
        latest = await read_change_numbers(shop.database)
        assert latest == {**seen, ids_by_handle["aro"]: await read_change_count(shop.database)}, name
        assert latest != seen, name
        seen = latest


async def test_moved_variant_raises_the_change_numbers_of_both_products(
    shop: Shop, ids_by_handle: dict[str, str]
) -> None:
    before = await read_change_count(shop.database)
    moved = (
        update(Variant)
        .where(Variant.product_id == ids_by_handle["aro"])
        .values(product_id=ids_by_handle["bola"])
    )
    await do(shop.database, moved)
    assert {number > before for number in (await read_change_numbers(shop.database)).values()} == {True}
    assert (await read_change_numbers(shop.database)).keys() == set(ids_by_handle.values())


async def test_deleted_product_keeps_its_change_number(shop: Shop, ids_by_handle: dict[str, str]) -> None:
    await do(shop.database, delete(Product).where(Product.id == ids_by_handle["aro"]))
    assert (await read_change_numbers(shop.database))[ids_by_handle["aro"]] == await read_change_count(
        shop.database
    )


async def test_rolled_back_transaction_raises_no_change_number(
    shop: Shop, ids_by_handle: dict[str, str]
) -> None:
    async def change_and_fail() -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(Variant).values(price=1))
            raise ZeroDivisionError

    before = await read_change_numbers(shop.database), await read_change_count(shop.database)
    with pytest.raises(ZeroDivisionError):
        await change_and_fail()
    assert (await read_change_numbers(shop.database), await read_change_count(shop.database)) == before


@pytest.fixture
async def many_writers(postgresql_url: str) -> AsyncIterator[Database]:
    """Create a database that allows concurrent writers, with two products."""
    database = Database(postgresql_url)
    async with database.transaction() as session:
        session.add_all(Product(id=name, handle=name, title=name) for name in ("aro", "bola"))
    yield database
    await database.close()


async def test_changes_are_numbered_in_commit_order(many_writers: Database) -> None:
    """Read a number between two commits: the change that began first and is committed last gets a larger one."""
    probe = VersionProbe(many_writers)
    start = await probe.read_version()
    async with many_writers.transaction() as early:
        await early.execute(set_subtitle("aro", "Otro"))
        await do(many_writers, set_subtitle("bola", "Otra"))
        between = await probe.read_version()
        assert not probe.product_changes.are_unchanged_since(start.product_changes, ["bola"])
        assert probe.product_changes.are_unchanged_since(start.product_changes, ["aro"])
    after = await probe.read_version()
    assert start.product_changes < between.product_changes < after.product_changes
    assert not probe.product_changes.are_unchanged_since(between.product_changes, ["aro"])
    assert probe.product_changes.are_unchanged_since(between.product_changes, ["bola"])
    await probe.close()


async def test_transaction_with_many_rows_counts_as_one_change(many_writers: Database) -> None:
    before = await read_change_count(many_writers)
    await do(many_writers, update(Product).values(subtitle="Otro"), set_subtitle("aro", "Otra"))
    assert await read_change_numbers(many_writers) == dict.fromkeys(("aro", "bola"), before + 1)


async def test_concurrent_writers_of_products_in_different_order_do_not_deadlock(
    many_writers: Database,
) -> None:
    def reviews(*product_ids: str) -> list[Executable]:
        new = (
            Review(product_id=one, name="Ana", stars=5, text="Gira", written_at=now()) for one in product_ids
        )
        return [insert(Review).values(review.model_dump()) for review in new]

    for _ in range(20):
        await asyncio.gather(
            do(many_writers, *reviews("aro", "bola")), do(many_writers, *reviews("bola", "aro"))
        )
    async with many_writers.read() as session:
        assert (await session.execute(select(func.count()).select_from(Review))).scalar_one() == 80
    assert await read_change_numbers(many_writers) == dict.fromkeys(
        ("aro", "bola"), await read_change_count(many_writers)
    )


async def test_too_many_changes_invalidate_all_products(
    shop: Shop, ids_by_handle: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = shop.catalog_version
    start = (await probe.read_version()).product_changes
    monkeypatch.setattr(version_probe, "MAX_CHANGES", 1)
    await do(shop.database, update(Variant).where(Variant.product_id == ids_by_handle["aro"]).values(price=1))
    await probe.read_version()
    assert probe.product_changes.are_unchanged_since(start, [ids_by_handle["bola"]])
    await do(
        shop.database, update(Variant).where(Variant.product_id == ids_by_handle["bola"]).values(price=1)
    )
    latest = (await probe.read_version()).product_changes
    assert not probe.product_changes.are_unchanged_since(start, ["unknown"])
    assert probe.product_changes.are_unchanged_since(latest, ids_by_handle.values())


@pytest.fixture
def changes() -> ProductChanges:
    remembered = ProductChanges()
    assert remembered.missing_since(FIRST) is None
    return remembered


def test_products_are_treated_as_changed_until_the_first_version_is_read() -> None:
    assert not ProductChanges().are_unchanged_since(7, [])


@pytest.mark.parametrize(
    ("number", "products", "is_unchanged"),
    [
        (7, ["a"], False),
        (8, ["a"], False),
        (9, ["a"], True),
        (7, ["c"], True),
        (8, ["a", "c"], False),
        (6, ["c"], False),  # from before the first version: unknown
        (9, [], True),
    ],
)
def test_product_counts_as_changed_since_any_number_below_its_own(
    changes: ProductChanges, number: int, products: Sequence[str], is_unchanged: bool
) -> None:
    assert changes.missing_since(FIRST._replace(product_changes=9)) == 7
    changes.add_changes(FIRST._replace(product_changes=9), [("a", 9), ("b", 8)])
    assert changes.missing_since(FIRST._replace(product_changes=9)) is None
    assert changes.are_unchanged_since(number, products) is is_unchanged


def test_change_numbers_from_before_a_database_restore_are_not_trusted(changes: ProductChanges) -> None:
    assert changes.missing_since(FIRST._replace(product_changes=5)) is None
    assert changes.missing_since(FIRST._replace(product_changes=9)) == 5
    changes.add_changes(FIRST._replace(product_changes=9), [("a", 9)])
    assert not changes.are_unchanged_since(7, ["b"])
    assert changes.are_unchanged_since(8, ["b"])
    assert not changes.are_unchanged_since(8, ["a"])
