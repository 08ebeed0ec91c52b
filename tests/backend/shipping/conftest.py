from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.sandbox.carrier import SandboxCarrier, sandbox_carrier
from backend.shipping.providers.carrier.client import CarrierClient, carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from tests.backend.shipping.samples import QUICK
from tests.backend.shipping.serving import served
from tests.store_defaults import Defaults, set_up_defaults


@pytest.fixture
async def carrier_memory(sqlite_url: str) -> AsyncIterator[Database]:
    """Where the embedded carrier remembers its labels."""
    database = Database(sqlite_url)
    yield database
    await database.close()


@pytest.fixture
def carrier(settings: Settings, carrier_memory: Database) -> SandboxCarrier:
    """The embedded carrier, which makes test labels as the settings' default has it."""
    return sandbox_carrier(settings, carrier_memory)


@pytest.fixture
async def client(settings: Settings, carrier: SandboxCarrier) -> AsyncIterator[CarrierClient]:
    """The shop's client, led to the embedded carrier without a socket."""
    client = carrier_client(settings, httpx.ASGITransport(carrier.app), QUICK)
    yield client
    await client.close()


@pytest.fixture
def provider(client: CarrierClient) -> CarrierStandard:
    return CarrierStandard(client)


@pytest.fixture
def carrier_url(carrier: SandboxCarrier) -> Iterator[str]:
    """The embedded carrier on a real socket."""
    with served(carrier.app) as url:
        yield f"{url}/api/v2"


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    """A warehouse that serves one channel with both providers and one option of each."""
    return await set_up_defaults(database, settings)
