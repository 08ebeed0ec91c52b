"""What shoppers see: the home page, down to a shop without toys (spec: view rules 1), and the sorted list."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.catalog.models import Product
from backend.catalog.storefront.page_content import cards, home_content
from backend.catalog.storefront.product_list import catalog_page
from backend.catalog.views import CatalogFilter, HomeContent
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.shop import Shop
from tests.store_defaults import Defaults, make_toy, set_up_defaults

Stock = Callable[..., Awaitable[None]]
LONG_AGO = timedelta(days=365)


@pytest.fixture
async def stock(database: Database, settings: Settings) -> Stock:
    """Puts toys on the shelf, by their handles."""
    defaults = await set_up_defaults(database, settings)

    async def put(*handles: str, **said: Any) -> None:
        async with database.transaction() as session:
            for handle in handles:
                await make_toy(session, defaults, handle, **said)

    return put


async def _home(database: Database) -> HomeContent:
    async with database.read() as session:
        return await home_content(session)


def _handles(cards: list[Any]) -> set[str]:
    return {card.handle for card in cards}


async def test_the_banner_shows_what_is_featured_and_can_be_bought(database: Database, stock: Stock) -> None:
    await stock("oso", "yoyo", featured=True)
    await stock("cocina", featured=True, stock=0)
    await stock("borrador", featured=True, status="draft")
    await stock("trompo")
    home = await _home(database)
    assert _handles(home.slides) == {"oso", "yoyo"}
    assert _handles(home.new_or_featured) == {"oso", "yoyo", "trompo"}


async def test_without_featured_toys_the_banner_shows_the_section_below(
    database: Database, stock: Stock
) -> None:
    await stock("oso", "yoyo")
    await stock("vieja", created_at=now() - LONG_AGO)
    await stock("cocina", featured=True, stock=0)
    home = await _home(database)
    assert _handles(home.slides) == {"oso", "yoyo"}
    assert home.slides == home.new_or_featured


async def test_with_neither_new_nor_featured_toys_what_there_is_is_shown(
    database: Database, stock: Stock
) -> None:
    await stock("vieja", created_at=now() - LONG_AGO)
    await stock("cocina", featured=True, stock=0, created_at=now() - LONG_AGO)
    home = await _home(database)
    assert _handles(home.new_or_featured) == {"vieja", "cocina"}
    assert _handles(home.slides) == {"vieja"}  # a featured toy without stock is never in the banner


async def test_without_toys_there_is_nothing_to_slide(database: Database, stock: Stock) -> None:
    await stock("borrador", featured=True, status="draft")
    home = await _home(database)
    assert (home.slides, home.new_or_featured, home.on_sale) == ([], [], [])


TITLES = ("Zorro", "Ábaco", "oso", "Ñandú", "abeja", "Óboe", "Nave")
SORTED = ["Ábaco", "abeja", "Ñandú", "Nave", "Óboe", "oso", "Zorro"]


@pytest.fixture
async def toys(database: Database, settings: Settings) -> Database:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        for number, title in enumerate(TITLES):
            await make_toy(session, defaults, f"toy-{number}", title=title)
    return database


async def titles(database: Database) -> list[str]:
    async with database.read() as session:
        return [card.title for card in (await catalog_page(session, CatalogFilter(sort="title"))).cards]


async def test_a_to_z_knows_neither_accents_nor_case(toys: Database) -> None:
    assert await titles(toys) == SORTED


@pytest.mark.parametrize(
    ("text", "count", "near"),
    [("", 7, None), (" ", 7, None), ("oso", 1, None), ("%", 7, 0), ("😀", 7, 0), ("_ ?", 7, 0)],
)
async def test_what_is_no_word_finds_nothing(toys: Database, text: str, count: int, near: int | None) -> None:
    """Where a search finds nothing, the whole catalogue is shown."""
    async with toys.read() as session:
        page = await catalog_page(session, CatalogFilter(text=text))
    assert (page.total, len(page.cards), page.near) == (count, count, near)


async def test_a_title_that_changes_takes_its_place(toys: Database) -> None:
    async with toys.transaction() as session:
        zorro = (await session.execute(select(Product).where(Product.title == "Zorro"))).scalar_one()
        zorro.title = "Águila"
    assert (await titles(toys))[:3] == ["Ábaco", "abeja", "Águila"]


async def test_programs_get_the_same_order(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient
) -> None:
    async with shop.database.transaction() as session:
        for number, title in enumerate(TITLES):
            await make_toy(session, shop_defaults, f"toy-{number}", title=title)
    answer = (await store.get("/store/products?order=title&fields=title")).json()
    assert [product["title"] for product in answer["products"]] == SORTED
    assert answer["count"] == len(TITLES)


async def test_a_wish_is_found_by_a_former_handle_until_another_toy_takes_it(
    database: Database, stock: Stock
) -> None:
    await stock("oso", "trompo", "yoyo")
    wishes = ["trompo", "nave", "peonza", "oso"]

    async def wished() -> dict[str, str]:
        async with database.read() as session:
            return {handle: card.handle for handle, card in (await cards(session, wishes)).items()}

    assert await wished() == {"trompo": "trompo", "oso": "oso"}
    await _rename(database, "trompo", "peonza")
    assert list((await wished()).items()) == [("trompo", "peonza"), ("peonza", "peonza"), ("oso", "oso")]
    await _rename(database, "yoyo", "trompo")
    assert await wished() == {"trompo": "trompo", "peonza": "peonza", "oso": "oso"}
    async with database.transaction() as session:
        await session.execute(update(Product).where(Product.handle == "peonza").values(status="draft"))
    assert await wished() == {"trompo": "trompo", "oso": "oso"}


async def _rename(database: Database, handle: str, new: str) -> None:
    async with database.transaction() as session:
        query = select(Product).where(Product.handle == handle)
        (await session.execute(query)).scalar_one().handle = new
