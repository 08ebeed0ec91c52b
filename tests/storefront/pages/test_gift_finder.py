"""The gift finder: each answer narrows the list, in the address, and an answer that nobody offers is none."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Category, Product, ProductCategory
from storefront.pages.gift_finder import GiftContent, load
from storefront.pages.page_loader import PageData, PageParams
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def toys(shop: Shop, defaults: Defaults) -> None:
    """A cheap and a dear toy of music for the small, and a top for the big."""
    async with shop.database.transaction() as session:
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        music = Category(name="Música", handle="musica", parent_id=root.id)
        session.add_all([music, Category(name="Vacía", handle="vacia", parent_id=root.id)])
        await session.flush()
        await make_toy(session, defaults, "maraca", age_range="0-2", price=50_000)
        await make_toy(session, defaults, "tambor", age_range="0-2", price=150_000)
        await make_toy(session, defaults, "trompo", age_range="6-8", price=20_000)
        for toy in (await session.execute(select(Product).where(Product.handle != "trompo"))).scalars():
            session.add(ProductCategory(product_id=toy.id, category_id=music.id))


async def at(address: str) -> PageData[GiftContent]:
    return await load(PageParams.from_url(address))


def handles(data: PageData[GiftContent]) -> set[str]:
    return {card.handle for card in data.content.cards}


@pytest.mark.usefixtures("toys")
class TestAnswers:
    async def test_three_presses_lead_to_a_list(self) -> None:
        address, counts = "/gift", []
        for question, label in enumerate(("0-2 años", "Música", "Hasta $ 50.000")):
            data = await at(address)
            counts.append(data.content.total)
            address = next(
                choice.path for choice in data.content.questions[question].choices if choice.label == label
            )
        assert address == "/gift?age=0-2&interest=musica&budget=50000"
        data = await at(address)
        assert ([*counts, data.content.total], handles(data)) == ([3, 2, 2, 1], {"maraca"})
        chosen = [[one.label for one in asked.choices if one.is_chosen] for asked in data.content.questions]
        assert chosen == [["0-2 años"], ["Música"], ["Hasta $ 50.000"]]

    async def test_only_what_leads_somewhere_is_offered(self) -> None:
        ages, interests, _budgets = (await at("/gift")).content.questions
        assert [one.label for one in ages.choices] == ["Cualquier edad", "0-2 años", "6-8 años"]
        assert [one.label for one in interests.choices] == ["De todo un poco", "Música"]

    @pytest.mark.parametrize(
        "query", ["?age=99", "?interest=vacia", "?budget=1", "?budget=50000.0", "?age=%00&interest=juguetes"]
    )
    async def test_what_is_no_answer_is_none(self, query: str) -> None:
        data = await at(f"/gift{query}")
        assert (data.content.total, data.meta.robots) == (3, "index,follow")

    async def test_lists_are_not_for_search_engines(self) -> None:
        data = await at("/gift?budget=50000")
        assert handles(data) == {"maraca", "trompo"}
        assert data.meta.robots.startswith("noindex")
        assert data.meta.canonical == "http://localhost:3000/gift"
