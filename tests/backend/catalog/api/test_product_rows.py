"""Products are read with their parts: which parts, in which order, and with times in milliseconds."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.product_rows import PictureRow, ProductPart, ProductScope, VariantRow, read_products
from backend.catalog.models import Picture, Product, Variant
from backend.core.db.database import Database
from backend.core.db.json_rows import parse_rows
from backend.edge.wire import iso

FOR_SALE, DRAFT, DELETED = "prod_b", "prod_a", 'prod_"c'
"""One id contains a quotation mark, because ids are passed to SQLite as JSON."""
MOMENT = datetime(2026, 2, 3, 23, 59, 59, 999_999, UTC)


@pytest.fixture
async def three_products(database: Database) -> Database:
    """Create a shop with a product for sale, a draft and a deleted product."""
    async with database.transaction() as session:
        session.add_all(
            [
                Product(id=FOR_SALE, handle="b", title="B", created_at=MOMENT),
                Product(id=DRAFT, handle="a", title="A", status="draft"),
                Product(id=DELETED, handle="c", title="C", deleted_at=MOMENT),
            ]
        )
        await session.flush()
        session.add_all(
            [
                Picture(id="img_1", product_id=FOR_SALE, url="/1.webp", rank=1),
                Picture(id="img_2", product_id=FOR_SALE, url="/2.webp", rank=0),
                Variant(id="variant_1", product_id=FOR_SALE, price=5),
            ]
        )
    return database


async def _ids(session: AsyncSession, ids: list[str], scope: ProductScope) -> list[str]:
    return [row.id for row in await read_products(session, ids, frozenset(), scope)]


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        (ProductScope.ALL, [DELETED, FOR_SALE, DRAFT]),
        (ProductScope.KEPT, [FOR_SALE, DRAFT]),
        (ProductScope.FOR_SALE, [FOR_SALE]),
    ],
)
async def test_products_are_returned_in_the_order_of_the_requested_ids(
    three_products: Database, scope: ProductScope, found: list[str]
) -> None:
    async with three_products.read() as session:
        assert await _ids(session, [DELETED, "prod_unknown", FOR_SALE, DRAFT, FOR_SALE], scope) == found
        assert await _ids(session, [], scope) == []


async def test_product_is_read_without_the_parts_that_were_not_requested(three_products: Database) -> None:
    async with three_products.read() as session:
        (row,) = await read_products(session, [FOR_SALE], frozenset({ProductPart.PICTURES}))
    assert [picture.id for picture in parse_rows(PictureRow, row.pictures)] == ["img_2", "img_1"]
    assert {row.variants, row.options, row.tags, row.type, row.collection, row.categories} == {None}
    assert row.extra_metadata is None


async def test_variant_has_units_only_if_they_are_requested(three_products: Database) -> None:
    async with three_products.read() as session:
        (counted,) = await read_products(
            session, [FOR_SALE], frozenset({ProductPart.VARIANTS, ProductPart.UNITS})
        )
        (plain,) = await read_products(session, [FOR_SALE], frozenset({ProductPart.VARIANTS}))
    assert [variant.units for variant in parse_rows(VariantRow, counted.variants)] == [0]
    assert [variant.units for variant in parse_rows(VariantRow, plain.variants)] == [None]


@pytest.mark.parametrize("microseconds", [0, 1, 999, 1_000, 120_000, 500_500, 999_500, 999_999])
async def test_times_of_a_product_are_truncated_to_milliseconds(
    three_products: Database, microseconds: int
) -> None:
    moment = MOMENT.replace(microsecond=microseconds)
    async with three_products.transaction() as session:
        product = await session.get_one(Product, FOR_SALE)
        product.created_at, product.updated_at = moment, moment + timedelta(microseconds=1)
        await session.flush()
        (row,) = await read_products(session, [FOR_SALE], frozenset())
    assert (row.created_at, row.updated_at) == (iso(moment), iso(moment + timedelta(microseconds=1)))
    assert row.deleted_at is None


async def test_pending_changes_are_flushed_before_reading(three_products: Database) -> None:
    async with three_products.transaction() as session:
        product = await session.get_one(Product, FOR_SALE)
        product.title = "Otro"
        (row,) = await read_products(session, [FOR_SALE], frozenset())
    assert row.title == "Otro"
