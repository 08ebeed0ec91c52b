"""The catalogue's choices: taken from the address, from the browser after a check, and never from its word alone."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Category, Product, ProductCategory
from backend.errors import InvalidData
from storefront.pages.catalog import (
    MOST_CHOICES,
    MOST_SHOWN,
    STEP,
    Choices,
    checked_choices,
    choices_of_address,
    load,
)
from storefront.pages.loading import PageParams
from tests.shop_floor import Floor, make_toy

SENT = {
    "categories": ["peluches"],
    "brands": [],
    "ages": ["3-5"],
    "on_sale": True,
    "sort": "new",
    "shown": 48,
}


@pytest.fixture
async def toys(shop: Shop, floor: Floor) -> None:
    async with shop.database.transaction() as session:
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        plush = Category(name="Peluches", handle="peluches", description="Para abrazar.", parent_id=root.id)
        session.add(plush)
        await session.flush()
        for number in range(3):
            await make_toy(session, floor, f"oso-{number}", brand="Nido Andino", age_range="0-2")
        await make_toy(session, floor, "trompo", brand="Rayuela", age_range="6-8")
        bears = await session.execute(select(Product).where(Product.brand == "Nido Andino"))
        for bear in bears.scalars():
            session.add(ProductCategory(product_id=bear.id, category_id=plush.id))


def test_the_address_narrows_the_list() -> None:
    params = PageParams.from_url("/catalog?category=peluches&age=3-5&sale=1")
    assert choices_of_address(params) == Choices(categories=["peluches"], ages=["3-5"], on_sale=True)
    assert choices_of_address(PageParams.from_url("/catalog")) == Choices()


def test_choices_from_our_pages_pass() -> None:
    assert checked_choices(SENT) == Choices(["peluches"], [], ["3-5"], on_sale=True, sort="new", shown=48)


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "everything",
        {},
        {**SENT, "categories": "peluches"},
        {**SENT, "brands": [1]},
        {**SENT, "ages": ["x" * 101]},
        {**SENT, "sort": None},
        {**SENT, "shown": "48"},
        {**SENT, "shown": True},
        {**SENT, "shown": 0},
        {**SENT, "shown": MOST_SHOWN + 1},
    ],
)
def test_anything_else_is_refused(sent: object) -> None:
    with pytest.raises(InvalidData):
        checked_choices(sent)


def test_more_values_than_a_page_offers_are_cut() -> None:
    assert len(checked_choices({**SENT, "brands": [str(n) for n in range(500)]}).brands) == MOST_CHOICES


async def test_a_category_names_the_list(toys: None) -> None:
    data = await load(PageParams.from_url("/catalog?category=peluches"))
    assert data.content.title == "Peluches"
    assert data.content.lead == "Para abrazar."
    assert data.content.page.total == 3
    assert not data.content.is_custom
    assert data.meta.status == 200
    assert data.meta.canonical == "http://localhost:3000/catalog?category=peluches"
    assert '"name":"Peluches"' in data.meta.structured_data


async def test_choices_count_more_than_the_address(toys: None) -> None:
    data = await load(PageParams.from_url("/catalog?category=peluches"), Choices(brands=["Rayuela"]))
    assert [card.handle for card in data.content.page.cards] == ["trompo"]
    assert data.content.title == "Todos los juguetes"
    assert data.content.is_custom


async def test_the_list_comes_in_steps(toys: None) -> None:
    data = await load(PageParams.from_url("/catalog"), Choices(shown=2))
    assert (len(data.content.page.cards), data.content.page.total) == (2, 4)
    assert Choices().shown == STEP


async def test_an_unknown_category_is_not_found(toys: None) -> None:
    data = await load(PageParams.from_url("/catalog?category=naves"))
    assert data.meta.status == 404
    assert data.meta.robots.startswith("noindex")
    assert data.content.page.total == 0


async def test_the_answer_to_a_search_is_not_for_search_engines(toys: None) -> None:
    data = await load(PageParams.from_url("/catalog?q=Oso"))
    assert data.content.title == "Resultados para «Oso»"
    assert data.content.page.total == 3
    assert data.meta.robots.startswith("noindex")
    assert data.meta.status == 200
