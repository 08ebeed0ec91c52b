"""Tests of the gift finder: each answer is in the URL and filters the list; invalid answers are ignored."""

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.models import Category, Product, ProductCategory
from storefront.pages.gift_finder import GiftContent, gift_products, load
from storefront.pages.page_loader import PageData, PageParams
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def products(shop: Shop, defaults: Defaults) -> None:
    """Create a cheap and an expensive instrument for ages 0-2, and a spinning top for ages 6-8."""
    async with shop.database.transaction() as session:
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        music = Category(name="Música", handle="musica", parent_id=root.id)
        session.add_all([music, Category(name="Vacía", handle="vacia", parent_id=root.id)])
        await session.flush()
        await add_product(session, defaults, "maraca", age_range="0-2", price=50_000)
        await add_product(session, defaults, "tambor", age_range="0-2", price=150_000)
        await add_product(session, defaults, "trompo", age_range="6-8", price=20_000)
        for product in (await session.execute(select(Product).where(Product.handle != "trompo"))).scalars():
            session.add(ProductCategory(product_id=product.id, category_id=music.id))


async def load_url(address: str) -> PageData[GiftContent]:
    """Load the gift finder at this URL."""
    return await load(PageParams.from_url(address))


def handles(data: PageData[GiftContent]) -> set[str]:
    """Return the handles of the displayed products."""
    return {card.handle for card in data.content.cards}


@pytest.mark.usefixtures("products")
class TestAnswers:
    async def test_three_answers_in_the_gift_finder_lead_to_a_list(self) -> None:
        address, counts = "/gift", []
        for question, label in enumerate(("0-2 años", "Música", cop("Hasta $ 50.000"))):
            data = await load_url(address)
            counts.append(data.content.total)
            address = next(
                choice.path for choice in data.content.questions[question].choices if choice.label == label
            )
        assert address == "/gift?age=0-2&interest=musica&budget=50000"
        data = await load_url(address)
        assert ([*counts, data.content.total], handles(data)) == ([3, 2, 2, 1], {"maraca"})
        chosen = [[one.label for one in asked.choices if one.is_chosen] for asked in data.content.questions]
        assert chosen == [["0-2 años"], ["Música"], [cop("Hasta $ 50.000")]]

    async def test_gift_finder_offers_only_answers_with_products(self) -> None:
        ages, interests, _budgets = (await load_url("/gift")).content.questions
        assert [one.label for one in ages.choices] == ["Cualquier edad", "0-2 años", "6-8 años"]
        assert [one.label for one in interests.choices] == ["De todo un poco", "Música"]

    async def test_shop_without_ages_does_not_ask_for_an_age(self, shop: Shop) -> None:
        async with shop.database.transaction() as session:
            await session.execute(update(Product).values(age_range=""))
        asked = [question.title for question in (await load_url("/gift")).content.questions]
        assert asked == ["¿Qué le gusta?", "¿Cuánto quieres gastar?"]

    @pytest.mark.parametrize(
        ("query", "found", "note"),
        [
            ("?age=0-2&interest=musica&budget=50000", {"maraca"}, ""),
            (
                "?age=6-8&budget=50000&interest=musica",
                {"trompo"},
                "No hay nada de «Música». Estos son de otras cosas y cumplen con lo demás.",
            ),
            (
                "?age=9-12&interest=musica&budget=50000",
                {"violin"},
                cop("No hay nada hasta $ 50.000. Estos cuestan más y cumplen con lo demás."),
            ),
            (
                "?age=12%2B&interest=musica&budget=50000",
                {"telescopio"},
                cop("No hay nada de «Música», ni hasta $ 50.000. Estos son de otras cosas y cuestan más."),
            ),
        ],
    )
    async def test_gift_finder_drops_answers_one_at_a_time_until_a_product_matches(
        self, shop: Shop, defaults: Defaults, query: str, found: set[str], note: str
    ) -> None:
        async with shop.database.transaction() as session:
            await add_product(session, defaults, "violin", age_range="9-12", price=150_000)
            await add_product(session, defaults, "telescopio", age_range="12+", price=150_000)
            music = (await session.execute(select(Category).where(Category.handle == "musica"))).scalar_one()
            violin = (
                await session.execute(select(Product.id).where(Product.handle == "violin"))
            ).scalar_one()
            session.add(ProductCategory(product_id=violin, category_id=music.id))
        data = await load_url(f"/gift{query}")
        assert (handles(data), data.content.note) == (found, note)
        chosen = [[one.is_chosen for one in asked.choices].count(True) for asked in data.content.questions]
        assert chosen == [1, 1, 1]  # the given answers stay chosen

    async def test_gift_finder_never_drops_an_age_without_products(self) -> None:
        data = await load_url("/gift?age=3-5&interest=musica&budget=50000")
        assert (data.content.total, data.content.note, data.content.is_bare) == (0, "", False)
        assert [one.label for one in data.content.questions[0].choices if one.is_chosen] == ["3-5 años"]

    @pytest.mark.parametrize(
        "query", ["?age=99", "?interest=vacia", "?budget=1", "?budget=50000.0", "?age=%00&interest=juguetes"]
    )
    async def test_invalid_answer_in_the_gift_finder_is_ignored(self, query: str) -> None:
        data = await load_url(f"/gift{query}")
        assert (data.content.total, data.meta.robots) == (3, "index,follow")

    async def test_gift_lists_are_not_indexed_by_search_engines(self) -> None:
        data = await load_url("/gift?budget=50000")
        assert handles(data) == {"maraca", "trompo"}
        assert data.meta.robots.startswith("noindex")
        assert data.meta.canonical == "http://localhost:3000/gift"


def test_list_without_products_names_the_age_and_leads_to_the_catalogue() -> None:
    shown = str(gift_products().render())
    assert "no tenemos nada para esta edad" in shown
    assert '"/catalog"' in shown


@pytest.mark.usefixtures("defaults")
@pytest.mark.parametrize("query", ["", "?age=3-5", "?budget=50000"])
async def test_gift_finder_of_a_shop_without_products_shows_that_the_shop_is_empty(query: str) -> None:
    assert (await load_url(f"/gift{query}")).content.is_bare
