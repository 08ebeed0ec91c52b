"""The tiles of the categories on the home page, and the slides: pictures are preferred, and never repeated."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.categories import assign_to_category, change_category, create_category
from backend.catalog.models import Category, Picture, Product
from backend.catalog.schemas.admin import CategoryChange
from backend.catalog.storefront.category_tiles import CategoryTile, read_category_tiles
from backend.catalog.storefront.page_content import home_content
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, add_product

ANA = Actor("user_ana", Role.SHOP)
UPLOADED = "/pictures/0123456789abcdef/foto-640x480-640.webp"


@pytest.fixture
async def ids(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Create categories with products: `a` and `b` have pictures, `c` has none. Return all ids by handle."""
    async with shop.database.transaction() as session:
        for handle in ("a", "b", "c"):
            await add_product(session, shop_defaults, handle, stock=2)
        ids = dict((await session.execute(select(Product.handle, Product.id))).all())
        for handle in ("a", "b"):
            session.add(Picture(product_id=ids[handle], url=f"/{handle}.webp"))
        for name, products in (("Uno", "ab"), ("Dos", "ab"), ("Tres", "ab"), ("Éxitos", "c"), ("Vacía", "")):
            category = await create_category(session, ANA, name=name)
            await assign_to_category(session, ANA, category.id, [ids[one] for one in products], [])
            ids[category.handle] = category.id
        return ids


async def read_tiles(shop: Shop) -> list[CategoryTile]:
    async with shop.database.read() as session:
        return await read_category_tiles(session)


async def test_no_two_categories_show_the_same_picture(shop: Shop, ids: dict[str, str]) -> None:
    tiles = await read_tiles(shop)
    assert [(tile.name, tile.initial) for tile in tiles] == [
        ("Uno", "U"),
        ("Dos", "D"),
        ("Tres", "T"),
        ("Éxitos", "É"),
    ]
    urls = [tile.picture.url if tile.picture else "" for tile in tiles]
    assert (set(urls[:2]), urls[2:]) == ({"/a.webp", "/b.webp"}, ["", ""])


async def test_own_picture_is_preferred_and_hidden_categories_are_left_out(
    shop: Shop, ids: dict[str, str]
) -> None:
    async with shop.database.transaction() as session:
        (await session.get_one(Category, ids["uno"])).picture = UPLOADED
        (await session.get_one(Category, ids["tres"])).picture = "/brand/category-musica.svg"
        await change_category(session, ANA, ids["dos"], CategoryChange(is_active=False))
    first, second, _third = [tile.picture for tile in await read_tiles(shop)]
    assert first
    assert second
    assert (first.url, first.width, first.srcset.count("w,")) == (UPLOADED, 640, 2)
    assert (second.url, second.srcset) == ("/brand/category-musica.svg", "")


@pytest.mark.parametrize("featured", [("a", "c"), ("c",), ()])
async def test_banner_leaves_out_products_without_a_picture(
    shop: Shop, ids: dict[str, str], featured: tuple[str, ...]
) -> None:
    async with shop.database.transaction() as session:
        for handle in featured:
            (await session.get_one(Product, ids[handle])).featured = True
    async with shop.database.read() as session:
        slides = {card.handle for card in (await home_content(session)).slides}
    assert slides == ({"a"} if "a" in featured else {"a", "b"})


async def test_banner_slides_are_shown_without_pictures_if_the_shop_has_none(
    shop: Shop, ids: dict[str, str]
) -> None:
    async with shop.database.transaction() as session:
        for picture in (await session.execute(select(Picture))).scalars():
            await session.delete(picture)
    async with shop.database.read() as session:
        assert {card.handle for card in (await home_content(session)).slides} == {"a", "b", "c"}
