from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.sandbox.carrier import SandboxCarrier, create_sandbox_carrier
from backend.shipping.providers.carrier.client import CarrierClient, create_carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from tests.backend.shipping.samples import QUICK
from tests.backend.shipping.serving import served
from tests.store_defaults import Defaults, set_up_defaults


@pytest.fixture
async def carrier_memory(sqlite_url: str) -> AsyncIterator[Database]:
    """Return the database of the embedded carrier's labels."""
    database = Database(sqlite_url)
    yield database
    await database.close()


@pytest.fixture
def carrier(settings: Settings, carrier_memory: Database) -> SandboxCarrier:
    """Return the embedded carrier. With the default settings, it creates test labels."""
    return create_sandbox_carrier(settings, carrier_memory)


@pytest.fixture
async def client(settings: Settings, carrier: SandboxCarrier) -> AsyncIterator[CarrierClient]:
    """Return the shop's client, connected to the embedded carrier without a socket."""
    client = create_carrier_client(settings, httpx.ASGITransport(carrier.app), QUICK)
    yield client
    await client.close()


@pytest.fixture
def provider(client: CarrierClient) -> CarrierStandard:
    return CarrierStandard(client)


@pytest.fixture
def carrier_url(carrier: SandboxCarrier) -> Iterator[str]:
    """Return the address of the embedded carrier on a real socket."""
    with served(carrier.app) as url:
        yield f"{url}/api/v2"


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    """Create the store defaults: one warehouse and channel, and a shipping option of each provider."""
    return await set_up_defaults(database, settings)
