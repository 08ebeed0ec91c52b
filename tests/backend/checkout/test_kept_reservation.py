"""Complete a cart whose reservation has expired."""

from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.checkout.completion import HELD_RESERVATION_TIME
from backend.core.db.database import db_now
from backend.inventory import service as inventory
from backend.inventory.models import Reservation
from backend.payment.providers.base import ProviderState
from backend.shop import Shop
from tests.backend.checkout.paying_kit import Till
from tests.backend.orders.paying import place_order_at_bank, read_order_status, read_stock, report_payment
from tests.store_defaults import Defaults, add_product
from tests.store_steps import create_cart_with_shipping, create_payment_collection, post


async def test_completing_a_cart_reserves_its_expired_units_again(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=3)
    cart_id = await create_cart_with_shipping(store, variant, 2)
    await create_payment_collection(store, cart_id)
    async with shop.database.transaction() as session:
        await session.execute(update(Reservation).values(expires_at=db_now()))
    async with shop.database.transaction() as session:
        assert await inventory.release_expired(session) == 1
    await post(store, f"/store/carts/{cart_id}/complete")
    async with shop.database.read() as session:
        assert await inventory.read_reserved_units(session, cart_id) == {variant: 2}


@pytest.mark.parametrize("has_ended", [False, True])
async def test_completing_a_cart_keeps_the_reservation_of_a_held_payment(till: Till, has_ended: bool) -> None:
    trompo = await till.make_variant(stock=2)
    cart_id = await till.cart(trompo, 2)
    payment = await till.start(cart_id)
    assert await till.decide(payment, ProviderState.HELD) == "held"
    if has_ended:
        await till.pass_time(HELD_RESERVATION_TIME)
        async with till.database.transaction() as session:
            assert await inventory.release_expired(session) == 1
    order = (await till.checkout.complete(cart_id)).order
    assert (order.status, order.payment_status) == ("pending", "awaiting")
    await till.pass_time(HELD_RESERVATION_TIME - timedelta(minutes=5))
    async with till.database.transaction() as session:
        assert await inventory.release_expired(session) == 0
        assert await inventory.read_reserved_units(session, cart_id) == {trompo: 2}


async def test_payment_approved_while_its_reservation_is_released_gets_its_units(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let another replica release the expired reservation between the moments when it is read and confirmed."""
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=2)
    order_id, session_id = await place_order_at_bank(shop, store, variant)
    async with shop.database.transaction() as session:
        await session.execute(update(Reservation).values(expires_at=db_now()))
    look = inventory.read_reserved_units

    async def look_and_be_overtaken(session: AsyncSession, holder: str) -> dict[str, int]:
        found = await look(session, holder)
        if not shop.database.is_sqlite:  # there the other replica waits for the whole transaction
            async with shop.database.transaction() as rival:
                assert await inventory.release_expired(rival) == 1
        return found

    monkeypatch.setattr(inventory, "read_reserved_units", look_and_be_overtaken)
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    monkeypatch.undo()
    assert await read_order_status(shop, order_id) == ("pending", "captured")
    assert await read_stock(shop) == (2, 2)
    async with shop.database.read() as session:
        kept = (await session.execute(select(Reservation.quantity, Reservation.expires_at))).all()
    assert [tuple(row) for row in kept] == [(2, None)]
