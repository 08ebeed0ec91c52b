"""Filters of the Admin API's product list, which includes drafts."""

from collections.abc import Callable, Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.list_queries import product_conditions
from backend.catalog.models import Product
from backend.catalog.schemas.admin import AdminProductsParameters
from backend.catalog.search.staff_search import ProductFilter, filter_conditions
from backend.edge.query import in_clauses

Filters = Callable[[AdminProductsParameters], list[ColumnElement[bool]]]


async def staff_conditions(
    session: AsyncSession, params: AdminProductsParameters
) -> Sequence[ColumnElement[bool]]:
    """Return the WHERE conditions for all products that match the query, regardless of the page."""
    missing = await filter_conditions(session, missing_data_filter(params))
    return [*missing, *await product_conditions(session, params, await staff_filters(session, params))]


def missing_data_filter(params: AdminProductsParameters) -> ProductFilter:
    """Return the query's filters by picture, weight and low stock as a `ProductFilter`."""
    return ProductFilter(
        has_picture=params.has_picture, has_weight=params.has_weight, is_low=params.low_stock
    )


async def staff_filters(session: AsyncSession, params: AdminProductsParameters) -> Filters:
    """Return a function that builds the conditions only for staff: on the status, and on `q` as in the office."""
    text_conditions = {
        id(part): await filter_conditions(session, ProductFilter(text=part.q))
        for part in params.parts()
        if part.q
    }

    def filters(part: AdminProductsParameters) -> list[ColumnElement[bool]]:
        return [*in_clauses((Product.status, part.status)), *text_conditions.get(id(part), ())]

    return filters
