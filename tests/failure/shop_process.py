"""A shop without pages in a separate process, to be killed. Its gateway runs outside.

Its settings come from the given environment. `POST /test/buy` and `POST /test/change-bank/{order}` do what the
storefront's buttons do, `POST /test/refund/{order}` does what staff do; the rest is the shop's own API.
"""

import asyncio
import os
import sys
from pathlib import Path

import uvicorn
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.cart.views import read_cart_view
from backend.catalog.models import Variant
from backend.core.config.settings import load_settings
from backend.core.observability.logs import set_up_logging
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.money.commands import CreateRefund, ReturnedUnits
from backend.orders.money.refunds import refund_order
from backend.orders.service import list_order_lines, read_order
from backend.staff.rights import COMMAND_LINE
from backend.start import prepare
from tests.checkout_steps import CHECKOUT_INPUT
from tests.log_guard import record_tokens

SKU = "TRO-TRA-001"
OTHER_BANK = "1007"
client_addresses = (f"190.{os.getpid() % 256}.{n // 256}.{n % 256}" for n in range(65_536))
"""Client addresses: one customer does not buy this much."""


async def buy(shop: Shop) -> str:
    """Buy one unit, up to the bank's page.

    Returns:
        The order's id.
    """
    async with shop.database.transaction() as session:
        trompo = (await session.execute(select(Variant.id).where(Variant.sku == SKU))).scalar_one()
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, trompo, 1)
    return await pay(shop, cart_id, CHECKOUT_INPUT["bank"])


async def pay(shop: Shop, cart_id: str, bank: str) -> str:
    """Fill in the checkout and submit it. Return the order's id."""
    form = {**CHECKOUT_INPUT, "bank": bank}
    await shop.checkout.set_town(cart_id, form["dane_code"], form["address"])
    await shop.checkout.offer_shipping(cart_id, ip=next(client_addresses))
    async with shop.database.read() as session:
        total = (await read_cart_view(session, cart_id)).total
    placed = await shop.checkout.place_order(cart_id, form, expected_total=total, ip=next(client_addresses))
    return placed.order_id


async def change_bank(shop: Shop, order_id: str) -> str:
    """Abandon the order's payment and pay at another bank.

    Returns:
        The id of the new order, or of the existing one if it was paid in the meantime.
    """
    token = ORDER_LINK.token(shop.settings.signing_key, order_id)
    cart_id = await shop.placed_orders.change_bank(order_id, token)
    if not cart_id:
        return order_id
    return await pay(shop, cart_id, OTHER_BANK)


async def refund(shop: Shop, order_id: str) -> str:
    """Refund the whole order and return its units to stock. Return the order's id."""
    async with shop.database.read() as session:
        order, lines = await read_order(session, order_id), await list_order_lines(session, order_id)
    returned = [ReturnedUnits(line_id=line.id, quantity=line.quantity) for line in lines]
    await refund_order(
        shop.database,
        COMMAND_LINE,
        order_id,
        CreateRefund(amount=order.total, reference=f"TRANSFER-{order.number}", lines=returned),
    )
    return order_id


def serve(environment: dict[str, str], log: Path) -> None:
    """Serve until killed, in a process with this environment. Append its output to the file `log`."""
    os.environ.clear()
    os.environ.update(environment)
    record_tokens()
    with log.open("ab") as output:
        os.dup2(output.fileno(), sys.stdout.fileno())
        os.dup2(output.fileno(), sys.stderr.fileno())
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
    # long enough that no connection closes while the sender of a storm reuses it on a busy machine
    config = uvicorn.Config(api, port=settings.port, log_level="error", timeout_keep_alive=120)
    await uvicorn.Server(config).serve()
