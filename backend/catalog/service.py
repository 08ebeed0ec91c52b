"""What can be asked of the catalogue. Every answer is read live: product data is never cached (spec: view rules 5)."""

from collections.abc import Sequence

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.browse import AGE_ORDER, ages_of, catalog_page
from backend.catalog.cards import cards_of, picture_view
from backend.catalog.conditions import available, for_sale, is_new
from backend.catalog.models import Collection, Picture, Product, ProductCategory, Variant
from backend.catalog.search import matches
from backend.catalog.tree import category_tree, read_tree
from backend.catalog.views import CategoryRef, HomeContent, ProductCard, ProductDetail, SearchHit
from backend.errors import NotFound

__all__ = ["AGE_ORDER", "cards", "catalog_page", "category_tree", "home_content", "product_detail", "search"]

HOME_SECTION = 12
MAX_SLIDES = 8
RELATED = 8
MIN_SEARCH_LETTERS = 2
MAX_WISHES = 200


async def home_content(session: AsyncSession) -> HomeContent:
    """The home page.

    The banner's slides are the featured products that can be bought; when none are featured, the cards of the section
    below; when nothing is for sale, none. A featured one without stock is never a slide
    (spec: Storefront view rules 1).
    """
    new_or_featured = await _cards(
        session,
        select(Product)
        .where(for_sale(), available(), Product.featured | is_new())
        .order_by(Product.featured.desc(), Product.created_at.desc(), Product.id)
        .limit(HOME_SECTION),
    ) or await _cards(
        session,
        select(Product).where(for_sale()).order_by(Product.created_at.desc(), Product.id).limit(HOME_SECTION),
    )
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


async def product_detail(session: AsyncSession, handle: str) -> ProductDetail:
    """The product with this handle.

    Raises:
        NotFound: no product for sale has this handle.
    """
    product = (
        await session.execute(select(Product).where(Product.handle == handle, for_sale()))
    ).scalar_one_or_none()
    card = next(iter(await cards_of(session, [product])), None) if product else None
    if product is None or card is None:
        raise NotFound(f"Product with handle: {handle} was not found")
    pictures = await session.execute(
        select(Picture).where(Picture.product_id == product.id).order_by(Picture.rank)
    )
    sku = await session.execute(select(Variant.sku).where(Variant.id == card.variant_id))
    collection = await session.get(Collection, product.collection_id) if product.collection_id else None
    return ProductDetail(
        card=card,
        description=product.description,
        sku=sku.scalar_one() or "",
        pictures=[picture_view(picture) for picture in pictures.scalars()],
        breadcrumb=await _breadcrumb(session, product.id),
        collection=CategoryRef(handle=collection.handle, name=collection.title) if collection else None,
        related=await _related(session, product),
    )


async def search(session: AsyncSession, text: str, *, limit: int = 8) -> list[SearchHit]:
    """Suggestions for what has been typed so far; none before the second letter (spec: Storefront view rules 2)."""
    found = await matches(session, text) if len(text.strip()) >= MIN_SEARCH_LETTERS else None
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
    return max((tree.path_to(category_id) for category_id in ids.scalars()), key=len, default=[])


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
