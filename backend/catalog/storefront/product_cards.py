"""Product cards: the summary of a product in lists."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Picture, Product, Variant, new_products_cutoff
from backend.catalog.price_labels import format_price
from backend.catalog.ratings import make_rating_view
from backend.catalog.views import PictureView, ProductCard
from backend.core.money import format_cop, percent_off
from backend.core.texts import _
from backend.inventory.models import InventoryLevel
from backend.media.picture_urls import encode_picture_url


def picture_view(picture: Picture) -> PictureView:
    """Return the picture with encoded URLs: file names may contain spaces and parentheses (spec: Entities)."""
    return PictureView(
        url=encode_picture_url(picture.url),
        alt=picture.alt,
        width=picture.width,
        height=picture.height,
        srcset=", ".join(f"{_in_srcset(source['url'])} {source['width']}w" for source in picture.sources),
    )


def _in_srcset(url: str) -> str:
    """Return the URL for a `srcset`, with encoded commas. A comma at the end of the URL would end its entry."""
    return encode_picture_url(url).replace(",", "%2C")


async def first_pictures(session: AsyncSession, product_ids: Iterable[str]) -> dict[str, PictureView]:
    """Return the first picture of each of these products, by product id. Products without pictures are left out."""
    query = select(Picture).where(Picture.product_id.in_(product_ids), Picture.rank == 0)
    return {picture.product_id: picture_view(picture) for picture in (await session.execute(query)).scalars()}


async def read_variants_with_units(
    session: AsyncSession, product_ids: Collection[str]
) -> defaultdict[str, list[tuple[Variant, int]]]:
    """Return the products' variants in order, each with its units that can be sold, by product id."""
    units = func.coalesce(func.sum(InventoryLevel.stocked - InventoryLevel.reserved), 0)
    rows = await session.execute(
        select(Variant, units)
        .outerjoin(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        .where(Variant.product_id.in_(product_ids))
        .group_by(Variant.id)
        .order_by(Variant.rank, Variant.id)
    )
    found: defaultdict[str, list[tuple[Variant, int]]] = defaultdict(list)
    for variant, count in rows:
        found[variant.product_id].append((variant, int(count)))
    return found


async def read_cards(session: AsyncSession, products: Sequence[Product]) -> list[ProductCard]:
    """Return the products' cards in the same order. It runs two queries, whatever the number of products."""
    ids = [product.id for product in products]
    if not ids:
        return []
    variants = await read_variants_with_units(session, ids)
    pictures: dict[str, list[Picture]] = defaultdict(list)
    found = await session.execute(
        select(Picture).where(Picture.product_id.in_(ids), Picture.rank < 2).order_by(Picture.rank)
    )
    for picture in found.scalars():
        pictures[picture.product_id].append(picture)
    return [
        _card(product, variants[product.id], pictures[product.id])
        for product in products
        if variants[product.id]
    ]


def _card(
    product: Product, variants: Sequence[tuple[Variant, int]], pictures: Iterable[Picture]
) -> ProductCard:
    in_stock = [variant for variant, units in variants if units > 0 and variant.has_price]
    every = [variant for variant, _units in variants]
    priced = [variant for variant in every if variant.has_price] or every
    variant = min(in_stock or priced, key=lambda one: one.price)
    price = format_price(variant)
    views = [picture_view(picture) for picture in pictures]
    saved = percent_off(variant.price, variant.compare_at_price)
    return ProductCard(
        id=product.id,
        handle=product.handle,
        title=product.title,
        subtitle=product.subtitle,
        brand=product.brand,
        age_range=product.age_range,
        price=variant.price,
        price_label=_("Desde {price}").format(price=format_cop(variant.price))
        if any(one.price != variant.price for one in priced)
        else price,
        compare_at_price=variant.compare_at_price if saved else None,
        compare_at_label=format_cop(variant.compare_at_price) if saved and variant.compare_at_price else None,
        percent_off=saved,
        available=bool(in_stock),
        is_new=product.created_at >= new_products_cutoff(),
        featured=product.featured,
        variant_id=variant.id,
        picture=views[0] if views else None,
        second_picture=views[1] if len(views) > 1 else None,
        has_choice=len(variants) > 1,
        rating=make_rating_view(product.rating_count, product.rating_total),
    )
