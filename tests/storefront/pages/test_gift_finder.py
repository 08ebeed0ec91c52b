"""Tests of the gift finder: each answer is in the URL and filters the list; invalid answers are ignored."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Category, Product, ProductCategory
from storefront.pages.gift_finder import GiftContent, load
from storefront.pages.page_loader import PageData, PageParams
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
        for question, label in enumerate(("0-2 años", "Música", "Hasta $ 50.000")):
            data = await load_url(address)
            counts.append(data.content.total)
            address = next(
                choice.path for choice in data.content.questions[question].choices if choice.label == label
            )
        assert address == "/gift?age=0-2&interest=musica&budget=50000"
        data = await load_url(address)
        assert ([*counts, data.content.total], handles(data)) == ([3, 2, 2, 1], {"maraca"})
        chosen = [[one.label for one in asked.choices if one.is_chosen] for asked in data.content.questions]
        assert chosen == [["0-2 años"], ["Música"], ["Hasta $ 50.000"]]

    async def test_gift_finder_offers_only_answers_with_products(self) -> None:
        ages, interests, _budgets = (await load_url("/gift")).content.questions
        assert [one.label for one in ages.choices] == ["Cualquier edad", "0-2 años", "6-8 años"]
        assert [one.label for one in interests.choices] == ["De todo un poco", "Música"]

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
