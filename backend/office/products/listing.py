"""Productos: the products as the office lists them, with filters, and prices that are changed in the list."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, read_tree
from backend.catalog.models import Picture, Product, Variant
from backend.catalog.products.commands import WriteVariant
from backend.catalog.products.service import change_variant, lock_product
from backend.catalog.search.staff_search import ProductFilter, by_title, conditions_of, count_up_to
from backend.core.db.tables import get_or_404
from backend.core.errors import Conflict, InvalidData, require_found
from backend.core.money import MAX_AMOUNT, Cop, format_cop, percent_off
from backend.core.texts import _
from backend.inventory.models import InventoryLevel
from backend.media.picture_urls import picture_address
from backend.office.listing import ActiveFilter, ListView, active_filters, read_asked
from backend.office.views import ChipView
from backend.office_settings import read_low_stock
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

MOST_ROWS = 40
MOST_COUNTED = 2_000
LONGEST_TEXT = 100
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
"""What the address says of each filter, and what a person reads."""
SMALL_PICTURE = 160
"""CSS pixels: the narrowest stored file at least so wide is shown in the list."""


@dataclass(frozen=True, slots=True)
class ProductRow:
    """A product in a list.

    Attributes:
        detail: its codes.
        variant_id: its only variant's; empty where it has several or none.
        variants: how many it has.
        price: of the only variant; of several, the lowest.
        old_price: what it cost before its sale; 0 without one.
        location_id: where its only variant is stocked; empty where that is in several places.
        stocked: units that are stocked there, those that are reserved among them.
        free: units that can be sold, of all variants.
        stock_search: what Bodega is asked for to show its units.
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
    """A category that a list can be narrowed to; `label` names those above it too."""

    handle: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductsView(ListView):
    """A list of products by title. Its fields are `FIELDS`.

    `count`: how many there are; not more than `MOST_COUNTED` are counted.
    """

    rows: list[ProductRow]
    count: int = 0
    categories: list[CategoryOption] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Price:
    """What a variant costs, and what it cost before its sale; None without one. Pesos with IVA."""

    amount: Cop
    before: Cop | None = None


class PriceMoved(Conflict):
    """Another price stands there than whoever changed it had seen."""

    def __init__(self, price: Price) -> None:
        super().__init__(f"The price is {price.amount} by now")
        self.price = price


def filter_of(asked: Mapping[str, str]) -> ProductFilter:
    """The filter that the fields mean. What none of them may say does not matter."""
    only = asked.get("ver", "")
    return ProductFilter(
        text=asked.get("q", "")[:LONGEST_TEXT],
        is_published={"visibles": True, "ocultos": False}.get(asked.get("estado", "")),
        category=asked.get("categoria", "")[:LONGEST_TEXT],
        has_picture=False if only == "sin-foto" else None,
        has_weight=False if only == "sin-peso" else None,
        is_low=True if only == "pocas" else None,
        is_sold_out=only == "agotados",
        is_on_sale=only == "oferta",
        is_featured=only == "portada",
    )


async def products_view(
    session: AsyncSession, actor: Actor, asked: Mapping[str, str], cursor: str = ""
) -> ProductsView:
    """The products that are asked for.

    Args:
        session: for reading.
        actor: who asks.
        asked: values of `FIELDS`, from anywhere.
        cursor: where the page before ended; what such a page counts is nothing.

    Raises:
        Forbidden: the actor may not see the catalogue.
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_CATALOG)
    kept = read_asked(asked, FIELDS, LONGEST_TEXT)
    conditions = await conditions_of(session, filter_of(kept))
    ids, following = await by_title(session, conditions, MOST_ROWS, cursor)
    rows = await product_rows(session, ids)
    if cursor:
        return ProductsView(rows=rows, cursor=following, asked=kept)
    counted = len(ids) if not following else await count_up_to(session, conditions, MOST_COUNTED)
    tree = await read_tree(session)
    return ProductsView(
        rows=rows,
        cursor=following,
        count=counted,
        asked=kept,
        active=_active(kept, tree),
        categories=category_options(tree),
    )


async def rows_now(session: AsyncSession, actor: Actor, product_ids: Sequence[str]) -> dict[str, ProductRow]:
    """Return the rows of these products as they are now, by their ids.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    return {row.id: row for row in await product_rows(session, product_ids)}


async def products_named(session: AsyncSession, actor: Actor, text: str, limit: int) -> list[ProductRow]:
    """The products that a text may mean, by title: at most `limit`.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    conditions = await conditions_of(session, ProductFilter(text[:LONGEST_TEXT]))
    ids, _cursor = await by_title(session, conditions, limit)
    return await product_rows(session, ids)


async def set_price(
    session: AsyncSession, actor: Actor, variant_id: str, wanted: Price, *, seen: Price
) -> None:
    """Change what a variant costs, if it still costs what was `seen`.

    Raises:
        Forbidden: the actor may not change the catalogue.
        NotFound: there is no such variant.
        InvalidData: the price is none, or the one before is not higher.
        PriceMoved: it costs something else by now.
    """
    actor.require(Right.CHANGE_CATALOG)
    if not 0 < wanted.amount <= MAX_AMOUNT or not 0 <= (wanted.before or 0) <= MAX_AMOUNT:
        raise InvalidData(f"A price is between 1 and {MAX_AMOUNT} pesos")
    if wanted.before is not None and wanted.before <= wanted.amount:
        raise InvalidData("The price before the sale must be higher")
    owner = select(Variant.product_id).where(Variant.id == variant_id)
    product_id = await get_or_404(session, owner, "Product variant", variant_id)
    await lock_product(session, product_id)
    variant = require_found(await session.get(Variant, variant_id), "Product variant", variant_id)
    now = Price(variant.price, variant.compare_at_price or None)
    if now == wanted:
        return
    if now != seen:
        raise PriceMoved(now)
    change = WriteVariant(price=wanted.amount, compare_at_price=wanted.before)
    await change_variant(session, actor, product_id, variant_id, change)


async def product_rows(session: AsyncSession, product_ids: Sequence[str]) -> list[ProductRow]:
    """The products as rows of a list, in this order; those that are gone are left out."""
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
    pictures: dict[str, str] = {}
    shown = select(Picture).where(Picture.product_id.in_(products)).order_by(Picture.rank.desc())
    for picture in (await session.execute(shown)).scalars():
        pictures[picture.product_id] = _small(picture)
    usual = await read_low_stock(session)
    first_location = (
        await session.execute(select(StockLocation.id).order_by(StockLocation.created_at, StockLocation.id))
    ).scalars().first()  # fmt: skip
    return [
        _row(
            products[one],
            variants[one],
            _Stock(levels[one], usual, first_location or ""),
            pictures.get(one, ""),
        )
        for one in product_ids
        if one in products
    ]


def price_label(price: Price) -> str:
    """A price, with the one before its sale."""
    if price.before is None:
        return format_cop(price.amount)
    return _("{price} (antes {old})").format(price=format_cop(price.amount), old=format_cop(price.before))


def category_options(tree: Tree) -> list[CategoryOption]:
    """The categories in their order, those below after the one above."""
    options: list[CategoryOption] = []

    def add(parent_id: str | None, above: str) -> None:
        for category in tree.children(parent_id):
            label = f"{above} › {category.name}" if above else category.name
            options.append(CategoryOption(category.handle, label))
            add(category.id, label)

    add(None, "")
    return options


def _active(asked: Mapping[str, str], tree: Tree) -> list[ActiveFilter]:
    category = tree.by_handle.get(asked["categoria"])
    return active_filters(
        asked,
        (STATUS.get(asked["estado"], ""), "estado"),
        (ONLY.get(asked["ver"], ""), "ver"),
        (category.name if category else asked["categoria"], "categoria"),
    )


class _Stock(NamedTuple):
    """The stock of a product: its levels, how many units are few unless it says so, and where the first would be."""

    levels: Sequence[InventoryLevel]
    usual: int
    first_location: str


def _row(product: Product, variants: Sequence[Variant], stock: _Stock, picture: str) -> ProductRow:
    levels = stock.levels
    only = variants[0] if len(variants) == 1 else None
    cheapest = min(variants, key=lambda variant: variant.price, default=None)
    price = cheapest.price if cheapest else 0
    old = only.compare_at_price or 0 if only else 0
    free = sum(level.stocked - level.reserved for level in levels)
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
    is_low = any(level.stocked - level.reserved <= low_at for level in stock.levels)
    off = max((percent_off(one.price, one.compare_at_price) or 0 for one in variants), default=0)
    return [
        *([ChipView(_("oculto"), "plain")] if product.status != "published" else []),
        *([ChipView(_("agotado"), "bad")] if free <= 0 else [ChipView(_("pocas"), "wait")] if is_low else []),
        *([ChipView(_("−{n} %").format(n=off), "good")] if off else []),
        *([ChipView(_("destacado"), "plain")] if product.featured else []),
    ]


def _small(picture: Picture) -> str:
    """The address of a file of the picture that is large enough for a row."""
    files = sorted((source["width"], source["url"]) for source in picture.sources)
    wide = [url for width, url in files if width >= SMALL_PICTURE]
    return picture_address(wide[0] if wide else picture.url)
