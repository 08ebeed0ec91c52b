"""FastAPI dependencies of all routes: database, settings, sales channel, the client's address, requested fields.

Each dependency costs time in every request. So where possible, a dependency reads values from the request instead
of depending on another dependency.
"""

from typing import Annotated, Protocol

from fastapi import Depends, Header, Request

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import NotAllowed
from backend.edge.query import Fields, read_query
from backend.edge.requests import client_address
from backend.edge.schemas import OneParameters

KEY_HEADER = "x-publishable-api-key"
NO_KEY = (
    f"Publishable API key required in the request header: {KEY_HEADER}. "
    "You can manage your keys in settings in the dashboard."
)
WRONG_KEY = "A valid publishable key is required to proceed with the request"


async def get_database(request: Request) -> Database:
    """Return the running shop's database."""
    database: Database = request.app.state.database
    return database


async def get_settings(request: Request) -> Settings:
    """Return the running shop's settings."""
    settings: Settings = request.app.state.settings
    return settings


Db = Annotated[Database, Depends(get_database)]
ShopSettings = Annotated[Settings, Depends(get_settings)]


class KeyFinder(Protocol):
    """A service that finds publishable keys; `app.py` puts it into `app.state.publishable_keys`."""

    async def find_sales_channel(self, key: str) -> str | None:
        """Return the id of the key's sales channel; None for an unknown key."""


PublishableKey = Annotated[
    str | None, Header(alias=KEY_HEADER, description="The publishable key: it names the sales channel.")
]


async def sales_channel(request: Request, key: PublishableKey = None) -> str:
    """Return the id of the sales channel of the request's publishable key.

    Raises:
        NotAllowed: the key is missing or unknown.
    """
    if not key:
        raise NotAllowed(NO_KEY)
    keys: KeyFinder = request.app.state.publishable_keys
    channel_id = await keys.find_sales_channel(key)
    if channel_id is None:
        raise NotAllowed(WRONG_KEY)
    return channel_id


async def client_ip(request: Request) -> str:
    """Return the client's IP address, from the connection and trusted proxies (see `client_address`)."""
    settings: Settings = request.app.state.settings
    return client_address(request, settings.trusted_proxies)


async def requested_fields(parameters: Annotated[OneParameters, read_query(OneParameters)]) -> Fields:
    """Return the requested fields of a single object."""
    return Fields(parameters.fields)


Channel = Annotated[str, Depends(sales_channel)]
ClientIp = Annotated[str, Depends(client_ip)]
RequestedFields = Annotated[Fields, Depends(requested_fields)]
