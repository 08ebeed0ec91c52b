"""A promotion from the cart to the paid order: reserved, confirmed, released; the agreed price stays valid."""

from typing import Any

import pytest
from sqlalchemy import select, update

from backend.cart.access import open_cart
from backend.cart.contents import read_contents
from backend.cart.promotion_codes import CodeRefused, add_codes, set_codes
from backend.cart.totals import read_discounted_totals
from backend.core.errors import NothingToPay, TotalChanged
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.service import compute_order_totals, list_order_lines
from backend.payment.providers.base import CheckedPayer, ProviderState
from backend.promotions.commands import ChangePromotion
from backend.promotions.eligibility import Obstacle
from backend.promotions.kinds import PromotionStatus
from backend.promotions.models import Campaign, Promotion, PromotionUse
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import change_promotion, create_promotion, delete_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.staff.rights import SHOP
from tests.backend.checkout.paying_kit import PRICE, Till

OFF = 4_000


async def add_promotion(till: Till, code: str = "DIEZ", **more: Any) -> Promotion:
    """Create a promotion of 10 % off all lines, with one use."""
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


async def read_total(till: Till, cart_id: str) -> int:
    async with till.database.read() as session:
        totals, _ = await read_discounted_totals(session, cart_id, await read_contents(session, cart_id))
    return totals.total


async def list_uses(till: Till) -> list[tuple[int, bool]]:
    """Return, for every use of a promotion, its amount and True if it is confirmed."""
    async with till.database.read() as session:
        rows = (await session.execute(select(PromotionUse).order_by(PromotionUse.created_at))).scalars()
        return [(row.amount, row.confirmed_at is not None) for row in rows]


async def end(till: Till, promotion: Promotion) -> None:
    async with till.database.transaction() as session:
        await change_promotion(session, SHOP, promotion.id, ChangePromotion(status=PromotionStatus.INACTIVE))


@pytest.mark.parametrize("provider", ["gateway_pse", "pp_system_default"])
async def test_price_of_a_started_payment_stays_valid_when_the_promotion_ends(
    till: Till, provider: str
) -> None:
    promotion = await add_promotion(till)
    cart_id = await till.cart(await till.make_variant())
    whole = await read_total(till, cart_id)
    await type_code(till, cart_id)
    payment = await till.start(cart_id, provider)
    assert (payment.amount, await list_uses(till)) == (whole - OFF, [(OFF, False)])
    await end(till, promotion)
    async with till.database.transaction() as session:
        await delete_promotion(session, SHOP, promotion.id)
    assert await read_total(till, cart_id) == whole - OFF
    order = (await till.checkout.complete(cart_id, expected_total=whole - OFF)).order
    assert (order.total, order.item_total) == (whole - OFF, PRICE - OFF)
    if provider == "gateway_pse":
        assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
        assert await list_uses(till) == [(OFF, True)]
    async with till.database.read() as session:
        totals = compute_order_totals(order, await list_order_lines(session, order.id))
    assert (totals.total, totals.savings) == (whole - OFF, [("DIEZ", OFF)])


@pytest.mark.parametrize("state", [ProviderState.REJECTED, ProviderState.EXPIRED, ProviderState.CANCELED])
async def test_failed_payment_releases_the_last_use_of_a_promotion(till: Till, state: ProviderState) -> None:
    await add_promotion(till)
    variant = await till.make_variant()
    first, second = await till.cart(variant), await till.cart(variant)
    await type_code(till, first)
    await type_code(till, second)
    payment = await till.start(first)
    await till.checkout.complete(first)
    # the first cart has the only use: the second has the full price
    assert await read_total(till, second) == payment.amount + OFF
    with pytest.raises(TotalChanged):
        await till.checkout.start_payment(
            second, "gateway_pse", CheckedPayer({"bank": "1022"}), ip="", expected_total=payment.amount
        )
    await till.decide(payment, state)
    assert await list_uses(till) == []
    assert await read_total(till, second) == payment.amount
    assert (await till.start(second)).amount == payment.amount
    assert await list_uses(till) == [(OFF, False)]


async def test_cheapest_unit_of_a_two_for_one_is_free_up_to_the_budget_of_its_campaign(till: Till) -> None:
    dear, cheap = await till.make_variant(), await till.make_variant("yoyo", price=9_000)
    rules = [{"attribute": "items.variant.id", "operator": "in", "values": [dear, cheap]}]
    method = {
        "target_type": "items", "value": 100, "buy_rules_min_quantity": 1, "apply_to_quantity": 1,
        "buy_rules": rules, "target_rules": rules,
    }  # fmt: skip
    budget = {"name": "c", "campaign_identifier": "c", "budget": {"type": "spend", "limit": 10_000}}
    await add_promotion(
        till, "2x1", type="buyget", is_automatic=True, limit=None, method=method, campaign=budget
    )
    first, second = await till.cart(dear), await till.cart(dear)
    whole = await read_total(till, first)
    await add_promotion(till, "OTRO", type="buyget", method=method)
    with pytest.raises(CodeRefused) as refused:  # one unit is too few
        await type_code(till, first, "OTRO")
    assert refused.value.obstacle is Obstacle.TOO_FEW_UNITS
    for cart_id in (first, second):
        await till.add(cart_id, cheap)
        await till.ship(cart_id)
    assert await read_total(till, first) == await read_total(till, second) == whole
    payment = await till.start(first)
    order = (await till.checkout.complete(first)).order
    # the budget has 1.000 left, which is less than the free unit
    assert await read_total(till, second) == whole + 9_000
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    async with till.database.read() as session:
        totals = compute_order_totals(order, await list_order_lines(session, order.id))
    assert (totals.total, totals.savings) == (whole, [("2x1", 9_000)])
    assert sorted(line.total for line in totals.lines) == [0, PRICE]
    assert await list_uses(till) == [(9_000, True)]


async def test_code_that_cannot_be_combined_is_refused_if_it_saves_less(till: Till) -> None:
    await add_promotion(till)
    await add_promotion(till, "MIL", method={"type": "fixed", "value": 1_000}, combination="none")
    await add_promotion(till, "SEIS", method={"type": "fixed", "value": 6_000}, combination="none")
    cart_id = await till.cart(await till.make_variant())
    whole = await read_total(till, cart_id)
    await type_code(till, cart_id)
    with pytest.raises(CodeRefused) as refused:
        await type_code(till, cart_id, "MIL")
    assert refused.value.obstacle is Obstacle.NOT_COMBINED
    assert await read_total(till, cart_id) == whole - OFF
    await type_code(till, cart_id, "SEIS")
    assert await read_total(till, cart_id) == whole - 6_000


async def test_last_use_of_a_promotion_taken_by_another_cart_raises_total_changed(till: Till) -> None:
    """Let another client reserve the last use after this one has seen the lower price."""
    promotion = await add_promotion(till)
    cart_id = await till.cart(await till.make_variant())
    await type_code(till, cart_id)
    seen = await read_total(till, cart_id)
    async with till.database.transaction() as session:
        session.add(PromotionUse(promotion_id=promotion.id, holder="cart_rival", amount=OFF))
    with pytest.raises(TotalChanged):
        await till.checkout.start_payment(
            cart_id, "gateway_pse", CheckedPayer({"bank": "1022"}), ip="", expected_total=seen
        )
    assert await list_uses(till) == [(OFF, False)]
    assert till.bank.states == {}


async def test_late_approval_of_a_closed_payment_keeps_its_discounted_price(till: Till) -> None:
    await add_promotion(till)
    variant = await till.make_variant()
    first, second = await till.cart(variant), await till.cart(variant)
    await type_code(till, first)
    await type_code(till, second)
    payment = await till.start(first)
    order = (await till.checkout.complete(first)).order
    await till.checkout.close_payment(first)
    assert await list_uses(till) == []
    late = await till.start(second)  # takes the released use
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert (await till.read_order(order.id)).total == payment.amount == late.amount
    async with till.database.read() as session:
        counted = (
            await session.execute(select(PromotionUse.is_counted).order_by(PromotionUse.is_counted))
        ).scalars()
        assert list(counted) == [False, True]


async def test_promotion_use_of_a_payment_that_was_replaced_and_not_paid_is_released(till: Till) -> None:
    """Close a payment, change the code, and start another payment. The bank then approves the closed one."""
    await add_promotion(till)
    await add_promotion(till, "MIL", method={"type": "fixed", "value": 1_000})
    cart_id = await till.cart(await till.make_variant())
    await type_code(till, cart_id)
    given_up = await till.start(cart_id)
    await till.checkout.close_payment(cart_id)
    async with till.database.transaction() as session:
        await set_codes(session, await open_cart(session, cart_id), ["MIL"])
    other = await till.start(cart_id)
    assert await list_uses(till) == [(1_000, False)]
    assert await till.decide(given_up, ProviderState.CAPTURED) == "captured"
    assert await till.decide(other, ProviderState.REJECTED) == "rejected"
    assert await list_uses(till) == [(OFF, True)]


async def test_change_of_bank_keeps_the_use_of_the_promotion(till: Till) -> None:
    await add_promotion(till)
    cart_id = await till.cart(await till.make_variant())
    await type_code(till, cart_id)
    first = await till.start(cart_id)
    second = await till.start(cart_id, replace=True)
    assert (second.amount, await list_uses(till)) == (first.amount, [(OFF, False)])


async def test_restored_cart_has_its_promotion_code_only_if_the_code_still_applies(till: Till) -> None:
    promotion = await add_promotion(till)
    cart_id = await till.cart(await till.make_variant())
    await type_code(till, cart_id)
    payment = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.decide(payment, ProviderState.REJECTED)
    token = await _token(till, order.id)
    again = await till.placed_orders.restore_canceled_cart(order.id, token)
    await till.ship(again)
    assert await read_total(till, again) == payment.amount
    await end(till, promotion)
    other = await till.placed_orders.restore_canceled_cart(order.id, token)
    await till.ship(other)
    assert await read_total(till, other) == payment.amount + OFF


async def _token(till: Till, order_id: str) -> str:
    return ORDER_LINK.token(till.checkout.settings.signing_key, order_id)


async def test_new_promotion_code_cancels_a_payment_that_is_not_at_a_bank(till: Till) -> None:
    await add_promotion(till)
    await add_promotion(till, "MIL", method={"type": "fixed", "value": 1_000}, limit=None)
    cart_id = await till.cart(await till.make_variant())
    await type_code(till, cart_id)
    payment = await till.start(cart_id, "pp_system_default")
    await type_code(till, cart_id, "MIL")
    assert (await till.state(payment), await list_uses(till)) == ("canceled", [])
    again = await till.start(cart_id, "pp_system_default")
    assert again.amount == payment.amount - 1_000
    assert sorted(await list_uses(till)) == [(1_000, False), (OFF, False)]


async def test_shipping_promotion_stops_when_its_budget_in_pesos_is_spent(till: Till) -> None:
    campaign = {
        "name": "Envíos",
        "campaign_identifier": "ENVIOS",
        "budget": {"type": "spend", "limit": 8_000},
    }
    await add_promotion(
        till, "MITAD", limit=None, campaign=campaign, is_automatic=True,
        method={"type": "percentage", "target_type": "order", "value": 15},
    )  # fmt: skip
    variant = await till.make_variant(stock=9)
    first, second = await till.cart(variant), await till.cart(variant)
    assert await read_total(till, first) == await read_total(till, second)
    await till.start(first)
    assert await list_uses(till) == [(6_000, False)]
    # 2.000 pesos are left of the budget, and it would take 6.000: it does not apply
    assert await read_total(till, second) == await read_total(till, first) + 6_000
    async with till.database.transaction() as session:
        await session.execute(update(Campaign).values(budget_limit=12_000))
    assert await read_total(till, second) == await read_total(till, first)


async def test_payment_of_0_pesos_is_refused_by_the_bank_provider(till: Till) -> None:
    all_of_it = {"type": "percentage", "value": 100}
    await add_promotion(till, "TODO", is_automatic=True, method={**all_of_it, "target_type": "order"})
    await add_promotion(
        till, "ENVIO", is_automatic=True, method={**all_of_it, "target_type": "shipping_methods"}
    )
    variant = await till.make_variant()
    cart_id = await till.cart(variant)
    assert await read_total(till, cart_id) == 0
    with pytest.raises(NothingToPay):
        await till.start(cart_id)
    assert (await list_uses(till), await till.available(variant), await till.orders()) == ([], 3, [])
    # staff confirm what is paid without a bank
    assert (await till.start(cart_id, "pp_system_default")).amount == 0
    assert (await till.checkout.complete(cart_id, expected_total=0)).order.total == 0
