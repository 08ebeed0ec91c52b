"""Which products a program of the staff asked for, drafts included."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.admin_schemas import AdminProductsParameters
from backend.catalog.listing import product_conditions
from backend.catalog.models import Product, Variant
from backend.catalog.staff_search import ProductFilter, conditions_of
from backend.edge.query import one_of


async def staff_conditions(
    session: AsyncSession, asked: AdminProductsParameters
) -> Sequence[ColumnElement[bool]]:
    """The conditions of a query for all products that were asked for, whatever page of them."""
    missing = await conditions_of(session, missing_in(asked))
    return [*missing, *await product_conditions(session, asked, filters_of_staff)]


def missing_in(asked: AdminProductsParameters) -> ProductFilter:
    """What is to be missing or to run out."""
    return ProductFilter(has_picture=asked.has_picture, has_weight=asked.has_weight, is_low=asked.low_stock)


def filters_of_staff(asked: AdminProductsParameters) -> list[ColumnElement[bool]]:
    """What only staff ask for: a status, and `q` as a part of a title, a handle or a SKU."""
    conditions = one_of((Product.status, asked.status))
    return [*conditions, _mentions(asked.q)] if asked.q else conditions


def _mentions(text: str) -> ColumnElement[bool]:
    with_sku = select(Variant.product_id).where(Variant.sku.icontains(text, autoescape=True))
    return or_(
        Product.title.icontains(text, autoescape=True),
        Product.handle.icontains(text, autoescape=True),
        Product.id.in_(with_sku),
    )
