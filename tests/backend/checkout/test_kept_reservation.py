"""Completing a cart whose reservation has ended meanwhile."""

import httpx
from sqlalchemy import update

from backend.database import db_now
from backend.inventory import service as inventory
from backend.inventory.models import Reservation
from backend.shop import Shop
from tests.shop_floor import Floor, make_toy
from tests.store_steps import pay, post, shipped_cart


async def test_an_order_reserves_again_what_has_expired(
    store: httpx.AsyncClient, shop: Shop, shop_floor: Floor
) -> None:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_floor, "trompo", stock=3)
    cart_id = await shipped_cart(store, toy, 2)
    await pay(store, cart_id)
    async with shop.database.transaction() as session:
        await session.execute(update(Reservation).values(expires_at=db_now()))
    async with shop.database.transaction() as session:
        assert await inventory.release_expired(session) == 1
    await post(store, f"/store/carts/{cart_id}/complete")
    async with shop.database.read() as session:
        assert await inventory.reserved_units(session, cart_id) == {toy: 2}
