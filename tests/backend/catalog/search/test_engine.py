"""Search engines: the contract, an engine outside the database, and the setting that names an engine."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, for_sale
from backend.catalog.search.contract import SearchEngineContract, SearchEngineHarness
from backend.catalog.search.database_engine import DatabaseEngine
from backend.catalog.search.engine import load_search_engine, search_engine
from backend.catalog.search.index import index_products
from backend.catalog.search.matches import Matches, intersect_matches, scored_products
from backend.catalog.search.query_words import QueryTerm, split_words
from backend.catalog.storefront import page_content, product_list
from backend.catalog.views import CatalogFilter
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import CannotStart
from backend.migrations.runner import upgrade

HERE = "tests.backend.catalog.search.test_engine"


class MemoryEngine:
    """A search engine whose index is in memory. It simulates an index of another program, outside the database."""

    def __init__(self) -> None:
        self.words: dict[str, dict[str, int]] = {}

    async def index(self, session: AsyncSession, product_ids: Sequence[str]) -> None:
        await self.remove(session, product_ids)
        products = await session.execute(select(Product).where(Product.id.in_(product_ids), for_sale()))
        for product in products.scalars():
            words = dict.fromkeys(split_words(product.description), 1)
            self.words[product.id] = words | dict.fromkeys(split_words(product.title), 2)

    async def remove(self, session: AsyncSession, product_ids: Sequence[str]) -> None:
        for product_id in product_ids:
            self.words.pop(product_id, None)

    async def find(
        self, session: AsyncSession, terms: Sequence[QueryTerm], *, only_best: bool = False
    ) -> Matches:
        found = [scored_products(self._scores_of(term)) for term in terms]
        return Matches(intersect_matches(found), is_complete=not only_best)

    async def count(self, session: AsyncSession, terms: Sequence[QueryTerm]) -> int:
        found = (await self.find(session, terms)).products
        return len((await session.execute(select(found.c.product_id))).all())

    def _scores_of(self, term: QueryTerm) -> dict[str, int]:
        exact = term.forms | term.synonyms
        return {
            product_id: max(scores)
            for product_id, words in self.words.items()
            if (
                scores := [
                    weight
                    for word, weight in words.items()
                    if word in exact or (term.word and word.startswith(term.word))
                ]
            )
        }


class BrokenEngine:
    """An invalid engine: it lacks the methods that a search engine must have."""


class TestDatabaseEngine(SearchEngineContract):
    """The shop's own engine."""

    @pytest.fixture
    def harness(self, database: Database) -> SearchEngineHarness:
        return SearchEngineHarness(DatabaseEngine(), database)


class TestMemoryEngine(SearchEngineContract):
    """An engine whose matches come from outside the database."""

    @pytest.fixture
    def harness(self, database: Database) -> SearchEngineHarness:
        return SearchEngineHarness(MemoryEngine(), database)


async def test_configured_engine_indexes_and_finds_the_products_of_the_shop(tmp_path: Path) -> None:
    place = f"{HERE}:MemoryEngine"
    url = f"sqlite+aiosqlite:///{tmp_path}/shop.db"
    database = Database.from_settings(Settings(data_dir=tmp_path, database_url=url, search_engine=place))
    await upgrade(database)
    async with database.transaction() as session:
        session.add(Product(handle="tren", title="Tren"))
        await session.flush()
        await index_products(session, list((await session.execute(select(Product.id))).scalars()))
        assert search_engine(session) is load_search_engine(place)
    async with database.read() as session:
        page = await product_list.catalog_page(session, CatalogFilter(text="tre"))
        assert await load_search_engine(place).count(session, [QueryTerm("tr")]) == 1
        assert (await page_content.suggest_products(session, "xyzzy")).hits == []
    assert (page.total, page.near) == (1, None)
    await database.close()


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("no_such_package:Engine", "ModuleNotFoundError: No module named 'no_such_package'"),
        (f"{HERE}:Missing", "AttributeError"),
        (f"{HERE}:BrokenEngine", "is no SearchEngine"),
    ],
)
def test_engine_that_cannot_be_used_is_refused_at_the_start(place: str, reason: str) -> None:
    with pytest.raises(CannotStart, match=reason):
        load_search_engine(place)
