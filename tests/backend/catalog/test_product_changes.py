"""A change of one product is none to answers that show others, whoever made it, on every replica."""

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
from tests.store_defaults import Defaults, make_toy

FIRST = Version(catalog=1, stock=1, lists=1, sold_out=1, shared=1, product_changes=7)


@pytest.fixture
async def toys(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """The ids of two toys, by their handles."""
    async with shop.database.transaction() as session:
        for handle in ("aro", "bola"):
            await make_toy(session, shop_defaults, handle, price=40_000, stock=5)
        return dict((await session.execute(select(Product.handle, Product.id))).all())


async def do(database: Database, *statements: Executable) -> None:
    async with database.transaction() as session:
        for statement in statements:
            await session.execute(statement)


async def changed(database: Database) -> dict[str, int]:
    """The number of each product's last change."""
    async with database.read() as session:
        return dict((await session.execute(select(ProductChange.product_id, ProductChange.number))).all())


async def count(database: Database) -> int:
    async with database.read() as session:
        return (await session.execute(select(CatalogVersion.product_changes))).scalar_one()


def prices(answer: httpx.Response) -> list[int]:
    shown = [one for product in answer.json()["products"] for one in product["variants"]]
    return [variant["calculated_price"]["calculated_amount"] for variant in shown]


async def test_a_price_is_in_the_very_next_answer_and_leaves_other_answers_alone(
    shop: Shop,
    store: httpx.AsyncClient,
    replica: httpx.AsyncClient,
    toys: dict[str, str],
    statements: list[str],
) -> None:
    async with shop.database.read() as session:
        region = (await session.execute(select(Region.id))).scalar_one()
    priced = f"fields=*variants.calculated_price&region_id={region}"
    asks = {name: f"/store/products?handle={name}&{priced}" for name in toys} | {
        "all": f"/store/products?{priced}",
        "by price": f"/store/products?{priced}&order=-price",
        "word": f"/store/products?q=bola&{priced}",
        "one": f"/store/products/{toys['bola']}?{priced}",
    }
    before = {name: (await store.get(ask)).content for name, ask in asks.items()}
    assert {name: (await replica.get(ask)).content for name, ask in asks.items()} == before
    cheap = update(Variant).where(Variant.product_id == toys["aro"]).values(price=39_000)
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


async def test_an_answer_that_a_rival_overtakes_is_not_given_again(
    shop: Shop, store: httpx.AsyncClient, toys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rival commits when the products have been read, and before the answer is kept."""
    write, rivals = ProductWriter.write, [subtitled(toys["aro"], "Otro")]

    async def overtaken(*args: Any) -> Any:
        written = await write(*args)
        while rivals:
            await do(shop.database, rivals.pop())
        return written

    ask = "/store/products?handle=aro&fields=subtitle"
    monkeypatch.setattr(ProductWriter, "write", overtaken)
    seen = [(await store.get(ask)).json()["products"][0]["subtitle"] for _ in range(3)]
    assert seen == ["", "Otro", "Otro"]


def subtitled(product_id: str, subtitle: str) -> Executable:
    return update(Product).where(Product.id == product_id).values(subtitle=subtitle)


@pytest.fixture
async def parts(shop: Shop, toys: dict[str, str]) -> list[SQLModel]:
    """Parts that the first toy may have."""
    category, tag = Category(name="Aros", handle="aros"), ProductTag(value="De madera")
    kind = ProductType(value="Juego")
    async with shop.database.transaction() as session:
        session.add_all([category, tag, kind])
    aro = toys["aro"]
    return [
        Picture(product_id=aro, url="/demo/a.webp"),
        ProductCategory(product_id=aro, category_id=category.id),
        ProductHasTag(product_id=aro, tag_id=tag.id),
        ProductHasType(product_id=aro, type_id=kind.id),
        ProductOption(product_id=aro, title="Color"),
        Review(product_id=aro, name="Ana", stars=5, text="Gira", written_at=tag.created_at),
    ]


async def test_every_part_of_a_product_counts(
    shop: Shop, toys: dict[str, str], parts: list[SQLModel]
) -> None:
    variants, pictures = table_of(Variant).c.product_id == toys["aro"], update(Picture).values(alt="Un aro")
    statements: dict[str, Executable] = {
        "product": subtitled(toys["aro"], "Otro"),
        "product, by hand": text("UPDATE product SET subtitle = 'x' WHERE handle = 'aro'"),
        "variant": update(Variant).where(variants).values(price=1),
        **{f"{type(part).__name__} added": insert(type(part)).values(part.model_dump()) for part in parts},
        "picture": pictures,
        **{f"{type(part).__name__} gone": delete(type(part)) for part in parts},
        "variant gone": delete(Variant).where(variants),
    }
    seen = await changed(shop.database)
    for name, statement in statements.items():
        await do(shop.database, statement)
        latest = await changed(shop.database)
        assert latest == {**seen, toys["aro"]: await count(shop.database)}, name
        assert latest != seen, name
        seen = latest


async def test_a_variant_that_moves_changes_both_products(shop: Shop, toys: dict[str, str]) -> None:
    before = await count(shop.database)
    moved = update(Variant).where(Variant.product_id == toys["aro"]).values(product_id=toys["bola"])
    await do(shop.database, moved)
    assert {number > before for number in (await changed(shop.database)).values()} == {True}
    assert (await changed(shop.database)).keys() == set(toys.values())


async def test_a_deleted_product_keeps_its_number(shop: Shop, toys: dict[str, str]) -> None:
    await do(shop.database, delete(Product).where(Product.id == toys["aro"]))
    assert (await changed(shop.database))[toys["aro"]] == await count(shop.database)


async def test_what_is_taken_back_is_no_change(shop: Shop, toys: dict[str, str]) -> None:
    async def change_and_fail() -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(Variant).values(price=1))
            raise ZeroDivisionError

    before = await changed(shop.database), await count(shop.database)
    with pytest.raises(ZeroDivisionError):
        await change_and_fail()
    assert (await changed(shop.database), await count(shop.database)) == before


@pytest.fixture
async def many_writers(postgresql_url: str) -> AsyncIterator[Database]:
    """A database with many writers at a time, and two products."""
    database = Database(postgresql_url)
    async with database.transaction() as session:
        session.add_all(Product(id=name, handle=name, title=name) for name in ("aro", "bola"))
    yield database
    await database.close()


async def test_changes_are_numbered_in_the_order_of_their_commits(many_writers: Database) -> None:
    """Who knows of a number must not miss a change that began before it and is committed after it."""
    probe = VersionProbe(many_writers)
    start = await probe.now()
    async with many_writers.transaction() as early:
        await early.execute(subtitled("aro", "Otro"))
        await do(many_writers, subtitled("bola", "Otra"))
        between = await probe.now()
        assert not probe.product_changes.none_since(start.product_changes, ["bola"])
        assert probe.product_changes.none_since(start.product_changes, ["aro"])
    after = await probe.now()
    assert start.product_changes < between.product_changes < after.product_changes
    assert not probe.product_changes.none_since(between.product_changes, ["aro"])
    assert probe.product_changes.none_since(between.product_changes, ["bola"])
    await probe.close()


async def test_a_transaction_of_many_rows_is_one_change(many_writers: Database) -> None:
    before = await count(many_writers)
    await do(many_writers, update(Product).values(subtitle="Otro"), subtitled("aro", "Otra"))
    assert await changed(many_writers) == dict.fromkeys(("aro", "bola"), before + 1)


async def test_rivals_who_write_in_another_order_do_not_lock_each_other(many_writers: Database) -> None:
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
    assert await changed(many_writers) == dict.fromkeys(("aro", "bola"), await count(many_writers))


async def test_after_too_many_changes_all_count_as_changed(
    shop: Shop, toys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = shop.catalog_version
    start = (await probe.now()).product_changes
    monkeypatch.setattr(version_probe, "MOST_CHANGES", 1)
    await do(shop.database, update(Variant).where(Variant.product_id == toys["aro"]).values(price=1))
    await probe.now()
    assert probe.product_changes.none_since(start, [toys["bola"]])
    await do(shop.database, update(Variant).where(Variant.product_id == toys["bola"]).values(price=1))
    latest = (await probe.now()).product_changes
    assert not probe.product_changes.none_since(start, ["unknown"])
    assert probe.product_changes.none_since(latest, toys.values())


@pytest.fixture
def changes() -> ProductChanges:
    remembered = ProductChanges()
    assert remembered.lack(FIRST) is None
    return remembered


def test_before_a_version_was_read_everything_may_have_changed() -> None:
    assert not ProductChanges().none_since(7, [])


@pytest.mark.parametrize(
    ("number", "products", "is_unchanged"),
    [
        (7, ["a"], False),
        (8, ["a"], False),
        (9, ["a"], True),
        (7, ["c"], True),
        (8, ["a", "c"], False),
        (6, ["c"], False),  # of before the first version: it is not known
        (9, [], True),
    ],
)
def test_a_product_has_changed_after_a_smaller_number(
    changes: ProductChanges, number: int, products: Sequence[str], is_unchanged: bool
) -> None:
    assert changes.lack(FIRST._replace(product_changes=9)) == 7
    changes.note(FIRST._replace(product_changes=9), [("a", 9), ("b", 8)])
    assert changes.lack(FIRST._replace(product_changes=9)) is None
    assert changes.none_since(number, products) is is_unchanged


def test_numbers_of_before_a_restored_database_are_not_trusted(changes: ProductChanges) -> None:
    assert changes.lack(FIRST._replace(product_changes=5)) is None
    assert changes.lack(FIRST._replace(product_changes=9)) == 5
    changes.note(FIRST._replace(product_changes=9), [("a", 9)])
    assert not changes.none_since(7, ["b"])
    assert changes.none_since(8, ["b"])
    assert not changes.none_since(8, ["a"])
