"""What the shop has already of the products in a batch, and which row means which of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.reading import Problem, Row
from backend.catalog.models import Product, Variant
from backend.database import locked

OF_A_VARIANT = frozenset({"sku", "price", "compare_at_price", "stock"})


@dataclass(frozen=True, slots=True)
class Match:
    """The product and the variant a row means; None for what is new."""

    product: Product | None
    variant: Variant | None


@dataclass(frozen=True)
class Known:
    """The products that the rows of a batch name by handle or SKU, with all their variants."""

    by_id: dict[str, Product]
    by_handle: dict[str, Product]
    by_sku: dict[str, Variant]
    variants: dict[str, list[Variant]]

    @classmethod
    async def read(cls, session: AsyncSession, rows: Sequence[Row], *, lock: bool = False) -> "Known":
        """Look the rows up; with `lock`, for a change, products in the order of their ids."""
        handles = {row.get("handle") for row in rows} - {None}
        skus = {row.get("sku") for row in rows} - {None}
        owners = select(Variant.product_id).where(Variant.sku.in_(skus))
        query = (
            select(Product).where(Product.handle.in_(handles) | Product.id.in_(owners)).order_by(Product.id)
        )
        products = (await session.execute(locked(query) if lock else query)).scalars().all()
        variants: dict[str, list[Variant]] = defaultdict(list)
        found = select(Variant).where(Variant.product_id.in_([product.id for product in products]))
        for variant in (await session.execute(found.order_by(Variant.rank, Variant.id))).scalars():
            variants[variant.product_id].append(variant)
        return cls(
            by_id={product.id: product for product in products},
            by_handle={product.handle: product for product in products},
            by_sku={one.sku: one for some in variants.values() for one in some if one.sku},
            variants=variants,
        )

    def match(self, row: Row) -> Match | Problem:
        """What the row means, or why it cannot be done."""
        sku = row.get("sku")
        owner = self.by_sku.get(sku) if sku else None
        if row.get("handle") is None:
            if owner is None:
                return Problem(row.line, "sku", "no product has it; a new product needs a handle")
            return Match(self.by_id[owner.product_id], owner)
        product = self.by_handle.get(row.get("handle"))
        if owner is not None and (product is None or owner.product_id != product.id):
            return Problem(row.line, "sku", f"belongs to {self.by_id[owner.product_id].handle}")
        if product is None:
            return self._new(row)
        return Match(product, owner) if owner else self._variant(row, product)

    def _new(self, row: Row) -> Match | Problem:
        for column in ("title", "price"):
            if row.get(column) is None:
                return Problem(row.line, column, "is needed: the shop has no such product yet")
        return Match(None, None)

    def _variant(self, row: Row, product: Product) -> Match | Problem:
        variants = self.variants[product.id]
        if len(variants) == 1:
            return Match(product, variants[0])
        if not variants:
            if row.get("price") is None:
                return Problem(row.line, "price", "is needed: the product has none yet")
            return Match(product, None)
        if OF_A_VARIANT & row.values.keys():
            return Problem(row.line, "sku", f"must be that of one of the product's {len(variants)} variants")
        return Match(product, variants[0])
