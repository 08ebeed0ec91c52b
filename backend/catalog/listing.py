"""Which products, categories and collections a program asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, false, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.categories import Tree, read_tree
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant
from backend.catalog.search import matches
from backend.catalog.search_words import SearchWords
from backend.catalog.store_schemas import (
    CategoriesParameters,
    CollectionsParameters,
    Moments,
    ProductsParameters,
)
from backend.edge.query import in_order
from backend.edge.schemas import ListParameters
from backend.errors import InvalidData
from backend.words import fold

COLUMNS: tuple[Any, ...] = tuple(
    getattr(Product, column.name)
    for column in Product.__table__.columns  # type: ignore[attr-defined]
)
"""All columns of a product, selected as plain values: building table objects would cost more than the query."""

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
    session: AsyncSession,
    asked: ProductsParameters,
    *conditions: ColumnElement[bool],
    words: SearchWords | None = None,
) -> Page:
    """The products that were asked for, under these conditions.

    `q` is understood as on the pages (`words`), but a program gets only what has all that it asked for: nothing that is
    near, and for words that are true of every toy those that say so.

    Raises:
        InvalidData: products cannot be ordered by what was asked.
    """
    query = select(*COLUMNS).where(*conditions, *_filters(asked), *await _in_categories(session, asked))
    default: list[Any] = [Product.id]
    if (found := await matches(session, asked.q or "", words)) is not None:
        query = query.join(found, found.c.product_id == Product.id)
        default = [found.c.score.desc(), Product.id]
    query = query.order_by(*in_order(asked.order, SORTABLE, default))
    return await _read_page(session, query, asked)


async def _read_page(session: AsyncSession, query: Select[Any], asked: ListParameters) -> Page:
    """The asked page of the query, and its count: one query where the page is the last, else two.

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


COLLECTION_ORDER = {
    "title": Collection.title,
    "handle": Collection.handle,
    "created_at": Collection.created_at,
}
CATEGORY_ORDER: dict[str, Callable[[Category], Any]] = {
    "name": lambda category: fold(category.name),
    "rank": lambda category: (category.rank, category.name),
    "handle": lambda category: category.handle,
    "created_at": lambda category: category.created_at,
}


def matching_categories(tree: Tree, asked: CategoriesParameters) -> Sequence[Category]:
    """The categories that were asked for, in order.

    Raises:
        InvalidData: categories cannot be ordered by what was asked.
    """
    name = (asked.order or "rank").removeprefix("-")
    key = CATEGORY_ORDER.get(name)
    if key is None:
        raise InvalidData(f"Invalid request: cannot order by '{name}'; possible: {', '.join(CATEGORY_ORDER)}")
    parents = {None if parent in ("null", "") else parent for parent in asked.parent_category_id or ()}
    found = [
        category
        for category in tree.by_id.values()
        if (asked.id is None or category.id in asked.id)
        and (asked.handle is None or category.handle in asked.handle)
        and (asked.name is None or category.name in asked.name)
        and (asked.parent_category_id is None or category.parent_id in parents)
        and (not asked.q or fold(asked.q) in fold(f"{category.name} {category.handle}"))
    ]
    return sorted(found, key=key, reverse=(asked.order or "").startswith("-"))


async def matching_collections(
    session: AsyncSession, asked: CollectionsParameters
) -> tuple[Sequence[Collection], int]:
    """A page of the collections that were asked for, and how many there are in all."""
    query = select(Collection)
    one_of = ((Collection.id, asked.id), (Collection.handle, asked.handle), (Collection.title, asked.title))
    query = query.where(*(column.in_(values) for column, values in one_of if values is not None))
    if asked.q:
        query = query.where(Collection.title.icontains(asked.q, autoescape=True))
    count = await session.execute(select(func.count()).select_from(query.subquery()))
    query = query.order_by(*in_order(asked.order, COLLECTION_ORDER, [Collection.title, Collection.id]))
    found = await session.execute(query.offset(asked.offset).limit(asked.limit))
    return found.scalars().all(), count.scalar_one()
