"""An order that is placed and paid once in a run. A test that needs one gets a copy of that database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.orders.models import OrderLine
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from tests.api_clients import open_store
from tests.backend.orders.paying import place_order_at_bank, report_payment
from tests.store_defaults import add_product, set_up_defaults


@dataclass(frozen=True)
class SoldOrder:
    """An unsent order of two units of the only product for 40 000 pesos each; 5 units are stocked."""

    order_id: str
    line_id: str
    variant_id: str
    session_id: str


async def place_order(url: str) -> None:
    """Create the product, and place an order that waits for its bank. The database must have the defaults."""
    async with _open_shop(url) as shop:
        defaults = await set_up_defaults(shop.database, shop.settings)
        async with shop.database.transaction() as session:
            variant_id = await add_product(session, defaults, "trompo", stock=5, price=40_000)
        async with open_store(shop) as store:
            await place_order_at_bank(shop, store, variant_id)


async def pay_order(url: str) -> None:
    """Let the bank approve the payment of the order that `place_order` placed."""
    async with _open_shop(url) as shop:
        order = await read_sold_order(shop)
        await report_payment(shop, order.session_id, ProviderState.CAPTURED)


@asynccontextmanager
async def _open_shop(url: str) -> AsyncIterator[Shop]:
    with TemporaryDirectory() as folder:
        shop = Shop(Settings(data_dir=Path(folder), database_url=url))
        yield shop
        await shop.stop()


async def read_sold_order(shop: Shop) -> SoldOrder:
    """Return the ids of the only order."""
    async with shop.database.read() as session:
        line = (await session.execute(select(OrderLine))).scalar_one()
        payment = (await session.execute(select(PaymentSession.id))).scalar_one()
    return SoldOrder(line.order_id, line.id, line.variant_id or "", payment)
