"""Which products, categories and collections a program asked for."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, Subquery, exists, false, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog import models
from backend.catalog.api.option_filters import parts_asked_for
from backend.catalog.category_tree import Tree, read_tree
from backend.catalog.models import Category, Product, ProductCategory, ProductHasTag, ProductHasType, Variant
from backend.catalog.schemas.admin import AdminCategoriesParameters
from backend.catalog.schemas.store import (
    CategoriesParameters,
    CollectionsParameters,
    ProductsParameters,
)
from backend.catalog.search.index import matches
from backend.catalog.search.query_words import SearchWords
from backend.channels.models import SalesChannel
from backend.core.collation import fold
from backend.core.errors import InvalidData
from backend.edge.query import in_order, mentions, met, moments, one_of, rows_of
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


Asked = TypeVar("Asked", bound=ProductsParameters)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the products, by their ids, and how many there are in all."""

    ids: Sequence[str]
    count: int


async def product_page(
    session: AsyncSession,
    asked: Asked,
    *conditions: ColumnElement[bool],
    filters: Callable[[Asked], Iterable[ColumnElement[bool]]],
    found: Subquery | None = None,
) -> Page:
    """The products that were asked for, under these conditions; `filters` says what of it the caller knows.

    `found` are those that were searched for: the best come first.

    Raises:
        InvalidData: products cannot be ordered by what was asked.
    """
    wanted = await product_conditions(session, asked, filters)
    query = select(Product.id).where(*conditions, *wanted)
    default: list[Any] = [Product.id]
    if found is not None:
        query = query.join(found, found.c.product_id == Product.id)
        default = [found.c.score.desc(), Product.id]
    query = query.order_by(*in_order(asked.order, SORTABLE, default))
    return await _read_page(session, query, asked)


async def product_conditions(
    session: AsyncSession, asked: Asked, filters: Callable[[Asked], Iterable[ColumnElement[bool]]]
) -> list[ColumnElement[bool]]:
    """The conditions for all products that were asked for; `filters` says what of it the caller knows."""
    by_category = any(part.category_id is not None for part in asked.parts())
    tree = await read_tree(session) if by_category else Tree([])
    return met(asked, lambda part: [*_filters(part, tree), *filters(part)])


async def searched_page(
    session: AsyncSession, asked: ProductsParameters, condition: ColumnElement[bool], words: SearchWords
) -> Page:
    """The products that were asked for, with `q` understood as on the pages (`words`).

    But a program gets only what has all that it asked for: nothing that is near, and for words that are true of every
    toy those that say so.

    Raises:
        InvalidData: products cannot be ordered by what was asked.
    """
    whole, *parts = asked.parts()
    within = {id(part): await matches(session, part.q or "", words) for part in parts}

    def filters(part: ProductsParameters) -> list[ColumnElement[bool]]:
        found = within.get(id(part))
        return [] if found is None else [Product.id.in_(select(found.c.product_id))]

    best = await matches(session, whole.q or "", words)
    return await product_page(session, asked, condition, filters=filters, found=best)


async def _read_page(session: AsyncSession, query: Select[Any], asked: ListParameters) -> Page:
    """The asked page of the query, and its count: one query where the page is the last, else two.

    Counting in the same query would read every row of the table to show a few.
    """
    ids = (await session.execute(query.offset(asked.offset).limit(asked.limit))).scalars().all()
    if len(ids) < asked.limit and (ids or not asked.offset):
        return Page(ids, asked.offset + len(ids))
    whole = query.order_by(None).subquery()
    return Page(ids, (await session.execute(select(func.count()).select_from(whole))).scalar_one())


def _filters(asked: ProductsParameters, tree: Tree) -> list[ColumnElement[bool]]:
    conditions = moments(asked, Product.created_at, Product.updated_at)
    conditions += one_of(
        (Product.id, asked.id),
        (Product.handle, asked.handle),
        (Product.title, asked.title),
        (Product.collection_id, asked.collection_id),
    )
    if asked.sales_channel_id is not None:  # every product is sold in all that there are
        channel = SalesChannel.id
        conditions.append(exists(select(channel).where(channel.in_(asked.sales_channel_id))))
    if asked.is_giftcard or asked.external_id is not None:
        conditions.append(false())  # the shop has none
    conditions += parts_asked_for(asked)
    for link, column, values in (
        (ProductHasTag, ProductHasTag.tag_id, asked.tag_id),
        (ProductHasType, ProductHasType.type_id, asked.type_id),
        (ProductCategory, ProductCategory.category_id, _below(tree, asked.category_id)),
    ):
        if values is not None:
            conditions.append(Product.id.in_(select(link.product_id).where(column.in_(values))))
    return conditions


def _below(tree: Tree, category_ids: Sequence[str] | None) -> Collection[str] | None:
    """The categories and those below them: asking for the root is asking for everything."""
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


def matching_categories(tree: Tree, asked: CategoriesParameters) -> Sequence[Category]:
    """The categories that were asked for, in order.

    Raises:
        InvalidData: categories cannot be ordered by what was asked.
    """
    name = (asked.order or "rank").removeprefix("-")
    key = CATEGORY_ORDER.get(name)
    if key is None:
        raise InvalidData(f"Invalid request: cannot order by '{name}'; possible: {', '.join(CATEGORY_ORDER)}")
    found = [category for category in tree.by_id.values() if _is_met(category, asked)]
    return sorted(found, key=key, reverse=(asked.order or "").startswith("-"))


def _is_met(category: Category, asked: CategoriesParameters) -> bool:
    """Whether the category meets all filters, and what `$and` and `$or` add: `met` for what is in memory."""
    if isinstance(asked, AdminCategoriesParameters) and (asked.is_active is False or asked.is_internal):
        return False  # all are active, none is internal
    parents = {None if parent in ("null", "") else parent for parent in asked.parent_category_id or ()}
    return (
        (asked.id is None or category.id in asked.id)
        and (asked.handle is None or category.handle in asked.handle)
        and (asked.name is None or category.name in asked.name)
        and (asked.parent_category_id is None or category.parent_id in parents)
        and (not asked.q or fold(asked.q) in fold(f"{category.name} {category.handle}"))
        and all(_is_met(category, part) for part in asked.all_of)
        and (not asked.any_of or any(_is_met(category, part) for part in asked.any_of))
    )


async def matching_collections(
    session: AsyncSession, asked: CollectionsParameters
) -> tuple[Sequence[models.Collection], int]:
    """A page of the collections that were asked for, and how many there are in all."""
    order = in_order(asked.order, COLLECTION_ORDER, [models.Collection.title, models.Collection.id])
    return await rows_of(session, models.Collection, met(asked, _of_collections), order, asked)


def _of_collections(asked: CollectionsParameters) -> list[ColumnElement[bool]]:
    table = models.Collection
    conditions = one_of((table.id, asked.id), (table.handle, asked.handle), (table.title, asked.title))
    return [*conditions, *mentions(asked.q, table.title)]
