"""What a cart costs right now, and what an order made of it would keep. Read inside the lock, not from a caller."""

from dataclasses import asdict, dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart, CartShippingMethod
from backend.cart.service import Line, lines_and_shipping
from backend.catalog.models import Product
from backend.errors import InsufficientStock, InvalidData
from backend.inventory.service import STOCK_GONE
from backend.money import Cop
from backend.orders.service import SoldLine, SoldShipping
from backend.pricing import CartTotals, price_cart
from backend.tables import JsonObject

NO_ITEMS = "Cannot complete a cart with no items"
NO_SHIPPING = "No shipping method selected but the cart contains items that require shipping."


@dataclass(frozen=True, slots=True)
class PricedCart:
    """A cart's lines and shipping as they are sold, and what they cost together."""

    lines: tuple[SoldLine, ...]
    shipping: SoldShipping | None
    totals: CartTotals

    @property
    def total(self) -> Cop:
        """Lines and shipping, IVA included."""
        return self.totals.total

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

    def as_json(self) -> JsonObject:
        """The cart as plain values, to be kept: `from_json` makes the same of them, whatever the cart has become."""
        return {
            "lines": [asdict(line) for line in self.lines],
            "shipping": asdict(self.shipping) if self.shipping else None,
            "totals": self.totals.as_json(),
        }

    @classmethod
    def from_json(cls, kept: JsonObject) -> "PricedCart":
        """The cart that `as_json` gave."""
        return cls(
            lines=tuple(SoldLine(**line) for line in kept["lines"]),
            shipping=SoldShipping(**kept["shipping"]) if kept["shipping"] else None,
            totals=CartTotals.from_json(kept["totals"]),
        )


async def read_priced_cart(session: AsyncSession, cart: Cart) -> PricedCart:
    """What the cart costs now.

    Raises:
        InvalidData: the cart is empty.
        InsufficientStock: something in it is no longer for sale.
    """
    lines, method = await lines_and_shipping(session, cart.id)
    if not lines:
        raise InvalidData(NO_ITEMS)
    sold, shipping = tuple(_sold(line) for line in lines), _shipping(method)
    totals = price_cart([line.priced for line in sold], shipping.charge if shipping else None)
    return PricedCart(sold, shipping, totals)


def _shipping(method: CartShippingMethod | None) -> SoldShipping | None:
    if method is None:
        return None
    return SoldShipping(method.shipping_option_id, method.name, method.amount, method.data)


def _sold(line: Line) -> SoldLine:
    product: Product | None = line.product
    if product is None:
        raise InsufficientStock(STOCK_GONE)
    return SoldLine(
        id=line.item.id,
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
        tax_rate=product.tax_rate,
        meta=line.item.meta,
    )
