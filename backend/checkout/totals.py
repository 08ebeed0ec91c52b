"""What a cart costs right now, and what an order made of it would keep. Read inside the lock, not from a caller."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart
from backend.cart.service import Line, lines_and_shipping
from backend.catalog.models import Product
from backend.errors import InsufficientStock, InvalidData
from backend.inventory.service import STOCK_GONE
from backend.money import Cop
from backend.orders.service import SoldLine, SoldShipping

NO_ITEMS = "Cannot complete a cart with no items"
NO_SHIPPING = "No shipping method selected but the cart contains items that require shipping."


@dataclass(frozen=True, slots=True)
class Reckoning:
    """A cart's lines and shipping at today's prices."""

    lines: list[SoldLine]
    shipping: SoldShipping | None

    @property
    def item_total(self) -> Cop:
        """All lines."""
        return sum(line.unit_price * line.quantity for line in self.lines)

    @property
    def total(self) -> Cop:
        """Lines and shipping, IVA included."""
        return self.item_total + (self.shipping.amount if self.shipping else 0)

    @property
    def units(self) -> dict[str, int]:
        """Units by variant id."""
        return {line.variant_id: line.quantity for line in self.lines}

    def require_shipping(self) -> SoldShipping:
        """The shipping.

        Raises:
            InvalidData: none was chosen (wire: commerce-api, Error bodies).
        """
        if self.shipping is None:
            raise InvalidData(NO_SHIPPING)
        return self.shipping


async def reckon(session: AsyncSession, cart: Cart) -> Reckoning:
    """What the cart costs now.

    Raises:
        InvalidData: the cart is empty.
        InsufficientStock: something in it is no longer for sale.
    """
    lines, method = await lines_and_shipping(session, cart.id)
    if not lines:
        raise InvalidData(NO_ITEMS)
    return Reckoning(
        lines=[_sold(line) for line in lines],
        shipping=SoldShipping(method.shipping_option_id, method.name, method.amount, method.data)
        if method
        else None,
    )


def _sold(line: Line) -> SoldLine:
    product: Product | None = line.product
    if product is None:
        raise InsufficientStock(STOCK_GONE)
    return SoldLine(
        product_id=product.id,
        variant_id=line.variant.id,
        title=product.title,
        product_handle=product.handle,
        variant_title=line.variant.title,
        sku=line.variant.sku,
        thumbnail=product.thumbnail,
        quantity=line.item.quantity,
        unit_price=line.variant.price,
        compare_at_price=line.variant.compare_at_price,
    )
