"""The catalogue's list sorts as people read, alike on both databases."""

import httpx
import pytest
from sqlalchemy import select

from backend.catalog.browse import catalog_page
from backend.catalog.models import Product
from backend.catalog.views import CatalogFilter
from backend.database import Database
from backend.settings import Settings
from backend.shop import Shop
from tests.shop_floor import Floor, make_toy, open_floor

TITLES = ("Zorro", "Ábaco", "oso", "Ñandú", "abeja", "Óboe", "Nave")
SORTED = ["Ábaco", "abeja", "Ñandú", "Nave", "Óboe", "oso", "Zorro"]


@pytest.fixture
async def toys(database: Database, settings: Settings) -> Database:
    floor = await open_floor(database, settings)
    async with database.transaction() as session:
        for number, title in enumerate(TITLES):
            await make_toy(session, floor, f"toy-{number}", title=title)
    return database


async def titles(database: Database) -> list[str]:
    async with database.read() as session:
        return [card.title for card in (await catalog_page(session, CatalogFilter(sort="title"))).cards]


async def test_a_to_z_knows_neither_accents_nor_case(toys: Database) -> None:
    assert await titles(toys) == SORTED


@pytest.mark.parametrize(("text", "count"), [("", 7), (" ", 7), ("oso", 1), ("%", 0), ("😀", 0), ("_ ?", 0)])
async def test_what_is_no_word_finds_nothing(toys: Database, text: str, count: int) -> None:
    async with toys.read() as session:
        page = await catalog_page(session, CatalogFilter(text=text))
    assert (page.total, len(page.cards)) == (count, count)


async def test_a_title_that_changes_takes_its_place(toys: Database) -> None:
    async with toys.transaction() as session:
        zorro = (await session.execute(select(Product).where(Product.title == "Zorro"))).scalar_one()
        zorro.title = "Águila"
    assert (await titles(toys))[:3] == ["Ábaco", "abeja", "Águila"]


async def test_programs_get_the_same_order(shop: Shop, shop_floor: Floor, store: httpx.AsyncClient) -> None:
    async with shop.database.transaction() as session:
        for number, title in enumerate(TITLES):
            await make_toy(session, shop_floor, f"toy-{number}", title=title)
    answer = (await store.get("/store/products?order=title&fields=title")).json()
    assert [product["title"] for product in answer["products"]] == SORTED
    assert answer["count"] == len(TITLES)
