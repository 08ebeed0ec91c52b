"""Content of the storefront's pages: home, product, search suggestions, wishlist.

Product data is never cached (spec: Storefront view rules 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Select, bindparam, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import read_visible_tree
from backend.catalog.handles import brand_handle
from backend.catalog.models import (
    SEO_DESCRIPTION,
    SEO_TITLE,
    Collection,
    FormerHandle,
    Picture,
    Product,
    ProductCategory,
    Variant,
    featured_first_order,
    for_sale,
    is_available,
    is_new,
)
from backend.catalog.preorder_texts import describe_preorder_day
from backend.catalog.product_facts import (
    MAX_SEO_DESCRIPTION_LENGTH,
    MAX_SEO_TITLE_LENGTH,
    product_facts,
)
from backend.catalog.search.query_words import SearchWords, search_words
from backend.catalog.storefront.product_cards import picture_view, read_cards
from backend.catalog.storefront.product_list import read_age_facets, search_products
from backend.catalog.storefront.variant_choices import read_choices
from backend.catalog.views import (
    CategoryRef,
    HomeContent,
    ProductCard,
    ProductDetail,
    SearchHit,
    SearchHits,
)
from backend.core.errors import NotFound
from backend.core.web.contact import to_one_line
from backend.core.web.html_text import to_plain_text
from backend.inventory.service import read_available_units
from backend.media.videos import find_product_video
from backend.staff.rights import Actor, Right

HOME_SECTION_SIZE = 12
MAX_SLIDES = 8
MAX_RELATED = 8
MIN_SEARCH_LETTERS = 2
MAX_WISHES = 200
MAX_HITS = 8
MAX_NEAR = 4
"""Maximum suggestions, and the maximum of those that match a search only in part."""
_CATEGORIES_OF = select(ProductCategory.category_id).where(
    ProductCategory.product_id == bindparam("product_id")
)


async def home_content(session: AsyncSession) -> HomeContent:
    """Return the content of the home page.

    The banner's slides are the featured products that can be bought. If there are none, the slides are the cards of
    the section below the banner. If nothing is for sale, there are no slides. A featured product without stock is
    never a slide (spec: Storefront view rules 1). Products without a picture are slides only if no slide would have
    one.
    """
    has_picture = exists().where(Picture.product_id == Product.id)
    featured = (
        select(Product)
        .where(for_sale(), is_available(), Product.featured)
        .order_by(has_picture.desc(), Product.created_at.desc(), Product.id)
        .limit(MAX_SLIDES)
    )
    on_sale = (
        select(Product)
        .join(Variant, Variant.product_id == Product.id)
        .where(for_sale(), is_available(), Variant.compare_at_price > Variant.price)
        .distinct()
        .order_by(Product.created_at.desc(), Product.id)
        .limit(HOME_SECTION_SIZE)
    )
    lists = [
        await _new_or_featured(session, HOME_SECTION_SIZE),
        await _read_products(session, featured),
        await _read_products(session, on_sale),
    ]
    once = {product.id: product for products in lists for product in products}
    cards = {card.id: card for card in await read_cards(session, list(once.values()))}
    new_or_featured, slides, sale = (
        [cards[product.id] for product in products if product.id in cards] for products in lists
    )
    fallback_slides = [card for card in new_or_featured if card.available or not card.featured]
    return HomeContent(
        slides=_choose_slides(slides, fallback_slides),
        new_or_featured=new_or_featured,
        on_sale=sale,
        ages=await read_age_facets(session),
    )


def _choose_slides(*choices: Sequence[ProductCard]) -> list[ProductCard]:
    """Return the cards that have a picture, from the first sequence that contains such cards.

    If no card has a picture, return the first sequence that is not empty.
    """
    pictured = ([card for card in cards if card.picture] for cards in choices)
    return list(next(filter(None, (*pictured, *choices)), []))[:MAX_SLIDES]


async def new_or_featured_cards(session: AsyncSession, limit: int) -> list[ProductCard]:
    """Return the cards of featured and new products that can be bought; if there are none, of the newest products."""
    return await read_cards(session, await _new_or_featured(session, limit))


async def _new_or_featured(session: AsyncSession, limit: int) -> Sequence[Product]:
    featured_or_new = (
        select(Product)
        .where(for_sale(), is_available(), Product.featured | is_new())
        .order_by(Product.featured.desc(), Product.created_at.desc(), Product.id)
        .limit(limit)
    )
    newest = select(Product).where(for_sale()).order_by(Product.created_at.desc(), Product.id).limit(limit)
    return await _read_products(session, featured_or_new) or await _read_products(session, newest)


async def product_detail(session: AsyncSession, handle: str) -> ProductDetail:
    """Return the product with this handle.

    Raises:
        NotFound: no product for sale has this handle, or the product has no variant.
    """
    product = (
        await session.execute(select(Product).where(Product.handle == handle, for_sale()))
    ).scalar_one_or_none()
    detail = await _detail(session, product) if product else None
    if detail is None:
        raise NotFound(f"Product with handle: {handle} was not found")
    return detail


async def with_current_units(session: AsyncSession, detail: ProductDetail) -> ProductDetail:
    """Return the product detail with the current number of available units of each variant."""
    units = await read_available_units(session, [variant.id for variant in detail.variants])
    variants = [
        replace(variant, stock=units[variant.id], available=units[variant.id] > 0 and variant.has_price)
        for variant in detail.variants
    ]
    return replace(detail, variants=variants)


async def read_bar_codes(session: AsyncSession, product_id: str) -> dict[str, str]:
    """Return the bar codes (EAN or UPC) of the product's variants by variant id. Unknown ones are left out."""
    rows = await session.execute(select(Variant.id, Variant.ean).where(Variant.product_id == product_id))
    return {variant_id: ean for variant_id, ean in rows if ean}


@dataclass(frozen=True, slots=True)
class SearchTexts:
    """Title and description that staff wrote for search engines; empty if they wrote none."""

    title: str = ""
    description: str = ""


async def read_search_texts(session: AsyncSession, product_id: str) -> SearchTexts:
    """Return the product's texts for search engines, on one line and within their limits."""
    query = select(Product.extra_metadata).where(Product.id == product_id)
    metadata = (await session.execute(query)).scalar_one_or_none() or {}
    return SearchTexts(
        to_one_line(metadata.get(SEO_TITLE))[:MAX_SEO_TITLE_LENGTH],
        to_one_line(metadata.get(SEO_DESCRIPTION))[:MAX_SEO_DESCRIPTION_LENGTH],
    )


async def product_preview(session: AsyncSession, actor: Actor, product_id: str) -> ProductDetail:
    """Return the product as its page shows it, or will show it once published.

    Raises:
        NotFound: the product does not exist, or has no variant.
    """
    actor.require(Right.READ_CATALOG)
    product = await session.get(Product, product_id, populate_existing=True)
    detail = await _detail(session, product) if product and product.deleted_at is None else None
    if detail is None:
        raise NotFound(f'Product with id "{product_id}" not found')
    return detail


async def _detail(session: AsyncSession, product: Product) -> ProductDetail | None:
    """Return the content of a product's page; None if the product has no variant."""
    card = next(iter(await read_cards(session, [product])), None)
    if card is None:
        return None
    query = select(Picture).where(Picture.product_id == product.id).order_by(Picture.rank)
    pictures = (await session.execute(query)).scalars().all()
    options, variants = await read_choices(session, product.id, [picture.url for picture in pictures])
    collection = await session.get(Collection, product.collection_id) if product.collection_id else None
    return ProductDetail(
        card=card,
        description=to_plain_text(product.description),
        options=options,
        variants=variants,
        pictures=[picture_view(picture) for picture in pictures],
        breadcrumb=await _breadcrumb(session, product.id),
        collection=CategoryRef(handle=collection.handle, name=collection.title)
        if collection and collection.is_active
        else None,
        facts=product_facts(product),
        related=await _related(session, product),
        brand_handle=brand_handle(product.brand) if product.brand else "",
        tax_rate=product.tax_rate,
        video=find_product_video(product.extra_metadata),
        preorder_day=product.preorder_day.isoformat() if product.preorder_day else "",
        preorder_label=describe_preorder_day(product.preorder_day),
    )


async def suggest_products(
    session: AsyncSession, text: str, words: SearchWords | None = None, *, limit: int = MAX_HITS
) -> SearchHits:
    """Return suggestions for the text typed so far; none for a single letter (spec: Storefront view rules 2).

    Sold-out products follow the others.
    """
    if len(text.strip()) < MIN_SEARCH_LETTERS:
        return SearchHits()
    products, is_near = await search_products(session, text, words or search_words(), limit)
    hits = [
        SearchHit(
            handle=card.handle,
            title=card.title,
            brand=card.brand,
            price_label=card.price_label,
            available=card.available,
            picture=card.picture,
        )
        for card in await read_cards(session, products)
    ]
    return SearchHits(near=hits[:MAX_NEAR]) if is_near else SearchHits(hits)


async def read_cards_by_handle(session: AsyncSession, handles: Sequence[str]) -> dict[str, ProductCard]:
    """Return the cards of the products that have or had these handles, by handle and in this order.

    Products that are not for sale are left out. A wishlist may contain a product twice, by an old and a new handle.
    """
    unique_handles = list(dict.fromkeys(handles))[:MAX_WISHES]
    query = select(Product).where(Product.handle.in_(unique_handles), for_sale())
    found = {card.handle: card for card in await _read_cards(session, query)}
    if missing := [handle for handle in unique_handles if handle not in found]:
        found |= await _cards_by_former_handle(session, missing)
    return {handle: found[handle] for handle in unique_handles if handle in found}


async def _cards_by_former_handle(session: AsyncSession, handles: Sequence[str]) -> dict[str, ProductCard]:
    former = select(FormerHandle.handle, FormerHandle.product_id).where(FormerHandle.handle.in_(handles))
    owners = dict((await session.execute(former)).all())
    query = select(Product).where(Product.id.in_(owners.values()), for_sale())
    found = {card.id: card for card in await _read_cards(session, query)} if owners else {}
    return {handle: found[product_id] for handle, product_id in owners.items() if product_id in found}


async def _read_cards(session: AsyncSession, query: Select[Product]) -> list[ProductCard]:
    return await read_cards(session, await _read_products(session, query))


async def _read_products(session: AsyncSession, query: Select[Product]) -> Sequence[Product]:
    return (await session.execute(query)).scalars().all()


async def _breadcrumb(session: AsyncSession, product_id: str) -> list[CategoryRef]:
    tree = await read_visible_tree(session)
    ids = await session.execute(_CATEGORIES_OF, {"product_id": product_id})
    breadcrumb = tree.longest_breadcrumb(ids.scalars())
    return [CategoryRef(handle=category.handle, name=category.name) for category in breadcrumb]


async def _related(session: AsyncSession, product: Product) -> list[ProductCard]:
    """Return available products from the same categories.

    Products for the same age come first. Within each group, featured products come first, then the newest.
    """
    category_ids = (await session.execute(_CATEGORIES_OF, {"product_id": product.id})).scalars().all()
    same_category = select(ProductCategory.product_id).where(ProductCategory.category_id.in_(category_ids))
    others = select(Product).where(
        for_sale(), is_available(), Product.id.in_(same_category), Product.id != product.id
    )
    same_age = Product.age_range == product.age_range
    shown: list[Product] = []
    for part in (others.where(same_age), others.where(~same_age)):
        if len(shown) < MAX_RELATED:
            page = part.order_by(*featured_first_order()).limit(MAX_RELATED - len(shown))
            shown += (await session.execute(page)).scalars().all()
    return await read_cards(session, shown)
