"""The stock screen: search by code and by words, pages, and low stock."""

import pytest

from backend.app import Shop
from backend.catalog.models import Product, Variant
from backend.core.errors import InvalidData
from backend.office.stock import page as module
from backend.office.stock.page import StockPage, find_variants, read_stock_rows, stock_page, stock_row
from backend.warehouse.service import set_low_stock
from tests.backend.warehouse.stock_kit import ANA, EAN, wooden_tops
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def top(shop: Shop, shop_defaults: Defaults) -> tuple[str, str]:
    return await wooden_tops(shop, shop_defaults)


async def list_stock(shop: Shop, text: str = "", only: str = "", cursor: str = "") -> StockPage:
    async with shop.database.read() as session:
        return await stock_page(session, ANA, {"q": text, "only": only}, cursor)


async def test_picture_from_any_storage_is_shown_with_its_url(shop: Shop, top: tuple[str, str]) -> None:
    for url, shown in (("/demo/a b.webp", "/demo/a%20b.webp"), ("https://cdn.example.com/a?v=2",) * 2):
        async with shop.database.transaction() as session:
            variant = await session.get_one(Variant, top[0])
            (await session.get_one(Product, variant.product_id)).thumbnail = url
        async with shop.database.read() as session:
            (row,) = (await stock_page(session, ANA, {})).rows
        assert row.picture == shown


async def test_stock_rows_are_found_by_code_and_by_words(
    shop: Shop, shop_defaults: Defaults, top: tuple[str, str]
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "trompo-de-plastico", stock=2)
        await add_product(session, shop_defaults, "agotado", stock=0, low_stock_at=0)

    async def titles(text: str = "", only: str = "") -> list[str]:
        return [row.title for row in (await list_stock(shop, text, only)).rows]

    assert await titles(EAN) == await titles("SKU-trompo-de-madera") == ["Trompo de madera"]
    assert await titles("MADÉRA trom") == ["Trompo de madera"]
    assert await titles("sku-trompo") == ["Trompo de madera", "Trompo de plastico"]
    assert await titles("nada") == []
    assert await titles(only="low") == ["Agotado", "Trompo de plastico"]
    assert await titles(only="out") == ["Agotado"]
    async with shop.database.read() as session:
        (row,) = await find_variants(session, ANA, f" {EAN} ")
        assert row.variant_id == top[0]
        assert len(await find_variants(session, ANA, "trompo")) == 2
        assert await find_variants(session, ANA, "  ") == []


async def test_all_variants_of_a_product_can_be_chosen(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        product_id = (await session.get_one(Variant, top[0])).product_id
        session.add_all(
            Variant(product_id=product_id, title=f"Color {number}", price=50_000, rank=number)
            for number in range(1, 31)
        )
    async with shop.database.read() as session:
        found = await find_variants(session, ANA, "trompo")
    assert [row.detail for row in found[1:]] == [f"Color {number}" for number in range(1, 31)]


@pytest.mark.parametrize("only", ["", "low"])
async def test_pages_of_the_stock_list_contain_all_rows_in_order(
    shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch, only: str
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 2)
    async with shop.database.transaction() as session:
        for number in range(5):
            await add_product(session, shop_defaults, f"toy-{number}", stock=number % 2)
    found, cursor = [], ""
    while True:
        page = await list_stock(shop, only=only, cursor=cursor)
        found += [row.title for row in page.rows]
        cursor = page.cursor
        if not cursor:
            break
    assert sorted(found) == [f"Toy {number}" for number in range(5)]
    with pytest.raises(InvalidData):
        await list_stock(shop, only="low", cursor="x|y")


async def test_product_can_have_its_own_low_stock_limit(shop: Shop, top: tuple[str, str]) -> None:
    async with shop.database.transaction() as session:
        row = await stock_row(session, ANA, *top)
        assert not row.is_low
        await set_low_stock(session, ANA, row.product_id, 10)
    async with shop.database.read() as session:
        row = (await read_stock_rows(session, ANA, [row]))[row.id]
    assert (row.low_at, row.is_low) == (10, True)
