"""Shops whose labels have distinct numbers, and the embedded carrier without a shop."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.sandbox.carrier import SandboxCarrier, create_sandbox_carrier
from backend.shipping.providers.carrier.client import create_carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from tests.backend.shipping.samples import QUICK
from tests.store_defaults import Defaults, set_up_defaults


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Return a shop whose embedded carrier creates real labels (not test labels), each with its own number."""
    settings = Settings(data_dir=tmp_path / "data", database_url=database_url, carrier_sandbox=False)
    shop = Shop(settings)
    yield shop
    await shop.stop()


@pytest.fixture
def carrier(settings: Settings, database: Database) -> SandboxCarrier:
    """Return the embedded carrier, which creates test labels by the default settings."""
    return create_sandbox_carrier(settings, database)


@pytest.fixture
async def provider(settings: Settings, carrier: SandboxCarrier) -> AsyncIterator[CarrierStandard]:
    """Return the shop's provider, connected to the embedded carrier without a socket."""
    provider = CarrierStandard(create_carrier_client(settings, httpx.ASGITransport(carrier.app), QUICK))
    yield provider
    await provider.close()


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    """Return a warehouse that serves one channel with both providers and one option of each."""
    return await set_up_defaults(database, settings)
