"""The product list of the office, with filters, and with prices that can be changed in the list."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, join_names, read_tree
from backend.catalog.models import Picture, Product, Variant
from backend.catalog.products.commands import WriteVariant
from backend.catalog.products.service import change_variant, lock_product
from backend.catalog.search.staff_search import ProductFilter, count_up_to, filter_conditions, list_by_title
from backend.core.db.tables import get_or_404
from backend.core.errors import Conflict, InvalidData, require_found
from backend.core.money import MAX_AMOUNT, Cop, format_cop, percent_off
from backend.core.texts import _
from backend.inventory.models import InventoryLevel
from backend.media.picture_urls import encode_picture_url
from backend.office.listing import ActiveFilter, ListView, active_filters, read_filters
from backend.office.views import ChipView
from backend.office_settings import read_low_stock
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

PAGE_SIZE = 40
MAX_COUNT = 2_000
MAX_TEXT_LENGTH = 100
FIELDS = ("q", "estado", "ver", "categoria")
STATUS = {"visibles": _("Publicados"), "ocultos": _("Ocultos")}
ONLY = {
    "pocas": _("Se están acabando"),
    "agotados": _("Agotados"),
    "sin-foto": _("Sin foto"),
    "sin-peso": _("Sin peso"),
    "oferta": _("En oferta"),
    "portada": _("Destacados"),
}
"""Labels of the list's filters by their name in the URL."""
SMALL_PICTURE = 160
"""Minimum width of a row's picture, in CSS pixels. The row uses the narrowest file with at least this width."""


@dataclass(frozen=True, slots=True)
class ProductRow:
    """A product in a list.

    Attributes:
        detail: its codes, or the number of its variants.
        variant_id: id of its only variant; empty if it has several or none.
        variants: number of its variants.
        price: price of its only variant, or the lowest price.
        old_price: the price before its sale; 0 without a sale.
        location_id: location of its only variant; empty if it has several variants or locations.
        stocked: stocked units, including reserved ones.
        free: stocked units of all variants that are not reserved.
        stock_search: search text that finds its units on the stock screen.
    """

    id: str
    title: str
    detail: str
    picture: str
    chips: list[ChipView]
    variant_id: str
    variants: int
    price: Cop
    price_label: str
    old_price: Cop
    old_label: str
    location_id: str
    stocked: int
    free: int
    stock_search: str


@dataclass(frozen=True, slots=True)
class CategoryOption:
    """A category to filter by; `label` includes the names of its parents."""

    handle: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductsView(ListView):
    """A list of products, sorted by title. Its filters are `FIELDS`.

    `count`: number of matching products, at most `MAX_COUNT`.
    """

    rows: list[ProductRow]
    count: int = 0
    categories: list[CategoryOption] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a variant in pesos with IVA. `before` is the price before a sale; None without a sale."""

    amount: Cop
    before: Cop | None = None


class PriceChanged(Conflict):
    """Another person changed the price after the actor saw it."""

    def __init__(self, price: Price) -> None:
        super().__init__(f"The price is now {price.amount}")
        self.price = price


def parse_product_filter(params: Mapping[str, str]) -> ProductFilter:
    """Return the filter for the URL's query parameters. Invalid values are ignored."""
    only = params.get("ver", "")
    return ProductFilter(
        text=params.get("q", "")[:MAX_TEXT_LENGTH],
        is_published={"visibles": True, "ocultos": False}.get(params.get("estado", "")),
        category=params.get("categoria", "")[:MAX_TEXT_LENGTH],
        has_picture=False if only == "sin-foto" else None,
        has_weight=False if only == "sin-peso" else None,
        is_low=True if only == "pocas" else None,
        is_sold_out=only == "agotados",
        is_on_sale=only == "oferta",
        is_featured=only == "portada",
    )


async def products_view(
    session: AsyncSession, actor: Actor, params: Mapping[str, str], cursor: str = ""
) -> ProductsView:
    """Return a page of the products that match the filters.

    Args:
        session: for reading.
        actor: the staff member who makes the request.
        params: values of `FIELDS`, as they are in the URL; invalid values are ignored.
        cursor: the cursor of the page; empty for the first page. Only the first page has the count.

    Raises:
        Forbidden: the actor may not see the catalogue.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_CATALOG)
    filters = read_filters(params, FIELDS, MAX_TEXT_LENGTH)
    conditions = await filter_conditions(session, parse_product_filter(filters))
    ids, following = await list_by_title(session, conditions, PAGE_SIZE, cursor)
    rows = await product_rows(session, ids)
    if cursor:
        return ProductsView(rows=rows, cursor=following, filters=filters)
    counted = len(ids) if not following else await count_up_to(session, conditions, MAX_COUNT)
    tree = await read_tree(session)
    return ProductsView(
        rows=rows,
        cursor=following,
        count=counted,
        filters=filters,
        active=_active_filters(filters, tree),
        categories=category_options(tree),
    )


async def read_product_rows(
    session: AsyncSession, actor: Actor, product_ids: Sequence[str]
) -> dict[str, ProductRow]:
    """Return the current rows of these products by their ids.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    return {row.id: row for row in await product_rows(session, product_ids)}


async def find_products_by_text(
    session: AsyncSession, actor: Actor, text: str, limit: int
) -> list[ProductRow]:
    """Return the products that match the text, by title, at most `limit`.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    conditions = await filter_conditions(session, ProductFilter(text[:MAX_TEXT_LENGTH]))
    ids, _cursor = await list_by_title(session, conditions, limit)
    return await product_rows(session, ids)


async def set_price(
    session: AsyncSession, actor: Actor, variant_id: str, price: Price, *, seen: Price
) -> None:
    """Change the price of a variant if the stored price still equals `seen`.

    Raises:
        Forbidden: the actor may not change the catalogue.
        NotFound: the variant does not exist.
        InvalidData: a price is out of range, or the price before the sale is not higher.
        PriceChanged: the stored price is no longer `seen`.
    """
    actor.require(Right.CHANGE_CATALOG)
    if not 0 < price.amount <= MAX_AMOUNT or not 0 <= (price.before or 0) <= MAX_AMOUNT:
        raise InvalidData(f"A price is between 1 and {MAX_AMOUNT} pesos")
    if price.before is not None and price.before <= price.amount:
        raise InvalidData("The price before the sale must be higher")
    owner = select(Variant.product_id).where(Variant.id == variant_id)
    product_id = await get_or_404(session, owner, "Product variant", variant_id)
    await lock_product(session, product_id)
    variant = require_found(await session.get(Variant, variant_id), "Product variant", variant_id)
    now = Price(variant.price, variant.compare_at_price or None)
    if now == price:
        return
    if now != seen:
        raise PriceChanged(now)
    change = WriteVariant(price=price.amount, compare_at_price=price.before)
    await change_variant(session, actor, product_id, variant_id, change)


async def product_rows(session: AsyncSession, product_ids: Sequence[str]) -> list[ProductRow]:
    """Return the products as rows of a list, in this order, without deleted products."""
    found = select(Product).where(Product.id.in_(product_ids), Product.deleted_at.is_(None))
    products = {product.id: product for product in (await session.execute(found)).scalars()}
    variants: dict[str, list[Variant]] = defaultdict(list)
    of_these = select(Variant).where(Variant.product_id.in_(products)).order_by(Variant.rank, Variant.id)
    for variant in (await session.execute(of_these)).scalars():
        variants[variant.product_id].append(variant)
    levels: dict[str, list[InventoryLevel]] = defaultdict(list)
    stored = (
        select(Variant.product_id, InventoryLevel)
        .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        .where(Variant.product_id.in_(products))
        .order_by(InventoryLevel.id)
    )
    for product_id, level in await session.execute(stored):
        levels[product_id].append(level)
    pictures = await read_small_pictures(session, products)
    usual = await read_low_stock(session)
    first_location = (
        await session.execute(select(StockLocation.id).order_by(StockLocation.created_at, StockLocation.id))
    ).scalars().first()  # fmt: skip
    return [
        _product_row(
            products[one],
            variants[one],
            _Stock(levels[one], usual, first_location or ""),
            pictures.get(one, ""),
        )
        for one in product_ids
        if one in products
    ]


def price_label(price: Price) -> str:
    """Format a price; in a sale, together with the price before the sale."""
    if price.before is None:
        return format_cop(price.amount)
    return _("{price} (antes {old})").format(price=format_cop(price.amount), old=format_cop(price.before))


def category_options(tree: Tree) -> list[CategoryOption]:
    """Return the categories in their order, each parent before its children."""
    return [
        CategoryOption(category.handle, join_names(tree.path_to(category.id))) for category in tree.in_order()
    ]


def _active_filters(params: Mapping[str, str], tree: Tree) -> list[ActiveFilter]:
    category = tree.by_handle.get(params["categoria"])
    return active_filters(
        params,
        (STATUS.get(params["estado"], ""), "estado"),
        (ONLY.get(params["ver"], ""), "ver"),
        (category.name if category else params["categoria"], "categoria"),
    )


class _Stock(NamedTuple):
    """The stock of a product: its levels, the shop's usual low-stock limit, and the location for its first units."""

    levels: Sequence[InventoryLevel]
    usual: int
    first_location: str


def _product_row(product: Product, variants: Sequence[Variant], stock: _Stock, picture: str) -> ProductRow:
    levels = stock.levels
    only = variants[0] if len(variants) == 1 else None
    cheapest = min(variants, key=lambda variant: variant.price, default=None)
    price = cheapest.price if cheapest else 0
    old = only.compare_at_price or 0 if only else 0
    free = sum(level.unreserved for level in levels)
    place = levels[0].location_id if levels else stock.first_location
    codes = [code for code in (only.sku, only.ean) if code] if only else []
    label = format_cop(price)
    return ProductRow(
        id=product.id,
        title=product.title,
        detail=" · ".join(codes) if only else _("{n} presentaciones").format(n=len(variants)),
        picture=picture,
        chips=_chips(product, variants, stock, free),
        variant_id=only.id if only else "",
        variants=len(variants),
        price=price,
        price_label=label if len(variants) <= 1 else _("Desde {price}").format(price=label),
        old_price=old,
        old_label=format_cop(old) if old else "",
        location_id=place if only and len(levels) <= 1 else "",
        stocked=sum(level.stocked for level in levels),
        free=free,
        stock_search=(only.sku if only else None) or product.handle,
    )


def _chips(product: Product, variants: Sequence[Variant], stock: _Stock, free: int) -> list[ChipView]:
    low_at = stock.usual if product.low_stock_at is None else product.low_stock_at
    is_low = any(level.unreserved <= low_at for level in stock.levels)
    off = max((percent_off(one.price, one.compare_at_price) or 0 for one in variants), default=0)
    return [
        *([ChipView(_("oculto"), "plain")] if product.status != "published" else []),
        *([ChipView(_("agotado"), "bad")] if free <= 0 else [ChipView(_("pocas"), "wait")] if is_low else []),
        *([ChipView(_("−{n} %").format(n=off), "good")] if off else []),
        *([ChipView(_("destacado"), "plain")] if product.featured else []),
    ]


async def read_small_pictures(session: AsyncSession, product_ids: Iterable[str]) -> Mapping[str, str]:
    """Return the URL of each product's first picture, for a row of a list. Products without pictures are left out."""
    first = select(Picture).where(Picture.product_id.in_(product_ids), Picture.rank == 0)
    return {
        picture.product_id: _small_picture_url(picture)
        for picture in (await session.execute(first)).scalars()
    }


def _small_picture_url(picture: Picture) -> str:
    """Return the URL of the smallest picture file that is wide enough for a row of the list."""
    files = sorted((source["width"], source["url"]) for source in picture.sources)
    wide = [url for width, url in files if width >= SMALL_PICTURE]
    return encode_picture_url(wide[0] if wide else picture.url)
