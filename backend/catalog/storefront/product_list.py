"""The catalogue's list with its filters: which products in which order, and how many each further choice would show.

All of it is read live: product data is never cached (spec: Storefront view rules 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.catalog.category_tree import Tree, count_by_category, read_tree
from backend.catalog.count_cache import counted
from backend.catalog.models import (
    Product,
    ProductCategory,
    Variant,
    available,
    for_sale,
    has_price,
    put_forward,
)
from backend.catalog.schemas.product_fields import AGE_RANGES
from backend.catalog.search.index import answers_of, every_match, near_matches
from backend.catalog.search.query_words import SearchWords, search_words
from backend.catalog.storefront.product_cards import cards_of
from backend.catalog.views import CatalogFilter, CatalogPage, Facet

MAX_LIMIT = 200
_OF_PRICES = frozenset({"on_sale", "price"})
"""The kinds of conditions under which a change of prices changes what is counted."""
_BY_PRICE = ("price_asc", "price_desc")
_Cheaper = aliased(Variant)


@dataclass(frozen=True, slots=True)
class _Counts:
    """How many products pass a filter, and the facets of each kind."""

    total: int
    categories: list[Facet]
    brands: list[Facet]
    ages: list[Facet]


@dataclass(frozen=True, slots=True)
class Found:
    """What a text finds, best first. `is_near`: nothing has all of what it asks for, and these have some of it."""

    products: Subquery
    is_near: bool = False


async def _found(session: AsyncSession, text: str, words: SearchWords) -> Found | None:
    """What the text finds; None when it asks for nothing in particular."""
    understood = words.understand(text)
    if not text.strip() or understood.is_anything:
        return None
    answers = await answers_of(session, understood)
    every = every_match(answers)
    # the best of them: for any of them PostgreSQL would look through all terms in the order of products
    best = select(every.c.product_id).order_by(every.c.score.desc()).limit(1)
    if (await session.execute(best)).first():
        return Found(every)
    return Found(near_matches(answers), is_near=True)


async def catalog_page(
    session: AsyncSession,
    wanted: CatalogFilter,
    words: SearchWords | None = None,
    *,
    offset: int = 0,
    limit: int = 24,
) -> CatalogPage:
    """The products that pass the filter, with the facets of each kind counted under the filters of the other kinds.

    Values of one kind are alternatives; kinds narrow each other. Where nothing has what the text asks for, the text
    narrows nothing, and what is near comes first. `limit` is held between 1 and 200.
    """
    offset, limit = max(0, offset), min(max(1, limit), MAX_LIMIT)
    tree = await read_tree(session)
    found = await _found(session, wanted.text, words or search_words())
    narrowed = _Narrowed(found, _conditions(wanted, tree))
    near = narrowed.products(is_near=True) if found is not None and found.is_near else None
    counts = await _counts(session, wanted, narrowed, tree)
    return CatalogPage(
        cards=await cards_of(session, await _in_order(session, wanted.sort, narrowed, offset, limit)),
        total=counts.total,
        offset=offset,
        limit=limit,
        categories=counts.categories,
        brands=counts.brands,
        ages=counts.ages,
        near=None if near is None else await _count(session, near),
    )


@dataclass(frozen=True, slots=True)
class _Narrowed:
    """What the products of a list have to be: found by the text, and what each kind of filter says."""

    found: Found | None
    kinds: dict[str, ColumnElement[bool]]

    @property
    def is_of_all(self) -> bool:
        """Whether nothing but categories narrows the list."""
        return self.found is None and not self.kinds.keys() - {"categories"}

    @property
    def is_of_prices(self) -> bool:
        """Whether prices decide of its numbers."""
        return bool(self.kinds.keys() & _OF_PRICES)

    def products(self, without: str = "", *, is_near: bool = False) -> Select[Product]:
        """The products that pass all kinds but one; with `is_near`, those alone that the text is near to."""
        kinds = (condition for kind, condition in self.kinds.items() if kind != without)
        query = select(Product).where(for_sale(), *kinds)
        if self.found is None or (self.found.is_near and not is_near):
            return query
        return query.join(self.found.products, self.found.products.c.product_id == Product.id)


async def _counts(session: AsyncSession, wanted: CatalogFilter, narrowed: _Narrowed, tree: Tree) -> _Counts:
    async def count() -> _Counts:
        within = None if narrowed.is_of_all else narrowed.products(without="categories")
        ages = await _column_facets(session, "age_range", narrowed.products(without="ages"))
        return _Counts(
            total=await _count(session, narrowed.products()),
            categories=await _category_facets(session, tree, within),
            brands=await _column_facets(session, "brand", narrowed.products(without="brands")),
            ages=_in_age_order(ages),
        )

    if narrowed.found is not None:  # other words may mean the same by then
        return await count()
    name = ("page", replace(wanted, sort=""))
    return await counted(session, name, count, of_prices=narrowed.is_of_prices)


async def ages_of(session: AsyncSession) -> list[Facet]:
    """The age ranges that are for sale, youngest first."""

    async def count() -> list[Facet]:
        return _in_age_order(await _column_facets(session, "age_range", select(Product).where(for_sale())))

    return await counted(session, "ages", count)


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
    if wanted.lowest is not None or wanted.highest is not None:
        between = select(Variant.product_id).where(_is_cheapest())
        if wanted.lowest is not None:
            between = between.where(Variant.price >= wanted.lowest)
        if wanted.highest is not None:
            between = between.where(Variant.price <= wanted.highest)
        conditions["price"] = Product.id.in_(between)
    return conditions


def _is_cheapest() -> ColumnElement[bool]:
    """Return the condition that the variant is what its product costs: of those with a price, the cheapest one."""
    less = (_Cheaper.price < Variant.price) | ((_Cheaper.price == Variant.price) & (_Cheaper.id < Variant.id))
    is_alike = has_price(_Cheaper) == has_price()
    less = (is_alike & less) | (has_price(_Cheaper) & ~has_price())
    return ~select(_Cheaper.id).where(_Cheaper.product_id == Variant.product_id, less).exists()


async def _in_order(
    session: AsyncSession, sort: str, narrowed: _Narrowed, offset: int, limit: int
) -> Sequence[Product]:
    """A page of the products, by default what can be bought first, then the best match or what is put forward."""
    found, page = narrowed.found, narrowed.products()
    orders: dict[str, ColumnElement[Any]] = {
        "new": Product.created_at.desc(),
        "price_asc": Variant.price.asc(),
        "price_desc": Variant.price.desc(),
        "title": Product.title_key.asc(),
    }
    if sort in orders:
        if sort in _BY_PRICE:
            page = page.join(Variant, (Variant.product_id == Product.id) & _is_cheapest())
        page = page.order_by(orders[sort], Product.id)
    elif found is None:
        return await _in_stock_first(session, page, offset, limit)
    elif found.is_near:  # all of the catalogue, what is near before the rest
        page = page.outerjoin(found.products, found.products.c.product_id == Product.id)
        page = page.order_by(
            func.coalesce(found.products.c.score, 0).desc(), available().desc(), *put_forward()
        )
    else:
        best, newest = found.products.c.score.desc(), Product.created_at.desc()
        page = page.order_by(available().desc(), best, newest, Product.id)
    return (await session.execute(page.offset(offset).limit(limit))).scalars().all()


async def _in_stock_first(
    session: AsyncSession, products: Select[Product], offset: int, limit: int
) -> Sequence[Product]:
    """A page of the products that can be bought, then of the others: each part is read in the order of an index."""
    in_stock = products.where(available())
    first = in_stock.order_by(*put_forward()).offset(offset).limit(limit)
    shown = (await session.execute(first)).scalars().all()
    if len(shown) == limit:
        return shown
    before = offset + len(shown) if shown or not offset else await _count(session, in_stock)
    others = products.where(~available()).order_by(*put_forward())
    rest = others.offset(max(0, offset - before)).limit(limit - len(shown))
    return [*shown, *(await session.execute(rest)).scalars()]


async def _count(session: AsyncSession, products: Select[Product]) -> int:
    ids = products.with_only_columns(Product.id).subquery()
    return (await session.execute(select(func.count()).select_from(ids))).scalar_one()


async def _column_facets(session: AsyncSession, column: str, products: Select[Product]) -> list[Facet]:
    value = getattr(Product, column)
    counted = await session.execute(
        products.with_only_columns(value, func.count()).where(value != "").group_by(value).order_by(value)
    )
    return [Facet(value=name, label=name, count=count) for name, count in counted]


async def _category_facets(
    session: AsyncSession, tree: Tree, products: Select[Product] | None
) -> list[Facet]:
    """Return the departments and their children; a product counts once in each that it is in or below."""
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
