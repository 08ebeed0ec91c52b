"""Tests that every search engine must pass.

The package of an engine subclasses them in its own tests:

    class TestMyEngine(SearchEngineContract):
        @pytest.fixture
        async def harness(self, database: Database) -> SearchEngineHarness:
            return SearchEngineHarness(MyEngine(), database)

The fixture `database` of the package returns a `Database` with the migrated schema and no products.
"""

from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, for_sale
from backend.catalog.search.engine import SearchEngine
from backend.catalog.search.matches import Matches
from backend.catalog.search.query_words import QueryTerm, search_words
from backend.core.db.database import Database

TITLES = {
    "muneca": "Muñeca de trapo",
    "camion": "Camión de madera",
    "tren": "Tren de madera",
    "robot": "Robot",
}


@dataclass
class SearchEngineHarness:
    """An engine under test, and the database that stores the products."""

    engine: SearchEngine
    database: Database

    async def settle(self) -> None:
        """Wait until the index contains all changes. Override it if the engine updates its index after the commit."""

    async def add_products(self) -> None:
        """Store and index the products in `TITLES`. Only the description of the robot contains "madera" ("wood")."""
        async with self.database.transaction() as session:
            for handle, title in TITLES.items():
                text = "Con una llave de madera." if handle == "robot" else ""
                session.add(Product(handle=handle, title=title, description=text))
            await session.flush()
            ids = list((await session.execute(select(Product.id))).scalars())
            await self.engine.index(session, ids)
        await self.settle()

    async def change_product(self, handle: str, **values: str) -> None:
        """Change a product and update its index."""
        async with self.database.transaction() as session:
            product_id = await _read_id(session, handle)
            await session.execute(update(Product).where(Product.id == product_id).values(values))
            await self.engine.index(session, [product_id])
        await self.settle()

    async def list_found(self, text: str) -> list[str]:
        """Return the handles of the products for sale that match the text, best first."""
        async with self.database.read() as session:
            return await _read_handles(session, await self.engine.find(session, _parse(text)))

    async def count(self, text: str) -> int:
        """Return the number of products that the engine counts for the text."""
        async with self.database.read() as session:
            return await self.engine.count(session, _parse(text))


def _parse(text: str) -> tuple[QueryTerm, ...]:
    return search_words().parse_query(text).query_terms


async def _read_handles(session: AsyncSession, matches: Matches) -> list[str]:
    found = matches.products
    query = select(Product.handle).join(found, found.c.product_id == Product.id).where(for_sale())
    return list((await session.execute(query.order_by(found.c.score.desc(), Product.handle))).scalars())


async def _read_id(session: AsyncSession, handle: str) -> str:
    return (await session.execute(select(Product.id).where(Product.handle == handle))).scalar_one()


class SearchEngineContract:
    """Tests of a search engine. A subclass defines the fixture `harness`, which returns a new `SearchEngineHarness`."""

    async def test_words_prefixes_and_plurals_match_without_accents_and_case(
        self, harness: SearchEngineHarness
    ) -> None:
        await harness.add_products()
        for text in ("muñeca", "MUNECA", "muñ", "mu", "muñecas"):
            assert await harness.list_found(text) == ["muneca"], text

    async def test_all_terms_must_match_in_any_order(self, harness: SearchEngineHarness) -> None:
        await harness.add_products()
        assert await harness.list_found("madera tren") == ["tren"]
        assert await harness.list_found("tren muñeca") == []

    async def test_title_matches_come_before_description_matches(self, harness: SearchEngineHarness) -> None:
        await harness.add_products()
        assert await harness.list_found("madera") == ["camion", "tren", "robot"]

    async def test_count_is_the_number_of_all_matches(self, harness: SearchEngineHarness) -> None:
        await harness.add_products()
        assert [await harness.count(text) for text in ("madera", "mad", "tren", "xyzzy")] == [3, 3, 1, 0]

    async def test_no_terms_find_nothing(self, harness: SearchEngineHarness) -> None:
        await harness.add_products()
        assert await harness.list_found("") == []
        assert await harness.count("") == 0

    async def test_best_matches_are_all_matches_if_they_are_complete(
        self, harness: SearchEngineHarness
    ) -> None:
        await harness.add_products()
        async with harness.database.read() as session:
            best = await harness.engine.find(session, _parse("mad"), only_best=True)
            found = await _read_handles(session, best)
        assert set(found) <= {"camion", "tren", "robot"}
        assert found
        if best.is_complete:
            assert sorted(found) == ["camion", "robot", "tren"]

    async def test_term_with_forms_but_without_a_word_matches_only_whole_words(
        self, harness: SearchEngineHarness
    ) -> None:
        """Check that the form "tren" finds a product, but "mad" does not find "madera".

        With such terms, the storefront finds the products to exclude, as in "sin pilas" ("without
        batteries").
        """
        await harness.add_products()
        async with harness.database.read() as session:
            found = await harness.engine.find(session, [QueryTerm("", forms=frozenset({"tren", "mad"}))])
            assert await _read_handles(session, found) == ["tren"]

    async def test_exact_term_does_not_match_misspelled_words(self, harness: SearchEngineHarness) -> None:
        """Check the terms of programs: the Store API requires exact matches."""
        await harness.add_products()
        async with harness.database.read() as session:
            for word, expected in {"rob": ["robot"], "robod": [], "rovot": []}.items():
                found = await harness.engine.find(session, [QueryTerm(word, is_exact=True)])
                assert await _read_handles(session, found) == expected, word

    async def test_removed_product_is_not_found(self, harness: SearchEngineHarness) -> None:
        await harness.add_products()
        async with harness.database.transaction() as session:
            await harness.engine.remove(session, [await _read_id(session, "tren")])
        await harness.settle()
        found = await harness.list_found("madera")
        assert found == ["camion", "robot"]
        assert await harness.count("madera") == len(found)

    async def test_product_that_is_no_longer_for_sale_leaves_the_index(
        self, harness: SearchEngineHarness
    ) -> None:
        await harness.add_products()
        await harness.change_product("tren", status="draft")
        async with harness.database.read() as session:
            found = (await harness.engine.find(session, _parse("tren"))).products
            assert (await session.execute(select(found.c.product_id))).all() == []

    async def test_changed_title_replaces_the_words_of_the_old_title(
        self, harness: SearchEngineHarness
    ) -> None:
        await harness.add_products()
        await harness.change_product("tren", title="Globo")
        assert await harness.list_found("tren") == []
        assert await harness.list_found("glo") == ["tren"]
