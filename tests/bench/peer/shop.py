"""The shop as users run it, with one worker and generated products."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import select

from backend.channels.models import PublishableKey, Region
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.migrations.runner import upgrade
from tests.bench import generated_products, servers
from tests.bench.checkouts import wait_for_mails
from tests.bench.peer.contender import Contender, RunningServer
from tests.ports import find_free_port

WORDS = 20


class ShopSide:
    """The shop with one worker, without Redis."""

    name = "Trompo"

    def __init__(self, database_url: str, folder: Path, products: int) -> None:
        """Describe the shop.

        Args:
            database_url: address of an empty database.
            folder: an empty folder for its data.
            products: number of products to create.
        """
        self._products = products
        self._settings = Settings(
            data_dir=folder, database_url=database_url, port=find_free_port(), trusted_proxies="127.0.0.1"
        )
        self._database = Database.from_settings(self._settings)

    async def prepare(self) -> Contender:
        """Create the tables and products."""
        await upgrade(self._database)
        await generated_products.fill_shop(self._database, self._settings, self._products)
        async with self._database.read() as session:
            key = (await session.execute(select(PublishableKey.token))).scalar_one()
            region_id = (await session.execute(select(Region.id))).scalar_one()
        vocabulary = generated_products.generate_vocabulary(self._products)
        numbers = range(self._products)
        titles = [generated_products.generate_title(number, vocabulary) for number in numbers[:WORDS]]
        return Contender(
            publishable_key=key,
            region_id=region_id,
            variant_ids=await generated_products.sample_variants(self._database, 100),
            words=[title.split()[0].lower() for title in titles],
            handles=[generated_products.format_handle(number) for number in numbers],
        )

    @asynccontextmanager
    async def start(self) -> AsyncIterator[RunningServer]:
        """Run the server."""
        async with servers.start_shop(self._settings) as (process, seconds):
            yield RunningServer(process, self._settings.port, seconds)

    async def finish_checkouts(self) -> None:
        """Wait until the confirmation mail of each order is sent."""
        await wait_for_mails(self._database)

    async def close(self) -> None:
        """Close the connections to its database."""
        await self._database.close()
