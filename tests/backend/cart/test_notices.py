"""Notices of a cart: each event is shown once, with a link, to the cart's shopper, until they dismiss it.

| event | text | link |
|---|---|---|
| sign-in merges two carts | both carts' products with their units | cart |
| sign-in gives the account its first cart, or an empty one gets lines | none: the shown lines do not change | |
| sign-in cannot move units: no stock | product and missing units | product |
| sign-in cannot move units: the cart is full | product and missing units | cart |
| sign-in cannot move a code | the code and why | cart |
| a variant is deleted, the product stays | title, variant, units of all its lines | product |
| a variant of a hidden product is deleted | the same | category, else catalogue |
| a variant in an order's cart, or in no cart, is deleted | none | |
| a product is hidden or deleted (line stays) | title | category, else catalogue |
| no unit is left (line stays) | title | product |
| fewer units are left (line stays) | title, both numbers | product |
| a typed code ends, is retired, or needs more | the code and why | cart |
| dismissed by its shopper | deleted | |
| dismissed with another cart's id | it stays | |
| the carts are merged later | it moves too | |
"""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from backend.cart import owners
from backend.cart.access import Caller, create_empty_cart, open_cart
from backend.cart.lines import add_to_cart, change_line
from backend.cart.models import Cart, CartNews, LineItem
from backend.cart.notice_views import MAX_TITLES, NewsView
from backend.cart.notices import dismiss_news
from backend.cart.owners import find_browser_cart, merge_carts
from backend.cart.promotion_codes import add_codes
from backend.cart.views import read_cart_view
from backend.catalog.models import Category, Product, ProductCategory, Variant
from backend.catalog.products.commands import WriteVariant
from backend.catalog.products.service import delete_product, delete_variant
from backend.catalog.products.variants import set_variants
from backend.core.clock import now
from backend.core.db.database import Database, db_now
from backend.core.errors import NotFound
from backend.customers.models import Customer
from backend.inventory.models import InventoryLevel
from backend.inventory.service import set_stock
from backend.operations.tidy.rules import RULES
from backend.promotions.models import Campaign, Promotion
from backend.promotions.rules import ITEM_TOTAL
from backend.staff.rights import SHOP
from tests.amounts import cop
from tests.backend.cart.cart_kit import cart_with
from tests.backend.rivals import SECONDS, run_against_rival
from tests.store_defaults import Defaults, add_product


async def customer(database: Database, email: str = "ana@example.com") -> str:
    async with database.transaction() as session:
        person = Customer(email=email)
        session.add(person)
        await session.flush()
    return person.id


async def make_variant(database: Database, defaults: Defaults, handle: str, stock: int = 9) -> str:
    async with database.transaction() as session:
        return await add_product(session, defaults, handle, stock=stock)


async def cart(database: Database, **quantities: int) -> str:
    """Create a cart with units of the products with these handles."""
    async with database.transaction() as session:
        cart_id = await create_empty_cart(session)
        for handle, quantity in quantities.items():
            variant = select(Variant.id).where(Variant.sku == f"SKU-{handle}")
            await add_to_cart(session, cart_id, (await session.execute(variant)).scalar_one(), quantity)
    return cart_id


async def read_news(database: Database, cart_id: str) -> list[NewsView]:
    async with database.read() as session:
        return (await read_cart_view(session, cart_id)).news


def list_texts(news: list[NewsView]) -> list[tuple[str, str, str]]:
    return [(one.text, one.target, one.handle) for one in news]


async def second_variant(database: Database, defaults: Defaults, variant_id: str, title: str) -> str:
    """Add a second variant to the product of the given variant, and return its id."""
    async with database.transaction() as session:
        first = await session.get_one(Variant, variant_id)
        variant = Variant(product_id=first.product_id, title=title, price=45_000, rank=1)
        session.add(variant)
        await session.flush()
        session.add(InventoryLevel(variant_id=variant.id, location_id=defaults.location_id, stocked=9))
    return variant.id


async def remove_variant(database: Database, variant_id: str) -> None:
    async with database.transaction() as session:
        product_id = (await session.get_one(Variant, variant_id)).product_id
        await delete_variant(session, SHOP, product_id, variant_id)


async def put_in_category(
    database: Database, variant_id: str, *, is_below_a_hidden_one: bool = False
) -> None:
    async with database.transaction() as session:
        above = Category(name="Todo", handle="todo", is_active=not is_below_a_hidden_one)
        session.add(above)
        await session.flush()
        session.add(Category(id="pcat_spin", name="De girar", handle="de-girar", parent_id=above.id))
        await session.flush()
        product_id = (await session.get_one(Variant, variant_id)).product_id
        session.add(ProductCategory(product_id=product_id, category_id="pcat_spin"))


async def test_merge_of_carts_adds_a_notice_with_products_and_units(
    database: Database, defaults: Defaults
) -> None:
    for handle in ("trompo", "yoyo", "balero"):
        await make_variant(database, defaults, handle)
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, trompo=1, yoyo=2), ana)
    assert await read_news(database, own) == []  # the account's first cart does not change
    guests = await cart(database, balero=3, trompo=2)
    assert await find_browser_cart(database, guests, ana) == own
    (news,) = await read_news(database, own)
    assert (news.text, news.target, news.is_dismissible) == (
        (
            "Juntamos este carrito con el que tenías en tu cuenta. Se agregó: 3 × Balero, 2 × Trompo. "
            "Ya estaba en tu cuenta: 1 × Trompo, 2 × Yoyo."
        ),
        "cart",
        True,
    )
    assert await find_browser_cart(database, guests, ana) == own  # a slower tab
    assert await read_news(database, own) == [news]


async def test_merge_with_an_empty_cart_adds_no_notice(database: Database, defaults: Defaults) -> None:
    await make_variant(database, defaults, "trompo")
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database), ana)
    assert await find_browser_cart(database, await cart(database, trompo=1), ana) == own
    assert await find_browser_cart(database, await cart(database), ana) == own
    assert await read_news(database, own) == []


async def test_units_that_were_not_merged_add_a_notice(
    database: Database, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_variant(database, defaults, "trompo", stock=5)
    for handle in ("yoyo", "balero"):
        await make_variant(database, defaults, handle)
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, trompo=3), ana)
    monkeypatch.setattr(owners, "MAX_LINES", 2)
    guests = await cart(database, trompo=4, yoyo=1, balero=2)
    assert await find_browser_cart(database, guests, ana) == own
    expected = [
        (
            (
                "Juntamos este carrito con el que tenías en tu cuenta. Se agregó: 2 × Trompo, 1 × Yoyo. "
                "Ya estaba en tu cuenta: 3 × Trompo."
            ),
            "cart",
            "",
        ),
        ("Esto ya no está disponible y no pasó a tu carrito: 2 × Trompo.", "product", "trompo"),
        ("Tu carrito está lleno, así que esto no cupo: 2 × Balero.", "cart", ""),
    ]
    assert list_texts(await read_news(database, own)) == expected
    # a slower tab finds the remaining units, which still do not fit
    assert await find_browser_cart(database, guests, ana) == own
    assert list_texts(await read_news(database, own)) == expected


async def test_notice_about_many_products_is_one_short_sentence(
    database: Database, defaults: Defaults
) -> None:
    handles = [f"dado{n}" for n in range(MAX_TITLES + 3)]
    for handle in (*handles, "yoyo"):
        await make_variant(database, defaults, handle)
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, yoyo=1), ana)
    assert await find_browser_cart(database, await cart(database, **dict.fromkeys(handles, 1)), ana) == own
    (news,) = await read_news(database, own)
    assert "1 × Dado4 y 3 más. Ya estaba" in news.text
    assert "Dado5" not in news.text


async def make_promotion(database: Database, code: str, **more: Any) -> str:
    async with database.transaction() as session:
        off = {"method_type": "fixed", "target_type": "order", "allocation": "across", "value": 1_000}
        promotion = Promotion.model_validate(
            {"code": code, "code_key": code.lower(), "status": "active", **off, **more}
        )
        session.add(promotion)
        await session.flush()
        return promotion.id


async def type_code(database: Database, cart_id: str, code: str) -> None:
    async with database.transaction() as session:
        await add_codes(session, await open_cart(session, cart_id), [code])


async def test_promotion_code_lost_in_a_merge_of_carts_adds_a_notice(
    database: Database, defaults: Defaults
) -> None:
    for handle in ("trompo", "yoyo"):
        await make_variant(database, defaults, handle)
    kept, gone = await make_promotion(database, "UNO"), await make_promotion(database, "DOS")
    automatic = await make_promotion(database, "TRES")
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, trompo=1), ana)
    guests = await cart(database, yoyo=1)
    for code in ("UNO", "DOS", "TRES"):
        await type_code(database, guests, code)
    async with database.transaction() as session:
        (await session.get_one(Promotion, gone)).deleted_at = now()
        (await session.get_one(Promotion, automatic)).is_automatic = True
        assert (await session.get_one(Promotion, kept)).deleted_at is None
    assert await find_browser_cart(database, guests, ana) == own
    texts = [one.text for one in await read_news(database, own)]
    assert texts[1:] == ["El código DOS dejó de aplicarse. La tienda lo retiró."]


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("deleted", "La tienda lo retiró."),
        ("draft", "La tienda lo retiró."),
        ("ended", "Este código ya terminó."),
        ("minimum", cop("Para usar este código te faltan $ 50.000 en productos.")),
    ],
)
async def test_cart_shows_a_notice_until_a_code_that_no_longer_applies_is_removed(
    database: Database, defaults: Defaults, end: str, reason: str
) -> None:
    cart_id, _trompo = await cart_with(database, defaults)  # $ 60.000
    campaign_id = None
    if end == "ended":
        async with database.transaction() as session:
            campaign = Campaign(name="Ayer", campaign_identifier="AYER")
            session.add(campaign)
            await session.flush()
            campaign_id = campaign.id
    rule = {"attribute": ITEM_TOTAL, "operator": "gte", "values": ["110000"]}
    promotion_id = await make_promotion(database, "UNO", campaign_id=campaign_id)
    await type_code(database, cart_id, "UNO")
    assert await read_news(database, cart_id) == []
    async with database.transaction() as session:
        promotion = await session.get_one(Promotion, promotion_id)
        if end == "deleted":
            promotion.deleted_at = now()
        elif end == "draft":
            promotion.status = "draft"
        elif end == "minimum":
            promotion.rules = [rule]
        else:
            await session.execute(update(Campaign).values(ends_at=db_now()))
    (news,) = await read_news(database, cart_id)
    assert (news.text, news.target, news.is_dismissible) == (
        f"El código UNO dejó de aplicarse. {reason}",
        "cart",
        False,
    )


async def test_deleted_variant_adds_a_notice_with_all_its_units(
    database: Database, defaults: Defaults
) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    large = await second_variant(database, defaults, trompo, "Grande")
    others = await cart(database, trompo=1)
    async with database.transaction() as session:
        await add_to_cart(session, cart_id, large, 2)
        await add_to_cart(session, cart_id, large, 1, {"gift": "Ana"})
        ordered = await create_empty_cart(session)
        await add_to_cart(session, ordered, large, 1)
        (await session.get_one(Cart, ordered)).completed_at = now()
        one = await create_empty_cart(session)
        await add_to_cart(session, one, large, 1)
    await remove_variant(database, large)
    assert list_texts(await read_news(database, cart_id)) == [
        ("Ya no vendemos Trompo, Grande y salió de tu carrito (3 unidades).", "product", "trompo")
    ]
    assert list_texts(await read_news(database, one)) == [
        ("Ya no vendemos Trompo, Grande y salió de tu carrito (1 unidad).", "product", "trompo")
    ]
    assert await read_news(database, others) == []
    async with database.read() as session:
        assert (await session.execute(select(func.count()).select_from(CartNews))).scalar_one() == 2


async def test_variant_left_out_of_a_product_change_adds_a_notice_to_its_carts(
    database: Database, defaults: Defaults
) -> None:
    """Change a product as an API client that leaves one variant out, which deletes that variant."""
    cart_id, trompo = await cart_with(database, defaults)
    large = await second_variant(database, defaults, trompo, "Grande")
    async with database.transaction() as session:
        await add_to_cart(session, cart_id, large, 1)
        product = await session.get_one(Product, (await session.get_one(Variant, trompo)).product_id)
        await set_variants(session, product, [WriteVariant(id=trompo)])
    assert [one.handle for one in await read_news(database, cart_id)] == ["trompo"]


@pytest.mark.parametrize(
    ("category", "target"),
    [("visible", ("category", "de-girar")), ("hidden above", ("catalog", "")), ("none", ("catalog", ""))],
)
async def test_notice_about_a_hidden_product_links_to_its_category(
    database: Database, defaults: Defaults, category: str, target: tuple[str, str]
) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    if category != "none":
        await put_in_category(database, trompo, is_below_a_hidden_one=category == "hidden above")
    large = await second_variant(database, defaults, trompo, "Grande")
    async with database.transaction() as session:
        await add_to_cart(session, cart_id, large, 1)
    await remove_variant(database, large)
    async with database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    deleted, withdrawn = await read_news(database, cart_id)
    assert withdrawn.text == "Trompo ya no está a la venta. Quítalo del carrito para poder pagar."
    assert [(one.target, one.handle) for one in (deleted, withdrawn)] == [target, target]
    assert (deleted.is_dismissible, withdrawn.is_dismissible) == (True, False)


async def test_deleted_product_adds_a_notice(database: Database, defaults: Defaults) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    await put_in_category(database, trompo)
    async with database.transaction() as session:
        await delete_product(session, SHOP, (await session.get_one(Variant, trompo)).product_id)
    assert list_texts(await read_news(database, cart_id)) == [
        ("Trompo ya no está a la venta. Quítalo del carrito para poder pagar.", "category", "de-girar")
    ]


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (0, "Trompo se agotó. Quítalo del carrito para poder pagar."),
        (1, "De Trompo hay 1 unidad y en tu carrito hay 4."),
        (3, "De Trompo hay 3 unidades y en tu carrito hay 4."),
    ],
)
async def test_cart_shows_a_notice_about_missing_stock_until_the_quantity_is_reduced(
    database: Database, defaults: Defaults, left: int, text: str
) -> None:
    cart_id, trompo = await cart_with(database, defaults, stock=5, quantity=4)
    async with database.transaction() as session:
        await set_stock(session, trompo, defaults.location_id, left)
    assert list_texts(await read_news(database, cart_id)) == [(text, "product", "trompo")]
    async with database.transaction() as session:
        line = (await session.execute(select(LineItem.id))).scalar_one()
        await change_line(session, cart_id, line, left)
    assert await read_news(database, cart_id) == []


async def test_notice_of_a_cart_is_not_dismissed_with_the_id_of_another_cart(
    database: Database, defaults: Defaults
) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    large = await second_variant(database, defaults, trompo, "Grande")
    others = await cart(database, trompo=1)
    async with database.transaction() as session:
        await add_to_cart(session, cart_id, large, 1)
    await remove_variant(database, large)
    (news,) = await read_news(database, cart_id)
    async with database.transaction() as session:
        await dismiss_news(session, others, news.id)
    assert await read_news(database, cart_id) == [news]
    for _time in range(2):
        async with database.transaction() as session:
            await dismiss_news(session, cart_id, news.id)
        assert await read_news(database, cart_id) == []


async def test_notice_moves_to_the_merged_cart(database: Database, defaults: Defaults) -> None:
    guests, trompo = await cart_with(database, defaults)
    large = await second_variant(database, defaults, trompo, "Grande")
    async with database.transaction() as session:
        await change_line(session, guests, (await session.execute(select(LineItem.id))).scalar_one(), 0)
        await add_to_cart(session, guests, large, 1)
    await remove_variant(database, large)  # the guest's cart is empty now
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, trompo=1), ana)
    assert await find_browser_cart(database, guests, ana) == own
    assert [one.handle for one in await read_news(database, own)] == ["trompo"]
    assert await read_news(database, guests) == []


async def test_merge_during_a_variant_deletion_adds_a_notice_to_the_merged_cart(
    database: Database, defaults: Defaults
) -> None:
    """Delete a variant while a sign-in moves its line to another cart: the deletion waits for the sign-in."""
    guests, trompo = await cart_with(database, defaults)
    large = await second_variant(database, defaults, trompo, "Grande")
    ana = await customer(database)
    own = await find_browser_cart(database, await cart(database, trompo=1), ana)
    async with database.transaction() as session:
        await add_to_cart(session, guests, large, 2)

    async def delete_now() -> None:
        await remove_variant(database, large)

    await run_against_rival(database, lambda session: merge_carts(session, guests, own), delete_now)
    texts = [one.text for one in await read_news(database, own)]
    assert texts == ["Ya no vendemos Trompo, Grande y salió de tu carrito (2 unidades)."]


async def test_line_added_during_a_variant_deletion_adds_a_notice(
    database: Database, defaults: Defaults
) -> None:
    cart_id, trompo = await cart_with(database, defaults)
    large = await second_variant(database, defaults, trompo, "Grande")

    async def add(session: Any) -> None:
        await add_to_cart(session, cart_id, large, 1)

    async def delete_now() -> None:
        await remove_variant(database, large)

    await run_against_rival(database, add, delete_now)
    assert len(await read_news(database, cart_id)) == 1


async def test_variant_deletion_does_not_wait_for_carts(database: Database, defaults: Defaults) -> None:
    """Delete a variant while a paying shopper has locked a cart that contains it."""
    cart_id, trompo = await cart_with(database, defaults)
    large = await second_variant(database, defaults, trompo, "Grande")
    async with database.transaction() as session:
        await add_to_cart(session, cart_id, large, 1)
    if database.is_sqlite:  # one writer at a time
        await remove_variant(database, large)
    else:
        async with asyncio.timeout(SECONDS), database.transaction() as session:
            await open_cart(session, cart_id)
            await remove_variant(database, large)
    assert len(await read_news(database, cart_id)) == 1


async def test_another_customer_cannot_read_the_notices(database: Database, defaults: Defaults) -> None:
    for handle in ("trompo", "yoyo"):
        await make_variant(database, defaults, handle)
    ana, luis = await customer(database), await customer(database, "luis@example.com")
    own = await find_browser_cart(database, await cart(database, trompo=1), ana)
    await find_browser_cart(database, await cart(database, yoyo=1), ana)
    luiss = await find_browser_cart(database, await cart(database, yoyo=1), luis)
    assert await read_news(database, luiss) == []
    async with database.read() as session:
        assert len((await read_cart_view(session, own, Caller(ana))).news) == 1
        with pytest.raises(NotFound):
            await read_cart_view(session, own, Caller(luis))


async def test_old_notices_are_deleted(database: Database, defaults: Defaults) -> None:
    (rule,) = (one for one in RULES if one.table is CartNews)
    async with database.transaction() as session:
        for days in (59, 61):
            session.add(
                CartNews(
                    id=f"canews_{days}",
                    cart_id="cart_gone",
                    kind="deleted",
                    created_at=now() - timedelta(days=days),
                )
            )
    assert await rule.apply(database) == 1
    async with database.read() as session:
        assert (await session.execute(select(CartNews.id))).scalars().all() == ["canews_59"]
