"""Which products a program of the staff asked for, drafts included."""

from collections.abc import Callable, Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.list_queries import product_conditions
from backend.catalog.models import Product
from backend.catalog.schemas.admin import AdminProductsParameters
from backend.catalog.search.staff_search import ProductFilter, conditions_of
from backend.edge.query import one_of

Filters = Callable[[AdminProductsParameters], list[ColumnElement[bool]]]


async def staff_conditions(
    session: AsyncSession, asked: AdminProductsParameters
) -> Sequence[ColumnElement[bool]]:
    """The conditions of a query for all products that were asked for, whatever page of them."""
    missing = await conditions_of(session, missing_in(asked))
    return [*missing, *await product_conditions(session, asked, await filters_of_staff(session, asked))]


def missing_in(asked: AdminProductsParameters) -> ProductFilter:
    """What is to be missing or to run out."""
    return ProductFilter(has_picture=asked.has_picture, has_weight=asked.has_weight, is_low=asked.low_stock)


async def filters_of_staff(session: AsyncSession, asked: AdminProductsParameters) -> Filters:
    """What makes the conditions that only staff ask for: a status, and `q` as the office's search understands it."""
    mentioned = {
        id(part): await conditions_of(session, ProductFilter(text=part.q)) for part in asked.parts() if part.q
    }

    def filters(part: AdminProductsParameters) -> list[ColumnElement[bool]]:
        return [*one_of((Product.status, part.status)), *mentioned.get(id(part), ())]

    return filters
