"""The product list with its filters: the products in order, and the number of products for each value of a filter.

Product data is never cached (spec: Storefront view rules 5).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.catalog.category_tree import Tree, count_by_category, read_visible_tree
from backend.catalog.count_cache import get_or_count
from backend.catalog.models import (
    Product,
    ProductCategory,
    Variant,
    featured_first_order,
    for_sale,
    has_price,
    is_available,
)
from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.catalog.search.engine import find_excluded, search_engine
from backend.catalog.search.matches import Matches, intersect_matches, near_matches
from backend.catalog.search.product_codes import match_code, read_search
from backend.catalog.search.query_intents import ShopperSearch
from backend.catalog.search.query_words import SearchWords, search_words
from backend.catalog.storefront.product_cards import read_cards
from backend.catalog.views import DEFAULT_SORT, CatalogFilter, CatalogPage, Facet

MAX_LIMIT = 200
_PRICE_FILTERS = frozenset({"on_sale", "price"})
"""Filters whose counts depend on prices."""
MAX_CANDIDATES = 200
"""Number of best matches among which the search suggestions put sold-out products at the end."""
_BY_PRICE = ("price_asc", "price_desc")
_ORDERS: dict[str, ColumnElement[Any]] = {
    "new": Product.created_at.desc(),
    "price_asc": Variant.price.asc(),
    "price_desc": Variant.price.desc(),
    "title": Product.title_key.asc(),
}
_Cheaper = aliased(Variant)


@dataclass(frozen=True, slots=True)
class _Counts:
    """Number of products that match a filter, and the facets of each kind."""

    total: int
    categories: list[Facet]
    brands: list[Facet]
    ages: list[Facet]


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The products that a text matches, by score.

    `is_near` is True if no product matches the whole text. Then these products match a part of it.
    """

    products: Subquery
    is_near: bool = False


async def _match_all_words(
    session: AsyncSession, search: ShopperSearch, *, only_best: bool = False
) -> Matches | None:
    """Return the products that match all words of the search. `only_best` is as in `SearchEngine.find`.

    Return None if the search contains only general words such as "juguetes", which do not narrow a list.
    """
    if search.query.is_anything:
        return None
    if search.code:
        return match_code(search.code)
    engine = search_engine(session)
    found = await engine.find(session, search.query.query_terms, only_best=only_best)
    bonuses = [(await engine.find(session, [term])).products for term in search.query.bonus_terms]
    return replace(found, products=intersect_matches([found.products], bonuses)) if bonuses else found


async def _match_some_words(
    session: AsyncSession, search: ShopperSearch, *, only_best: bool = False
) -> Matches | None:
    """Return the products that match at least one word of the search.

    Return None if all words of the search are about giving, such as "regalo". They do not narrow a list.
    """
    if search.is_gift:
        return None
    engine = search_engine(session)
    found = [await engine.find(session, [term], only_best=only_best) for term in search.query.query_terms]
    products = near_matches([matches.products for matches in found])
    return Matches(products, all(matches.is_complete for matches in found))


async def _find_matches(session: AsyncSession, search: ShopperSearch) -> TextMatches | None:
    """Return the products that match the words of the search: all words if there are any, else some of them.

    Return None if no word narrows the list: the search contains only general words such as "juguetes", or only words
    about giving in a shop where no product matches them.
    """
    exact = await _match_all_words(session, search)
    if exact is None:
        return None
    # sort by score: without an order, PostgreSQL would scan all terms in the order of the products
    best = select(exact.products.c.product_id).order_by(exact.products.c.score.desc()).limit(1)
    if (await session.execute(best)).first():
        return TextMatches(exact.products)
    near = await _match_some_words(session, search)
    return TextMatches(near.products, is_near=True) if near else None


def search_filter(text: str, search: ShopperSearch) -> CatalogFilter:
    """Return the filter of a search: its text, and the prices and the order that the text asks for."""
    return CatalogFilter(
        text=text,
        min_price=search.min_price,
        max_price=search.max_price,
        sort=search.sort or DEFAULT_SORT,
    )


async def catalog_page(
    session: AsyncSession,
    catalog_filter: CatalogFilter,
    words: SearchWords | None = None,
    *,
    offset: int = 0,
    limit: int = 24,
) -> CatalogPage:
    """Return a page of the products that match the filter, with the facets of each kind of filter.

    A facet of one kind (such as a brand) counts the products that match the filters of all other kinds.

    A product must match one value of each kind that has a filter. If no product matches the whole text, all
    products that match the other filters are returned. Those that match a part of the text come first,
    whatever order the filter names. `limit` is clamped to 1–200.
    """
    offset, limit = max(0, offset), min(max(1, limit), MAX_LIMIT)
    tree = await read_visible_tree(session)
    search = await read_search(session, catalog_filter.text, words or search_words())
    found = await _find_matches(session, search) if catalog_filter.text.strip() else None
    list_filters = _ListFilters(found, await _conditions(session, catalog_filter, search, tree))
    near = None
    if found is not None and found.is_near:
        near = await _count(session, list_filters.products(is_near=True))
    if near == 0:  # the whole catalogue in its own order
        list_filters = replace(list_filters, found=None)
    counts = await _counts(session, catalog_filter, list_filters, tree)
    return CatalogPage(
        cards=await read_cards(
            session, await _in_order(session, catalog_filter, list_filters, offset, limit)
        ),
        total=counts.total,
        offset=offset,
        limit=limit,
        categories=counts.categories,
        brands=counts.brands,
        ages=counts.ages,
        near=near,
    )


@dataclass(frozen=True, slots=True)
class _ListFilters:
    """The filters of a product list: the matches of the text, and a condition for each kind of filter."""

    found: TextMatches | None
    kinds: dict[str, ColumnElement[bool]]

    @property
    def has_only_categories(self) -> bool:
        """True if only categories filter the list."""
        return self.found is None and not self.kinds.keys() - {"categories"}

    @property
    def has_price_filter(self) -> bool:
        """True if a filter makes the counts depend on prices."""
        return bool(self.kinds.keys() & _PRICE_FILTERS)

    def products(self, without: str = "", *, is_near: bool = False) -> Select[Product]:
        """Return the query for products that match the filters of all kinds except the kind `without`.

        If the text has only near matches, it does not restrict the query, unless `is_near` is True: then only
        the near matches are returned.
        """
        kinds = (condition for kind, condition in self.kinds.items() if kind != without)
        query = select(Product).where(for_sale(), *kinds)
        if self.found is None or (self.found.is_near and not is_near):
            return query
        return query.join(self.found.products, self.found.products.c.product_id == Product.id)


async def search_products(
    session: AsyncSession, text: str, words: SearchWords, limit: int
) -> tuple[Sequence[Product], bool]:
    """Return the best products for a search, and True if these match the search only in part.

    If no product matches, return the products that match the words at any price or, if there are none either,
    the products that match some of the words. Sold-out products follow the others among the `MAX_CANDIDATES`
    best.
    """
    search = await read_search(session, text, words)
    catalog_filter = search_filter(text, search)
    conditions = await _conditions(session, catalog_filter, search)
    attempts = [(_match_all_words, conditions, False)]
    if conditions:
        attempts.append((_match_all_words, {}, True))
    # with a single word, the products that match some words are those that match all
    if not search.query.is_anything and (search.is_gift or len(search.query.query_terms) > 1):
        attempts.append((_match_some_words, conditions, not search.is_gift))
    for match, kinds, is_near in attempts:
        match_search = partial(match, session, search)
        if products := await _suggest(session, catalog_filter.sort, kinds, limit, match_search):
            return products, is_near
    return [], True


async def _suggest(
    session: AsyncSession,
    sort: str,
    conditions: dict[str, ColumnElement[bool]],
    limit: int,
    match: Callable[..., Awaitable[Matches | None]],
) -> list[Product]:
    """Return the first `limit` products that `match` finds and that meet the conditions.

    In the default order, only the best matches are read at first; if they give fewer products than `limit`,
    all matches are read. In any other order, all matches are read at once.
    """
    if sort not in _ORDERS:
        found = await match(only_best=True)
        products = await _best_products(session, sort, _list_filters(found, conditions), limit)
        if found is None or found.is_complete or len(products) == limit:
            return products
    return await _best_products(session, sort, _list_filters(await match(), conditions), limit)


def _list_filters(found: Matches | None, conditions: dict[str, ColumnElement[bool]]) -> _ListFilters:
    return _ListFilters(TextMatches(found.products) if found else None, conditions)


async def _best_products(
    session: AsyncSession, sort: str, list_filters: _ListFilters, limit: int
) -> list[Product]:
    """Return the first `limit` products in the given order, but sold-out products last.

    Only the first `MAX_CANDIDATES` products are considered, because a short text matches a large part of a
    catalogue.
    """
    page = _with_order(list_filters.products(is_near=True), sort, list_filters.found)
    ids = (await session.execute(page.with_only_columns(Product.id).limit(MAX_CANDIDATES))).scalars().all()
    in_stock = set(
        (await session.execute(select(Product.id).where(Product.id.in_(ids), is_available()))).scalars()
    )
    best = sorted(ids, key=lambda product_id: product_id not in in_stock)[:limit]
    rows = (await session.execute(select(Product).where(Product.id.in_(best)))).scalars()
    return sorted(rows, key=lambda product: best.index(product.id))


async def _counts(
    session: AsyncSession, catalog_filter: CatalogFilter, list_filters: _ListFilters, tree: Tree
) -> _Counts:
    async def count() -> _Counts:
        within = None if list_filters.has_only_categories else list_filters.products(without="categories")
        ages = await _column_facets(session, "age_range", list_filters.products(without="ages"))
        return _Counts(
            total=await _count(session, list_filters.products()),
            categories=await _category_facets(session, tree, within),
            brands=await _column_facets(session, "brand", list_filters.products(without="brands")),
            ages=_in_age_order(ages),
        )

    if (
        list_filters.found is not None
    ):  # not cached: the matches of a text also depend on the synonyms of the shop
        return await count()
    without = catalog_filter.text if "excluded" in list_filters.kinds else ""
    name = ("page", replace(catalog_filter, text=without, sort=""))
    return await get_or_count(session, name, count, of_prices=list_filters.has_price_filter)


async def has_products_for_sale(session: AsyncSession) -> bool:
    """Return True if any product is for sale."""
    return bool((await session.execute(select(exists().where(for_sale())))).scalar_one())


async def read_age_facets(session: AsyncSession) -> list[Facet]:
    """Return the age ranges of the products for sale with the number of products, youngest first."""

    async def count() -> list[Facet]:
        return _in_age_order(await _column_facets(session, "age_range", select(Product).where(for_sale())))

    return await get_or_count(session, "ages", count)


async def _conditions(
    session: AsyncSession, catalog_filter: CatalogFilter, search: ShopperSearch, tree: Tree | None = None
) -> dict[str, ColumnElement[bool]]:
    """Return the condition of each filter that is set, by kind. Without a `tree`, categories are ignored."""
    conditions: dict[str, ColumnElement[bool]] = {}
    if search.excluded:
        conditions["excluded"] = Product.id.not_in(await find_excluded(session, search.excluded))
    if catalog_filter.categories and tree is not None:
        within = select(ProductCategory.product_id).where(
            ProductCategory.category_id.in_(tree.with_descendants(catalog_filter.categories))
        )
        conditions["categories"] = Product.id.in_(within)
    if catalog_filter.collection_id:
        conditions["collection"] = Product.collection_id == catalog_filter.collection_id
    if catalog_filter.brands:
        conditions["brands"] = Product.brand.in_(catalog_filter.brands)
    if catalog_filter.ages:
        conditions["ages"] = Product.age_range.in_(catalog_filter.ages)
    if catalog_filter.on_sale:
        saving = select(Variant.product_id).where(Variant.compare_at_price > Variant.price)
        conditions["on_sale"] = Product.id.in_(saving)
    if catalog_filter.min_price is not None or catalog_filter.max_price is not None:
        between = select(Variant.product_id).where(_is_cheapest())
        if catalog_filter.min_price is not None:
            between = between.where(Variant.price >= catalog_filter.min_price)
        if catalog_filter.max_price is not None:
            between = between.where(Variant.price <= catalog_filter.max_price)
        conditions["price"] = Product.id.in_(between)
    return conditions


def _is_cheapest() -> ColumnElement[bool]:
    """Return the SQL condition for the cheapest variant of a product. Variants with a valid price are preferred."""
    less = (_Cheaper.price < Variant.price) | ((_Cheaper.price == Variant.price) & (_Cheaper.id < Variant.id))
    is_alike = has_price(_Cheaper) == has_price()
    less = (is_alike & less) | (has_price(_Cheaper) & ~has_price())
    return ~select(_Cheaper.id).where(_Cheaper.product_id == Variant.product_id, less).exists()


async def _in_order(
    session: AsyncSession, catalog_filter: CatalogFilter, list_filters: _ListFilters, offset: int, limit: int
) -> Sequence[Product]:
    """Return a page of the products in the order of the filter.

    Near matches come before all other products. Available products come first, unless the list has no search text
    and the filter names an order.
    """
    found, sort = list_filters.found, catalog_filter.sort
    page = list_filters.products()
    if found is not None and found.is_near:  # two parts: sorting the whole catalogue would be slow
        near = list_filters.products(is_near=True).order_by(is_available().desc())
        others = page.where(Product.id.not_in(select(found.products.c.product_id)))
        parts = [_with_order(near, sort, found), *_in_stock_first(_with_order(others, sort))]
        return await _read_parts(session, parts, offset, limit)
    if found is not None and sort not in _ORDERS:
        page = page.order_by(is_available().desc())
    elif sort not in _ORDERS or catalog_filter.text:
        return await _read_parts(session, _in_stock_first(_with_order(page, sort)), offset, limit)
    page = _with_order(page, sort, found)
    return (await session.execute(page.offset(offset).limit(limit))).scalars().all()


def _with_order(products: Select[Product], sort: str, found: TextMatches | None = None) -> Select[Product]:
    """Return the query in the order that `sort` names.

    By default, the products with the best score come first, then featured products, then the newest.
    """
    if sort in _BY_PRICE:
        products = products.join(Variant, (Variant.product_id == Product.id) & _is_cheapest())
    if sort in _ORDERS:
        return products.order_by(_ORDERS[sort], Product.id)
    if found is not None:
        products = products.order_by(func.coalesce(found.products.c.score, 0).desc())
    return products.order_by(*featured_first_order())


def _in_stock_first(products: Select[Product]) -> list[Select[Product]]:
    """Return the queries for the available products and for the others; each is read in the order of an index."""
    return [products.where(is_available()), products.where(~is_available())]


async def _read_parts(
    session: AsyncSession, parts: Sequence[Select[Product]], offset: int, limit: int
) -> Sequence[Product]:
    """Return a page of the list that the queries' products form, one query after the other."""
    shown: list[Product] = []
    for part in parts:
        rows = (await session.execute(part.offset(offset).limit(limit - len(shown)))).scalars().all()
        shown += rows
        if len(shown) == limit or part is parts[-1]:
            break
        is_reached = rows or not offset
        offset = 0 if is_reached else offset - await _count(session, part.order_by(None))
    return shown


async def _count(session: AsyncSession, products: Select[Product]) -> int:
    ids = products.with_only_columns(Product.id).subquery()
    return (await session.execute(select(func.count()).select_from(ids))).scalar_one()


async def _column_facets(session: AsyncSession, column: str, products: Select[Product]) -> list[Facet]:
    value = getattr(Product, column)
    rows = await session.execute(
        products.with_only_columns(value, func.count()).where(value != "").group_by(value).order_by(value)
    )
    return [Facet(value=name, label=name, count=count) for name, count in rows]


async def _category_facets(
    session: AsyncSession, tree: Tree, products: Select[Product] | None
) -> list[Facet]:
    """Return the departments and their children, each with its number of products.

    A product counts once in each category that contains it, directly or through a descendant.
    """
    counts = await count_by_category(session, products)
    shown = [category for top in tree.departments() for category in (top, *tree.children(top.id))]
    return [
        Facet(value=category.handle, label=category.name, count=counts[category.id])
        for category in shown
        if category.id in counts
    ]


def _in_age_order(facets: list[Facet]) -> list[Facet]:
    return sorted(
        facets,
        key=lambda facet: AGE_RANGES.index(facet.value) if facet.value in AGE_RANGES else len(AGE_RANGES),
    )
