"""What a cart costs today: its lines and shipping, less what promotions take off."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import Contents, Line
from backend.cart.models import Cart
from backend.pricing import CartTotals, ShippingCharge, price_cart
from backend.promotions.eligibility import NO_DISCOUNTS, BoughtLine, Buying, Discounts, discounts_of


async def read_discounted(
    session: AsyncSession, cart_id: str, contents: Contents
) -> tuple[CartTotals, Discounts]:
    """The cart's totals, with the promotions that were thought of, as adjustments in the order in which they apply.

    What is no longer for sale counts for nothing. A kind of discount is a table that is read here: page, API, payment
    and order follow.
    """
    shipping, discounts = contents.method.amount if contents.method else None, NO_DISCOUNTS
    if contents.may_be_discounted:
        buying = buying_of(await session.get_one(Cart, cart_id))
        discounts = await discounts_of(session, buying, bought_lines(contents.lines), shipping)
    sold = [line.priced for line in contents.lines if line.product]
    charge = None if shipping is None else ShippingCharge(shipping)
    return price_cart(sold, charge, discounts.adjustments), discounts


def bought_lines(lines: Sequence[Line]) -> list[BoughtLine]:
    """The lines that are for sale, as promotions see them."""
    return [BoughtLine(line.priced, line.product, line.variant.id) for line in lines if line.product]


def buying_of(cart: Cart) -> Buying:
    """The cart as promotions see it."""
    return Buying(
        cart_id=cart.id,
        customer_id=cart.customer_id,
        email=cart.email,
        region_id=cart.region_id,
        sales_channel_id=cart.sales_channel_id,
        country=(cart.shipping_address or {}).get("country_code"),
    )
