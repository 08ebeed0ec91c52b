"""What routes of every room ask for. The rooms above bring their own beside their routes."""

from typing import Annotated

from fastapi import Depends, Header, Request
from sqlalchemy import select

from backend.catalog.models import PublishableKey
from backend.catalog.version import Versions
from backend.database import Database
from backend.edge.client import client_address
from backend.edge.fields import Fields
from backend.edge.query import read_query
from backend.edge.schemas import OneParameters
from backend.errors import NotAllowed
from backend.settings import Settings

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


async def versions_of(request: Request) -> Versions:
    """The catalogue's version, which tells whether what was read of it still holds."""
    versions: Versions = request.app.state.versions
    return versions


async def sales_channel(
    database: Db,
    versions: Annotated[Versions, Depends(versions_of)],
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

    async def read() -> str | None:
        query = select(PublishableKey.sales_channel_id).where(PublishableKey.token == key)
        async with database.read() as session:
            return (await session.execute(query)).scalar_one_or_none()

    channel_id = await versions.remembered(key, read)
    if channel_id is None:
        raise NotAllowed(WRONG_KEY)
    return channel_id


async def client_ip(request: Request, settings: ShopSettings) -> str:
    """The address of whoever asks, from the connection; never from what they sent."""
    return client_address(request, settings.trusted_proxies)


async def shown(asked: Annotated[OneParameters, read_query(OneParameters)]) -> Fields:
    """Which fields of one thing are asked for."""
    return Fields(asked.fields)


Channel = Annotated[str, Depends(sales_channel)]
ClientIp = Annotated[str, Depends(client_ip)]
Shown = Annotated[Fields, Depends(shown)]
