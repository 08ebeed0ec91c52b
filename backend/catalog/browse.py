"""What shoppers see of the catalogue: home, the list with its filters, a product, suggestions, wishes.

All of it is read live: product data is never cached (spec: Storefront view rules 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.cards import cards_of, picture_view
from backend.catalog.categories import Tree, category_tree, read_tree
from backend.catalog.choices import choices_of
from backend.catalog.facts import product_facts
from backend.catalog.handles import brand_handle
from backend.catalog.models import (
    Collection,
    Picture,
    Product,
    ProductCategory,
    Variant,
    available,
    for_sale,
    is_new,
)
from backend.catalog.product_fields import AGE_RANGES
from backend.catalog.search import answers_of, every_match, matches, near_matches
from backend.catalog.search_words import SearchWords, search_words
from backend.catalog.videos import video_of
from backend.catalog.views import (
    CatalogFilter,
    CatalogPage,
    CategoryRef,
    Facet,
    HomeContent,
    ProductCard,
    ProductDetail,
    SearchHit,
)
from backend.errors import NotFound
from backend.staff.rights import Actor, Right

HOME_SECTION = 12
MAX_SLIDES = 8
RELATED = 8
MIN_SEARCH_LETTERS = 2
MAX_WISHES = 200
MAX_LIMIT = 200


async def home_content(session: AsyncSession) -> HomeContent:
    """The home page.

    The banner's slides are the featured products that can be bought; when none are featured, the cards of the section
    below; when nothing is for sale, none. A featured one without stock is never a slide
    (spec: Storefront view rules 1).
    """
    new_or_featured = await new_or_featured_cards(session, HOME_SECTION)
    featured = await _cards(
        session,
        select(Product)
        .where(for_sale(), available(), Product.featured)
        .order_by(Product.created_at.desc(), Product.id)
        .limit(MAX_SLIDES),
    )
    on_sale = await _cards(
        session,
        select(Product)
        .join(Variant, Variant.product_id == Product.id)
        .where(for_sale(), available(), Variant.compare_at_price > Variant.price)
        .distinct()
        .order_by(Product.created_at.desc(), Product.id)
        .limit(HOME_SECTION),
    )
    in_their_place = [card for card in new_or_featured if card.available or not card.featured]
    return HomeContent(
        slides=featured or in_their_place[:MAX_SLIDES],
        new_or_featured=new_or_featured,
        on_sale=on_sale,
        categories=await category_tree(session),
        ages=await ages_of(session),
    )


async def new_or_featured_cards(session: AsyncSession, limit: int) -> list[ProductCard]:
    """What the shop puts forward and what is new, if it can be bought; the newest of all where there is none."""
    forward = (
        select(Product)
        .where(for_sale(), available(), Product.featured | is_new())
        .order_by(Product.featured.desc(), Product.created_at.desc(), Product.id)
        .limit(limit)
    )
    newest = select(Product).where(for_sale()).order_by(Product.created_at.desc(), Product.id).limit(limit)
    return await _cards(session, forward) or await _cards(session, newest)


async def product_detail(session: AsyncSession, handle: str) -> ProductDetail:
    """The product with this handle.

    Raises:
        NotFound: no product for sale has this handle.
    """
    product = (
        await session.execute(select(Product).where(Product.handle == handle, for_sale()))
    ).scalar_one_or_none()
    detail = await _detail(session, product) if product else None
    if detail is None:
        raise NotFound(f"Product with handle: {handle} was not found")
    return detail


async def product_preview(session: AsyncSession, actor: Actor, product_id: str) -> ProductDetail:
    """The product as its page shows it, or will once it is published.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such product, or it has no variant.
    """
    actor.require(Right.READ_CATALOG)
    product = await session.get(Product, product_id, populate_existing=True)
    detail = await _detail(session, product) if product and product.deleted_at is None else None
    if detail is None:
        raise NotFound(f'Product with id "{product_id}" not found')
    return detail


async def _detail(session: AsyncSession, product: Product) -> ProductDetail | None:
    """None of a product without a variant."""
    card = next(iter(await cards_of(session, [product])), None)
    if card is None:
        return None
    pictures = await session.execute(
        select(Picture).where(Picture.product_id == product.id).order_by(Picture.rank)
    )
    options, variants = await choices_of(session, product.id)
    collection = await session.get(Collection, product.collection_id) if product.collection_id else None
    return ProductDetail(
        card=card,
        description=product.description,
        options=options,
        variants=variants,
        pictures=[picture_view(picture) for picture in pictures.scalars()],
        breadcrumb=await _breadcrumb(session, product.id),
        collection=CategoryRef(handle=collection.handle, name=collection.title) if collection else None,
        facts=product_facts(product),
        related=await _related(session, product),
        brand_handle=brand_handle(product.brand) if product.brand else "",
        tax_rate=product.tax_rate,
        video=video_of(product.extra_metadata),
    )


async def search(
    session: AsyncSession, text: str, words: SearchWords | None = None, *, limit: int = 8
) -> list[SearchHit]:
    """Suggestions for what has been typed so far; none before the second letter (spec: Storefront view rules 2)."""
    found = await matches(session, text, words) if len(text.strip()) >= MIN_SEARCH_LETTERS else None
    if found is None:
        return []
    cards = await _cards(
        session,
        select(Product)
        .join(found, found.c.product_id == Product.id)
        .where(for_sale())
        .order_by(found.c.score.desc(), Product.title, Product.id)
        .limit(limit),
    )
    return [
        SearchHit(
            handle=card.handle,
            title=card.title,
            brand=card.brand,
            price_label=card.price_label,
            picture=card.picture,
        )
        for card in cards
    ]


async def cards(session: AsyncSession, handles: Sequence[str]) -> list[ProductCard]:
    """The cards of these handles, in their order; unknown ones are left out. For the wishlist."""
    wanted = list(dict.fromkeys(handles))[:MAX_WISHES]
    found = await _cards(session, select(Product).where(Product.handle.in_(wanted), for_sale()))
    by_handle = {card.handle: card for card in found}
    return [by_handle[handle] for handle in wanted if handle in by_handle]


async def _cards(session: AsyncSession, query: Select[Product]) -> list[ProductCard]:
    return await cards_of(session, (await session.execute(query)).scalars().all())


async def _breadcrumb(session: AsyncSession, product_id: str) -> list[CategoryRef]:
    tree = await read_tree(session)
    ids = await session.execute(
        select(ProductCategory.category_id).where(ProductCategory.product_id == product_id)
    )
    deepest = max((tree.path_to(category_id) for category_id in ids.scalars()), key=len, default=[])
    return [CategoryRef(handle=category.handle, name=category.name) for category in deepest]


async def _related(session: AsyncSession, product: Product) -> list[ProductCard]:
    mine = select(ProductCategory.category_id).where(ProductCategory.product_id == product.id)
    beside = select(ProductCategory.product_id).where(ProductCategory.category_id.in_(mine))
    return await _cards(
        session,
        select(Product)
        .where(for_sale(), available(), Product.id.in_(beside), Product.id != product.id)
        .order_by(
            (Product.age_range == product.age_range).desc(),
            Product.featured.desc(),
            Product.created_at.desc(),
            Product.id,
        )
        .limit(RELATED),
    )


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
    if (await session.execute(select(every.c.product_id).limit(1))).first():
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
    kinds = _conditions(wanted, tree)

    def narrowed(query: Select[Product], without: str = "", *, is_near: bool = False) -> Select[Product]:
        query = query.where(for_sale(), *(condition for kind, condition in kinds.items() if kind != without))
        if found is None or (found.is_near and not is_near):
            return query
        return query.join(found.products, found.products.c.product_id == Product.id)

    async def count(query: Select[Product]) -> int:
        ids = query.with_only_columns(Product.id).subquery()
        return (await session.execute(select(func.count()).select_from(ids))).scalar_one()

    products = narrowed(select(Product))
    if found is not None and found.is_near:
        page = products.outerjoin(found.products, found.products.c.product_id == Product.id)
    else:
        page = products
    page = page.order_by(*_order(wanted.sort, found)).offset(offset).limit(limit)
    return CatalogPage(
        cards=await cards_of(session, (await session.execute(page)).scalars().all()),
        total=await count(products),
        offset=offset,
        limit=limit,
        categories=await _category_facets(session, tree, narrowed(select(Product), without="categories")),
        brands=await _column_facets(session, "brand", narrowed(select(Product), without="brands")),
        ages=_in_age_order(
            await _column_facets(session, "age_range", narrowed(select(Product), without="ages"))
        ),
        near=await count(narrowed(select(Product), is_near=True)) if found and found.is_near else None,
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
    if wanted.lowest is not None:
        conditions["lowest"] = _price() >= wanted.lowest
    if wanted.highest is not None:
        conditions["highest"] = _price() <= wanted.highest
    return conditions


def _price() -> ColumnElement[Any]:
    """What a product costs: of several variants, the least."""
    return (
        select(func.min(Variant.price))
        .where(Variant.product_id == Product.id)
        .correlate(Product)
        .scalar_subquery()
    )


def _order(sort: str, found: Found | None) -> list[ColumnElement[Any]]:
    price = _price()
    newest = Product.created_at.desc()
    orders: dict[str, list[ColumnElement[Any]]] = {
        "new": [newest],
        "price_asc": [price.asc()],
        "price_desc": [price.desc()],
        "title": [Product.title_key.asc()],
    }
    # by default what can be bought comes first, then the best match or what the shop puts forward
    best = [available().desc(), Product.featured.desc(), newest]
    if found is not None and not found.is_near:
        best = [available().desc(), found.products.c.score.desc(), newest]
    elif found is not None:
        best = [func.coalesce(found.products.c.score, 0).desc(), *best]
    return [*orders.get(sort, best), Product.id]


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
        facets,
        key=lambda facet: AGE_RANGES.index(facet.value) if facet.value in AGE_RANGES else len(AGE_RANGES),
    )
