"""Fixtures of the storefront's tests: an open shop that is the current one, and states of customers' browsers."""

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
    """Open a shop without products and make it the current one."""
    settings.data_dir.mkdir(parents=True)
    shutil.copyfile(sqlite_file, settings.data_dir / "trompo.db")
    shop = Shop(settings)
    set_current_shop(shop)
    yield shop
    set_current_shop(None)
    await shop.stop()


@pytest.fixture
async def defaults(shop: Shop, settings: Settings) -> Defaults:
    """Set up the shop's region, channel and warehouse."""
    return await set_up_defaults(shop.database, settings)


@pytest.fixture
def shopper(shop: Shop) -> Callable[[], rx.State]:
    """Return a function that creates the state of a new customer's browser."""

    def make() -> rx.State:
        return rx.State(init_substates=True, _reflex_internal_init=True)  # type: ignore[call-arg]

    return make
