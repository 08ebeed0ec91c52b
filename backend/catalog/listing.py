"""Which products a program asked for: its filters as conditions, its order, and one query for a page and its count."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, false, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, ProductCategory, Variant
from backend.catalog.schemas import Moments, ProductsParameters
from backend.catalog.search import matches
from backend.catalog.tree import read_tree
from backend.edge.lists import in_order
from backend.edge.schemas import ListParameters

COLUMNS: tuple[Any, ...] = tuple(
    getattr(Product, column.name)
    for column in Product.__table__.columns  # type: ignore[attr-defined]
)
"""All that a product row holds, as plain values: a list costs no table objects."""

_LOWEST_PRICE = (
    select(func.min(Variant.price))
    .where(Variant.product_id == Product.id)
    .correlate(Product)
    .scalar_subquery()
)
SORTABLE = {
    "id": Product.id,
    "title": Product.title_key,
    "handle": Product.handle,
    "status": Product.status,
    "created_at": Product.created_at,
    "updated_at": Product.updated_at,
    "price": _LOWEST_PRICE,
}


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the products, and how many there are in all."""

    rows: Sequence[Row[Any]]
    count: int


async def product_page(
    session: AsyncSession, asked: ProductsParameters, *conditions: ColumnElement[bool]
) -> Page:
    """The products that were asked for, under these conditions.

    Raises:
        InvalidData: products cannot be ordered by what was asked.
    """
    query = select(*COLUMNS).where(*conditions, *_filters(asked), *await _in_categories(session, asked))
    default: list[Any] = [Product.id]
    if (found := await matches(session, asked.q or "")) is not None:
        query = query.join(found, found.c.product_id == Product.id)
        default = [found.c.score.desc(), Product.id]
    query = query.order_by(*in_order(asked.order, SORTABLE, default))
    return await _read_page(session, query, asked)


async def _read_page(session: AsyncSession, query: Select[Any], asked: ListParameters) -> Page:
    """The asked page of the query, and its count: one query where the stretch shows the end, else two.

    Counting in the same query would read every row of the table to show a few.
    """
    rows = (await session.execute(query.offset(asked.offset).limit(asked.limit))).all()
    if len(rows) < asked.limit and (rows or not asked.offset):
        return Page(rows, asked.offset + len(rows))
    whole = query.order_by(None).with_only_columns(Product.id).subquery()
    return Page(rows, (await session.execute(select(func.count()).select_from(whole))).scalar_one())


def moments(asked: Moments, created: Any, updated: Any) -> list[ColumnElement[bool]]:
    """The conditions on when something was made and changed."""
    bounds = (
        (created, asked.created_after, asked.created_from, asked.created_before, asked.created_until),
        (updated, asked.updated_after, asked.updated_from, asked.updated_before, asked.updated_until),
    )
    conditions: list[ColumnElement[bool]] = []
    for column, after, since, before, until in bounds:
        if after is not None:
            conditions.append(column > after)
        if since is not None:
            conditions.append(column >= since)
        if before is not None:
            conditions.append(column < before)
        if until is not None:
            conditions.append(column <= until)
    return conditions


def _filters(asked: ProductsParameters) -> list[ColumnElement[bool]]:
    conditions = moments(asked, Product.created_at, Product.updated_at)
    one_of = (
        (Product.id, asked.id),
        (Product.handle, asked.handle),
        (Product.title, asked.title),
        (Product.collection_id, asked.collection_id),
    )
    conditions += [column.in_(values) for column, values in one_of if values is not None]
    if asked.tag_id or asked.type_id or asked.is_giftcard:
        conditions.append(false())  # the shop has neither tags nor types nor gift cards
    return conditions


async def _in_categories(session: AsyncSession, asked: ProductsParameters) -> list[ColumnElement[bool]]:
    """In one of the categories or below it: asking for the root is asking for everything."""
    if asked.category_id is None:
        return []
    tree = await read_tree(session)
    wanted = tree.with_descendants(
        tree.by_id[category_id].handle for category_id in asked.category_id if category_id in tree.by_id
    )
    inside = select(ProductCategory.product_id).where(ProductCategory.category_id.in_(wanted))
    return [Product.id.in_(inside)]
