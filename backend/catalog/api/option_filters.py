"""Which products have an option, a value of one, or a variant that a program names."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, and_, exists, not_, or_, select

from backend.catalog.models import Product, ProductOption, ProductOptionValue, Variant
from backend.catalog.schemas.store import ProductsParameters
from backend.edge.query import one_of
from backend.edge.wire import sibling_id


def parts_asked_for(asked: ProductsParameters) -> list[ColumnElement[bool]]:
    """What options and variants the products must have. One variant meets all that `variants[…]` says."""
    conditions = []
    if asked.option_id is not None:
        stored = select(ProductOption.product_id).where(ProductOption.id.in_(asked.option_id))
        owners = [sibling_id("prod", one) for one in asked.option_id]
        conditions.append(_among(stored, Product.id.in_(owners)))
    if asked.option_value_id is not None:
        stored = (
            select(ProductOption.product_id)
            .join(ProductOptionValue, ProductOptionValue.option_id == ProductOption.id)
            .where(ProductOptionValue.id.in_(asked.option_value_id))
        )
        conditions.append(_among(stored, Product.id.in_(_of_variants_with(asked.option_value_id))))
    of_variant = one_of(
        (Variant.id, asked.variant_id),
        (Variant.sku, asked.variant_sku),
        (Variant.ean, asked.variant_ean),
        (Variant.title, asked.variant_title),
    )
    if of_variant:
        conditions.append(Product.id.in_(select(Variant.product_id).where(*of_variant)))
    return conditions


def _among(stored: Select[str], implied: ColumnElement[bool]) -> ColumnElement[bool]:
    """Products that are among the stored ones, or meet the other where nothing is stored of their options."""
    has_options = exists().where(ProductOption.product_id == Product.id)
    return or_(Product.id.in_(stored), and_(implied, not_(has_options)))


def _of_variants_with(value_ids: Sequence[str]) -> Select[str]:
    """See `backend.catalog.products.options.implied_option`: a value that is stored nowhere is its variant's."""
    return select(Variant.product_id).where(Variant.id.in_([sibling_id("variant", one) for one in value_ids]))
