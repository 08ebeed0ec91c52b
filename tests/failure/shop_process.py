"""A shop without pages in a process of its own, to be killed. Its gateway is outside and goes on living.

`python -m tests.failure.shop_process`, settings from the environment. `POST /test/buy` does what the storefront's
button does; everything else is the shop's own API.
"""

import asyncio

import uvicorn
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.cart import service as carts
from backend.catalog.models import Variant
from backend.checkout.form import require_destination
from backend.settings import load_settings
from backend.start import prepare
from tests.checkout_steps import TYPED

SKU = "TRO-TRA-001"
shoppers = (f"190.24.{n // 256}.{n % 256}" for n in range(65_536))
"""Addresses of clients: nobody buys so much alone."""


async def buy(shop: Shop) -> str:
    """Buy one trompo, up to the bank's page.

    Returns:
        The order's id.
    """
    async with shop.database.transaction() as session:
        trompo = (await session.execute(select(Variant.id).where(Variant.sku == SKU))).scalar_one()
        cart_id = await carts.create(session)
        await carts.add(session, cart_id, trompo, 1)
    await shop.checkout.set_destination(cart_id, require_destination(TYPED))
    await shop.checkout.offer_shipping(cart_id)
    async with shop.database.read() as session:
        total = (await carts.view(session, cart_id)).total
    placed = await shop.checkout.place_order(cart_id, TYPED, expected_total=total, ip=next(shoppers))
    return placed.order_id


async def main() -> None:
    """Serve until killed."""
    settings = load_settings()
    await prepare(settings)
    shop = Shop(settings)
    api = create_api(shop)

    @api.post("/test/buy")
    async def _buy() -> dict[str, str]:
        return {"order_id": await buy(shop)}

    await shop.start()
    await uvicorn.Server(uvicorn.Config(api, port=settings.port, log_level="error")).serve()


if __name__ == "__main__":
    asyncio.run(main())
