"""Current totals of a cart: its lines and shipping, less the discounts of promotions and of staff."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import Contents, Line
from backend.cart.models import Cart
from backend.cart.shipping_method import FREE_FROM
from backend.cart.staff_discounts import list_staff_adjustments
from backend.core.db.tables import JsonObject
from backend.core.money import Cop
from backend.pricing import Adjustment, CartTotals, ShippingCharge, price_cart
from backend.promotions.eligibility import (
    BoughtLine,
    Discounts,
    EvaluatedPromotions,
    PromotionContext,
    evaluate_cart_promotions,
)


async def read_discounted_totals(
    session: AsyncSession, cart_id: str, contents: Contents
) -> tuple[CartTotals, Discounts]:
    """Return the cart's totals, and the evaluated promotions with their adjustments, in order of application.

    Lines that are no longer for sale are not counted. Pages, API, payments and orders all use this function,
    so they always have the same discounts. The original total of shipping is the method's amount, or 0 if the
    goods cost enough for free shipping.
    """
    prices, method = await _read_cart_prices(session, cart_id, contents), contents.method
    if method is None:
        return prices.compute_totals(None)
    if method.data.get(FREE_FROM) is None:
        return prices.compute_totals(method.amount)
    price = get_shipping_price(method.amount, method.data, prices.compute_goods_total())
    return prices.compute_totals(price)


async def read_goods_total(session: AsyncSession, cart_id: str, contents: Contents) -> Cop:
    """Return the total of the cart's lines after discounts, without shipping."""
    return (await _read_cart_prices(session, cart_id, contents)).compute_goods_total()


def get_shipping_price(amount: Cop, data: JsonObject, goods_total: Cop) -> Cop:
    """Return the price of shipping: 0 if the goods cost at least the `FREE_FROM` amount in `data`, else `amount`.

    `goods_total` is the total of the goods after discounts.
    """
    free_from = data.get(FREE_FROM)
    return 0 if free_from is not None and goods_total >= free_from else amount


@dataclass(frozen=True, slots=True)
class _CartPrices:
    """The lines, promotions and staff discount of a cart, to compute its totals at any price of shipping."""

    lines: Sequence[Line]
    promotions: EvaluatedPromotions = field(default_factory=EvaluatedPromotions)
    staff_adjustments: Sequence[Adjustment] = ()

    def compute_totals(self, shipping: Cop | None) -> tuple[CartTotals, Discounts]:
        """Return the totals and discounts with this price of shipping (None: without shipping)."""
        discounts = self.promotions.apply(shipping)
        if self.staff_adjustments:
            discounts = replace(discounts, adjustments=(*discounts.adjustments, *self.staff_adjustments))
        sold = [line.priced for line in self.lines if line.product]
        charge = None if shipping is None else ShippingCharge(shipping)
        return price_cart(sold, charge, discounts.adjustments), discounts

    def compute_goods_total(self) -> Cop:
        """Return the total of the lines after discounts, without shipping."""
        totals, _discounts = self.compute_totals(None)
        return totals.item_total


async def _read_cart_prices(session: AsyncSession, cart_id: str, contents: Contents) -> _CartPrices:
    if not contents.may_be_discounted:
        return _CartPrices(contents.lines)
    cart = await session.get_one(Cart, cart_id)
    bought = to_bought_lines(contents.lines)
    promotions = await evaluate_cart_promotions(session, to_promotion_context(cart), bought)
    return _CartPrices(contents.lines, promotions, list_staff_adjustments(cart, contents.lines))


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
