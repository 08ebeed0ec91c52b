"""A shop that pages and handlers find as the current one, and shoppers, each with a state of their own."""

import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import reflex as rx

from backend.app import Shop, set_current_shop
from backend.core.config.settings import Settings
from tests.store_defaults import Defaults, set_up_defaults


@pytest.fixture
async def shop(settings: Settings, sqlite_file: Path) -> AsyncIterator[Shop]:
    """An open shop without toys."""
    settings.data_dir.mkdir(parents=True)
    shutil.copyfile(sqlite_file, settings.data_dir / "trompo.db")
    shop = Shop(settings)
    set_current_shop(shop)
    yield shop
    set_current_shop(None)
    await shop.stop()


@pytest.fixture
async def defaults(shop: Shop, settings: Settings) -> Defaults:
    """The shop's region, channel and warehouse."""
    return await set_up_defaults(shop.database, settings)


@pytest.fixture
def shopper(shop: Shop) -> Callable[[], rx.State]:
    """Makes the state of one more shopper."""

    def make() -> rx.State:
        return rx.State(init_substates=True, _reflex_internal_init=True)  # type: ignore[call-arg]

    return make
