"""Cached product lists are read again after any change that affects them, on every replica."""

from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
import pytest
from sqlalchemy import Executable, delete, insert, select, update

from backend.app import Shop, create_api
from backend.catalog.api.list_cache import PageCache
from backend.catalog.derived_models import SearchTerm
from backend.catalog.events import publish_product_changes
from backend.catalog.models import (
    Category,
    Collection,
    Product,
    ProductCategory,
    ProductHasTag,
    ProductHasType,
    ProductTag,
    ProductType,
    Variant,
)
from backend.channels.models import Region
from tests.store_defaults import Defaults, add_product

PRODUCTS = "/store/products"


@pytest.fixture
async def list_queries(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Create a shop with two products.

    Return the query strings of product lists by the name of the list.
    """
    async with shop.database.transaction() as session:
        for number, handle in enumerate(("aro", "bola")):
            await add_product(
                session, shop_defaults, handle, price=40_000 + number, age_range=("0-2", "6-8")[number]
            )
        first, _ = (await session.execute(select(Product).order_by(Product.handle))).scalars()
        root = Category(name="Juguetes", handle="juguetes")
        tag, kind = ProductTag(value="De madera"), ProductType(value="Juego")
        collection = Collection(title="Clásicos", handle="clasicos")
        session.add_all([root, tag, kind, collection])
        await session.flush()
        below = Category(name="Aros", handle="aros", parent_id=root.id)
        session.add(below)
        await session.flush()
        first.collection_id = collection.id
        session.add_all(
            [
                ProductCategory(product_id=first.id, category_id=below.id),
                ProductHasTag(product_id=first.id, tag_id=tag.id),
                ProductHasType(product_id=first.id, type_id=kind.id),
            ]
        )
        region = (await session.execute(select(Region.id))).scalar_one()
    return {
        "word": "?q=aro",
        "age": "?q=un año",
        "handle": "?handle=aro",
        "title": "?title=Aro",
        "id": f"?id={first.id}",
        "category": f"?category_id={root.id}",
        "collection": f"?collection_id={collection.id}",
        "tag": f"?tag_id={tag.id}",
        "type": f"?type_id={kind.id}",
        "channel": f"?handle=aro&sales_channel_id={shop_defaults.channel_id}",
        "alternatives": f"?$or[0][handle]=aro&$or[1][tag_id]={tag.id}",
        "price": "?order=price",
        "created": "?order=created_at",
        "titles": "?order=title",
        "updated": "?order=-updated_at",
        "changed lately": "?updated_at[$gt]=2100-01-01T00:00:00Z",
        "region": f"?fields=*variants.calculated_price&region_id={region}",
        "all": "",
    }


@dataclass(frozen=True)
class Change:
    """A change of the database, and the names of the lists that it affects."""

    statement: Executable
    lists: set[str]


ARO = Product.handle == "aro"
OF_SALE = {
    *("word", "age", "handle", "title", "id", "category", "collection", "tag", "type", "channel"),
    *("alternatives", "price", "created", "titles", "updated", "region", "all"),
}
CHANGES = {
    "a draft": Change(update(Product).where(ARO).values(status="draft"), OF_SALE),
    "deleted": Change(update(Product).where(ARO).values(deleted_at=Product.created_at), OF_SALE),
    "another handle": Change(update(Product).where(ARO).values(handle="zar"), {"handle", "channel"}),
    "another title": Change(
        update(Product).where(ARO).values(title="Zar", title_key="zar"), {"title", "titles"}
    ),
    "another age": Change(update(Product).where(ARO).values(age_range="6-8"), {"age"}),
    "another collection": Change(update(Product).where(ARO).values(collection_id=None), {"collection"}),
    "made later": Change(
        update(Product).where(ARO).values(created_at=datetime(2200, 1, 1, tzinfo=UTC)), {"created"}
    ),
    "another price": Change(update(Variant).where(Variant.price == 40_000).values(price=50_000), {"price"}),
    "out of its category": Change(delete(ProductCategory), {"category"}),
    "a category elsewhere": Change(
        update(Category).where(Category.handle == "aros").values(parent_id=None), {"category"}
    ),
    "a tag taken off": Change(delete(ProductHasTag), {"tag"}),
    "a tag deleted": Change(delete(ProductTag), {"tag"}),
    "a type deleted": Change(delete(ProductType), {"type"}),
    "a word no longer known": Change(delete(SearchTerm).where(SearchTerm.term == "aro"), {"word"}),
    "changed lately": Change(
        update(Product).where(ARO).values(updated_at=datetime(2200, 1, 1, tzinfo=UTC)),
        {"changed lately", "updated"},
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_catalogue_change_appears_in_the_next_product_list_of_every_replica(
    shop: Shop,
    store: httpx.AsyncClient,
    replica: httpx.AsyncClient,
    list_queries: dict[str, str],
    change: Change,
) -> None:
    async def read_lists() -> dict[str, list[tuple[list[str], int]]]:
        return {
            name: [await _ids(client, query) for client in (store, replica)]
            for name, query in list_queries.items()
        }

    before = await read_lists()
    async with shop.database.transaction() as session:
        await session.execute(change.statement)
    after = await read_lists()
    assert [name for name, (one, other) in after.items() if one != other] == []
    differ = {name for name in list_queries if after[name] != before[name]}
    assert (
        change.lists - {"updated"} <= differ <= change.lists | {"updated"}
    )  # most changes also update the time of change
    async with shop.database.transaction() as session:  # invalidates all lists
        await session.execute(update(Region).values(name="Otra"))
    assert await read_lists() == after


async def _ids(client: httpx.AsyncClient, query: str) -> tuple[list[str], int]:
    answer = await client.get(PRODUCTS + query)
    assert answer.status_code == 200, answer.text
    return [product["id"] for product in answer.json()["products"]], answer.json()["count"]


async def test_deleted_region_returns_404_despite_the_cache(
    shop: Shop, store: httpx.AsyncClient, list_queries: dict[str, str]
) -> None:
    assert (await store.get(PRODUCTS + list_queries["region"])).status_code == 200
    async with shop.database.transaction() as session:
        await session.execute(update(Region).values(id="reg_other"))
    assert (await store.get(PRODUCTS + list_queries["region"])).status_code == 404


async def test_list_after_a_price_change_reads_products_again_but_reuses_the_search(
    shop: Shop, store: httpx.AsyncClient, list_queries: dict[str, str], statements: list[str]
) -> None:
    query = list_queries["region"] + "&q=aro"
    before = (await store.get(PRODUCTS + query)).json()
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).values(price=39_000))
    await store.get(f"{PRODUCTS}/{before['products'][0]['id']}")  # checks the API key first
    statements.clear()
    after = (await store.get(PRODUCTS + query)).json()
    assert [
        variant["calculated_price"]["calculated_amount"] for variant in after["products"][0]["variants"]
    ] == [39_000]
    (statement,) = statements
    assert "FROM product" in statement


async def test_list_cache_version_changes_only_with_the_search_words_of_products(
    shop: Shop, store: httpx.AsyncClient, list_queries: dict[str, str]
) -> None:
    version = shop.catalog_version
    async with shop.database.transaction() as session:
        ids = (await session.execute(select(Product.id))).scalars().all()
        await publish_product_changes(session, ids)
    lists = (await version.read_version()).lists
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(updated_at=Product.created_at))
        await publish_product_changes(session, ids)
    assert (await version.read_version()).lists == lists
    async with shop.database.transaction() as session:
        await session.execute(update(Product).where(ARO).values(title="Aro azul", title_key="aro azul"))
        await publish_product_changes(session, ids)
        await session.execute(insert(SearchTerm).values(term="zz", product_id=ids[0], weight=1))
    assert (await version.read_version()).lists != lists
    assert (await _ids(store, "?q=azul"))[1] == (await _ids(store, "?q=zz"))[1] == 1


async def test_memory_of_the_list_cache_is_limited(
    shop: Shop, store: httpx.AsyncClient, list_queries: dict[str, str]
) -> None:
    api = create_api(shop)
    pages = api.state.found_pages = PageCache(max_bytes=3_000)
    transport = httpx.ASGITransport(api)
    async with httpx.AsyncClient(transport=transport, base_url="http://s", headers=store.headers) as client:
        for limit in range(1, 20):
            assert (await client.get(f"{PRODUCTS}?limit={limit}")).status_code == 200
        assert 2_000 < pages.size <= 3_000  # of 19 pages of at least 600 bytes
        kept = pages.size
        title = "x" * 250
        long = "&".join(f"title={title}" for _ in range(20))
        assert (await client.get(f"{PRODUCTS}?{long}")).json()["count"] == 0
    assert pages.size == kept
