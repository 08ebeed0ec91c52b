"""The contents of a cart: its lines at current prices, and the chosen shipping.

Prices are always the current ones; the caller sends only ids and numbers (design: decisions 8 and 9).
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from sqlalchemy import ColumnExpressionArgument, Label, bindparam, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.cart.models import Cart, CartShippingMethod, LineItem
from backend.catalog.gift_wrapping import can_be_bought
from backend.catalog.models import WRAPPING_SKU, Collection, Product, ProductHasType, ProductType, Variant
from backend.core.db.tables import JsonObject
from backend.pricing import STANDARD_RATE, PricedLine
from backend.promotions.eligibility import has_candidates


def _may_be_discounted(cart_id: ColumnExpressionArgument[str]) -> Label[bool]:
    """Return the SQL column `may_be_discounted`: true if promotions or a staff member's discount may apply."""
    discounted = aliased(Cart)
    has_staff_discount = exists().where(discounted.id == cart_id, discounted.staff_discount > 0)
    return or_(has_candidates(cart_id), has_staff_discount).label("may_be_discounted")


# every step of a purchase runs these statements. Building one takes longer than running it, so they are built once
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
        _may_be_discounted(LineItem.cart_id),
        ProductType.id,
        ProductType.value,
    )
    .outerjoin(CartShippingMethod, CartShippingMethod.cart_id == LineItem.cart_id)
    .outerjoin(Collection, Collection.id == Product.collection_id)
    .outerjoin(ProductHasType, ProductHasType.product_id == Product.id)
    .outerjoin(ProductType, ProductType.id == ProductHasType.type_id)
)
"""The query of the contents of cart `cart_id`, for `parse_contents`. Further columns may be appended."""
CART_AND_CONTENTS = (
    select(
        LineItem,
        Variant,
        Product,
        CartShippingMethod,
        Collection.title,
        _may_be_discounted(Cart.id),
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
"""Like `CONTENTS`, with the cart: an empty cart has one row without a line. Further columns may be appended."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its variant's current price and data. `product` is None if the product is no longer for sale."""

    item: LineItem
    variant: Variant
    product: Product | None

    @property
    def is_wrapping(self) -> bool:
        """True if the line is the gift wrapping."""
        return self.variant.sku == WRAPPING_SKU

    @property
    def priced(self) -> PricedLine:
        """The line's quantity, current price and tax rate, from which totals are computed."""
        rate = self.product.tax_rate if self.product else STANDARD_RATE
        return PricedLine(self.item.id, self.item.quantity, self.variant.price, rate)


class LineType(NamedTuple):
    """The type of a line's product. Its fields are None if the product has no type."""

    id: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class Contents:
    """The data that a cart's price is computed from.

    Attributes:
        lines: the lines at current prices, oldest first.
        method: the chosen shipping method; None if none is chosen, and for an empty cart.
        collections: the title of the product's collection, by line id.
        types: the product's type, by line id.
        may_be_discounted: False if no promotion can apply, the cart has no promotion use reserved, and no
            staff member has given a discount.
    """

    lines: Sequence[Line]
    method: CartShippingMethod | None
    collections: Mapping[str, str | None]
    types: Mapping[str, LineType]
    may_be_discounted: bool = True


def line_key(variant_id: str, meta: JsonObject) -> tuple[str, str]:
    """Return a key made of a line's variant and metadata. Lines with the same key can be merged."""
    return variant_id, json.dumps(meta, sort_keys=True)


def count_units_by_variant(lines: Sequence[Line]) -> Counter[str]:
    """Return the number of units in all lines, by variant id."""
    units: Counter[str] = Counter()
    for line in lines:
        units[line.variant.id] += line.item.quantity
    return units


async def read_lines(session: AsyncSession, cart_id: str) -> list[Line]:
    """Return the cart's lines, oldest first, at current prices."""
    rows = await session.execute(_LINES, {"cart_id": cart_id})
    return [Line(item, variant, product) for item, variant, product in rows]


async def read_ready_day(session: AsyncSession, cart_id: str) -> date | None:
    """Return the day on which the cart's last preordered units arrive at the shop; None without preordered units."""
    query = select(func.max(Product.preorder_day)).join(Variant, Variant.product_id == Product.id)
    query = query.join(LineItem, LineItem.variant_id == Variant.id).where(LineItem.cart_id == cart_id)
    return (await session.execute(query)).scalar_one()


async def has_wrapping(session: AsyncSession, cart_id: str) -> bool:
    """Return True if the cart has gift wrapping."""
    return any(line.is_wrapping for line in await read_lines(session, cart_id))


async def read_cart_and_lines(session: AsyncSession, cart_id: str) -> tuple[Cart | None, list[Line]]:
    """Return the cart (None if it does not exist) and its lines in the order of `read_lines`, without a lock."""
    rows = (await session.execute(CART_AND_LINES, {"cart_id": cart_id})).all()
    lines = [Line(item, variant, product) for _, item, variant, product in rows if item is not None]
    return rows[0][0] if rows else None, lines


async def read_contents(session: AsyncSession, cart_id: str) -> Contents:
    """Return the contents of the cart."""
    return parse_contents((await session.execute(CONTENTS, {"cart_id": cart_id})).all())


def parse_contents(rows: Sequence[Any]) -> Contents:
    """Return the contents of the cart from the rows of `CONTENTS`.

    A line may appear in several rows. A row without a line is skipped.
    """
    if not rows:
        return Contents([], None, {}, {})
    filled = {row[0].id: row for row in rows if row[0] is not None}
    return Contents(
        lines=[Line(*row[:3]) for row in filled.values()],
        method=rows[0][3],
        collections={line_id: row[4] for line_id, row in filled.items()},
        types={line_id: LineType(*row[6:8]) for line_id, row in filled.items()},
        may_be_discounted=rows[0].may_be_discounted,
    )
