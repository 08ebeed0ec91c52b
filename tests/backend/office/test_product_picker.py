"""The product picker: search by words, by category and by code, in pages."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.categories import assign_to_category, create_category
from backend.catalog.models import Product, Variant
from backend.core.errors import InvalidData
from backend.office import product_picker as module
from backend.office.product_picker import (
    find_products_to_pick,
    parse_picked_ids,
    read_picker_categories,
    read_picker_rows,
)
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, add_product

ANA = Actor("user_ana", Role.SHOP)
HANDLES = ("trompo-azul", "trompo-rojo", "balero-azul")


@pytest.fixture
async def ids(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Create three products, one of them hidden, and return their ids by handle."""
    async with shop.database.transaction() as session:
        for handle in HANDLES:
            await add_product(session, shop_defaults, handle, stock=2)
        hidden = (await session.execute(select(Product).where(Product.handle == "trompo-rojo"))).scalar_one()
        hidden.status = "draft"
        bar_coded = (
            await session.execute(select(Variant).where(Variant.sku == "SKU-balero-azul"))
        ).scalar_one()
        bar_coded.ean = "7701234567897"
    async with shop.database.read() as session:
        return dict((await session.execute(select(Product.handle, Product.id))).all())


async def search(shop: Shop, text: str, category: str = "", cursor: str = "") -> module.PickerPage:
    async with shop.database.read() as session:
        return await find_products_to_pick(session, ANA, text, category, cursor)


async def test_search_words_find_published_and_hidden_products(shop: Shop, ids: dict[str, str]) -> None:
    assert [row.id for row in (await search(shop, "azul")).rows] == [ids["balero-azul"], ids["trompo-azul"]]
    rows = (await search(shop, "tromp")).rows
    assert [(row.title, row.detail) for row in rows] == [
        ("Trompo azul", "SKU-trompo-azul"),
        ("Trompo rojo", "SKU-trompo-rojo · oculto"),
    ]
    assert (await search(shop, "tromp azul balero")).rows == []


@pytest.mark.parametrize("code", ["7701234567897", "SKU-balero-azul"])
async def test_scanned_code_finds_its_product(shop: Shop, ids: dict[str, str], code: str) -> None:
    assert [row.id for row in (await search(shop, code)).rows] == [ids["balero-azul"]]


async def test_category_filter_narrows_the_product_picker(shop: Shop, ids: dict[str, str]) -> None:
    async with shop.database.transaction() as session:
        madera = await create_category(session, ANA, name="Madera")
        await assign_to_category(session, ANA, madera.id, [ids["trompo-azul"]], [])
    assert [row.id for row in (await search(shop, "", "madera")).rows] == [ids["trompo-azul"]]
    assert (await search(shop, "balero", "madera")).rows == []
    async with shop.database.read() as session:
        assert [one.handle for one in await read_picker_categories(session, ANA)] == ["madera"]


async def test_pages_contain_every_product_once(
    shop: Shop, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 2)
    first = await search(shop, "")
    second = await search(shop, "", cursor=first.cursor)
    assert (len(first.rows), len(second.rows), second.cursor) == (2, 1, "")
    assert {row.id for row in (*first.rows, *second.rows)} == {ids[handle] for handle in HANDLES}


async def test_picker_lists_chosen_products_in_the_chosen_sequence_without_deleted_ones(
    shop: Shop, ids: dict[str, str]
) -> None:
    chosen = [ids["trompo-rojo"], "prod_gone", ids["balero-azul"]]
    async with shop.database.read() as session:
        assert [row.id for row in await read_picker_rows(session, ANA, chosen)] == [chosen[0], chosen[2]]


def test_picked_ids_are_parsed_within_limits() -> None:
    assert parse_picked_ids(" a  b a ", 2) == ["a", "b"]
    assert parse_picked_ids("", 2) == []
    for text in ("a b c", "x" * 65):
        with pytest.raises(InvalidData):
            parse_picked_ids(text, 2)
