"""Producto: one toy as its form shows it, with all that can be chosen for it."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, read_tree
from backend.catalog.models import Collection, FormerHandle, Picture, Product, ProductCategory, Variant
from backend.catalog.product_facts import LONGEST
from backend.catalog.products.variants import variants_of
from backend.core.errors import NotFound
from backend.core.ids import new_id
from backend.core.web.contact import one_line
from backend.inventory.models import InventoryLevel
from backend.office.products.draft import (
    FREE,
    KEPT_IN_METADATA,
    MEASURES,
    NEW,
    TEXTS,
    Draft,
    PictureDraft,
    VariantDraft,
    measure_text,
)
from backend.pricing import STANDARD_RATE
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

PUBLISHED = "published"
FIRST = f"{NEW}0"
"""The key of a new toy's first variant."""
MOST_BRANDS = 200
AS_TEXT = ("title", "subtitle", "description", "brand", "age_range", "handle", "warnings")
OR_NONE = ("material", "origin_country", "collection_id")


@dataclass(frozen=True, slots=True)
class Base:
    """What the form showed when somebody began to change it.

    Attributes:
        id: the toy's, of a new one too: sent twice, it is made once.
        stocked: units by variant and location, `variant|location`.
    """

    id: str
    is_new: bool
    draft: Draft
    stocked: dict[str, int]


@dataclass(frozen=True, slots=True)
class Place:
    """A category, a collection or a location."""

    id: str
    name: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a variant, over all locations."""

    variant_id: str
    stocked: int
    reserved: int


@dataclass(frozen=True, slots=True)
class ProductForm:
    """A toy, and what can be chosen for it.

    Attributes:
        base: what is shown now.
        page_path: its page in the shop; empty while it is hidden.
        former: addresses that lead to it too.
    """

    base: Base
    page_path: str
    former: list[str]
    categories: list[Place]
    collections: list[Place]
    locations: list[Place]
    brands: list[str]
    units: list[Units]


async def read_form(session: AsyncSession, actor: Actor, product_id: str) -> ProductForm:
    """A toy's form.

    Raises:
        NotFound: there is no such toy.
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
        base=Base(product_id, is_new=False, draft=draft, stocked=stocked),
        page_path=f"/product/{quote(product.handle)}" if draft.is_published else "",
        former=list(former),
        units=[Units(one, *counts) for one, counts in units.items()],
        **await _choices(session, draft),
    )


async def blank_form(session: AsyncSession, actor: Actor) -> ProductForm:
    """The form of a new toy: published as soon as it is saved."""
    actor.require(Right.CHANGE_CATALOG)
    texts = {**dict.fromkeys(TEXTS, ""), "tax_rate": str(STANDARD_RATE)}
    draft = Draft(texts, True, False, [], [], [VariantDraft(FIRST)])
    base = Base(new_id("prod"), is_new=True, draft=draft, stocked={})
    return ProductForm(base, "", [], units=[], **await _choices(session, draft))


_LEVELS = (
    select(
        InventoryLevel.variant_id, InventoryLevel.location_id, InventoryLevel.stocked, InventoryLevel.reserved
    )
    .join(Variant, Variant.id == InventoryLevel.variant_id)
    .order_by(InventoryLevel.id)
)


async def draft_of(session: AsyncSession, product: Product) -> Draft:
    """The toy as it is saved."""
    in_categories = select(ProductCategory.category_id).where(ProductCategory.product_id == product.id)
    pictures = select(Picture).where(Picture.product_id == product.id).order_by(Picture.rank)
    return Draft(
        texts={
            **{name: getattr(product, name) for name in AS_TEXT},
            **{name: getattr(product, name) or "" for name in OR_NONE},
            **{name: measure_text(getattr(product, name)) for name in MEASURES},
            "tax_rate": str(product.tax_rate),
            **{name: one_line(product.extra_metadata.get(name))[:LONGEST] for name in KEPT_IN_METADATA},
        },
        is_published=product.status == PUBLISHED,
        is_featured=product.featured,
        categories=sorted((await session.execute(in_categories)).scalars()),
        pictures=[PictureDraft(one.url, one.alt) for one in (await session.execute(pictures)).scalars()],
        variants=[
            VariantDraft(
                one.id,
                one.title,
                str(one.price),
                "" if one.compare_at_price is None else str(one.compare_at_price),
                one.sku or "",
                one.ean or "",
                FREE if one.is_free else "",
            )
            for one in await variants_of(session, product.id)
        ],
    )


async def _choices(session: AsyncSession, draft: Draft) -> dict[str, Any]:
    """What can be chosen: the categories by their paths, collections, locations, and the brands there are."""
    tree = await read_tree(session)
    collections = select(Collection.id, Collection.title).order_by(Collection.title)
    chosen = draft.texts["collection_id"]
    places = select(StockLocation.id, StockLocation.name).order_by(StockLocation.created_at, StockLocation.id)
    brands = select(Product.brand).where(Product.brand != "").distinct()
    brands = brands.order_by(Product.brand).limit(MOST_BRANDS)
    return {
        "categories": _in_tree(tree, None, "", set(draft.categories)),
        "collections": [
            Place(one, name, one == chosen) for one, name in (await session.execute(collections)).all()
        ],
        "locations": [Place(one, name) for one, name in (await session.execute(places)).all()],
        "brands": list((await session.execute(brands)).scalars()),
    }


def _in_tree(tree: Tree, parent_id: str | None, path: str, chosen: set[str]) -> list[Place]:
    """Return the categories below this one, each with its path; `Tree.whole` only if it is chosen."""
    places: list[Place] = []
    for one in tree.children(parent_id):
        name = f"{path} › {one.name}" if path else one.name
        if one is not tree.whole or one.id in chosen:
            places.append(Place(one.id, name, one.id in chosen))
        places += _in_tree(tree, one.id, "" if one is tree.whole else name, chosen)
    return places
