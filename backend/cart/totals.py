"""Current totals of a cart: its lines and shipping, less the discounts of promotions and of staff."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import Contents, Line
from backend.cart.models import Cart, CartShippingMethod
from backend.cart.shipping_method import FREE_FROM
from backend.cart.staff_discounts import list_staff_adjustments
from backend.core.money import Cop
from backend.pricing import CartTotals, ShippingCharge, price_cart
from backend.promotions.eligibility import (
    NO_DISCOUNTS,
    BoughtLine,
    Discounts,
    PromotionContext,
    compute_cart_discounts,
)


async def read_discounted_totals(
    session: AsyncSession, cart_id: str, contents: Contents
) -> tuple[CartTotals, Discounts]:
    """Return the cart's totals, and the evaluated promotions with their adjustments in the order in which they apply.

    Lines that are no longer for sale are not counted. Pages, API, payments and orders all use this function, so
    they always have the same discounts. The shipping's original total is its price: the method's amount, or 0 if
    the goods cost enough for free shipping.
    """
    method = contents.method
    shipping = None if method is None else method.amount
    if method is not None and method.amount and method.data.get(FREE_FROM) is not None:
        goods, _discounts = await _read_totals(session, cart_id, contents, None)
        shipping = get_shipping_price(method, goods.item_total)
    return await _read_totals(session, cart_id, contents, shipping)


async def read_goods_total(session: AsyncSession, cart_id: str, contents: Contents) -> Cop:
    """Return the total of the cart's lines after discounts, without shipping."""
    totals, _discounts = await _read_totals(session, cart_id, contents, None)
    return totals.item_total


def get_shipping_price(method: CartShippingMethod, goods_total: Cop) -> Cop:
    """Return the price of the shipping method for goods of this total, after discounts."""
    free_from = method.data.get(FREE_FROM)
    return 0 if free_from is not None and goods_total >= free_from else method.amount


async def _read_totals(
    session: AsyncSession, cart_id: str, contents: Contents, shipping: Cop | None
) -> tuple[CartTotals, Discounts]:
    """Return the totals with this price of shipping; None without shipping."""
    discounts = NO_DISCOUNTS
    if contents.may_be_discounted:
        cart = await session.get_one(Cart, cart_id)
        context = to_promotion_context(cart)
        discounts = await compute_cart_discounts(session, context, to_bought_lines(contents.lines), shipping)
        if staff_adjustments := list_staff_adjustments(cart, contents.lines):
            discounts = replace(discounts, adjustments=(*discounts.adjustments, *staff_adjustments))
    sold = [line.priced for line in contents.lines if line.product]
    charge = None if shipping is None else ShippingCharge(shipping)
    return price_cart(sold, charge, discounts.adjustments), discounts


def to_bought_lines(lines: Sequence[Line]) -> list[BoughtLine]:
    """Convert the lines to the input of promotions; lines that are no longer for sale are left out."""
    return [BoughtLine(line.priced, line.product, line.variant.id) for line in lines if line.product]


def to_promotion_context(cart: Cart) -> PromotionContext:
    """Return the context in which promotions are evaluated for the cart."""
    return PromotionContext(
        cart_id=cart.id,
        customer_id=cart.customer_id,
        email=cart.email,
        region_id=cart.region_id,
        sales_channel_id=cart.sales_channel_id,
        country=(cart.shipping_address or {}).get("country_code"),
    )
