"""Completing a cart whose reservation has ended meanwhile."""

from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.checkout.completion import HELD_TIME
from backend.core.db.database import db_now
from backend.inventory import service as inventory
from backend.inventory.models import Reservation
from backend.payment.providers.base import ProviderState
from backend.shop import Shop
from tests.backend.checkout.paying_kit import Till
from tests.backend.orders.paying import at_the_bank, said, stands, stock
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import pay, post, shipped_cart


async def test_an_order_reserves_again_what_has_expired(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_defaults, "trompo", stock=3)
    cart_id = await shipped_cart(store, toy, 2)
    await pay(store, cart_id)
    async with shop.database.transaction() as session:
        await session.execute(update(Reservation).values(expires_at=db_now()))
    async with shop.database.transaction() as session:
        assert await inventory.release_expired(session) == 1
    await post(store, f"/store/carts/{cart_id}/complete")
    async with shop.database.read() as session:
        assert await inventory.reserved_units(session, cart_id) == {toy: 2}


@pytest.mark.parametrize("has_ended", [False, True])
async def test_units_of_a_held_payment_stay_reserved_when_its_cart_is_completed(
    till: Till, has_ended: bool
) -> None:
    trompo = await till.toy(stock=2)
    cart_id = await till.cart(trompo, 2)
    payment = await till.start(cart_id)
    assert await till.decide(payment, ProviderState.HELD) == "held"
    if has_ended:
        await till.pass_time(HELD_TIME)
        async with till.database.transaction() as session:
            assert await inventory.release_expired(session) == 1
    order = (await till.checkout.complete(cart_id)).order
    assert (order.status, order.payment_status) == ("pending", "awaiting")
    await till.pass_time(HELD_TIME - timedelta(minutes=5))
    async with till.database.transaction() as session:
        assert await inventory.release_expired(session) == 0
        assert await inventory.reserved_units(session, cart_id) == {trompo: 2}


async def test_a_payment_approved_as_its_reservation_ends_has_units_or_a_row(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at what is reserved and its confirmation another replica releases what has expired."""
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_defaults, "trompo", stock=2)
    order_id, session_id = await at_the_bank(shop, store, toy)
    async with shop.database.transaction() as session:
        await session.execute(update(Reservation).values(expires_at=db_now()))
    look = inventory.reserved_units

    async def look_and_be_overtaken(session: AsyncSession, holder: str) -> dict[str, int]:
        found = await look(session, holder)
        if not shop.database.is_sqlite:  # there the rival waits for the whole transaction
            async with shop.database.transaction() as rival:
                assert await inventory.release_expired(rival) == 1
        return found

    monkeypatch.setattr(inventory, "reserved_units", look_and_be_overtaken)
    await said(shop, session_id, ProviderState.CAPTURED)
    monkeypatch.undo()
    assert await stands(shop, order_id) == ("pending", "captured")
    assert await stock(shop) == (2, 2)
    async with shop.database.read() as session:
        kept = (await session.execute(select(Reservation.quantity, Reservation.expires_at))).all()
    assert [tuple(row) for row in kept] == [(2, None)]
