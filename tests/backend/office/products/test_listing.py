"""The product list, and concurrent changes of prices."""

import asyncio

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Picture, Product, Variant
from backend.core.errors import Forbidden, InvalidData, NotFound
from backend.core.money import parse_pesos
from backend.office.listing import filters_url
from backend.office.products import listing as module
from backend.office.products.listing import (
    Price,
    PriceChanged,
    ProductsView,
    find_products_by_text,
    products_view,
    read_product_rows,
    set_price,
)
from backend.staff.rights import Actor, Role
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get

ANA = Actor("user_ana", Role.SHOP)
SEEN = Price(50_000)


@pytest.fixture
async def top(shop: Shop, shop_defaults: Defaults) -> str:
    """Create a wooden top for 50,000 pesos and return its variant's id."""
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo-de-madera", stock=10)


async def list_products(shop: Shop, cursor: str = "", **asked: str) -> ProductsView:
    async with shop.database.read() as session:
        return await products_view(session, ANA, asked, cursor)


async def read_price(shop: Shop, variant_id: str) -> Price:
    async with shop.database.read() as session:
        variant = await session.get_one(Variant, variant_id)
        return Price(variant.price, variant.compare_at_price)


async def change_price(
    shop: Shop, variant_id: str, wanted: Price, seen: Price = SEEN, who: Actor = ANA
) -> None:
    async with shop.database.transaction() as session:
        await set_price(session, who, variant_id, wanted, seen=seen)


HOSTED = "https://cdn.example.com/fotos/trompo%20rojo.webp?v=2"


async def test_externally_hosted_picture_is_shown_with_its_own_url(shop: Shop, top: str) -> None:
    async with shop.database.transaction() as session:
        variant = await session.get_one(Variant, top)
        session.add(Picture(product_id=variant.product_id, url=HOSTED, sources=[]))
    (row,) = (await list_products(shop)).rows
    assert row.picture == HOSTED


async def test_product_row_shows_codes_price_and_stock(shop: Shop, shop_defaults: Defaults, top: str) -> None:
    async with shop.database.transaction() as session:
        variant = await session.get_one(Variant, top)
        variant.price, variant.compare_at_price, variant.ean = 40_000, 50_000, "7701234567897"
        sources = [{"url": f"/demo/trompo {width}.webp", "width": width} for width in (960, 320, 80)]
        session.add(Picture(product_id=variant.product_id, url="/demo/trompo.webp", sources=sources))
        draft = Product(handle="dos", title="Dos", status="draft")
        session.add(draft)
        await session.flush()
        session.add_all([Variant(product_id=draft.id, price=price) for price in (9_000, 7_000)])
        session.add(Product(handle="sin-nada", title="Sin nada"))
    view = await list_products(shop)
    several, without, only = view.rows
    assert (view.count, view.cursor, view.active) == (3, "", [])
    assert (only.title, only.detail) == ("Trompo de madera", "SKU-trompo-de-madera · 7701234567897")
    assert only.picture == "/demo/trompo%20320.webp"
    assert (only.price, only.old_price, only.variant_id) == (40_000, 50_000, top)
    assert (only.location_id, only.stocked, only.free) == (shop_defaults.location_id, 10, 10)
    assert [chip.text for chip in only.chips] == ["−20 %"]
    assert (several.variant_id, several.variants, several.price_label) == ("", 2, cop("Desde $ 7.000"))
    assert [chip.text for chip in several.chips] == ["oculto", "agotado"]
    assert (without.variant_id, without.price, without.location_id) == ("", 0, "")


async def test_url_parameters_filter_the_product_list(shop: Shop, top: str) -> None:
    del top
    view = await list_products(shop, q="tromp", estado="visibles", ver="pocas", categoria="no-such", more="x")
    assert view.rows == []
    assert [one.label for one in view.active] == [
        "«tromp»",
        "Publicados",
        "Se están acabando",
        "no-such",
    ]
    assert view.active[2].without == "?q=tromp&estado=visibles&categoria=no-such"
    assert filters_url({}, "/oficina/productos") == "/oficina/productos"
    assert (await list_products(shop, ver="nonsense", estado="nonsense")).count == 1


async def test_next_page_and_shown_rows_of_the_product_list_are_read(
    shop: Shop, shop_defaults: Defaults, top: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 2)
    monkeypatch.setattr(module, "MAX_COUNT", 3)
    async with shop.database.transaction() as session:
        for number in range(3):
            await add_product(session, shop_defaults, f"carro-{number}")
    first = await list_products(shop)
    second = await list_products(shop, first.cursor)
    assert [row.title for row in (*first.rows, *second.rows)] == [
        "Carro 0",
        "Carro 1",
        "Carro 2",
        "Trompo de madera",
    ]
    assert (first.count, second.cursor) == (3, "")
    await change_price(shop, top, Price(45_000))
    async with shop.database.read() as session:
        now = await read_product_rows(session, ANA, [row.id for row in second.rows])
        assert [now[row.id].price for row in second.rows] == [second.rows[0].price, 45_000]
        assert [row.id for row in await find_products_by_text(session, ANA, "carro", 2)] == [
            row.id for row in first.rows
        ]


async def test_price_change_is_stored_and_recorded(shop: Shop, top: str) -> None:
    await change_price(shop, top, Price(40_000, 50_000))
    assert await read_price(shop, top) == Price(40_000, 50_000)
    async with shop.database.read() as session:
        (entry,) = (await session.execute(select(AuditEntry))).scalars().all()
    values = {one["field"]: (one["before"], one["after"]) for one in entry.changes}
    assert values == {"price": (50_000, 40_000), "compare_at_price": (None, 50_000)}
    assert (entry.actor_id, entry.action) == ("user_ana", "variant changed")


@pytest.mark.parametrize(
    "wanted", [Price(0), Price(-1), Price(10**9 + 1), Price(5, 5), Price(5, 4), Price(5, 10**9 + 1)]
)
async def test_invalid_price_in_the_product_list_is_refused(shop: Shop, top: str, wanted: Price) -> None:
    with pytest.raises(InvalidData):
        await change_price(shop, top, wanted)
    assert await read_price(shop, top) == SEEN


async def test_price_changed_in_the_meantime_is_shown_instead_of_overwritten(shop: Shop, top: str) -> None:
    await change_price(shop, top, Price(45_000))
    with pytest.raises(PriceChanged) as error:
        await change_price(shop, top, Price(48_000))
    assert error.value.price == Price(45_000)
    await change_price(shop, top, Price(45_000))  # the current price: nothing changes
    await change_price(shop, top, Price(48_000), Price(45_000))
    assert await read_price(shop, top) == Price(48_000)
    async with shop.database.read() as session:
        assert len((await session.execute(select(AuditEntry))).all()) == 2


async def test_only_one_of_three_concurrent_price_changes_is_accepted(shop: Shop, top: str) -> None:
    told = await asyncio.gather(
        *(change_price(shop, top, Price(price)) for price in (41_000, 42_000, 43_000)), return_exceptions=True
    )
    assert [type(one) for one in told if one is not None] == [PriceChanged, PriceChanged]
    (kept,) = [price for one, price in zip(told, (41_000, 42_000, 43_000), strict=True) if one is None]
    assert await read_price(shop, top) == Price(kept)


async def test_price_of_a_deleted_variant_is_not_found(shop: Shop) -> None:
    with pytest.raises(NotFound):
        await change_price(shop, "variant_none", Price(1))


@pytest.mark.parametrize("role", [Role.STOCKROOM, Role.ACCOUNTANT])
async def test_price_change_without_the_right_is_refused(shop: Shop, top: str, role: Role) -> None:
    with pytest.raises(Forbidden):
        await change_price(shop, top, Price(1), who=Actor("user_1", role))


async def test_admin_api_filters_products_with_missing_data(
    admin: httpx.AsyncClient, shop: Shop, top: str
) -> None:
    async def titles(**asked: object) -> list[str]:
        answer = await get(admin, "/admin/products", **asked)
        assert answer["count"] == len(answer["products"])
        return [one["title"] for one in answer["products"]]

    assert await titles(has_picture="false", has_weight="false", q="MADERA") == ["Trompo de madera"]
    assert await titles(has_picture="true") == await titles(has_weight="true") == []
    assert await titles(low_stock="true") == []
    async with shop.database.transaction() as session:
        variant = await session.get_one(Variant, top)
        (await session.get_one(Product, variant.product_id)).low_stock_at = 10
    assert await titles(low_stock="true") == ["Trompo de madera"]
    assert await titles(low_stock="false") == []


@pytest.mark.parametrize(
    ("text", "pesos"),
    [
        ("45000", 45_000),
        ("45.000", 45_000),
        (" $ 1.045.000 ", 1_045_000),
        ("45,000", 45_000),
        ("$\N{NO-BREAK SPACE}9.900", 9_900),
        ("45.00", None),
        ("45,5", None),
        ("-1", None),
        ("", None),
        ("mil", None),
        ("٤٥", None),
        ("1" * 13, None),
    ],
)
def test_typed_pesos_are_parsed(text: str, pesos: int | None) -> None:
    assert parse_pesos(text) == pesos
