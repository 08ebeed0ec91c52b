"""Tiles of the categories on the home page: each has its own picture, or that of one of its products."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, count_by_category, read_visible_tree, to_initial
from backend.catalog.models import Picture, Product, ProductCategory, featured_first_order, for_sale
from backend.catalog.storefront.product_cards import picture_view, uploaded_picture_view
from backend.catalog.views import PictureView
from backend.media.picture_urls import encode_picture_url

MAX_TILES = 24
MAX_CANDIDATES = 4
"""Maximum number of products whose picture is considered for one category."""


@dataclass(frozen=True, slots=True)
class CategoryTile:
    """A category on the home page. Without a picture, the tile shows its `initial`."""

    handle: str
    name: str
    initial: str
    picture: PictureView | None


async def read_category_tiles(session: AsyncSession) -> list[CategoryTile]:
    """Return the tiles of the departments that have a product for sale, at most `MAX_TILES`.

    A product's picture is used for only one tile.
    """
    tree = await read_visible_tree(session)
    counts = await count_by_category(session)
    departments = [one for one in tree.departments() if counts.get(one.id)][:MAX_TILES]
    tiles: list[CategoryTile] = []
    used: set[str] = set()
    for category in departments:
        picture = to_own_picture(category.picture) or await _find_product_picture(
            session, tree, category.handle, used
        )
        if picture is not None:
            used.add(picture.url)
        tiles.append(CategoryTile(category.handle, category.name, to_initial(category.name), picture))
    return tiles


def to_own_picture(url: str) -> PictureView | None:
    """Return the view of a category's own picture; None without one."""
    if not url:
        return None
    drawing = PictureView(encode_picture_url(url), "", 240, 240, "")  # the shop serves it itself
    return uploaded_picture_view(url, "") or drawing


async def _find_product_picture(
    session: AsyncSession, tree: Tree, handle: str, used: Collection[str]
) -> PictureView | None:
    """Return the picture of the category's first product whose picture no earlier tile uses.

    Only the first `MAX_CANDIDATES` products are considered. Return None if there is no such picture.
    """
    within = select(ProductCategory.product_id).where(
        ProductCategory.category_id.in_(tree.with_descendants([handle]))
    )
    query = (
        select(Picture)
        .join(Product, Product.id == Picture.product_id)
        .where(for_sale(), Product.id.in_(within), Picture.rank == 0)
        .order_by(*featured_first_order())
        .limit(MAX_CANDIDATES)
    )
    views = [picture_view(picture) for picture in (await session.execute(query)).scalars()]
    return next((view for view in views if view.url not in used), None)
