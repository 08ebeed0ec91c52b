"""Products read with their parts: which of them, in what order, and moments to the millisecond, on both databases."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.product_rows import Among, Part, PictureRow, VariantRow, read_products
from backend.catalog.models import Picture, Product, Variant
from backend.core.db.database import Database
from backend.core.db.json_rows import rows_from
from backend.edge.wire import iso

FOR_SALE, DRAFT, DELETED = "prod_b", "prod_a", 'prod_"c'
"""A quotation mark: ids are passed to SQLite as JSON."""
MOMENT = datetime(2026, 2, 3, 23, 59, 59, 999_999, UTC)


@pytest.fixture
async def three(database: Database) -> Database:
    """A shop with three products: one for sale, a draft, and one that is deleted."""
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


async def _ids(session: AsyncSession, ids: list[str], among: Among) -> list[str]:
    return [row.id for row in await read_products(session, ids, frozenset(), among)]


@pytest.mark.parametrize(
    ("among", "found"),
    [
        (Among.ALL, [DELETED, FOR_SALE, DRAFT]),
        (Among.KEPT, [FOR_SALE, DRAFT]),
        (Among.FOR_SALE, [FOR_SALE]),
    ],
)
async def test_products_come_in_the_order_of_their_ids(
    three: Database, among: Among, found: list[str]
) -> None:
    async with three.read() as session:
        assert await _ids(session, [DELETED, "prod_unknown", FOR_SALE, DRAFT, FOR_SALE], among) == found
        assert await _ids(session, [], among) == []


async def test_only_the_parts_that_were_asked_for_are_read(three: Database) -> None:
    async with three.read() as session:
        (row,) = await read_products(session, [FOR_SALE], frozenset({Part.PICTURES}))
    assert [picture.id for picture in rows_from(PictureRow, row.pictures)] == ["img_2", "img_1"]
    assert {row.variants, row.options, row.tags, row.type, row.collection, row.categories} == {None}
    assert row.extra_metadata is None


async def test_units_are_those_of_all_locations_or_none(three: Database) -> None:
    async with three.read() as session:
        (counted,) = await read_products(session, [FOR_SALE], frozenset({Part.VARIANTS, Part.UNITS}))
        (plain,) = await read_products(session, [FOR_SALE], frozenset({Part.VARIANTS}))
    assert [variant.units for variant in rows_from(VariantRow, counted.variants)] == [0]
    assert [variant.units for variant in rows_from(VariantRow, plain.variants)] == [None]


@pytest.mark.parametrize("microseconds", [0, 1, 999, 1_000, 120_000, 500_500, 999_500, 999_999])
async def test_moments_are_cut_to_milliseconds_as_everywhere(three: Database, microseconds: int) -> None:
    moment = MOMENT.replace(microsecond=microseconds)
    async with three.transaction() as session:
        product = await session.get_one(Product, FOR_SALE)
        product.created_at, product.updated_at = moment, moment + timedelta(microseconds=1)
        await session.flush()
        (row,) = await read_products(session, [FOR_SALE], frozenset())
    assert (row.created_at, row.updated_at) == (iso(moment), iso(moment + timedelta(microseconds=1)))
    assert row.deleted_at is None


async def test_what_the_session_has_not_written_yet_is_read_too(three: Database) -> None:
    async with three.transaction() as session:
        product = await session.get_one(Product, FOR_SALE)
        product.title = "Otro"
        (row,) = await read_products(session, [FOR_SALE], frozenset())
    assert row.title == "Otro"
