"""The product form: a product's values, and the options to choose from."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, join_names, read_tree
from backend.catalog.models import Collection, FormerHandle, Picture, Product, ProductCategory, Variant
from backend.catalog.product_facts import MAX_VALUE_LENGTH
from backend.catalog.products.options import read_product_options
from backend.catalog.products.variants import read_variants
from backend.core.errors import NotFound
from backend.core.ids import new_id
from backend.core.money import format_cop
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.inventory.models import InventoryLevel
from backend.office.products.draft import (
    EXCLUDED,
    FREE,
    MEASURES,
    METADATA_TEXTS,
    NEW,
    TEXTS,
    Draft,
    PictureDraft,
    VariantDraft,
    format_measure,
    parse_pesos,
)
from backend.office.products.options_form import to_option_drafts
from backend.pricing import STANDARD_RATE
from backend.reports.margins import margin_of_price
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

PUBLISHED = "published"
FIRST_VARIANT_KEY = f"{NEW}0"
"""Key of the first variant of a new product."""
MAX_BRANDS = 200
TEXT_COLUMNS = ("title", "subtitle", "description", "brand", "age_range", "handle", "warnings")
NULLABLE_COLUMNS = ("material", "origin_country", "collection_id")


@dataclass(frozen=True, slots=True)
class FormBase:
    """The state of the product when the form was shown.

    Attributes:
        id: the product's id. A new product has an id too, so that submitting its form twice creates only one
            product.
        stocked: units by variant and location; the key is `variant|location`.
    """

    id: str
    is_new: bool
    draft: Draft
    stocked: dict[str, int]


@dataclass(frozen=True, slots=True)
class PlaceOption:
    """A category, a collection or a location."""

    id: str
    name: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class VariantUnits:
    """The units of a variant, over all locations."""

    variant_id: str
    stocked: int
    reserved: int


@dataclass(frozen=True, slots=True)
class ProductForm:
    """The form of a product, and the options to choose from.

    Attributes:
        base: the current state of the product.
        page_path: the path of the product's page in the shop; empty while the product is hidden.
        former: earlier handles that redirect to the product.
    """

    base: FormBase
    page_path: str
    former: list[str]
    categories: list[PlaceOption]
    collections: list[PlaceOption]
    locations: list[PlaceOption]
    brands: list[str]
    units: list[VariantUnits]


async def read_product_form(session: AsyncSession, actor: Actor, product_id: str) -> ProductForm:
    """Return a product's form.

    Raises:
        NotFound: the product does not exist.
    """
    actor.require(Right.READ_CATALOG)
    product = await session.get(Product, product_id, populate_existing=True)
    if product is None or product.deleted_at is not None:
        raise NotFound(f'Product with id "{product_id}" not found')
    draft = await draft_of(session, product)
    levels = await session.execute(_LEVELS.where(Variant.product_id == product_id))
    stocked: dict[str, int] = {}
    units: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for variant_id, location_id, here, reserved in levels:
        stocked[f"{variant_id}|{location_id}"] = here
        units[variant_id][0] += here
        units[variant_id][1] += reserved
    handles = select(FormerHandle.handle).where(FormerHandle.product_id == product_id)
    former = (await session.execute(handles.order_by(FormerHandle.created_at))).scalars()
    return ProductForm(
        base=FormBase(product_id, is_new=False, draft=draft, stocked=stocked),
        page_path=f"/product/{quote(product.handle)}" if draft.is_published else "",
        former=list(former),
        units=[VariantUnits(one, *counts) for one, counts in units.items()],
        **await _read_choices(session, draft),
    )


async def new_product_form(session: AsyncSession, actor: Actor) -> ProductForm:
    """Return the form of a new product. By default, saving the form publishes the product."""
    actor.require(Right.CHANGE_CATALOG)
    texts = {**dict.fromkeys(TEXTS, ""), "tax_rate": str(STANDARD_RATE)}
    draft = Draft(texts, True, False, [], [], [VariantDraft(FIRST_VARIANT_KEY)])
    base = FormBase(new_id("prod"), is_new=True, draft=draft, stocked={})
    return ProductForm(base, "", [], units=[], **await _read_choices(session, draft))


_LEVELS = (
    select(
        InventoryLevel.variant_id, InventoryLevel.location_id, InventoryLevel.stocked, InventoryLevel.reserved
    )
    .join(Variant, Variant.id == InventoryLevel.variant_id)
    .order_by(InventoryLevel.id)
)


async def draft_of(session: AsyncSession, product: Product) -> Draft:
    """Return the stored product as a draft."""
    in_categories = select(ProductCategory.category_id).where(ProductCategory.product_id == product.id)
    pictures = select(Picture).where(Picture.product_id == product.id).order_by(Picture.rank)
    return Draft(
        texts={
            **{name: getattr(product, name) for name in TEXT_COLUMNS},
            **{name: getattr(product, name) or "" for name in NULLABLE_COLUMNS},
            **{name: format_measure(getattr(product, name)) for name in MEASURES},
            "preorder_day": product.preorder_day.isoformat() if product.preorder_day else "",
            "preorder_units": str(product.preorder_units or ""),
            "tax_rate": EXCLUDED if product.tax_excluded else str(product.tax_rate),
            **{
                name: to_one_line(product.extra_metadata.get(name))[:MAX_VALUE_LENGTH]
                for name in METADATA_TEXTS
            },
        },
        is_published=product.status == PUBLISHED,
        is_featured=product.featured,
        categories=sorted((await session.execute(in_categories)).scalars()),
        pictures=[
            PictureDraft(one.url, one.alt, one.value_id or "")
            for one in (await session.execute(pictures)).scalars()
        ],
        options=to_option_drafts(await read_product_options(session, product.id)),
        variants=[
            VariantDraft(
                one.id,
                one.title,
                str(one.price),
                "" if one.compare_at_price is None else str(one.compare_at_price),
                one.sku or "",
                one.ean or "",
                FREE if one.is_free else "",
                "" if one.cost is None else str(one.cost),
            )
            for one in await read_variants(session, product.id)
        ],
    )


def describe_margin(variant: VariantDraft, tax_rate: str) -> str:
    """Return the margin of a unit in words, for a normalised draft; empty without a valid price and cost."""
    price, cost = parse_pesos(variant.price), parse_pesos(variant.cost)
    if price is None or cost is None:
        return ""
    margin = margin_of_price(price, 0 if tax_rate == EXCLUDED else int(tax_rate), cost)
    return _("Por unidad quedan {pesos} sin IVA: {percent} %.").format(
        pesos=format_cop(margin.pesos), percent=margin.percent
    )


async def _read_choices(session: AsyncSession, draft: Draft) -> dict[str, Any]:
    """Return the options of the form: categories with their paths, collections, locations, and existing brands."""
    tree = await read_tree(session)
    collections = select(Collection.id, Collection.title).order_by(Collection.title)
    chosen = draft.texts["collection_id"]
    places = select(StockLocation.id, StockLocation.name).order_by(StockLocation.created_at, StockLocation.id)
    brands = select(Product.brand).where(Product.brand != "").distinct()
    brands = brands.order_by(Product.brand).limit(MAX_BRANDS)
    return {
        "categories": _category_options(tree, set(draft.categories)),
        "collections": [
            PlaceOption(one, name, one == chosen) for one, name in (await session.execute(collections)).all()
        ],
        "locations": [PlaceOption(one, name) for one, name in (await session.execute(places)).all()],
        "brands": list((await session.execute(brands)).scalars()),
    }


def _category_options(tree: Tree, chosen: set[str]) -> list[PlaceOption]:
    """Return the categories, each with its path. Leave out `Tree.main_root` unless it is chosen."""
    return [
        PlaceOption(one.id, join_names(tree.breadcrumb_to(one.id) or [one]), one.id in chosen)
        for one in tree.in_order()
        if one is not tree.main_root or one.id in chosen
    ]
