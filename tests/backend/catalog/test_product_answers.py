"""Product responses, compared byte by byte with `product_answers.json`, on both databases."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from sqlalchemy import select
from sqlmodel import SQLModel

from backend.app import Shop
from backend.catalog.models import (
    Category,
    Collection,
    Picture,
    Product,
    ProductCategory,
    ProductHasTag,
    ProductHasType,
    ProductOption,
    ProductOptionValue,
    ProductTag,
    ProductType,
    Variant,
    VariantOptionValue,
)
from backend.catalog.search.index import index_products
from backend.channels.models import Region
from backend.inventory.models import InventoryLevel
from tests.store_defaults import Defaults

ANSWERS: dict[str, Any] = orjson.loads(Path(__file__).with_name("product_answers.json").read_bytes())
ODD = 'Ñandú "rápido" \\ \'s 🪀\u2028\n\t<b>&amp;</b> %20 {"a":[1]} ó'
NESTED = {
    "ages": [3, 3.5, -1, 0, 2**53 + 1, 2**63 - 1, 0.1 + 0.2, 1e-7, 1e22],
    "deep": {"ñ": {"🪀": "sí"}, "list": [[], {}, None, True, False, ""]},
    "text": ODD,
}
"""The keys are in PostgreSQL's storage order."""
TIMES = (
    (datetime(2026, 1, 2, 3, 4, 5, 999_999, UTC), datetime(2026, 1, 2, 3, 4, 6, 0, UTC)),
    (datetime(2025, 12, 31, 23, 59, 59, 999_500, UTC), datetime(2026, 2, 28, 12, 0, 0, 1_000, UTC)),
    (
        datetime(2026, 3, 1, 19, 30, 0, 999, timezone(timedelta(hours=-5))),
        datetime(2026, 3, 1, 0, 0, 0, 120_000, UTC),
    ),
)
EVERYTHING = "+metadata,*categories,*variants.calculated_price,+variants.inventory_quantity"
STORE = (
    "",
    "order=title&limit=2&offset=1",
    f"fields={EVERYTHING},%2Bstatus,%2Btax_rate,%2Bfeatured,%2Bwarnings&region_id=REGION",
    "fields=*variants.calculated_price&region_id=REGION&handle=nandu",
    "fields=*variants.calculated_price&region_id=REGION&q=nandu",
    "fields=id,title",
    "fields=handle,*tags,*type",
    "fields=type_id,collection_id,collection.title",
    "fields=-variants,-options,-images,-collection,-tags,-type",
    "fields=variants.sku,variants.options.value,*options.values",
    "fields=*images,metadata,categories.name",
    "fields=variants.id,*variants.images&handle=hosted",
)
STAFF = ("-sales_channels,-shipping_profile,-variants.images", "id,variants.prices,metadata,deleted_at")


def _id(prefix: str, number: int) -> str:
    return f"{prefix}_01K{number:023d}"


def _timed(row: SQLModel, number: int) -> SQLModel:
    row.created_at, row.updated_at = TIMES[number % len(TIMES)]
    return row


@pytest.fixture
async def region(shop: Shop, shop_defaults: Defaults) -> str:
    """Create a shop with unusual products, whose ids and times are fixed. Return the region."""
    products = [
        Product(
            id=_id("prod", 1), handle="nandu", title=ODD, subtitle="", description=ODD, thumbnail="/demo/a (1).webp",
            weight=0.1 + 0.2, length=1e-7, height=12, width=33.333333333333336, brand="Ñ 🪀", age_range="3-5",
            material="pino", origin_country="co", warnings=ODD, featured=True, tax_rate=5, collection_id=_id("pcol", 1),
            extra_metadata=NESTED,
        ),
        Product(id=_id("prod", 2), handle="nothing", title="Nada"),
        Product(
            id=_id("prod", 3), handle="hosted", title="Alojado", thumbnail="https://cdn.example/a b.png?c=d e",
            collection_id=_id("pcol", 2), extra_metadata={"brand": "otra", "video": None},
        ),
        Product(id=_id("prod", 4), handle="draft", title="Oculto", status="draft"),
        Product(id=_id("prod", 5), handle="gone", title="Borrado", deleted_at=TIMES[0][0]),
    ]  # fmt: skip
    variants = [
        Variant(
            id=_id("variant", number), product_id=_id("prod", 1), title=f"{number} \"🪀\"", sku=f"S-{number}",
            ean=str(7_700_000_000_000 + number), price=1000 * number, rank=7 - number // 2,
            compare_at_price=(None, 500, 99_999_999)[number % 3],
        )
        for number in range(1, 8)
    ]  # fmt: skip
    variants.append(Variant(id=_id("variant", 20), product_id=_id("prod", 3), price=0, compare_at_price=10))
    variants.append(Variant(id=_id("variant", 21), product_id=_id("prod", 4), price=7))
    options = [
        ProductOption(
            id=_id("opt", 2), product_id=_id("prod", 1), title="Color", rank=0, meta={"kind": [1, ODD]}
        ),
        ProductOption(id=_id("opt", 1), product_id=_id("prod", 1), title=ODD, rank=1),
        ProductOption(id=_id("opt", 3), product_id=_id("prod", 1), title="Vacía", rank=2),
    ]
    values = [
        ProductOptionValue(
            id=_id("optval", number),
            option_id=_id("opt", 1 + number % 2),
            value=f"{number} ñ",
            rank=number % 3,
        )
        for number in range(1, 7)
    ]
    links = [
        VariantOptionValue(variant_id=_id("variant", number), value_id=_id("optval", value))
        for number in range(1, 7)
        for value in (1 + number % 3 * 2, 2 + number % 2 * 2)
    ]
    pictures = [
        Picture(id=_id("img", 1), product_id=_id("prod", 1), url="/demo/a (1),ñ.webp", alt=ODD, rank=2),
        Picture(id=_id("img", 2), product_id=_id("prod", 1), url="/pictures/ya%20codificada.webp", rank=0),
        Picture(
            id=_id("img", 3), product_id=_id("prod", 1), url="https://cdn.example/a b.png?c=d e#f", rank=1
        ),
        Picture(id=_id("img", 4), product_id=_id("prod", 3), url="//cdn.example/é.png", alt="é", rank=3),
    ]
    collections = [
        Collection(id=_id("pcol", 1), title=ODD, handle="odd", meta=NESTED),
        Collection(id=_id("pcol", 2), title="Sin más", handle="plain"),
    ]
    categories = [
        Category(id=_id("pcat", 1), name=ODD, handle="odd", description=ODD, rank=3, meta=NESTED),
        Category(id=_id("pcat", 2), name="Madera", handle="madera", parent_id=_id("pcat", 1), rank=1),
        Category(id=_id("pcat", 3), name="Agua", handle="agua", parent_id=_id("pcat", 1), rank=1),
    ]
    words = [
        ProductTag(id=_id("ptag", 1), value="tejido", meta=NESTED),
        ProductTag(id=_id("ptag", 2), value="de madera"),
        ProductType(id=_id("ptyp", 1), value=ODD, meta=NESTED),
        ProductType(id=_id("ptyp", 2), value="otro"),
    ]
    async with shop.database.transaction() as session:
        for some in (
            collections,
            categories[:1],
            categories[1:],
            words,
            products,
            variants,
            options,
            values,
            pictures,
        ):
            session.add_all(_timed(row, number) for number, row in enumerate(some))
            await session.flush()
        session.add_all(links)
        session.add_all(ProductCategory(product_id=_id("prod", 1), category_id=one.id) for one in categories)
        session.add(ProductCategory(product_id=_id("prod", 3), category_id=categories[1].id))
        session.add_all(ProductHasTag(product_id=_id("prod", 1), tag_id=_id("ptag", one)) for one in (1, 2))
        session.add(ProductHasTag(product_id=_id("prod", 2), tag_id=_id("ptag", 1)))
        session.add(ProductHasType(product_id=_id("prod", 1), type_id=_id("ptyp", 1)))
        session.add(ProductHasType(product_id=_id("prod", 3), type_id=_id("ptyp", 2)))
        session.add_all(
            InventoryLevel(
                variant_id=_id("variant", number),
                location_id=shop_defaults.location_id,
                stocked=9,
                reserved=number % 4,
            )
            for number in range(1, 6)
        )
        await session.flush()
        await index_products(session, [product.id for product in products])
        return str((await session.execute(select(Region.id))).scalar_one())


@pytest.mark.parametrize("query", STORE)
async def test_store_responses_equal_the_recorded_ones_byte_by_byte(
    store: httpx.AsyncClient, region: str, query: str
) -> None:
    answer = await store.get(f"/store/products?{query.replace('REGION', region)}")
    assert answer.status_code == 200
    assert answer.content == orjson.dumps(ANSWERS[f"store {query}"])


@pytest.mark.parametrize("fields", STAFF)
async def test_admin_responses_equal_the_recorded_ones_byte_by_byte(
    admin: httpx.AsyncClient, region: str, fields: str
) -> None:
    answer = await admin.get("/admin/products", params={"fields": fields, "order": "handle"})
    assert answer.status_code == 200
    assert answer.content == orjson.dumps(ANSWERS[f"staff {fields}"])
