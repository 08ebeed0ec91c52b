"""Discounts of an edited order: promotions are evaluated again; those that it used still apply after their end."""

from sqlalchemy import select, update

from backend.cart.models import Cart
from backend.catalog.models import Variant
from backend.orders.models import Order
from backend.payment.providers.base import ProviderState
from backend.pricing import CART
from backend.promotions.models import Promotion, PromotionUse
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.checkout.test_promotions import add_promotion, end, type_code
from tests.backend.order_edits.editing_kit import confirm, place_paid_order, read_total, write_edit


async def place_order_with_code(till: Till, variant: str, quantity: int) -> tuple[Order, Promotion]:
    """Return a paid order with 10 % off, and its promotion."""
    promotion = await add_promotion(till)
    cart_id = await till.cart(variant, quantity)
    await type_code(till, cart_id)
    payment = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.decide(payment, ProviderState.CAPTURED)
    return await till.read_order(order.id), promotion


async def test_ended_promotion_still_discounts_the_edited_order(till: Till) -> None:
    trompo = await till.make_variant(stock=9)
    order, promotion = await place_order_with_code(till, trompo, 2)
    assert order.total == 72_000
    await end(till, promotion)
    edit = await write_edit(till, order, quantities={trompo: 3})
    order = await confirm(till, edit, 108_000)
    assert sum(one["amount"] for one in order.adjustments) == 12_000
    async with till.database.read() as session:
        (use,) = (await session.execute(select(PromotionUse))).scalars()
    assert (use.amount, use.confirmed_at is not None) == (12_000, True)


async def test_two_for_one_ends_when_one_unit_is_removed(till: Till) -> None:
    trompo = await till.make_variant(stock=9)
    async with till.database.read() as session:
        product = (await session.get_one(Variant, trompo)).product_id
    rule = {"attribute": "items.product.id", "operator": "in", "values": [product]}
    await add_promotion(
        till,
        type="buyget",
        is_automatic=True,
        method={
            "type": "percentage",
            "target_type": "items",
            "allocation": "each",
            "value": 100,
            "max_quantity": 1,
            "apply_to_quantity": 1,
            "buy_rules_min_quantity": 1,
            "buy_rules": [rule],
            "target_rules": [rule],
        },
    )
    order = await place_paid_order(till, trompo, 2)
    assert order.total == PRICE
    edit = await write_edit(till, order, quantities={trompo: 1})
    assert await read_total(till, edit) == PRICE
    order = await confirm(till, edit, PRICE)
    assert order.adjustments == []
    assert await till.attention() == []


async def test_remaining_units_keep_their_share_of_a_discount_given_by_staff(till: Till) -> None:
    trompo = await till.make_variant(stock=9)
    yoyo = await till.make_variant("yoyo", stock=9, price=20_000)
    cart_id = await till.cart(trompo, 2)
    async with till.database.transaction() as session:
        terms = {"reason": "cliente", "units": {trompo: 2}}
        change = update(Cart).where(Cart.id == cart_id)
        await session.execute(change.values(staff_discount=8_000, staff_discount_terms=terms))
    payment = await till.start(cart_id)
    order = (await till.checkout.complete(cart_id)).order
    await till.decide(payment, ProviderState.CAPTURED)
    order = await till.read_order(order.id)
    assert order.total == 72_000
    order = await confirm(till, await write_edit(till, order, added={yoyo: 1}, quantities={trompo: 1}))
    assert order.total == PRICE - 4_000 + 20_000
    assert all(one["target"] != CART for one in order.adjustments)
