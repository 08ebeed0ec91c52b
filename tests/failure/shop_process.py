"""A shop without pages in a process of its own, to be killed. Its gateway is outside and goes on living.

Its settings come from the environment it is given. `POST /test/buy` and
`POST /test/change-bank/{order}` do what the storefront's buttons do, `POST /test/refund/{order}` what staff do;
everything else is the shop's own API.
"""

import asyncio
import os
import sys
from pathlib import Path

import uvicorn
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.cart.access import new_cart
from backend.cart.lines import add_to_cart
from backend.cart.views import cart_view
from backend.catalog.models import Variant
from backend.core.config.settings import load_settings
from backend.core.observability.logs import set_up_logging
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.money.commands import CreateRefund, ReturnedUnits
from backend.orders.money.refunds import refund_order
from backend.orders.service import lines_of_order, read_order
from backend.staff.rights import COMMAND_LINE
from backend.start import prepare
from tests.checkout_steps import TYPED
from tests.log_guard import record_tokens

SKU = "TRO-TRA-001"
OTHER_BANK = "1007"
shoppers = (f"190.{os.getpid() % 256}.{n // 256}.{n % 256}" for n in range(65_536))
"""Addresses of clients: nobody buys so much alone."""


async def buy(shop: Shop) -> str:
    """Buy one trompo, up to the bank's page.

    Returns:
        The order's id.
    """
    async with shop.database.transaction() as session:
        trompo = (await session.execute(select(Variant.id).where(Variant.sku == SKU))).scalar_one()
        cart_id = await new_cart(session)
        await add_to_cart(session, cart_id, trompo, 1)
    return await pay(shop, cart_id, TYPED["bank"])


async def pay(shop: Shop, cart_id: str, bank: str) -> str:
    """Fill the form in and press its button. Gives the order's id."""
    typed = {**TYPED, "bank": bank}
    await shop.checkout.set_town(cart_id, typed["dane_code"], typed["address"])
    await shop.checkout.offer_shipping(cart_id, ip=next(shoppers))
    async with shop.database.read() as session:
        total = (await cart_view(session, cart_id)).total
    placed = await shop.checkout.place_order(cart_id, typed, expected_total=total, ip=next(shoppers))
    return placed.order_id


async def change_bank(shop: Shop, order_id: str) -> str:
    """Let go of the order's payment and pay at another bank.

    Returns:
        The id of the new order, or of the one there is when that was paid meanwhile.
    """
    token = ORDER_LINK.token(shop.settings.signing_key, order_id)
    cart_id = await shop.placed_orders.change_bank(order_id, token)
    if not cart_id:
        return order_id
    return await pay(shop, cart_id, OTHER_BANK)


async def refund(shop: Shop, order_id: str) -> str:
    """Give all of the order's money back, and take its units back. Gives the order's id."""
    async with shop.database.read() as session:
        order, lines = await read_order(session, order_id), await lines_of_order(session, order_id)
    back = [ReturnedUnits(line_id=line.id, quantity=line.quantity) for line in lines]
    await refund_order(
        shop.database,
        COMMAND_LINE,
        order_id,
        CreateRefund(amount=order.total, reference=f"TRANSFER-{order.number}", lines=back),
    )
    return order_id


def serve(environment: dict[str, str], log: Path) -> None:
    """Serve until killed, in a process with this environment. What it prints is added to the file `log`."""
    os.environ.clear()
    os.environ.update(environment)
    record_tokens()
    with log.open("ab") as printed:
        os.dup2(printed.fileno(), sys.stdout.fileno())
        os.dup2(printed.fileno(), sys.stderr.fileno())
    asyncio.run(_serve())


async def _serve() -> None:
    settings = load_settings()
    set_up_logging(settings.log_format)
    await prepare(settings)
    shop = Shop(settings)
    api = create_api(shop)

    @api.post("/test/buy")
    async def _buy() -> dict[str, str]:
        return {"order_id": await buy(shop)}

    @api.post("/test/change-bank/{order_id}")
    async def _change_bank(order_id: str) -> dict[str, str]:
        return {"order_id": await change_bank(shop, order_id)}

    @api.post("/test/refund/{order_id}")
    async def _refund(order_id: str) -> dict[str, str]:
        return {"order_id": await refund(shop, order_id)}

    await shop.start()
    # long enough that on a busy machine no connection is closed just as the sender of a storm takes it up again
    config = uvicorn.Config(api, port=settings.port, log_level="error", timeout_keep_alive=120)
    await uvicorn.Server(config).serve()
