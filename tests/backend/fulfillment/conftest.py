"""Shops whose labels are told apart, and the embedded carrier without a shop around it."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.sandbox.carrier import SandboxCarrier, sandbox_carrier
from backend.shipping.providers.carrier.client import carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from tests.backend.shipping.samples import QUICK
from tests.store_defaults import Defaults, set_up_defaults


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """A shop whose labels are real ones, of the embedded carrier: each has a number of its own."""
    settings = Settings(data_dir=tmp_path / "data", database_url=database_url, carrier_sandbox=False)
    shop = Shop(settings)
    yield shop
    await shop.stop()


@pytest.fixture
def carrier(settings: Settings, database: Database) -> SandboxCarrier:
    """The embedded carrier, which makes test labels as the settings' default has it."""
    return sandbox_carrier(settings, database)


@pytest.fixture
async def provider(settings: Settings, carrier: SandboxCarrier) -> AsyncIterator[CarrierStandard]:
    """The shop's provider, led to the embedded carrier without a socket."""
    provider = CarrierStandard(carrier_client(settings, httpx.ASGITransport(carrier.app), QUICK))
    yield provider
    await provider.close()


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    """A warehouse that serves one channel with both providers and one option of each."""
    return await set_up_defaults(database, settings)
