"""Product cards: the summary of a product in lists."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from sqlalchemy import exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.colors import MAX_SWATCHES, find_color, is_color_option
from backend.catalog.models import (
    Picture,
    Product,
    ProductOption,
    ProductOptionValue,
    Variant,
    VariantOptionValue,
    new_products_cutoff,
)
from backend.catalog.price_labels import format_price
from backend.catalog.ratings import make_rating_view
from backend.catalog.views import PictureView, ProductCard, SwatchView
from backend.core.money import format_cop, percent_off
from backend.core.texts import _
from backend.inventory.models import SELLABLE_UNITS, InventoryLevel
from backend.media.picture_urls import encode_picture_url
from backend.media.picture_widths import parse_uploaded_picture


def picture_view(picture: Picture) -> PictureView:
    """Return the picture with encoded URLs: file names may contain spaces and parentheses (spec: Entities)."""
    return PictureView(
        url=encode_picture_url(picture.url),
        alt=picture.alt,
        width=picture.width,
        height=picture.height,
        srcset=", ".join(f"{_in_srcset(source['url'])} {source['width']}w" for source in picture.sources),
    )


def uploaded_picture_view(url: str, alt: str) -> PictureView | None:
    """Return the view of an uploaded picture; None if the URL is not that of an uploaded picture."""
    prepared = parse_uploaded_picture(url)
    if prepared is None:
        return None
    srcset = ", ".join(f"{encode_picture_url(source)} {width}w" for source, width in prepared.sources)
    return PictureView(encode_picture_url(prepared.url), alt, prepared.width, prepared.height, srcset)


def _in_srcset(url: str) -> str:
    """Return the URL for a `srcset`, with encoded commas. A comma at the end of the URL would end its entry."""
    return encode_picture_url(url).replace(",", "%2C")


class VariantLine(Protocol):
    """A line of an order or return, with the ids by which its picture is found."""

    product_id: str
    variant_id: str


async def line_pictures(session: AsyncSession, lines: Iterable[VariantLine]) -> dict[str, PictureView]:
    """Return the picture of each line's variant by variant id: its own, else the product's first one.

    Products without pictures are left out. A deleted variant has the product's picture.
    """
    products = {line.variant_id: line.product_id for line in lines}
    is_own = (
        (Variant.product_id == Picture.product_id)
        & (Variant.thumbnail == Picture.url)
        & Variant.id.in_(products)
    )
    query = select(Picture, Variant.id).outerjoin(Variant, is_own)
    query = query.where(
        Picture.product_id.in_(set(products.values())), (Picture.rank == 0) | Variant.id.is_not(None)
    )
    own: dict[str, PictureView] = {}
    first: dict[str, PictureView] = {}
    for picture, variant_id in await session.execute(query):
        if variant_id is not None:
            own[variant_id] = picture_view(picture)
        if picture.rank == 0:
            first[picture.product_id] = picture_view(picture)
    found = {variant: own.get(variant) or first.get(product) for variant, product in products.items()}
    return {variant: picture for variant, picture in found.items() if picture is not None}


async def read_variants_with_units(
    session: AsyncSession, product_ids: Collection[str]
) -> defaultdict[str, list[tuple[Variant, int]]]:
    """Return the products' variants in order, each with its units that can be sold, by product id."""
    units = func.coalesce(func.sum(SELLABLE_UNITS), 0)
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
    """Return the products' cards in the same order. Products without variants are left out.

    At most three queries are run, whatever the number of products.
    """
    ids = [product.id for product in products]
    if not ids:
        return []
    variants = await read_variants_with_units(session, ids)
    pictures: dict[str, list[Picture]] = defaultdict(list)
    found = await session.execute(
        select(Picture)
        .where(Picture.product_id.in_(ids), (Picture.rank < 2) | Picture.url.in_(_thumbnails(variants)))
        .order_by(Picture.rank)
    )
    for picture in found.scalars():
        pictures[picture.product_id].append(picture)
    with_choice = [product_id for product_id, some in variants.items() if len(some) > 1]
    swatches = await _read_swatches(session, with_choice)
    return [
        _card(product, variants[product.id], pictures[product.id], swatches.get(product.id, []))
        for product in products
        if variants[product.id]
    ]


def _thumbnails(variants: Mapping[str, Sequence[tuple[Variant, int]]]) -> set[str]:
    return {variant.thumbnail for some in variants.values() for variant, _units in some if variant.thumbnail}


async def _read_swatches(session: AsyncSession, product_ids: Collection[str]) -> dict[str, list[SwatchView]]:
    """Return the colours of each product that has several, at most `MAX_SWATCHES`, by product id."""
    if not product_ids:
        return {}
    is_used = exists().where(VariantOptionValue.value_id == ProductOptionValue.id)
    rows = await session.execute(
        select(
            ProductOption.product_id, ProductOption.title, ProductOptionValue.value, ProductOptionValue.meta
        )
        .join(ProductOptionValue, ProductOptionValue.option_id == ProductOption.id)
        .where(ProductOption.product_id.in_(product_ids), is_used)
        .order_by(ProductOption.rank, ProductOptionValue.rank, ProductOptionValue.id)
    )
    found: defaultdict[str, list[SwatchView]] = defaultdict(list)
    for product_id, title, name, metadata in rows:
        color = find_color(name, metadata) if is_color_option(title) else ""
        if color and len(found[product_id]) < MAX_SWATCHES:
            found[product_id].append(SwatchView(name, color))
    return {product_id: some for product_id, some in found.items() if len(some) > 1}


def _order_pictures(pictures: Sequence[Picture], variant: Variant) -> list[Picture]:
    """Return the pictures of a card that shows the variant.

    The product's first picture stays first, unless it shows another option value than the variant's own picture.
    """
    own = [picture for picture in pictures if picture.url == variant.thumbnail]
    ranked = [picture for picture in pictures if picture.rank < 2]
    if not own or ranked[0].value_id in (None, own[0].value_id):
        return ranked
    return [own[0], *(picture for picture in ranked if picture is not own[0])]


def _card(
    product: Product,
    variants: Sequence[tuple[Variant, int]],
    pictures: Sequence[Picture],
    swatches: list[SwatchView],
) -> ProductCard:
    in_stock = [variant for variant, units in variants if units > 0 and variant.has_price]
    every = [variant for variant, _units in variants]
    priced = [variant for variant in every if variant.has_price] or every
    variant = min(in_stock or priced, key=lambda one: one.price)
    price = format_price(variant)
    views = [picture_view(picture) for picture in _order_pictures(pictures, variant)]
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
        swatches=swatches,
        is_preorder=product.preorder_day is not None and bool(in_stock),
    )
