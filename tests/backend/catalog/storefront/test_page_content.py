"""Content of the home page, with and without products (spec: view rules 1), and the sorted list."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.catalog.models import Product
from backend.catalog.storefront.page_content import home_content, read_cards_by_handle
from backend.catalog.storefront.product_list import catalog_page
from backend.catalog.views import CatalogFilter, HomeContent
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.shop import Shop
from tests.store_defaults import Defaults, add_product, set_up_defaults

PutProducts = Callable[..., Awaitable[None]]
LONG_AGO = timedelta(days=365)


@pytest.fixture
async def put_products(database: Database, settings: Settings) -> PutProducts:
    """Return a function that creates a product for each handle. Named arguments go to `add_product`."""
    defaults = await set_up_defaults(database, settings)

    async def put(*handles: str, **said: Any) -> None:
        async with database.transaction() as session:
            for handle in handles:
                await add_product(session, defaults, handle, **said)

    return put


async def _home(database: Database) -> HomeContent:
    async with database.read() as session:
        return await home_content(session)


def _handles(cards: list[Any]) -> set[str]:
    return {card.handle for card in cards}


async def test_banner_shows_available_featured_products(
    database: Database, put_products: PutProducts
) -> None:
    await put_products("oso", "yoyo", featured=True)
    await put_products("cocina", featured=True, stock=0)
    await put_products("borrador", featured=True, status="draft")
    await put_products("trompo")
    home = await _home(database)
    assert _handles(home.slides) == {"oso", "yoyo"}
    assert _handles(home.new_or_featured) == {"oso", "yoyo", "trompo"}


async def test_banner_without_featured_products_shows_the_new_products(
    database: Database, put_products: PutProducts
) -> None:
    await put_products("oso", "yoyo")
    await put_products("vieja", created_at=now() - LONG_AGO)
    await put_products("cocina", featured=True, stock=0)
    home = await _home(database)
    assert _handles(home.slides) == {"oso", "yoyo"}
    assert home.slides == home.new_or_featured


async def test_home_without_new_or_featured_products_shows_the_newest(
    database: Database, put_products: PutProducts
) -> None:
    await put_products("vieja", created_at=now() - LONG_AGO)
    await put_products("cocina", featured=True, stock=0, created_at=now() - LONG_AGO)
    home = await _home(database)
    assert _handles(home.new_or_featured) == {"vieja", "cocina"}
    assert _handles(home.slides) == {"vieja"}  # a featured product without stock is never in the banner


async def test_banner_without_products_is_empty(database: Database, put_products: PutProducts) -> None:
    await put_products("borrador", featured=True, status="draft")
    home = await _home(database)
    assert (home.slides, home.new_or_featured, home.on_sale) == ([], [], [])


TITLES = ("Zorro", "Ábaco", "oso", "Ñandú", "abeja", "Óboe", "Nave")
SORTED = ["Ábaco", "abeja", "Ñandú", "Nave", "Óboe", "oso", "Zorro"]


@pytest.fixture
async def sorted_products(database: Database, settings: Settings) -> Database:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        for number, title in enumerate(TITLES):
            await add_product(session, defaults, f"toy-{number}", title=title)
    return database


async def titles(database: Database) -> list[str]:
    async with database.read() as session:
        return [card.title for card in (await catalog_page(session, CatalogFilter(sort="title"))).cards]


async def test_sorting_by_title_ignores_accents_and_case(sorted_products: Database) -> None:
    assert await titles(sorted_products) == SORTED


@pytest.mark.parametrize(
    ("text", "count", "near"),
    [("", 7, None), (" ", 7, None), ("oso", 1, None), ("%", 7, 0), ("😀", 7, 0), ("_ ?", 7, 0)],
)
async def test_search_text_without_words_shows_all_products(
    sorted_products: Database, text: str, count: int, near: int | None
) -> None:
    """Search for spaces, which do not count as a search, and for signs, which no product matches (`near` is 0)."""
    async with sorted_products.read() as session:
        page = await catalog_page(session, CatalogFilter(text=text))
    assert (page.total, len(page.cards), page.near) == (count, count, near)


async def test_product_with_a_changed_title_moves_in_lists_sorted_by_title(sorted_products: Database) -> None:
    async with sorted_products.transaction() as session:
        zorro = (await session.execute(select(Product).where(Product.title == "Zorro"))).scalar_one()
        zorro.title = "Águila"
    assert (await titles(sorted_products))[:3] == ["Ábaco", "abeja", "Águila"]


async def test_store_api_sorts_titles_like_the_pages(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient
) -> None:
    async with shop.database.transaction() as session:
        for number, title in enumerate(TITLES):
            await add_product(session, shop_defaults, f"toy-{number}", title=title)
    answer = (await store.get("/store/products?order=title&fields=title")).json()
    assert [product["title"] for product in answer["products"]] == SORTED
    assert answer["count"] == len(TITLES)


async def test_wishlist_finds_a_product_by_a_former_handle_until_another_product_has_it(
    database: Database, put_products: PutProducts
) -> None:
    await put_products("oso", "trompo", "yoyo")
    wishes = ["trompo", "nave", "peonza", "oso"]

    async def read_wishes() -> dict[str, str]:
        async with database.read() as session:
            return {
                handle: card.handle for handle, card in (await read_cards_by_handle(session, wishes)).items()
            }

    assert await read_wishes() == {"trompo": "trompo", "oso": "oso"}
    await _rename(database, "trompo", "peonza")
    assert list((await read_wishes()).items()) == [("trompo", "peonza"), ("peonza", "peonza"), ("oso", "oso")]
    await _rename(database, "yoyo", "trompo")
    assert await read_wishes() == {"trompo": "trompo", "peonza": "peonza", "oso": "oso"}
    async with database.transaction() as session:
        await session.execute(update(Product).where(Product.handle == "peonza").values(status="draft"))
    assert await read_wishes() == {"trompo": "trompo", "oso": "oso"}


async def _rename(database: Database, handle: str, new: str) -> None:
    async with database.transaction() as session:
        query = select(Product).where(Product.handle == handle)
        (await session.execute(query)).scalar_one().handle = new
