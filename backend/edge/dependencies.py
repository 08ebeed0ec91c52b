"""FastAPI dependencies of all routes: database, settings, sales channel, the client's address, wanted fields.

Each costs every request that needs it: what one needs of another, it takes from the request where it can.
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


async def database_of(request: Request) -> Database:
    """The running shop's database."""
    database: Database = request.app.state.database
    return database


async def settings_of(request: Request) -> Settings:
    """The running shop's settings."""
    settings: Settings = request.app.state.settings
    return settings


Db = Annotated[Database, Depends(database_of)]
ShopSettings = Annotated[Settings, Depends(settings_of)]


class Keys(Protocol):
    """What knows the publishable keys; `app.py` puts it into `app.state.publishable_keys`."""

    async def sales_channel(self, key: str) -> str | None:
        """The id of the key's sales channel; None for an unknown key."""


async def sales_channel(
    request: Request,
    key: Annotated[
        str | None, Header(alias=KEY_HEADER, description="The publishable key: it names the sales channel.")
    ] = None,
) -> str:
    """The id of the sales channel that the request's publishable key names.

    Raises:
        NotAllowed: there is no key, or nobody knows it.
    """
    if not key:
        raise NotAllowed(NO_KEY)
    keys: Keys = request.app.state.publishable_keys
    channel_id = await keys.sales_channel(key)
    if channel_id is None:
        raise NotAllowed(WRONG_KEY)
    return channel_id


async def client_ip(request: Request) -> str:
    """The client's IP address, from the connection and trusted proxies (see `client_address`)."""
    settings: Settings = request.app.state.settings
    return client_address(request, settings.trusted_proxies)


async def shown(asked: Annotated[OneParameters, read_query(OneParameters)]) -> Fields:
    """Which fields of one thing are asked for."""
    return Fields(asked.fields)


Channel = Annotated[str, Depends(sales_channel)]
ClientIp = Annotated[str, Depends(client_ip)]
Shown = Annotated[Fields, Depends(shown)]
