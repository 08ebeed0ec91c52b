"""Stock locations: their providers, sales channels and addresses."""

import asyncio

import pytest
from sqlalchemy import func, select

from backend.channels.models import SalesChannel
from backend.core.db.database import Database
from backend.core.errors import NotFound
from backend.shipping.addresses import find_origin
from backend.shipping.locations import change_location, link_providers, link_sales_channels
from backend.shipping.models import LocationFulfillmentProvider, LocationSalesChannel, StockLocation
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults


async def count_links(
    database: Database, kind: type[LocationFulfillmentProvider | LocationSalesChannel]
) -> int:
    async with database.read() as session:
        return (await session.execute(select(func.count()).select_from(kind))).scalar_one()


async def test_concurrent_and_repeated_linking_to_a_location_creates_one_link(
    database: Database, defaults: Defaults
) -> None:
    async def link() -> None:
        async with database.transaction() as session:
            await link_providers(session, COMMAND_LINE, defaults.location_id, add=["other_provider"])
            await link_sales_channels(session, COMMAND_LINE, defaults.location_id, add=[defaults.channel_id])

    await asyncio.gather(*(link() for _ in range(6)))
    await link()
    assert await count_links(database, LocationFulfillmentProvider) == 3
    assert await count_links(database, LocationSalesChannel) == 1


async def test_unlinking_without_a_link_is_no_error(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["nobody"])
        await link_sales_channels(session, COMMAND_LINE, defaults.location_id, remove=["sc_nobody"])
    assert await count_links(database, LocationFulfillmentProvider) == 2


async def test_removing_links_of_one_stock_location_keeps_the_links_of_another(
    database: Database, defaults: Defaults
) -> None:
    async with database.transaction() as session:
        other, channel = StockLocation(name="Otra"), SalesChannel(name="Otro")
        session.add_all([other, channel])
        await session.flush()
        await link_providers(session, COMMAND_LINE, other.id, add=["manual_manual"])
        await link_sales_channels(session, COMMAND_LINE, other.id, add=[channel.id])
        await link_providers(session, COMMAND_LINE, defaults.location_id, remove=["manual_manual"])
        await link_sales_channels(session, COMMAND_LINE, defaults.location_id, remove=[channel.id])
    async with database.read() as session:
        assert await session.get(LocationFulfillmentProvider, (other.id, "manual_manual"))
        assert await session.get(LocationSalesChannel, (other.id, channel.id))
        assert await session.get(LocationSalesChannel, (defaults.location_id, defaults.channel_id))


async def test_unknown_location_or_channel_is_not_found(database: Database, defaults: Defaults) -> None:
    async with database.transaction() as session:
        with pytest.raises(NotFound, match="sloc_unknown"):
            await link_providers(session, COMMAND_LINE, "sloc_unknown", add=["manual_manual"])
        with pytest.raises(NotFound, match="sloc_unknown"):
            await link_providers(session, COMMAND_LINE, "sloc_unknown", remove=["manual_manual"])
        with pytest.raises(NotFound, match="sloc_unknown"):
            await link_sales_channels(session, COMMAND_LINE, "sloc_unknown", remove=[defaults.channel_id])
        with pytest.raises(NotFound, match="sc_unknown"):
            await link_sales_channels(session, COMMAND_LINE, defaults.location_id, add=["sc_unknown"])


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"city": "Cali", "province": "Valle del Cauca"}, "76001000"),  # as the platform's dashboard sends it
        ({"city": "Cali"}, "76001000"),
        ({"city": "Armenia", "province": "Antioquia"}, "05059000"),
        ({"city": "Cali", "dane_code": "05001000"}, "05001000"),
        ({"city": "Bogota", "address_1": "Calle 13 # 68-40"}, "11001000"),
        ({"city": "Vereda El Hato"}, "11001000"),  # a village of the municipality
        ({"city": None}, "11001000"),
        ({"address_1": "Calle 13 # 68-40"}, "11001000"),
    ],
)
async def test_moved_location_ships_from_its_new_municipality(
    database: Database, defaults: Defaults, sent: dict[str, str], code: str
) -> None:
    async with database.transaction() as session:
        location = await change_location(session, COMMAND_LINE, defaults.location_id, address=sent)
    assert find_origin(location.address).dane_code == code
