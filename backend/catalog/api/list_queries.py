"""Queries of product, category and collection lists."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, Subquery, exists, false, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog import models
from backend.catalog.api.option_filters import option_and_variant_conditions
from backend.catalog.category_tree import Tree, read_tree, read_visible_tree
from backend.catalog.models import Category, Product, ProductCategory, ProductHasTag, ProductHasType, Variant
from backend.catalog.schemas.admin import AdminCategoriesParameters
from backend.catalog.schemas.store import (
    CategoriesParameters,
    CollectionsParameters,
    ProductsParameters,
)
from backend.catalog.search.engine import find_matches
from backend.catalog.search.query_words import SearchWords
from backend.channels.models import SalesChannel
from backend.core.collation import fold
from backend.core.errors import InvalidData
from backend.edge.query import (
    in_clauses,
    moment_clauses,
    order_clauses,
    read_page,
    search_clauses,
    where_clauses,
)
from backend.edge.schemas import ListParameters

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


ListQuery = TypeVar("ListQuery", bound=ProductsParameters)
CategoryReader = Callable[[AsyncSession], Awaitable[Tree]]


@dataclass(frozen=True, slots=True)
class Page:
    """The ids of one page of products, and the total count."""

    ids: Sequence[str]
    count: int


async def product_page(
    session: AsyncSession,
    params: ListQuery,
    *conditions: ColumnElement[bool],
    filters: Callable[[ListQuery], Iterable[ColumnElement[bool]]],
    search_results: Subquery | None = None,
    read_categories: CategoryReader = read_tree,
) -> Page:
    """Return the page of products that match the query and these conditions.

    `filters` returns further conditions. It is called for the query itself and for each part of its `$and`
    and `$or`. With `search_results`, only these products are returned, by default the best score first. If a
    filter names a category that is not in the tree of `read_categories`, no product matches it.

    Raises:
        InvalidData: products cannot be sorted by the given order.
    """
    filter_conditions = await product_conditions(session, params, filters, read_categories)
    query = select(Product.id).where(*conditions, *filter_conditions)
    if search_results is None:
        return await _read_page(
            session, query.order_by(*order_clauses(params.order, SORTABLE, [Product.id])), params
        )
    # all matches are read to find the best ones, so the same query counts them
    query = query.add_columns(func.count().over()).join(
        search_results, search_results.c.product_id == Product.id
    )
    best_first = [search_results.c.score.desc(), Product.id]
    return await _read_page(
        session, query.order_by(*order_clauses(params.order, SORTABLE, best_first)), params
    )


async def product_conditions(
    session: AsyncSession,
    params: ListQuery,
    filters: Callable[[ListQuery], Iterable[ColumnElement[bool]]],
    read_categories: CategoryReader = read_tree,
) -> list[ColumnElement[bool]]:
    """Return the WHERE conditions of the query. `filters` and `read_categories` are as in `product_page`."""
    by_category = any(part.category_id is not None for part in params.parts())
    tree = await read_categories(session) if by_category else Tree([])
    return where_clauses(params, lambda part: [*_product_filters(part, tree), *filters(part)])


async def searched_page(
    session: AsyncSession, params: ProductsParameters, condition: ColumnElement[bool], words: SearchWords
) -> Page:
    """Return the page of products that match the query. `q` is parsed as on the storefront, with these `words`.

    Unlike the storefront, it returns only products that match all of `q`. Near matches are left out, and a
    general word such as "juguete" is searched for literally.

    Raises:
        InvalidData: products cannot be sorted by the given order.
    """
    main_query, *parts = params.parts()
    matches_by_part = {id(part): await find_matches(session, part.q or "", words) for part in parts}

    def filters(part: ProductsParameters) -> list[ColumnElement[bool]]:
        search_results = matches_by_part.get(id(part))
        return [] if search_results is None else [Product.id.in_(select(search_results.c.product_id))]

    best = await find_matches(session, main_query.q or "", words)
    return await product_page(
        session, params, condition, filters=filters, search_results=best, read_categories=read_visible_tree
    )


async def _read_page(session: AsyncSession, query: Select[*tuple[Any, ...]], params: ListParameters) -> Page:
    """Return the requested page of the query, and the total count of its rows.

    If the page is the final one, the count follows from its position. Otherwise it is read from the query's
    second column or, if the query has only one column, by a second SQL query. A column with the count makes
    the database read every row, so only queries that do this anyway have one.
    """
    rows = (await session.execute(query.offset(params.offset).limit(params.limit))).all()
    ids = [row[0] for row in rows]
    if len(ids) < params.limit and (ids or not params.offset):
        return Page(ids, params.offset + len(ids))
    if rows and len(rows[0]) > 1:
        return Page(ids, rows[0][1])
    main_query = query.order_by(None).subquery()
    return Page(ids, (await session.execute(select(func.count()).select_from(main_query))).scalar_one())


def _product_filters(params: ProductsParameters, tree: Tree) -> list[ColumnElement[bool]]:
    conditions = moment_clauses(params, Product.created_at, Product.updated_at)
    conditions += in_clauses(
        (Product.id, params.id),
        (Product.handle, params.handle),
        (Product.title, params.title),
        (Product.collection_id, params.collection_id),
    )
    if params.sales_channel_id is not None:  # every product is sold in every channel
        channel = SalesChannel.id
        conditions.append(exists(select(channel).where(channel.in_(params.sales_channel_id))))
    if params.is_giftcard or params.external_id is not None:
        conditions.append(false())  # the shop has no such products
    conditions += option_and_variant_conditions(params)
    for link, column, values in (
        (ProductHasTag, ProductHasTag.tag_id, params.tag_id),
        (ProductHasType, ProductHasType.type_id, params.type_id),
        (ProductCategory, ProductCategory.category_id, _with_descendants(tree, params.category_id)),
    ):
        if values is not None:
            conditions.append(Product.id.in_(select(link.product_id).where(column.in_(values))))
    return conditions


def _with_descendants(tree: Tree, category_ids: Sequence[str] | None) -> Collection[str] | None:
    """Return the ids of the categories and of all their descendants; None if `category_ids` is None."""
    if category_ids is None:
        return None
    return tree.with_descendants(tree.by_id[one].handle for one in category_ids if one in tree.by_id)


COLLECTION_ORDER = {
    "title": models.Collection.title,
    "handle": models.Collection.handle,
    "created_at": models.Collection.created_at,
}
CATEGORY_ORDER: dict[str, Callable[[Category], Any]] = {
    "name": lambda category: fold(category.name),
    "rank": lambda category: (category.rank, category.name),
    "handle": lambda category: category.handle,
    "created_at": lambda category: category.created_at,
}


def matching_categories(tree: Tree, params: CategoriesParameters) -> Sequence[Category]:
    """Return the categories that match the query, sorted.

    Raises:
        InvalidData: categories cannot be sorted by the given order.
    """
    name = (params.order or "rank").removeprefix("-")
    key = CATEGORY_ORDER.get(name)
    if key is None:
        raise InvalidData(f"Invalid request: cannot order by '{name}'; possible: {', '.join(CATEGORY_ORDER)}")
    matching = [category for category in tree.by_id.values() if _matches_filters(category, params)]
    return sorted(matching, key=key, reverse=(params.order or "").startswith("-"))


def _matches_filters(category: Category, params: CategoriesParameters) -> bool:
    """Return True if the category matches all filters, including nested `$and` and `$or`. No database query is run."""
    if isinstance(params, AdminCategoriesParameters) and (
        params.is_internal or params.is_active not in (None, category.is_active)
    ):
        return False  # none is internal
    parents = {None if parent in ("null", "") else parent for parent in params.parent_category_id or ()}
    return (
        (params.id is None or category.id in params.id)
        and (params.handle is None or category.handle in params.handle)
        and (params.name is None or category.name in params.name)
        and (params.parent_category_id is None or category.parent_id in parents)
        and (not params.q or fold(params.q) in fold(f"{category.name} {category.handle}"))
        and all(_matches_filters(category, part) for part in params.all_of)
        and (not params.any_of or any(_matches_filters(category, part) for part in params.any_of))
    )


async def matching_collections(
    session: AsyncSession, params: CollectionsParameters, *, only_active: bool = False
) -> tuple[Sequence[models.Collection], int]:
    """Return a page of the collections that match the query, and the total count.

    Raises:
        InvalidData: collections cannot be sorted by the given order.
    """
    order = order_clauses(params.order, COLLECTION_ORDER, [models.Collection.title, models.Collection.id])
    conditions = where_clauses(params, _collection_conditions)
    if only_active:
        conditions = [*conditions, models.Collection.is_active.is_(True)]
    return await read_page(session, models.Collection, conditions, order, params)


def _collection_conditions(params: CollectionsParameters) -> list[ColumnElement[bool]]:
    table = models.Collection
    conditions = in_clauses((table.id, params.id), (table.handle, params.handle), (table.title, params.title))
    return [*conditions, *search_clauses(params.q, table.title)]
