"""The catalogue's list: filters, their facets, sorting and paging."""

from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.cards import cards_of
from backend.catalog.conditions import available, for_sale
from backend.catalog.models import Product, ProductCategory, Variant
from backend.catalog.search import matches
from backend.catalog.tree import Tree, read_tree
from backend.catalog.views import CatalogFilter, CatalogPage, Facet

MAX_LIMIT = 200
AGE_ORDER = ("0-2", "3-5", "6-8", "9-12", "12+")


async def catalog_page(
    session: AsyncSession, wanted: CatalogFilter, *, offset: int = 0, limit: int = 24
) -> CatalogPage:
    """The products that pass the filter, with the facets of each kind counted under the filters of the other kinds.

    Values of one kind are alternatives; kinds narrow each other. `limit` is held between 1 and 200.
    """
    offset, limit = max(0, offset), min(max(1, limit), MAX_LIMIT)
    tree = await read_tree(session)
    found = await matches(session, wanted.text)
    kinds = _conditions(wanted, tree)

    def narrowed(query: Select[Product], without: str = "") -> Select[Product]:
        query = query.where(for_sale(), *(condition for kind, condition in kinds.items() if kind != without))
        return query.join(found, found.c.product_id == Product.id) if found is not None else query

    ids = narrowed(select(Product)).with_only_columns(Product.id)
    total = (await session.execute(select(func.count()).select_from(ids.subquery()))).scalar_one()
    page = narrowed(select(Product)).order_by(*_order(wanted.sort, found)).offset(offset).limit(limit)
    return CatalogPage(
        cards=await cards_of(session, (await session.execute(page)).scalars().all()),
        total=total,
        offset=offset,
        limit=limit,
        categories=await _category_facets(session, tree, narrowed(select(Product), without="categories")),
        brands=await _column_facets(session, "brand", narrowed(select(Product), without="brands")),
        ages=_in_age_order(
            await _column_facets(session, "age_range", narrowed(select(Product), without="ages"))
        ),
    )


async def ages_of(session: AsyncSession) -> list[Facet]:
    """The age ranges that are for sale, youngest first."""
    return _in_age_order(await _column_facets(session, "age_range", select(Product).where(for_sale())))


def _conditions(wanted: CatalogFilter, tree: Tree) -> dict[str, ColumnElement[bool]]:
    conditions: dict[str, ColumnElement[bool]] = {}
    if wanted.categories:
        within = select(ProductCategory.product_id).where(
            ProductCategory.category_id.in_(tree.with_descendants(wanted.categories))
        )
        conditions["categories"] = Product.id.in_(within)
    if wanted.brands:
        conditions["brands"] = Product.brand.in_(wanted.brands)
    if wanted.ages:
        conditions["ages"] = Product.age_range.in_(wanted.ages)
    if wanted.on_sale:
        saving = select(Variant.product_id).where(Variant.compare_at_price > Variant.price)
        conditions["on_sale"] = Product.id.in_(saving)
    return conditions


def _order(sort: str, found: Subquery | None) -> list[ColumnElement[Any]]:
    price = (
        select(func.min(Variant.price))
        .where(Variant.product_id == Product.id)
        .correlate(Product)
        .scalar_subquery()
    )
    newest = Product.created_at.desc()
    orders: dict[str, list[ColumnElement[Any]]] = {
        "new": [newest],
        "price_asc": [price.asc()],
        "price_desc": [price.desc()],
        "title": [Product.title_key.asc()],
    }
    # by default what can be bought comes first, then the best match or what the shop puts forward
    best = [found.c.score.desc()] if found is not None else [Product.featured.desc()]
    return [*orders.get(sort, [available().desc(), *best, newest]), Product.id]


async def _column_facets(session: AsyncSession, column: str, products: Select[Product]) -> list[Facet]:
    value = getattr(Product, column)
    counted = await session.execute(
        products.with_only_columns(value, func.count()).where(value != "").group_by(value).order_by(value)
    )
    return [Facet(value=name, label=name, count=count) for name, count in counted]


async def _category_facets(session: AsyncSession, tree: Tree, products: Select[Product]) -> list[Facet]:
    """The categories under the root and their children; a product counts once in each that it is in or below."""
    passing = products.with_only_columns(Product.id).subquery()
    pairs = await session.execute(
        select(ProductCategory.category_id, ProductCategory.product_id).join(
            passing, passing.c.id == ProductCategory.product_id
        )
    )
    holds: dict[str, set[str]] = {}
    for category_id, product_id in pairs:
        ancestor = tree.by_id.get(category_id)
        while ancestor is not None:
            holds.setdefault(ancestor.id, set()).add(product_id)
            ancestor = tree.by_id.get(ancestor.parent_id or "")
    shown = [
        category
        for root in tree.children(None)
        for top in tree.children(root.id)
        for category in (top, *tree.children(top.id))
    ]
    return [
        Facet(value=category.handle, label=category.name, count=len(holds[category.id]))
        for category in shown
        if category.id in holds
    ]


def _in_age_order(facets: list[Facet]) -> list[Facet]:
    return sorted(
        facets, key=lambda facet: AGE_ORDER.index(facet.value) if facet.value in AGE_ORDER else len(AGE_ORDER)
    )
