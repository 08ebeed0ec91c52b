"""Productos: the list, and prices that two people change at once."""

import asyncio

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Picture, Product, Variant
from backend.core.errors import Forbidden, InvalidData, NotFound
from backend.core.money import typed_pesos
from backend.office.listing import address_with
from backend.office.products import listing as module
from backend.office.products.listing import (
    Price,
    PriceMoved,
    ProductsView,
    products_named,
    products_view,
    rows_now,
    set_price,
)
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import get

ANA = Actor("user_ana", Role.SHOP)
SEEN = Price(50_000)


@pytest.fixture
async def top(shop: Shop, shop_defaults: Defaults) -> str:
    """A wooden top for 50,000 pesos, by its variant."""
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo-de-madera", stock=10)


async def listed(shop: Shop, cursor: str = "", **asked: str) -> ProductsView:
    async with shop.database.read() as session:
        return await products_view(session, ANA, asked, cursor)


async def priced(shop: Shop, variant_id: str) -> Price:
    async with shop.database.read() as session:
        variant = await session.get_one(Variant, variant_id)
        return Price(variant.price, variant.compare_at_price)


async def change(shop: Shop, variant_id: str, wanted: Price, seen: Price = SEEN, who: Actor = ANA) -> None:
    async with shop.database.transaction() as session:
        await set_price(session, who, variant_id, wanted, seen=seen)


HOSTED = "https://cdn.example.com/fotos/trompo%20rojo.webp?v=2"


async def test_a_picture_hosted_elsewhere_keeps_its_address(shop: Shop, top: str) -> None:
    async with shop.database.transaction() as session:
        variant = await session.get_one(Variant, top)
        session.add(Picture(product_id=variant.product_id, url=HOSTED, sources=[]))
    (row,) = (await listed(shop)).rows
    assert row.picture == HOSTED


async def test_a_row_says_what_staff_look_for(shop: Shop, shop_defaults: Defaults, top: str) -> None:
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
    view = await listed(shop)
    several, without, only = view.rows
    assert (view.count, view.cursor, view.active) == (3, "", [])
    assert (only.title, only.detail) == ("Trompo de madera", "SKU-trompo-de-madera · 7701234567897")
    assert only.picture == "/demo/trompo%20320.webp"
    assert (only.price, only.old_price, only.variant_id) == (40_000, 50_000, top)
    assert (only.location_id, only.stocked, only.free) == (shop_defaults.location_id, 10, 10)
    assert [chip.text for chip in only.chips] == ["−20 %"]
    assert (several.variant_id, several.variants, several.price_label) == ("", 2, "Desde $ 7.000")
    assert [chip.text for chip in several.chips] == ["oculto", "agotado"]
    assert (without.variant_id, without.price, without.location_id) == ("", 0, "")


async def test_the_address_says_what_is_asked_for(shop: Shop, top: str) -> None:
    del top
    view = await listed(shop, q="tromp", estado="visibles", ver="pocas", categoria="no-such", more="x")
    assert view.rows == []
    assert [one.label for one in view.active] == [
        "«tromp»",
        "Publicados",
        "Se están acabando",
        "no-such",
    ]
    assert view.active[2].without == "?q=tromp&estado=visibles&categoria=no-such"
    assert address_with({}, "/oficina/productos") == "/oficina/productos"
    assert (await listed(shop, ver="nonsense", estado="nonsense")).count == 1


async def test_a_page_follows_and_rows_are_read_again(
    shop: Shop, shop_defaults: Defaults, top: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 2)
    monkeypatch.setattr(module, "MOST_COUNTED", 3)
    async with shop.database.transaction() as session:
        for number in range(3):
            await make_toy(session, shop_defaults, f"carro-{number}")
    first = await listed(shop)
    second = await listed(shop, first.cursor)
    assert [row.title for row in (*first.rows, *second.rows)] == [
        "Carro 0",
        "Carro 1",
        "Carro 2",
        "Trompo de madera",
    ]
    assert (first.count, second.cursor) == (3, "")
    await change(shop, top, Price(45_000))
    async with shop.database.read() as session:
        now = await rows_now(session, ANA, [row.id for row in second.rows])
        assert [now[row.id].price for row in second.rows] == [second.rows[0].price, 45_000]
        assert [row.id for row in await products_named(session, ANA, "carro", 2)] == [
            row.id for row in first.rows
        ]


async def test_a_price_is_changed_and_recorded(shop: Shop, top: str) -> None:
    await change(shop, top, Price(40_000, 50_000))
    assert await priced(shop, top) == Price(40_000, 50_000)
    async with shop.database.read() as session:
        (entry,) = (await session.execute(select(AuditEntry))).scalars().all()
    values = {one["field"]: (one["before"], one["after"]) for one in entry.changes}
    assert values == {"price": (50_000, 40_000), "compare_at_price": (None, 50_000)}
    assert (entry.actor_id, entry.action) == ("user_ana", "variant changed")


@pytest.mark.parametrize(
    "wanted", [Price(0), Price(-1), Price(10**9 + 1), Price(5, 5), Price(5, 4), Price(5, 10**9 + 1)]
)
async def test_what_is_no_price_is_refused(shop: Shop, top: str, wanted: Price) -> None:
    with pytest.raises(InvalidData):
        await change(shop, top, wanted)
    assert await priced(shop, top) == SEEN


async def test_who_is_second_sees_both_prices(shop: Shop, top: str) -> None:
    await change(shop, top, Price(45_000))
    with pytest.raises(PriceMoved) as error:
        await change(shop, top, Price(48_000))
    assert error.value.price == Price(45_000)
    await change(shop, top, Price(45_000))  # what it costs already: nothing to change
    await change(shop, top, Price(48_000), Price(45_000))
    assert await priced(shop, top) == Price(48_000)
    async with shop.database.read() as session:
        assert len((await session.execute(select(AuditEntry))).all()) == 2


async def test_of_two_at_once_one_is_told(shop: Shop, top: str) -> None:
    told = await asyncio.gather(
        *(change(shop, top, Price(price)) for price in (41_000, 42_000, 43_000)), return_exceptions=True
    )
    assert [type(one) for one in told if one is not None] == [PriceMoved, PriceMoved]
    (kept,) = [price for one, price in zip(told, (41_000, 42_000, 43_000), strict=True) if one is None]
    assert await priced(shop, top) == Price(kept)


async def test_what_is_gone_has_no_price(shop: Shop) -> None:
    with pytest.raises(NotFound):
        await change(shop, "variant_none", Price(1))


@pytest.mark.parametrize("role", [Role.STOCKROOM, Role.ACCOUNTANT])
async def test_who_may_not_changes_no_price(shop: Shop, top: str, role: Role) -> None:
    with pytest.raises(Forbidden):
        await change(shop, top, Price(1), who=Actor("user_1", role))


async def test_programs_ask_for_what_is_missing(admin: httpx.AsyncClient, shop: Shop, top: str) -> None:
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
def test_pesos_are_read_as_people_type_them(text: str, pesos: int | None) -> None:
    assert typed_pesos(text) == pesos
