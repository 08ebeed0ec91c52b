"""What the home page shows, down to a shop without toys (spec: Storefront view rules 1)."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from backend.catalog.browse import home_content
from backend.catalog.views import HomeContent
from backend.clock import now
from backend.database import Database
from backend.settings import Settings
from tests.shop_floor import make_toy, open_floor

Stock = Callable[..., Awaitable[None]]
LONG_AGO = timedelta(days=365)


@pytest.fixture
async def stock(database: Database, settings: Settings) -> Stock:
    """Puts toys on the shelf, by their handles."""
    floor = await open_floor(database, settings)

    async def put(*handles: str, **said: Any) -> None:
        async with database.transaction() as session:
            for handle in handles:
                await make_toy(session, floor, handle, **said)

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
