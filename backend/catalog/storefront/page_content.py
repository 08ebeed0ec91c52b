"""What shoppers see of the catalogue: home, a product, suggestions, wishes.

All of it is read live: product data is never cached (spec: Storefront view rules 5).
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Select, bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import category_tree, read_tree
from backend.catalog.handles import brand_handle
from backend.catalog.models import (
    Collection,
    FormerHandle,
    Picture,
    Product,
    ProductCategory,
    Variant,
    available,
    for_sale,
    is_new,
    put_forward,
)
from backend.catalog.product_facts import product_facts
from backend.catalog.search.index import matches
from backend.catalog.search.query_words import SearchWords
from backend.catalog.storefront.product_cards import cards_of, picture_view
from backend.catalog.storefront.product_list import ages_of
from backend.catalog.storefront.variant_choices import choices_of
from backend.catalog.views import (
    CategoryRef,
    HomeContent,
    ProductCard,
    ProductDetail,
    SearchHit,
)
from backend.core.errors import NotFound
from backend.inventory.service import available_units
from backend.media.videos import video_of
from backend.staff.rights import Actor, Right

HOME_SECTION = 12
MAX_SLIDES = 8
RELATED = 8
MIN_SEARCH_LETTERS = 2
MAX_WISHES = 200
_CATEGORIES_OF = select(ProductCategory.category_id).where(
    ProductCategory.product_id == bindparam("product_id")
)


async def home_content(session: AsyncSession) -> HomeContent:
    """The home page.

    The banner's slides are the featured products that can be bought; when none are featured, the cards of the section
    below; when nothing is for sale, none. A featured one without stock is never a slide
    (spec: Storefront view rules 1).
    """
    featured = (
        select(Product)
        .where(for_sale(), available(), Product.featured)
        .order_by(Product.created_at.desc(), Product.id)
        .limit(MAX_SLIDES)
    )
    on_sale = (
        select(Product)
        .join(Variant, Variant.product_id == Product.id)
        .where(for_sale(), available(), Variant.compare_at_price > Variant.price)
        .distinct()
        .order_by(Product.created_at.desc(), Product.id)
        .limit(HOME_SECTION)
    )
    lists = [
        await _new_or_featured(session, HOME_SECTION),
        await _products(session, featured),
        await _products(session, on_sale),
    ]
    once = {product.id: product for products in lists for product in products}
    cards = {card.id: card for card in await cards_of(session, list(once.values()))}
    new_or_featured, slides, sale = (
        [cards[product.id] for product in products if product.id in cards] for products in lists
    )
    in_their_place = [card for card in new_or_featured if card.available or not card.featured]
    return HomeContent(
        slides=slides or in_their_place[:MAX_SLIDES],
        new_or_featured=new_or_featured,
        on_sale=sale,
        categories=await category_tree(session),
        ages=await ages_of(session),
    )


async def new_or_featured_cards(session: AsyncSession, limit: int) -> list[ProductCard]:
    """What the shop puts forward and what is new, if it can be bought; the newest of all where there is none."""
    return await cards_of(session, await _new_or_featured(session, limit))


async def _new_or_featured(session: AsyncSession, limit: int) -> Sequence[Product]:
    forward = (
        select(Product)
        .where(for_sale(), available(), Product.featured | is_new())
        .order_by(Product.featured.desc(), Product.created_at.desc(), Product.id)
        .limit(limit)
    )
    newest = select(Product).where(for_sale()).order_by(Product.created_at.desc(), Product.id).limit(limit)
    return await _products(session, forward) or await _products(session, newest)


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


async def with_units_of_now(session: AsyncSession, detail: ProductDetail) -> ProductDetail:
    """What was read of a product earlier, with the numbers of units that are left now."""
    units = await available_units(session, [variant.id for variant in detail.variants])
    variants = [
        replace(variant, stock=units[variant.id], available=units[variant.id] > 0 and variant.has_price)
        for variant in detail.variants
    ]
    return replace(detail, variants=variants)


async def product_preview(session: AsyncSession, actor: Actor, product_id: str) -> ProductDetail:
    """The product as its page shows it, or will once it is published.

    Raises:
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


async def cards(session: AsyncSession, handles: Sequence[str]) -> dict[str, ProductCard]:
    """The cards of the products that have these handles now or had them before, by handle and in this order.

    What is not for sale is left out. For the wishlist, which may name a product twice.
    """
    wanted = list(dict.fromkeys(handles))[:MAX_WISHES]
    query = select(Product).where(Product.handle.in_(wanted), for_sale())
    found = {card.handle: card for card in await _cards(session, query)}
    if missing := [handle for handle in wanted if handle not in found]:
        found |= await _formerly(session, missing)
    return {handle: found[handle] for handle in wanted if handle in found}


async def _formerly(session: AsyncSession, handles: Sequence[str]) -> dict[str, ProductCard]:
    former = select(FormerHandle.handle, FormerHandle.product_id).where(FormerHandle.handle.in_(handles))
    owners = dict((await session.execute(former)).all())
    query = select(Product).where(Product.id.in_(owners.values()), for_sale())
    found = {card.id: card for card in await _cards(session, query)} if owners else {}
    return {handle: found[product_id] for handle, product_id in owners.items() if product_id in found}


async def _cards(session: AsyncSession, query: Select[Product]) -> list[ProductCard]:
    return await cards_of(session, await _products(session, query))


async def _products(session: AsyncSession, query: Select[Product]) -> Sequence[Product]:
    return (await session.execute(query)).scalars().all()


async def _breadcrumb(session: AsyncSession, product_id: str) -> list[CategoryRef]:
    tree = await read_tree(session)
    ids = await session.execute(_CATEGORIES_OF, {"product_id": product_id})
    deepest = max((tree.breadcrumb_to(category_id) for category_id in ids.scalars()), key=len, default=[])
    return [CategoryRef(handle=category.handle, name=category.name) for category in deepest]


async def _related(session: AsyncSession, product: Product) -> list[ProductCard]:
    """What can be bought of the same categories: for the same age first, then what the shop puts forward."""
    mine = (await session.execute(_CATEGORIES_OF, {"product_id": product.id})).scalars().all()
    beside = select(ProductCategory.product_id).where(ProductCategory.category_id.in_(mine))
    others = select(Product).where(for_sale(), available(), Product.id.in_(beside), Product.id != product.id)
    same_age = Product.age_range == product.age_range
    shown: list[Product] = []
    for part in (others.where(same_age), others.where(~same_age)):
        if len(shown) < RELATED:
            page = part.order_by(*put_forward()).limit(RELATED - len(shown))
            shown += (await session.execute(page)).scalars().all()
    return await cards_of(session, shown)
