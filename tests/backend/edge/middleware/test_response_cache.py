"""Cached responses are sent only while their data has not changed, whichever replica or statement changed it."""

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from backend.app import Shop, create_api
from backend.catalog.derived_models import CatalogVersion
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
from backend.channels.models import PublishableKey, Region
from backend.core.caching.version_probe import Version, VersionProbe
from backend.core.db.database import Database
from backend.edge.middleware.response_cache import ResponseCache
from backend.inventory.models import InventoryLevel
from backend.inventory.service import set_stock
from backend.shipping.models import StockLocation
from tests.store_defaults import Defaults, add_product

WITH_PRICE = "fields=*variants.calculated_price,%2Bvariants.inventory%5Fquantity,*categories&region_id="


@pytest.fixture
async def list_path(shop: Shop, shop_defaults: Defaults) -> str:
    """Return the path of a list that shows all data of one product."""
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
        region = (await session.execute(select(Region.id))).scalar_one()
        product = (await session.execute(select(Product))).scalar_one()
        collection = Collection(title="Clásicos", handle="clasicos")
        category = Category(name="Madera", handle="madera")
        session.add_all([collection, category])
        await session.flush()
        product.collection_id = collection.id
        session.add(ProductCategory(product_id=product.id, category_id=category.id))
        session.add(Picture(product_id=product.id, url="/demo/a.webp"))
        tag, kind = ProductTag(value="De madera"), ProductType(value="Juego")
        option = ProductOption(product_id=product.id, title="Color")
        session.add_all([tag, kind, option])
        await session.flush()
        blue = ProductOptionValue(option_id=option.id, value="Azul")
        session.add_all(
            [
                blue,
                ProductHasTag(product_id=product.id, tag_id=tag.id),
                ProductHasType(product_id=product.id, type_id=kind.id),
            ]
        )
        await session.flush()
        variant = (await session.execute(select(Variant.id))).scalar_one()
        session.add(VariantOptionValue(variant_id=variant, value_id=blue.id))
    return f"/store/products?{WITH_PRICE}{region}"


Change = Callable[[Database], Awaitable[None]]


def changed_by(statement: Any) -> Change:
    async def change(database: Database) -> None:
        async with database.transaction() as session:
            await session.execute(statement)

    return change


async def _change_stock(database: Database) -> None:
    async with database.transaction() as session:
        variant = (await session.execute(select(Variant.id))).scalar_one()
        location = (await session.execute(select(StockLocation.id))).scalar_one()
        await set_stock(session, variant, location, 3)


async def _change_title(database: Database) -> None:
    async with database.transaction() as session:
        product = (await session.execute(select(Product))).scalar_one()
        product.title = "Otro trompo"


CHANGES = {
    "price": changed_by(update(Variant).values(price=39_000)),
    "price, by hand": changed_by(text("UPDATE variant SET price = 38000")),
    "stock": _change_stock,
    "stock, by hand": changed_by(update(InventoryLevel).values(stocked=4)),
    "title": _change_title,
    "status": changed_by(update(Product).values(status="draft")),
    "picture": changed_by(update(Picture).values(url="/demo/b.webp")),
    "picture gone": changed_by(delete(Picture)),
    "category": changed_by(update(Category).values(name="Pino")),
    "category left": changed_by(delete(ProductCategory)),
    "collection": changed_by(update(Collection).values(title="De siempre")),
    "collection left": changed_by(update(Product).values(collection_id=None)),
    "tag": changed_by(update(ProductTag).values(value="De pino")),
    "tag gone": changed_by(delete(ProductHasTag)),
    "type": changed_by(update(ProductType).values(value="Otro")),
    "type gone": changed_by(delete(ProductHasType)),
    "option": changed_by(update(ProductOption).values(title="Tono")),
    "option's value": changed_by(update(ProductOptionValue).values(value="Rojo")),
    "value of the variant gone": changed_by(delete(VariantOptionValue)),
    "options gone": changed_by(delete(ProductOption)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_catalogue_change_is_in_the_next_response_of_every_replica(
    shop: Shop, store: httpx.AsyncClient, replica: httpx.AsyncClient, list_path: str, change: Change
) -> None:
    before = (await store.get(list_path)).json()
    assert (await replica.get(list_path)).json() == before
    await change(shop.database)
    after = (await store.get(list_path)).json()
    assert after != before
    assert (await replica.get(list_path)).json() == after


async def test_unchanged_response_is_sent_without_database_statements(
    store: httpx.AsyncClient, list_path: str, statements: list[str]
) -> None:
    first = await store.get(list_path)
    assert statements
    statements.clear()
    second = await store.get(list_path)
    assert (second.content, second.headers) == (first.content, first.headers)
    known = await store.get(list_path, headers={"if-none-match": first.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")
    assert statements == []


async def test_only_a_request_with_the_current_etag_gets_304(
    store: httpx.AsyncClient, list_path: str
) -> None:
    first = await store.get(list_path)
    tag = first.headers["etag"]
    for header in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        known = await store.get(list_path, headers={"if-none-match": header})
        assert (known.status_code, known.content, known.headers["etag"]) == (304, b"", tag)
    for header in (f"x{tag}", f"{tag}x", tag.upper(), f'"{tag}"', '"other"', ""):
        whole = await store.get(list_path, headers={"if-none-match": header})
        assert (whole.status_code, whole.content) == (200, first.content)


async def test_response_answered_with_304_is_cached(
    shop: Shop, store: httpx.AsyncClient, list_path: str, statements: list[str]
) -> None:
    """Check that an answer 304 also caches the response: later requests run no SQL statement."""
    known = {"if-none-match": (await store.get(list_path)).headers["etag"]}
    async with shop.database.transaction() as session:
        await session.execute(update(Region).values(updated_at=Region.updated_at))
    assert (await store.get(list_path, headers=known)).status_code == 304
    statements.clear()
    assert (await store.get(list_path, headers=known)).status_code == 304
    assert (await store.get(list_path)).status_code == 200
    assert statements == []


async def test_stock_change_does_not_affect_responses_without_stock(
    shop: Shop, store: httpx.AsyncClient, list_path: str, statements: list[str]
) -> None:
    await store.get("/store/products?limit=5")
    await _change_stock(shop.database)
    statements.clear()
    await store.get("/store/products?limit=5")
    assert statements == []


async def test_cached_response_is_not_sent_for_a_wrong_or_deleted_publishable_key(
    shop: Shop, store: httpx.AsyncClient, list_path: str
) -> None:
    assert (await store.get(list_path)).status_code == 200
    wrong = {"x-publishable-api-key": "pk_wrong"}
    assert (await store.get(list_path, headers=wrong)).status_code == 400
    async with shop.database.transaction() as session:
        await session.execute(delete(PublishableKey))
    assert (await store.get(list_path)).status_code == 400


async def test_cache_key_of_another_value_is_not_accepted_as_a_publishable_key(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    """Send names of other cached values as publishable keys; they are stored in the same cache."""
    await shop.content.read_current()
    await shop.effective_settings.now()
    for name in ("content", "effective settings"):
        answer = await store.get("/store/regions", headers={"x-publishable-api-key": name})
        assert answer.status_code == 400


async def test_rolled_back_change_does_not_invalidate_responses(
    shop: Shop, store: httpx.AsyncClient, list_path: str, statements: list[str]
) -> None:
    before = (await store.get(list_path)).content

    async def change_and_fail() -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(Variant).values(price=1))
            raise LookupError

    with pytest.raises(LookupError):
        await change_and_fail()
    statements.clear()
    assert (await store.get(list_path)).content == before
    assert statements == []


async def test_memory_of_the_response_cache_is_limited(
    shop: Shop, store: httpx.AsyncClient, list_path: str
) -> None:
    cache = ResponseCache(create_api(shop), shop.catalog_version, max_bytes=20_000)
    transport = httpx.ASGITransport(cache)
    async with httpx.AsyncClient(transport=transport, base_url="http://s", headers=store.headers) as client:
        for limit in range(1, 20):
            assert (await client.get(f"/store/products?limit={limit}")).status_code == 200
    assert 0 < cache.size <= 20_000


async def test_memory_limit_of_the_response_cache_includes_the_keys(shop: Shop) -> None:
    made: list[str] = []

    async def api(scope: Scope, receive: Receive, send: Send) -> None:
        made.append(scope["query_string"].decode()[-1])
        await PlainTextResponse("little")(scope, receive, send)

    transport = httpx.ASGITransport(ResponseCache(api, shop.catalog_version, max_bytes=20_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://s") as client:
        for number in (1, 2, 3, 4, 5, 5, 1):
            await client.get(f"/store/products?fields={'x' * 4_000}{number}")
    assert made == ["1", "2", "3", "4", "5", "1"]


async def test_catalogue_versions_are_never_repeated(database: Database) -> None:
    probe = VersionProbe(database)
    seen = {await probe.read_version()}
    for number in range(3):
        async with database.transaction() as session:
            session.add_all(Category(name="A", handle=f"a-{number}-{n}") for n in range(3))
        seen.add(await probe.read_version())
    assert len(seen) == 4
    await probe.close()


async def test_lost_connection_of_the_version_probe_is_replaced(database: Database) -> None:
    probe = VersionProbe(database)
    version = await probe.read_version()
    if not database.is_sqlite:
        async with database.transaction() as session:
            end_all = """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE pid <> pg_backend_pid() AND datname = current_database()
            """
            await session.execute(text(end_all))
    assert await probe.read_version() == version
    await probe.close()


async def test_every_table_shown_on_pages_has_triggers_that_raise_the_version(database: Database) -> None:
    """Check the triggers: a later migration that copies a table on SQLite must create them again."""
    async with database.read() as session:
        assert await _read_watches(session) == WATCHED
        assert len((await session.execute(select(CatalogVersion))).all()) == 1


async def test_truncate_of_a_watched_table_raises_all_version_numbers(postgresql_url: str) -> None:
    """Check TRUNCATE: it fires no row triggers, and no row shows which products it changed."""
    database = Database(postgresql_url)
    probe = VersionProbe(database)
    for table in WATCHED:
        before = await probe.read_version()
        async with database.transaction() as session:
            await session.execute(text(f"TRUNCATE {table} CASCADE"))
        after = await probe.read_version()
        raised = {name for name in Version._fields if getattr(before, name) != getattr(after, name)}
        assert raised == {*Version._fields} - {"product_changes"}, table
    await probe.close()
    await database.close()


IN_LISTS, SHARED, OF_A_PRODUCT = {"catalog", "lists"}, {"catalog", "shared"}, {"catalog", "product"}
WATCHED = {
    "category": IN_LISTS,
    "collection": SHARED,
    "content_turn": SHARED,
    "content_version": SHARED,
    "former_handle": SHARED,
    "inventory_level": {"stock", "sold_out"},
    "legal_text": SHARED,
    "picture": OF_A_PRODUCT,
    "product": IN_LISTS | OF_A_PRODUCT,
    "product_category": IN_LISTS | OF_A_PRODUCT,
    "product_has_tag": IN_LISTS | OF_A_PRODUCT,
    "product_has_type": IN_LISTS | OF_A_PRODUCT,
    "product_option": OF_A_PRODUCT,
    "product_option_value": SHARED,
    "product_tag": SHARED,
    "product_type": SHARED,
    "publishable_key": SHARED,
    "region": IN_LISTS,
    "review": OF_A_PRODUCT,
    "sales_channel": IN_LISTS,
    "search_term": IN_LISTS,
    "stored_setting": SHARED,
    "url_redirect": {"shared"},
    "variant": OF_A_PRODUCT,
    "variant_option_value": SHARED,
}
"""Version numbers that changes raise, by table, and `product` if the changed product is recorded.

A table that raises `catalog` must also raise another number; otherwise responses that name their products would
stay cached.
"""


async def _read_watches(session: AsyncSession) -> dict[str, set[str]]:
    """Return the version numbers that the triggers of each table raise, in the format of `WATCHED`.

    Each table must have triggers for INSERT, UPDATE and DELETE. Only numbers that all three raise are returned.
    """
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    if session.get_bind().dialect.name == "sqlite":
        query = "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'watch_%'"
        for table, sql in (await session.execute(text(query))).all():
            (event,) = re.findall(r" AFTER (\w+)", sql)
            raised = {
                "product" if name == "product_changes" else name for name in re.findall(r"(\w+) = \1 ", sql)
            }
            assert ("product_change (" in sql) == ("product" in raised)
            found[table][event] |= raised
    else:
        query = """
            SELECT relname, proname, array_remove(string_to_array(encode(tgargs, 'escape'), '\\000'), ''), tgtype
            FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
            WHERE tgname LIKE 'watch_%' AND tgenabled = 'O' AND tgdeferrable AND tginitdeferred
        """
        for table, function, raised, kind in (await session.execute(text(query))).all():
            for bit, event in {4: "INSERT", 16: "UPDATE", 8: "DELETE"}.items():
                if kind & bit:
                    found[table][event] |= {"product"} if function == "note_product_change" else set(raised)
    assert {table: len(events) for table, events in found.items()} == dict.fromkeys(found, 3)
    return {table: set.intersection(*events.values()) for table, events in found.items()}
