"""The number of products that a search scores is limited: lists and counts still contain every match.

The tests set the limit of scored products to two, so that a small catalogue exceeds it.

| fault | outcome |
|---|---|
| a list contains only the candidates | the only match of a filter is missing |
| the Store API counts the candidates | `count` is too small |
| suggestions search only the candidates | the least popular product is not suggested, although nothing else matches |
"""

import pytest
from sqlalchemy import update

from backend.catalog.api.list_queries import searched_page
from backend.catalog.models import Product, for_sale
from backend.catalog.schemas.store import ProductsParameters
from backend.catalog.search import database_engine
from backend.catalog.search.engine import search_engine
from backend.catalog.search.query_words import search_words
from backend.catalog.storefront import page_content, product_list
from backend.catalog.views import CatalogFilter
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.store_defaults import add_product, set_up_defaults

COUNT = 9
OLDEST = "trompo-1"
"""Handle of the oldest product. It is the last one in the shop's order and in the index."""


@pytest.fixture
async def shop(database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setattr(database_engine, "MAX_SCORED", 2)
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        for number in range(1, COUNT + 1):
            is_last = f"trompo-{number}" == OLDEST
            await add_product(
                session,
                defaults,
                f"trompo-{number}",
                title="Tropezón zumbador" if is_last else f"Trompeta {number} de pino",
                brand="Ceiba" if is_last else "Rayuela",
                description="De pino." if is_last else "Con zumbido.",
                price=5_000 if is_last else 50_000,
            )
        await session.execute(update(Product).where(Product.handle != OLDEST).values(featured=True))
    return database


async def _suggest(database: Database, text: str, limit: int) -> list[str]:
    async with database.read() as session:
        hits = (await page_content.suggest_products(session, text, limit=limit)).hits
    return [hit.handle for hit in hits]


async def test_suggestions_for_a_common_prefix_are_the_most_popular_products(shop: Database) -> None:
    found = await _suggest(shop, "tro", 2)
    assert len(found) == 2
    assert OLDEST not in found
    async with shop.read() as session:
        terms = search_words().parse_query("tro").query_terms
        assert not (await search_engine(session).find(session, terms, only_best=True)).is_complete
        assert await search_engine(session).count(session, terms) == COUNT


async def test_too_few_best_matches_are_completed_from_all_matches(shop: Database) -> None:
    assert len(await _suggest(shop, "tro", 50)) == COUNT
    assert await _suggest(shop, "tro menos de 10 mil", 1) == [OLDEST]


async def test_rare_word_and_common_prefix_find_their_product_in_any_order(shop: Database) -> None:
    assert await _suggest(shop, "tro ceiba", 1) == await _suggest(shop, "ceiba tro", 1) == [OLDEST]


async def test_rare_prefix_and_common_word_find_their_product(shop: Database) -> None:
    assert await _suggest(shop, "trope pino", 1) == [OLDEST]
    assert await _suggest(shop, "zumbador pino", 1) == [OLDEST]


@pytest.mark.parametrize(
    "wanted", [{"brands": ("Ceiba",)}, {"max_price": 10_000}, {"categories": ()}], ids=str
)
async def test_product_list_finds_the_least_popular_product_under_each_filter(
    shop: Database, wanted: dict[str, object]
) -> None:
    async with shop.read() as session:
        page = await product_list.catalog_page(session, CatalogFilter(text="tro", **wanted))  # type: ignore[arg-type]
    has_filter = any(wanted.values())
    assert page.total == (1 if has_filter else COUNT)
    assert OLDEST in [card.handle for card in page.cards]


async def test_product_list_sorts_all_matches(shop: Database) -> None:
    async with shop.read() as session:
        page = await product_list.catalog_page(session, CatalogFilter(text="tro", sort="price_asc"), limit=1)
    assert [card.handle for card in page.cards] == [OLDEST]


async def test_store_api_counts_all_matches(shop: Database) -> None:
    async with shop.read() as session:
        params = ProductsParameters(q="tro", limit=2)
        assert (await searched_page(session, params, for_sale(), search_words())).count == COUNT
