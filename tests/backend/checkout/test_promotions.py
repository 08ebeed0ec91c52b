"""A promotion on its way from the cart to the paid order: reserved, confirmed, given back; the agreed price stands."""

from typing import Any

import pytest
from sqlalchemy import select, update

from backend.cart.access import open_cart
from backend.cart.contents import read_contents
from backend.cart.promotion_codes import add_codes, set_codes
from backend.cart.totals import read_discounted
from backend.core.errors import NothingToPay, TotalChanged
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.service import lines_of_order, totals_of
from backend.payment.providers.base import CheckedPayer, ProviderState
from backend.promotions.commands import ChangePromotion
from backend.promotions.kinds import PromotionStatus
from backend.promotions.models import Campaign, Promotion, PromotionUse
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import change_promotion, create_promotion, delete_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.staff.rights import SHOP
from tests.backend.checkout.paying_kit import PRICE, Till

OFF = 4_000


async def offer(till: Till, code: str = "DIEZ", **more: Any) -> Promotion:
    """10 % off all lines, once in all."""
    method = {"type": "percentage", "target_type": "order", "value": 10, **more.pop("method", {})}
    body = {
        "code": code,
        "type": "standard",
        "status": "active",
        "limit": 1,
        "application_method": method,
        **more,
    }
    async with till.database.transaction() as session:
        return await create_promotion(session, SHOP, to_create_promotion(NewPromotion.model_validate(body)))


async def type_code(till: Till, cart_id: str, code: str = "DIEZ") -> None:
    async with till.database.transaction() as session:
        await add_codes(session, await open_cart(session, cart_id), [code])


async def total(till: Till, cart_id: str) -> int:
    async with till.database.read() as session:
        totals, _ = await read_discounted(session, cart_id, await read_contents(session, cart_id))
    return totals.total


async def uses(till: Till) -> list[tuple[int, bool]]:
    """Amount, and whether it is confirmed, of every use."""
    async with till.database.read() as session:
        rows = (await session.execute(select(PromotionUse).order_by(PromotionUse.created_at))).scalars()
        return [(row.amount, row.confirmed_at is not None) for row in rows]


async def end(till: Till, promotion: Promotion) -> None:
    async with till.database.transaction() as session:
        await change_promotion(session, SHOP, promotion.id, ChangePromotion(status=PromotionStatus.INACTIVE))


@pytest.mark.parametrize("provider", ["gateway_pse", "pp_system_default"])
async def test_the_price_that_was_agreed_stands_though_the_promotion_ends(till: Till, provider: str) -> None:
    promotion = await offer(till)
    cart_id = await till.cart(await till.toy())
    whole = await total(till, cart_id)
    await type_code(till, cart_id)
    payment = await till.start(cart_id, provider)
    assert (payment.amount, await uses(till)) == (whole - OFF, [(OFF, False)])
    await end(till, promotion)
    async with till.database.transaction() as session:
        await delete_promotion(session, SHOP, promotion.id)
    assert await total(till, cart_id) == whole - OFF
    order = (await till.checkout.complete(cart_id, expected_total=whole - OFF)).order
    assert (order.total, order.item_total) == (whole - OFF, PRICE - OFF)
    if provider == "gateway_pse":
        assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
        assert await uses(till) == [(OFF, True)]
    async with till.database.read() as session:
        totals = totals_of(order, await lines_of_order(session, order.id))
    assert (totals.total, totals.savings) == (whole - OFF, [("DIEZ", OFF)])


@pytest.mark.parametrize("state", [ProviderState.REJECTED, ProviderState.EXPIRED, ProviderState.CANCELED])
async def test_a_payment_that_fails_gives_the_last_use_back(till: Till, state: ProviderState) -> None:
    await offer(till)
    toy = await till.toy()
    first, second = await till.cart(toy), await till.cart(toy)
    await type_code(till, first)
    await type_code(till, second)
    payment = await till.start(first)
    await till.checkout.complete(first)
    # the last use is the first cart's: the second costs all of it
    assert await total(till, second) == payment.amount + OFF
    with pytest.raises(TotalChanged):
        await till.checkout.start_payment(
            second, "gateway_pse", CheckedPayer({"bank": "1022"}), ip="", expected_total=payment.amount
        )
    await till.decide(payment, state)
    assert await uses(till) == []
    assert await total(till, second) == payment.amount
    assert (await till.start(second)).amount == payment.amount
    assert await uses(till) == [(OFF, False)]


async def test_whoever_is_late_for_the_last_use_is_told_that_the_total_changed(till: Till) -> None:
    """Both have seen the lower price; the other was faster between that and the payment."""
    promotion = await offer(till)
    cart_id = await till.cart(await till.toy())
    await type_code(till, cart_id)
    seen = await total(till, cart_id)
    async with till.database.transaction() as session:
        session.add(PromotionUse(promotion_id=promotion.id, holder="cart_rival", amount=OFF))
    with pytest.raises(TotalChanged):
        await till.checkout.start_payment(
            cart_id, "gateway_pse", CheckedPayer({"bank": "1022"}), ip="", expected_total=seen
        )
    assert await uses(till) == [(OFF, False)]
    assert till.bank.states == {}


async def test_a_payment_that_was_given_up_and_is_approved_late_has_its_price(till: Till) -> None:
    await offer(till)
    toy = await till.toy()
    first, second = await till.cart(toy), await till.cart(toy)
    await type_code(till, first)
    await type_code(till, second)
    payment = await till.start(first)
    order = (await till.checkout.complete(first)).order
    await till.checkout.close_payment(first)
    assert await uses(till) == []
    late = await till.start(second)  # takes the use that was given back
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert (await till.read_order(order.id)).total == payment.amount == late.amount
    async with till.database.read() as session:
        counted = (
            await session.execute(select(PromotionUse.is_counted).order_by(PromotionUse.is_counted))
        ).scalars()
        assert list(counted) == [False, True]


async def test_a_use_for_a_price_that_was_not_paid_is_given_back(till: Till) -> None:
    """A payment that was given up pays the cart after all, at the price of the code that it had then."""
    await offer(till)
    await offer(till, "MIL", method={"type": "fixed", "value": 1_000})
    cart_id = await till.cart(await till.toy())
    await type_code(till, cart_id)
    given_up = await till.start(cart_id)
    await till.checkout.close_payment(cart_id)
    async with till.database.transaction() as session:
        await set_codes(session, await open_cart(session, cart_id), ["MIL"])
    other = await till.start(cart_id)
    assert await uses(till) == [(1_000, False)]
    assert await till.decide(given_up, ProviderState.CAPTURED) == "captured"
    assert await till.decide(other, ProviderState.REJECTED) == "rejected"
    assert await uses(till) == [(OFF, True)]


async def test_paying_with_another_bank_keeps_the_use(till: Till) -> None:
    await offer(till)
    cart_id = await till.cart(await till.toy())
    await type_code(till, cart_id)
    first = await till.start(cart_id)
    second = await till.start(cart_id, replace=True)
    assert (second.amount, await uses(till)) == (first.amount, [(OFF, False)])


async def test_a_cart_that_is_brought_back_has_its_code_while_that_applies(till: Till) -> None:
    promotion = await offer(till)
    cart_id = await till.cart(await till.toy())
    await type_code(till, cart_id)
    payment = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.decide(payment, ProviderState.REJECTED)
    token = await _token(till, order.id)
    again = await till.placed_orders.try_again(order.id, token)
    await till.ship(again)
    assert await total(till, again) == payment.amount
    await end(till, promotion)
    other = await till.placed_orders.try_again(order.id, token)
    await till.ship(other)
    assert await total(till, other) == payment.amount + OFF


async def _token(till: Till, order_id: str) -> str:
    return ORDER_LINK.token(till.checkout.settings.signing_key, order_id)


async def test_another_code_voids_a_payment_that_no_bank_knows_of(till: Till) -> None:
    await offer(till)
    await offer(till, "MIL", method={"type": "fixed", "value": 1_000}, limit=None)
    cart_id = await till.cart(await till.toy())
    await type_code(till, cart_id)
    payment = await till.start(cart_id, "pp_system_default")
    await type_code(till, cart_id, "MIL")
    assert (await till.state(payment), await uses(till)) == ("canceled", [])
    again = await till.start(cart_id, "pp_system_default")
    assert again.amount == payment.amount - 1_000
    assert sorted(await uses(till)) == [(1_000, False), (OFF, False)]


async def test_a_promotion_of_the_shipping_and_a_budget_of_pesos(till: Till) -> None:
    campaign = {
        "name": "Envíos",
        "campaign_identifier": "ENVIOS",
        "budget": {"type": "spend", "limit": 8_000},
    }
    await offer(
        till, "MITAD", limit=None, campaign=campaign, is_automatic=True,
        method={"type": "percentage", "target_type": "order", "value": 15},
    )  # fmt: skip
    toy = await till.toy(stock=9)
    first, second = await till.cart(toy), await till.cart(toy)
    assert await total(till, first) == await total(till, second)
    await till.start(first)
    assert await uses(till) == [(6_000, False)]
    # 2.000 pesos are left of the budget, and it would take 6.000: it does not apply
    assert await total(till, second) == await total(till, first) + 6_000
    async with till.database.transaction() as session:
        await session.execute(update(Campaign).values(budget_limit=12_000))
    assert await total(till, second) == await total(till, first)


async def test_no_bank_is_asked_for_0_pesos(till: Till) -> None:
    all_of_it = {"type": "percentage", "value": 100}
    await offer(till, "TODO", is_automatic=True, method={**all_of_it, "target_type": "order"})
    await offer(till, "ENVIO", is_automatic=True, method={**all_of_it, "target_type": "shipping_methods"})
    toy = await till.toy()
    cart_id = await till.cart(toy)
    assert await total(till, cart_id) == 0
    with pytest.raises(NothingToPay):
        await till.start(cart_id)
    assert (await uses(till), await till.available(toy), await till.orders()) == ([], 3, [])
    # staff confirm what is paid without a bank
    assert (await till.start(cart_id, "pp_system_default")).amount == 0
    assert (await till.checkout.complete(cart_id, expected_total=0)).order.total == 0
