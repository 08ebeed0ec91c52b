"""Stock held by payments that have started and are not decided yet.

fault                                                    outcome
-------------------------------------------------------  ---------------------------------------------------------
one client starts payments of all units                  it holds a tenth of the shop, half of a variant; larger
                                                         purchases are refused, the owner is alerted
it uses another address of its /64, another e-mail,      counted together while one of the four is the same
  telephone or device
two of its starts at the same moment                     one after the other: never more than its share
a small purchase (three of a variant) beyond the share   goes on without a hold; paid, it gets its units, or
                                                         attention `stock_short` if they are gone
many clients hold a variant                              three units stay free while it has more than five, and
                                                         sell without a hold; as many are sold as there are
fifty clients hold the shop                              half of it at most; small purchases go on; alert
the final five units                                     held by the first payment, as before
the same units are started repeatedly                    held for 60 minutes in total, then not held
the hold would end before the bank's session             there is no hold
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import func, select

from backend.alerts.models import Alert
from backend.attention.models import Attention
from backend.cart.access import create_empty_cart
from backend.cart.models import LineItem
from backend.checkout.payment.stock_holds import HoldTooLarge
from backend.core.db.database import Database, database_now
from backend.core.errors import InsufficientStock
from backend.inventory.models import InventoryLevel, Reservation
from backend.mail.models import Mail
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import CheckedPayer, ProviderState
from backend.shipping.models import ShippingOption
from backend.shop import Shop
from tests.backend.checkout.paying_kit import ANA, Till
from tests.checkout_steps import set_destination
from tests.store_defaults import Defaults, add_product
from tests.store_steps import MANUAL, PAYER, PSE, create_cart_with_shipping, post

BANK_SESSION = timedelta(minutes=21)


async def create_cart(till: Till, units: Mapping[str, int], shopper: int) -> str:
    """Return a payable cart with its own e-mail address and telephone number."""
    async with till.database.transaction() as session:
        cart_id = await create_empty_cart(session)
        session.add_all(
            LineItem(cart_id=cart_id, variant_id=variant, quantity=quantity)
            for variant, quantity in units.items()
        )
    who = ANA.model_copy(update={"email": f"shopper{shopper}@example.com", "phone": f"3{shopper:09d}"})
    await set_destination(till.database, cart_id, who)
    async with till.database.read() as session:
        flat = select(ShippingOption.id).where(ShippingOption.price_type == "flat")
        option = (await session.execute(flat)).scalar_one()
    await till.checkout.choose_shipping(cart_id, option, ip=format_ip(shopper))
    return cart_id


def format_ip(shopper: int) -> str:
    return f"190.24.{shopper // 200}.{shopper % 200 + 1}"


async def start(
    till: Till, units: Mapping[str, int], shopper: int, *, ip: str = "", device: str = ""
) -> PaymentSession:
    """Start a payment of a new cart."""
    cart_id = await create_cart(till, units, shopper)
    started = await till.checkout.start_payment(
        cart_id, PSE, CheckedPayer({"bank": "1022"}), ip=ip or format_ip(shopper), device=device
    )
    return started.payment


async def is_started(till: Till, units: Mapping[str, int], shopper: int, **who: str) -> bool:
    try:
        await start(till, units, shopper, **who)
    except (HoldTooLarge, InsufficientStock):
        return False
    return True


async def read_held_units(database: Database) -> dict[str, int]:
    async with database.read() as session:
        rows = await session.execute(select(InventoryLevel.variant_id, InventoryLevel.reserved))
        return {row.variant_id: row.reserved for row in rows}


async def alerts(database: Database) -> list[str]:
    async with database.read() as session:
        kinds = (await session.execute(select(Alert.kind))).scalars().all()
        mailed = (await session.execute(select(func.count()).where(Mail.kind == "alert"))).scalar_one()
        assert mailed == len(kinds)
        return list(kinds)


async def create_demo_shop(till: Till) -> dict[str, int]:
    """Create sixty variants with 1,614 units in total. Return the units by variant id."""
    return {
        await till.make_variant(f"toy-{n}", stock=27 if n < 54 else 26): 27 if n < 54 else 26
        for n in range(60)
    }


async def test_one_client_holds_at_most_a_tenth_of_all_units_and_half_of_a_variant(till: Till) -> None:
    stock = await create_demo_shop(till)
    assert sum(stock.values()) == 1_614
    assert not await is_started(till, stock, 1, ip="190.24.1.1")  # all of the shop
    for shopper, count in enumerate((14, 13, 13, 13, 13, 12, 3, 3), 2):  # new clients, one address
        variants = list(stock)[shopper * 3 : shopper * 3 + 3]
        await is_started(till, dict.fromkeys(variants, count), shopper, ip="190.24.1.1")
    reserved = await read_held_units(till.database)
    assert 100 <= sum(reserved.values()) <= 161
    assert max(reserved.values()) == 13
    assert await alerts(till.database) == ["stock_held"]
    # other clients can buy normally
    assert await is_started(till, dict.fromkeys(list(stock)[6:9], 3), 900)
    assert await is_started(till, {next(iter(stock)): 10}, 901)


@pytest.mark.parametrize("shared", ["address", "network", "email", "phone", "device"])
async def test_carts_that_share_one_identifier_count_as_one_client(till: Till, shared: str) -> None:
    trompo = await till.make_variant("trompo", stock=20)
    await till.make_variant("rest", stock=500)
    first_ip = "2800:e2:1:2::1" if shared == "network" else "190.24.1.1"
    second_ip = {"network": "2800:e2:1:2:ffff::9", "address": first_ip}.get(shared, "190.24.1.2")
    assert await is_started(till, {trompo: 10}, 1, ip=first_ip, device="phone-1")
    cart_id = await create_cart(till, {trompo: 4}, 2)
    mine = {"email": "shopper1@example.com"} if shared == "email" else {"email": "shopper2@example.com"}
    mine["phone"] = "3000000001" if shared == "phone" else "3000000002"
    await set_destination(till.database, cart_id, ANA.model_copy(update=mine))
    device = "phone-1" if shared == "device" else "phone-2"
    async with till.database.read() as session:
        flat = select(ShippingOption.id).where(ShippingOption.price_type == "flat")
        option = (await session.execute(flat)).scalar_one()
    await till.checkout.choose_shipping(cart_id, option, ip=second_ip)
    with pytest.raises(HoldTooLarge, match="At most 3 units of Trompo") as refused:
        await till.checkout.start_payment(
            cart_id, PSE, CheckedPayer({"bank": "1022"}), ip=second_ip, device=device
        )
    assert "hasta 3 unidades de «Trompo»" in refused.value.shopper_text
    assert await read_held_units(till.database) == {
        trompo: 10,
        **dict.fromkeys(set(await read_held_units(till.database)) - {trompo}, 0),
    }
    assert await is_started(till, {trompo: 4}, 3)  # another client


@pytest.mark.parametrize("is_same", ["address", "email"])
async def test_concurrent_payment_starts_of_one_client_stay_within_its_share_of_the_stock(
    till: Till, is_same: str
) -> None:
    variants = [await till.make_variant(f"toy-{n}", stock=20) for n in range(8)]
    carts = [
        await create_cart(till, {held_id: 8}, 1 if is_same == "email" else n)
        for n, held_id in enumerate(variants)
    ]

    async def try_one(number: int, cart_id: str) -> bool:
        ip = "190.24.1.1" if is_same == "address" else format_ip(number)
        try:
            await till.checkout.start_payment(cart_id, PSE, CheckedPayer({"bank": "1022"}), ip=ip)
        except HoldTooLarge:
            return False
        return True

    started = await asyncio.gather(*(try_one(number, cart_id) for number, cart_id in enumerate(carts)))
    assert sum(started) == 2  # 16 of 160
    assert sum((await read_held_units(till.database)).values()) == 16


async def test_client_at_its_hold_limit_can_buy_a_few_more_units_without_a_hold(till: Till) -> None:
    trompo = await till.make_variant("trompo", stock=20)
    await start(till, {trompo: 10}, 1, ip="190.24.1.1")
    payment = await start(till, {trompo: 3}, 2, ip="190.24.1.1")
    assert await read_held_units(till.database) == {trompo: 10}
    assert await alerts(till.database) == ["stock_held"]
    async with till.database.read() as session:
        stored = await session.get_one(PaymentSession, payment.id)
        cart_id = (await session.execute(select(Reservation.holder))).scalar_one()
        assert not stored.holds_stock
    order = (await till.checkout.complete(await cart_of(till, payment))).order
    assert await read_held_units(till.database) == {trompo: 10}
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    assert await read_held_units(till.database) == {trompo: 13}
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert await till.attention() == []
    assert cart_id != order.cart_id


async def test_paid_purchase_whose_units_are_sold_out_raises_attention(till: Till) -> None:
    trompo = await till.make_variant("trompo", stock=20)
    await start(till, {trompo: 10}, 1, ip="190.24.1.1")
    payment = await start(till, {trompo: 3}, 2, ip="190.24.1.1")
    await till.checkout.complete(await cart_of(till, payment))
    async with till.database.transaction() as session:  # the rest is sold
        level = (await session.execute(select(InventoryLevel))).scalar_one()
        level.stocked = 11
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    async with till.database.read() as session:
        assert (await session.execute(select(Attention.kind))).scalar_one() == "stock_short"


async def test_unpaid_payments_of_one_client_never_cover_more_units_than_exist(till: Till) -> None:
    trompo = await till.make_variant("trompo", stock=10)
    started = [await is_started(till, {trompo: 1}, n, ip="190.24.1.1") for n in range(14)]
    assert sum(started) == 10
    assert await read_held_units(till.database) == {trompo: 5}


async def test_as_many_concurrent_shoppers_can_start_a_payment_as_there_are_units(till: Till) -> None:
    trompo = await till.make_variant("trompo", stock=10)
    carts = [await create_cart(till, {trompo: 1}, n) for n in range(16)]

    async def buy(number: int, cart_id: str) -> bool:
        try:
            await till.checkout.start_payment(
                cart_id, PSE, CheckedPayer({"bank": "1022"}), ip=format_ip(number)
            )
        except InsufficientStock:
            return False
        return True

    assert sum(await asyncio.gather(*(buy(n, cart_id) for n, cart_id in enumerate(carts)))) == 10
    assert await read_held_units(till.database) == {trompo: 7}  # three stay for sale until they are paid


async def test_many_large_holds_leave_units_for_small_purchases(till: Till) -> None:
    trompo = await till.make_variant("trompo", stock=40)
    await till.make_variant("rest", stock=1_000)
    for shopper, count in enumerate((20, 10, 5)):
        assert await is_started(till, {trompo: count}, shopper)
    with pytest.raises(HoldTooLarge, match="At most 3 units"):
        await start(till, {trompo: 4}, 20)
    assert await alerts(till.database) == ["stock_held"]  # others hold so much
    assert await is_started(till, {trompo: 2}, 4)
    for shopper in range(10, 15):
        assert await is_started(till, {trompo: 1 + shopper % 3}, shopper)
    assert sum((await read_held_units(till.database)).values()) == 37


async def test_last_five_units_are_held_by_the_first_payments(till: Till) -> None:
    trompo = await till.make_variant("trompo", stock=5)
    started = [await is_started(till, {trompo: 2}, n) for n in range(4)]
    assert started == [True, True, False, False]
    assert await read_held_units(till.database) == {trompo: 4}


@pytest.mark.parametrize(("stock", "is_held"), [(5, True), (6, False)])
async def test_one_payment_may_hold_most_units_only_of_a_scarce_variant(
    till: Till, stock: int, is_held: bool
) -> None:
    trompo = await till.make_variant("trompo", stock=stock)
    assert await is_started(till, {trompo: 4}, 1) == is_held
    assert await read_held_units(till.database) == {trompo: 4 if is_held else 0}


async def test_first_purchase_of_too_many_units_is_refused_without_an_alert(till: Till) -> None:
    toys = [await till.make_variant(f"toy-{n}", stock=20) for n in range(2)]
    with pytest.raises(HoldTooLarge, match="At most 10 more units"):
        await start(till, dict.fromkeys(toys, 6), 1)
    assert await alerts(till.database) == []


async def test_fifty_clients_hold_at_most_half_of_the_stock(till: Till) -> None:
    stock = await create_demo_shop(till)
    variants = list(stock)
    for shopper in range(50):
        units = {
            held_id: 12 >> (shopper * 12 + n) // 60 or 3
            for n, held_id in enumerate((variants * 11)[shopper * 12 :][:12])
        }
        await is_started(till, units, shopper)
    total = sum((await read_held_units(till.database)).values())
    assert 700 < total <= 807
    assert await alerts(till.database) == ["stock_held"]
    for shopper, held_id in enumerate(variants, 500):
        assert await is_started(till, {held_id: 3}, shopper), held_id
    assert sum((await read_held_units(till.database)).values()) <= 807


async def test_repeated_payments_hold_the_same_units_for_at_most_an_hour(till: Till) -> None:
    trompo = await till.make_variant("trompo", stock=20)
    held_minutes, payment = 0, await start(till, {trompo: 4}, 1)
    for minute in range(0, 120, 5):
        async with till.database.read() as session:
            moment = await database_now(session)
            ends = (await session.execute(select(Reservation.expires_at))).scalars().all()
        assert len(ends) <= 1
        if any(end is not None and end > moment + timedelta(seconds=1) for end in ends):
            held_minutes += 5
        await till.pass_time(timedelta(minutes=5))
        await till.work()
        if minute % 20 == 15:  # the client uses another cart, and closes the first payment
            cart_id = await cart_of(till, payment)
            await till.decide(payment, ProviderState.REJECTED)
            payment = await start(till, {trompo: 4}, 1)
            if payment.holds_stock:
                async with till.database.read() as session:
                    assert payment.expires_at is not None
                    assert payment.expires_at - await database_now(session) >= BANK_SESSION
            assert cart_id != await cart_of(till, payment)
    assert 40 <= held_minutes <= 60
    await till.decide(payment, ProviderState.REJECTED)
    await till.pass_time(timedelta(hours=2))
    await start(till, {trompo: 4}, 1)
    assert await read_held_units(till.database) == {trompo: 4}


async def test_store_api_refusal_of_a_large_hold_states_the_allowed_units(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=20)
    cart_id = await create_cart_with_shipping(store, trompo, 11)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    for body in ({"provider_id": MANUAL}, {"provider_id": PSE, "data": PAYER}):
        answer = await store.post(f"/store/payment-collections/{owed['id']}/payment-sessions", json=body)
        assert answer.status_code == 400
        assert answer.json()["message"] == (
            "At most 10 units of Trompo can be held for a purchase that is not paid yet"
        )
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(PaymentSession))).scalar_one() == 0
        assert (await session.execute(select(InventoryLevel.reserved))).scalar_one() == 0


async def cart_of(till: Till, payment: PaymentSession) -> str:
    async with till.database.read() as session:
        found = select(PaymentCollection.cart_id).where(PaymentCollection.id == payment.collection_id)
        return (await session.execute(found)).scalar_one()
