"""The products for sale as a shopping program's feed lists them: an item for each variant, read page by page."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import read_visible_tree
from backend.catalog.merchant_facts import SuggestedAges, parse_suggested_ages, to_plain_name
from backend.catalog.models import (
    Picture,
    Product,
    ProductCategory,
    Variant,
    for_sale,
)
from backend.catalog.products.options import read_named_values
from backend.catalog.storefront.product_cards import read_variants_with_units
from backend.core.collation import fold
from backend.core.money import Cop, percent_off, regular_price
from backend.core.web.html_text import to_plain_text
from backend.media.picture_urls import encode_picture_url

ATTRIBUTES = {
    "color": "color",
    "colour": "color",
    "talla": "size",
    "tamano": "size",
    "size": "size",
    "material": "material",
    "diseno": "pattern",
    "estampado": "pattern",
    "pattern": "pattern",
}
"""Google's attributes of variants, by the title of the shop's option in lower case and without accents."""
MAX_PICTURES = 11
"""Maximum number of pictures of an item: Google reads one main picture and ten additional ones."""


@dataclass(frozen=True, slots=True)
class FeedItem:
    """A variant that is for sale.

    Attributes:
        handle: handle of the product's page.
        title: the product's title.
        variant_title: the variant's title; empty if the product has only this variant.
        price: the price without a discount.
        preorder_day: the day on which units of a preorder arrive at the shop; None without a preorder.
        sale_price: the price that the variant is sold at, if it has a discount.
        bar_code: EAN or UPC; empty if it is unknown.
        category_path: names of the categories from the department down.
        attributes: Google's attributes (`ATTRIBUTES`) that the variant has.
        weight: in kg; length, width and height are in cm.
    """

    variant_id: str
    product_id: str
    handle: str
    title: str
    variant_title: str
    description: str
    sku: str
    bar_code: str
    brand: str
    price: Cop
    sale_price: Cop | None
    is_available: bool
    ages: SuggestedAges | None
    pictures: Sequence[str]
    category_path: Sequence[str]
    attributes: Mapping[str, str] = field(default_factory=dict)
    weight: float | None = None
    length: float | None = None
    width: float | None = None
    height: float | None = None
    preorder_day: date | None = None


@dataclass(frozen=True, slots=True)
class FeedPage:
    """The items of some products. `last_product_id` is where the next page begins; None after the final page."""

    items: list[FeedItem]
    last_product_id: str | None


async def read_feed_page(session: AsyncSession, after: str, limit: int) -> FeedPage:
    """Return the variants for sale of the next products, in the order of the products' ids.

    Variants without a valid price are left out.

    Args:
        session: a session to read with.
        after: the `last_product_id` of the previous page; empty for the first page.
        limit: number of products.
    """
    query = select(Product).where(for_sale(), Product.id > after).order_by(Product.id).limit(limit)
    products = (await session.execute(query)).scalars().all()
    if not products:
        return FeedPage([], None)
    ids = [product.id for product in products]
    variants = await read_variants_with_units(session, ids)
    pictures = await _read_pictures(session, ids)
    paths = await read_category_paths(session, ids)
    option_values = await read_named_values(
        session, {product_id: [variant for variant, _units in variants[product_id]] for product_id in ids}
    )
    items = [
        _build_item(
            product,
            variant,
            has_choice=len(variants[product.id]) > 1,
            units=units,
            pictures=pictures[product.id],
            category_path=paths.get(product.id, ()),
            attributes=_pick_attributes(option_values[variant.id]),
        )
        for product in products
        for variant, units in variants[product.id]
        if variant.has_price
    ]
    return FeedPage(items, ids[-1] if len(ids) == limit else None)


def _build_item(
    product: Product,
    variant: Variant,
    *,
    has_choice: bool,
    units: int,
    pictures: Sequence[str],
    category_path: Sequence[str],
    attributes: Mapping[str, str],
) -> FeedItem:
    has_discount = percent_off(variant.price, variant.compare_at_price) is not None
    material = to_plain_name(product.material or "")
    return FeedItem(
        variant_id=variant.id,
        product_id=product.id,
        handle=product.handle,
        title=to_plain_name(product.title),
        variant_title=to_plain_name(variant.title) if has_choice else "",
        description=to_plain_text(product.description or product.subtitle),
        sku=variant.sku or "",
        bar_code=variant.ean or "",
        brand=to_plain_name(product.brand),
        price=regular_price(variant.price, variant.compare_at_price) if has_discount else variant.price,
        sale_price=variant.price if has_discount else None,
        is_available=units > 0,
        preorder_day=product.preorder_day,
        ages=parse_suggested_ages(product.age_range),
        pictures=_put_first(pictures, variant.thumbnail),
        category_path=category_path,
        attributes={"material": material, **attributes} if material else attributes,
        weight=product.weight,
        length=product.length,
        width=product.width,
        height=product.height,
    )


def _put_first(pictures: Sequence[str], own: str | None) -> Sequence[str]:
    """Return the pictures with the variant's own one first, if it has one."""
    first = encode_picture_url(own) if own else ""
    return [first, *(url for url in pictures if url != first)] if first in pictures else pictures


async def _read_pictures(session: AsyncSession, product_ids: Collection[str]) -> Mapping[str, list[str]]:
    rows = await session.execute(
        select(Picture.product_id, Picture.url)
        .where(Picture.product_id.in_(product_ids))
        .order_by(Picture.rank)
    )
    found: dict[str, list[str]] = defaultdict(list)
    for product_id, url in rows:
        if len(found[product_id]) < MAX_PICTURES:
            found[product_id].append(encode_picture_url(url))
    return found


async def read_category_paths(
    session: AsyncSession, product_ids: Collection[str]
) -> Mapping[str, Sequence[str]]:
    """Return the category names of each product's breadcrumb, by product id."""
    rows = await session.execute(
        select(ProductCategory.product_id, ProductCategory.category_id).where(
            ProductCategory.product_id.in_(product_ids)
        )
    )
    of_product: dict[str, list[str]] = defaultdict(list)
    for product_id, category_id in rows:
        of_product[product_id].append(category_id)
    tree = await read_visible_tree(session)
    return {
        product_id: [to_plain_name(category.name) for category in tree.longest_breadcrumb(category_ids)]
        for product_id, category_ids in of_product.items()
    }


def _pick_attributes(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values that Google has an attribute for. `values` are a variant's option values by option title."""
    return {
        attribute: to_plain_name(value)
        for title, value in values.items()
        if (attribute := ATTRIBUTES.get(fold(title.strip())))
    }
