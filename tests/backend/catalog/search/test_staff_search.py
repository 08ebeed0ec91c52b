"""Product search for staff, with few and with many matching products."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.derived_models import ProductTerm
from backend.catalog.events import publish_product_changes
from backend.catalog.models import Category, Picture, Product, ProductCategory, Variant
from backend.catalog.products.commands import ChangeProduct
from backend.catalog.products.service import change_product, delete_product
from backend.catalog.search import staff_search
from backend.catalog.search.staff_search import ProductFilter, count_up_to, filter_conditions, list_by_title
from backend.core.errors import InvalidData
from backend.inventory import service as inventory
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults, add_product

PEN, TOP, YOYO, BLOCKS = "Bolígrafo mágico", "Trompo de madera", "Yoyó de madera", "Bloques"


@pytest.fixture(params=["few", "many"])
def few_or_many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test twice: few matches are looked up by id; for many, every product is tested."""
    if request.param == "many":
        monkeypatch.setattr(staff_search, "MAX_LOOKED_UP", 0)


@pytest.fixture
async def variant_ids(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Create four products. Return their variants' ids by title."""
    async with shop.database.transaction() as session:
        made = {
            TOP: await add_product(
                session, shop_defaults, "trompo", title=TOP, stock=9, weight=0.2, featured=True
            ),
            YOYO: await add_product(session, shop_defaults, "yo-yo", title=YOYO, stock=2),
            PEN: await add_product(session, shop_defaults, "escribe", title=PEN, stock=0, status="draft"),
            BLOCKS: await add_product(
                session, shop_defaults, "bloques", title=BLOCKS, stock=8, low_stock_at=8
            ),
        }
        yoyo = await session.get_one(Variant, made[YOYO])
        yoyo.ean = "7701234567897"
        await publish_product_changes(session, [yoyo.product_id])
        (await session.get_one(Variant, made[TOP])).compare_at_price = 60_000
        top = (await session.get_one(Variant, made[TOP])).product_id
        session.add(Picture(product_id=top, url="/demo/trompo (1).webp"))
        variant_ids, wooden = (
            Category(name="Juguetes", handle="juguetes"),
            Category(name="Madera", handle="madera"),
        )
        session.add(variant_ids)
        await session.flush()
        wooden.parent_id = variant_ids.id
        session.add(wooden)
        await session.flush()
        session.add(ProductCategory(product_id=top, category_id=wooden.id))
    return made


async def find_titles(shop: Shop, product_filter: ProductFilter) -> list[str]:
    async with shop.database.read() as session:
        conditions = await filter_conditions(session, product_filter)
        ids, cursor = await list_by_title(session, conditions, 10)
        assert cursor == ""
        assert await count_up_to(session, conditions, 10) == len(ids)
        titles = dict((await session.execute(select(Product.id, Product.title))).all())
    return [titles[one] for one in ids]


FOUND: tuple[tuple[ProductFilter, list[str]], ...] = (
    (ProductFilter(), [BLOCKS, PEN, TOP, YOYO]),
    (ProductFilter("boligrafo"), [PEN]),
    (ProductFilter("MADÉ"), [TOP, YOYO]),
    (ProductFilter("madera yoy"), [YOYO]),
    (ProductFilter("de mad"), [TOP, YOYO]),
    (ProductFilter("adera"), []),
    (ProductFilter("escri"), [PEN]),
    (ProductFilter(" 7701234567897 "), [YOYO]),
    (ProductFilter("77012345"), [YOYO]),
    (ProductFilter("SKU-trompo"), [TOP]),
    (ProductFilter("sku"), [BLOCKS, PEN, TOP, YOYO]),
    (ProductFilter("skuyo"), [YOYO]),
    (ProductFilter("¡!"), []),
    (ProductFilter("nada trompo"), []),
    (ProductFilter(is_published=False), [PEN]),
    (ProductFilter(is_published=True), [BLOCKS, TOP, YOYO]),
    (ProductFilter(has_picture=False), [BLOCKS, PEN, YOYO]),
    (ProductFilter(has_picture=True), [TOP]),
    (ProductFilter(has_weight=False), [BLOCKS, PEN, YOYO]),
    (ProductFilter(has_weight=True), [TOP]),
    (ProductFilter(is_low=True), [BLOCKS, PEN, YOYO]),
    (ProductFilter(is_low=False), [TOP]),
    (ProductFilter(is_sold_out=True), [PEN]),
    (ProductFilter(is_on_sale=True), [TOP]),
    (ProductFilter(is_featured=True), [TOP]),
    (ProductFilter(category="juguetes"), [TOP]),
    (ProductFilter(category="no-such"), []),
    (ProductFilter("madera", is_low=True), [YOYO]),
    (ProductFilter("trompo", category="madera", has_picture=True, is_low=True), []),
)
"""Filters and the titles that they find."""


@pytest.mark.usefixtures("few_or_many", "variant_ids")
async def test_staff_filter_finds_matching_products(shop: Shop) -> None:
    found = [(product_filter, await find_titles(shop, product_filter)) for product_filter, _titles in FOUND]
    assert found == list(FOUND)


async def test_reserved_units_are_not_available(shop: Shop, variant_ids: dict[str, str]) -> None:
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {variant_ids[TOP]: 9}, None)
    assert await find_titles(shop, ProductFilter(is_sold_out=True)) == [PEN, TOP]


async def test_product_without_any_stock_level_is_sold_out(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        new = Product(handle="nuevo", title="Nuevo")
        session.add(new)
        await session.flush()
        session.add(Variant(product_id=new.id, price=1_000))
    assert await find_titles(shop, ProductFilter(is_sold_out=True)) == ["Nuevo"]


async def test_renamed_product_is_found_by_its_new_words(shop: Shop, variant_ids: dict[str, str]) -> None:
    async with shop.database.transaction() as session:
        product_id = (await session.get_one(Variant, variant_ids[TOP])).product_id
        await change_product(session, COMMAND_LINE, product_id, ChangeProduct(fields={"title": "Pirinola"}))
    assert await find_titles(shop, ProductFilter("madera")) == [YOYO]
    assert await find_titles(shop, ProductFilter("pirinola")) == ["Pirinola"]
    async with shop.database.transaction() as session:
        await delete_product(session, COMMAND_LINE, product_id)
    assert await find_titles(shop, ProductFilter("pirinola")) == []
    async with shop.database.read() as session:
        kept = select(ProductTerm).where(ProductTerm.product_id == product_id)
        assert (await session.execute(kept)).all() == []


async def test_pages_of_search_results_have_each_product_once(shop: Shop, shop_defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        for number in range(5):
            await add_product(session, shop_defaults, f"toy-{number}", title="Igual | y raro")
    seen: list[str] = []
    cursor = ""
    async with shop.database.read() as session:
        conditions = await filter_conditions(session, ProductFilter("igual"))
        while True:
            ids, cursor = await list_by_title(session, conditions, 2, cursor)
            seen += ids
            if not cursor:
                break
        with pytest.raises(InvalidData):
            await list_by_title(session, conditions, 2, "nonsense")
    assert len(seen) == len(set(seen)) == 5
