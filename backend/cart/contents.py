"""What is in a cart: its lines at today's prices, and the shipping chosen for them.

Prices are those of today; nothing comes from the caller but ids and numbers (design: decisions 8 and 9).
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart, CartShippingMethod, LineItem
from backend.catalog.gift_wrapping import can_be_bought
from backend.catalog.models import WRAPPING_SKU, Collection, Product, ProductHasType, ProductType, Variant
from backend.core.db.tables import JsonObject
from backend.pricing import STANDARD_RATE, PricedLine
from backend.promotions.eligibility import has_candidates

# used by every step of a purchase; a statement takes longer to build than to run, so these are built once
_LINES = (
    select(LineItem, Variant, Product)
    .join(Variant, Variant.id == LineItem.variant_id)
    .outerjoin(Product, (Product.id == Variant.product_id) & can_be_bought())
    .where(LineItem.cart_id == bindparam("cart_id"))
    .order_by(LineItem.id)
)
CART_AND_LINES = (
    select(Cart, LineItem, Variant, Product)
    .outerjoin(LineItem, LineItem.cart_id == Cart.id)
    .outerjoin(Variant, Variant.id == LineItem.variant_id)
    .outerjoin(Product, (Product.id == Variant.product_id) & can_be_bought())
    .where(Cart.id == bindparam("cart_id"))
    .order_by(LineItem.id)
)
CONTENTS = (
    _LINES.add_columns(
        CartShippingMethod,
        Collection.title,
        has_candidates(LineItem.cart_id),
        ProductType.id,
        ProductType.value,
    )
    .outerjoin(CartShippingMethod, CartShippingMethod.cart_id == LineItem.cart_id)
    .outerjoin(Collection, Collection.id == Product.collection_id)
    .outerjoin(ProductHasType, ProductHasType.product_id == Product.id)
    .outerjoin(ProductType, ProductType.id == ProductHasType.type_id)
)
"""What `contents_of` makes the contents of the cart `cart_id` of. Columns may be added behind these."""
CART_AND_CONTENTS = (
    select(
        LineItem,
        Variant,
        Product,
        CartShippingMethod,
        Collection.title,
        has_candidates(Cart.id),
        ProductType.id,
        ProductType.value,
        Cart,
    )
    .select_from(Cart)
    .outerjoin(CartShippingMethod, CartShippingMethod.cart_id == Cart.id)
    .outerjoin(LineItem, LineItem.cart_id == Cart.id)
    .outerjoin(Variant, Variant.id == LineItem.variant_id)
    .outerjoin(Product, (Product.id == Variant.product_id) & can_be_bought())
    .outerjoin(Collection, Collection.id == Product.collection_id)
    .outerjoin(ProductHasType, ProductHasType.product_id == Product.id)
    .outerjoin(ProductType, ProductType.id == ProductHasType.type_id)
    .where(Cart.id == bindparam("cart_id"))
    .order_by(LineItem.id)
)
"""The same of a cart that may be empty, with the cart. Columns may be added behind these."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line with what its variant costs and is now. `product` is None when it is no longer for sale."""

    item: LineItem
    variant: Variant
    product: Product | None

    @property
    def is_wrapping(self) -> bool:
        """Whether it wraps the others."""
        return self.variant.sku == WRAPPING_SKU

    @property
    def priced(self) -> PricedLine:
        """The line at today's price."""
        rate = self.product.tax_rate if self.product else STANDARD_RATE
        return PricedLine(self.item.id, self.item.quantity, self.variant.price, rate)


class TypeOf(NamedTuple):
    """The type of a line's product; None where it has none."""

    id: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class Contents:
    """What a cart costs is made of.

    Attributes:
        lines: oldest first, at today's prices.
        method: the shipping chosen for them; None while none is, and for an empty cart.
        collections: the title of the collection that a line's product is in, by the line's id.
        types: its type, by the line's id.
        may_be_discounted: False where no promotion can apply, and the cart has no use of one reserved.
    """

    lines: Sequence[Line]
    method: CartShippingMethod | None
    collections: Mapping[str, str | None]
    types: Mapping[str, TypeOf]
    may_be_discounted: bool = True


def line_key(variant_id: str, meta: JsonObject) -> tuple[str, str]:
    """Return what makes two lines the same: their variant and their metadata."""
    return variant_id, json.dumps(meta, sort_keys=True)


def units_by_variant(lines: Sequence[Line]) -> Counter[str]:
    """Return the units that all lines together have of each variant."""
    units: Counter[str] = Counter()
    for line in lines:
        units[line.variant.id] += line.item.quantity
    return units


async def lines_of(session: AsyncSession, cart_id: str) -> list[Line]:
    """The cart's lines, oldest first, at today's prices."""
    rows = await session.execute(_LINES, {"cart_id": cart_id})
    return [Line(item, variant, product) for item, variant, product in rows]


async def cart_and_lines(session: AsyncSession, cart_id: str) -> tuple[Cart | None, list[Line]]:
    """The cart, if there is one, with its lines as `lines_of` gives them. Nothing is locked."""
    rows = (await session.execute(CART_AND_LINES, {"cart_id": cart_id})).all()
    lines = [Line(item, variant, product) for _, item, variant, product in rows if item is not None]
    return rows[0][0] if rows else None, lines


async def read_contents(session: AsyncSession, cart_id: str) -> Contents:
    """What is in the cart."""
    return contents_of((await session.execute(CONTENTS, {"cart_id": cart_id})).all())


def contents_of(rows: Sequence[Any]) -> Contents:
    """What is in the cart, by the rows of `CONTENTS`. A line may have several; a row may have none."""
    if not rows:
        return Contents([], None, {}, {})
    filled = {row[0].id: row for row in rows if row[0] is not None}
    return Contents(
        lines=[Line(*row[:3]) for row in filled.values()],
        method=rows[0][3],
        collections={line_id: row[4] for line_id, row in filled.items()},
        types={line_id: TypeOf(*row[6:8]) for line_id, row in filled.items()},
        may_be_discounted=rows[0].has_candidates,
    )
