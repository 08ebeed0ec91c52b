"""Conditions on products that more than one query asks for."""

from datetime import timedelta

from sqlalchemy import ColumnElement, ScalarSelect, func, literal_column, select

from backend.catalog.models import Product, Variant
from backend.clock import now
from backend.inventory.models import InventoryLevel

NEW_FOR = timedelta(days=30)
"""How long a product counts as new."""


def for_sale() -> ColumnElement[bool]:
    """The product is published and not deleted. Said with the very words of the index that holds what is for sale."""
    return (Product.status == literal_column("'published'")) & Product.deleted_at.is_(None)


def is_new() -> ColumnElement[bool]:
    """The product came in lately."""
    return Product.created_at >= now() - NEW_FOR


def units_of_product() -> ScalarSelect[int]:
    """How many units of the product, over its variants, can be sold now."""
    return (
        select(func.coalesce(func.sum(InventoryLevel.stocked - InventoryLevel.reserved), 0))
        .join(Variant, Variant.id == InventoryLevel.variant_id)
        .where(Variant.product_id == Product.id)
        .correlate(Product)
        .scalar_subquery()
    )


def available() -> ColumnElement[bool]:
    """A unit of the product can be sold now."""
    return units_of_product() > 0
