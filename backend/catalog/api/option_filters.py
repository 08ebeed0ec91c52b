"""Filters of products by their options, option values and variants."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, and_, exists, not_, or_, select

from backend.catalog.models import Product, ProductOption, ProductOptionValue, Variant
from backend.catalog.schemas.store import ProductsParameters
from backend.edge.query import in_clauses
from backend.edge.wire import derive_sibling_id


def option_and_variant_conditions(params: ProductsParameters) -> list[ColumnElement[bool]]:
    """Return the conditions on options and variants. One variant must match all `variants[…]` parameters."""
    conditions = []
    if params.option_id is not None:
        stored = select(ProductOption.product_id).where(ProductOption.id.in_(params.option_id))
        owners = [derive_sibling_id("prod", one) for one in params.option_id]
        conditions.append(_stored_or_implied(stored, Product.id.in_(owners)))
    if params.option_value_id is not None:
        stored = (
            select(ProductOption.product_id)
            .join(ProductOptionValue, ProductOptionValue.option_id == ProductOption.id)
            .where(ProductOptionValue.id.in_(params.option_value_id))
        )
        conditions.append(
            _stored_or_implied(stored, Product.id.in_(_products_with_implied_values(params.option_value_id)))
        )
    variant_conditions = in_clauses(
        (Variant.id, params.variant_id),
        (Variant.sku, params.variant_sku),
        (Variant.ean, params.variant_ean),
        (Variant.title, params.variant_title),
    )
    if variant_conditions:
        conditions.append(Product.id.in_(select(Variant.product_id).where(*variant_conditions)))
    return conditions


def _stored_or_implied(stored: Select[str], implied: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return a condition: `stored` for products that have stored options, `implied` for all others."""
    has_options = exists().where(ProductOption.product_id == Product.id)
    return or_(Product.id.in_(stored), and_(implied, not_(has_options)))


def _products_with_implied_values(value_ids: Sequence[str]) -> Select[str]:
    """Return a query of the ids of the products whose variants have these values of an implied option.

    See `backend.catalog.products.options.implied_option`.
    """
    return select(Variant.product_id).where(
        Variant.id.in_([derive_sibling_id("variant", one) for one in value_ids])
    )
