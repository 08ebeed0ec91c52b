"""Notices about changes of a cart on its page, in the drawer and at the checkout, each with a link."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from sqlalchemy import select

import backend.subscriptions  # noqa: F401
from backend.cart.lines import add_to_cart
from backend.cart.models import LineItem
from backend.catalog.models import Product, Variant
from backend.catalog.products.service import delete_variant
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.staff.rights import SHOP
from tests.e2e.account_steps import PASSWORD, expect_account_page, log_in, log_out, register
from tests.e2e.conftest import PageWatch, ShopServer, build_page_opener
from tests.e2e.scenes import visit
from tests.e2e.shopper import expect_no_overflow, field, open_checkout, put_in_cart, sell_out

SCREENSHOTS = os.environ.get("SCREENSHOTS")
FIRST, SECOND = "trompo-de-madera", "yoyo-de-madera"


async def delete_second_size(shop: ShopServer) -> None:
    """Create a second variant of the product in the cart, add two units of it to the cart, and delete it."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    async with database.transaction() as session:
        query = select(Variant).join(Product, Product.id == Variant.product_id).where(Product.handle == FIRST)
        first = (await session.execute(query)).scalar_one()
        lines = select(LineItem.cart_id).where(LineItem.variant_id == first.id)
        cart_id = (await session.execute(lines)).scalar_one()
        large = Variant(product_id=first.product_id, title="Grande", price=25_000, rank=1)
        session.add(large)
        await session.flush()
        location = select(InventoryLevel.location_id).limit(1)
        location_id = (await session.execute(location)).scalar_one()
        session.add(InventoryLevel(variant_id=large.id, location_id=location_id, stocked=5))
        await session.flush()
        await add_to_cart(session, cart_id, large.id, 2)
    async with database.transaction() as session:
        await delete_variant(session, SHOP, first.product_id, large.id)
    await database.close()


async def delete_lines(shop: ShopServer) -> None:
    """Delete the variants in all cart lines, and give each of their products a new variant."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    async with database.transaction() as session:
        query = select(Variant).join(LineItem, LineItem.variant_id == Variant.id)
        for variant in (await session.execute(query)).scalars().all():
            session.add(Variant(product_id=variant.product_id, title="Pequeño", price=12_000, rank=2))
            await session.flush()
            await delete_variant(session, SHOP, variant.product_id, variant.id)
    await database.close()


async def test_cart_shows_notices_about_its_changes(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    """Test the notices on a phone.

    | event | shown | link leads to |
    |---|---|---|
    | none | no notices | |
    | login joins two carts | products and units of both | the cart |
    | a variant is deleted | its name, 2 units | its product |
    | the final unit is sold | its name | its product |
    | dismissed | the others stay, after a reload too | |
    """
    shop = new_server()
    async with build_page_opener(shop, browser, watch)(320, 700) as page:
        await register(page, "ana@example.com")
        await put_in_cart(page, FIRST)
        await visit(page, "/cart")
        notices = page.get_by_test_id("cart-news")
        await expect(page.get_by_test_id("cart-line")).to_have_count(1)
        await expect(notices).to_have_count(0)
        await page.goto("/account")
        await log_out(page)
        await put_in_cart(page, SECOND)
        await log_in(page, "ana@example.com", PASSWORD)
        await expect_account_page(page)
        await visit(page, "/cart")
        await expect(notices).to_have_count(1)
        await expect(notices).to_contain_text("Se agregó: 1 × Yoyo de madera.")
        await expect(notices).to_contain_text("Ya estaba en tu cuenta: 1 × Trompo de madera.")
        await delete_second_size(shop)
        sell_out(shop, SECOND)
        await page.reload()
        entries = page.get_by_test_id("cart-news-entry")
        await expect(entries).to_have_count(3)
        await expect(entries.nth(1)).to_contain_text("Ya no vendemos Trompo de madera, Grande")
        await expect(entries.nth(1)).to_contain_text("(2 unidades)")
        await expect(entries.nth(2)).to_contain_text("Yoyo de madera se agotó.")
        for at, (name, path) in enumerate(
            [
                ("Ver el carrito", "/cart"),
                ("Ver el producto", f"/product/{FIRST}"),
                ("Ver el producto", f"/product/{SECOND}"),
            ]
        ):
            link = entries.nth(at).get_by_role("link", name=name)
            await expect(link).to_have_attribute("href", path)
            box = await link.bounding_box()
            assert box is not None
            assert box["height"] >= 44
        await expect_no_overflow(page)
        if SCREENSHOTS:
            await page.screenshot(path=Path(SCREENSHOTS) / "cart-news-320.png", full_page=True)
        await entries.first.get_by_test_id("cart-news-dismiss").click()
        await expect(entries).to_have_count(2)
        await expect(notices.get_by_test_id("cart-news-dismiss")).to_be_focused()  # the next one's
        await page.reload()
        await expect(entries).to_have_count(2)
        await expect(entries.first).to_contain_text("Ya no vendemos")
        await visit(page, "/catalog")
        await page.locator("a[href='/cart'].icon-button").click()
        await expect(entries).to_have_count(2)
        await expect_no_overflow(page)
        if SCREENSHOTS:
            await page.screenshot(path=Path(SCREENSHOTS) / "cart-news-drawer-320.png")


@pytest.mark.parametrize(("width", "height"), [(320, 700), (1280, 800)])
async def test_checkout_shows_notices_about_the_cart(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, width: int, height: int
) -> None:
    """Test the notices at the checkout.

    | event | shown | typed text |
    |---|---|---|
    | none | no notices | stays |
    | a variant is deleted before the shopper opens the checkout | its name, 2 units | stays |
    | the final unit is sold while the shopper is there | its name | stays |
    | dismissed | the others stay; the focus is in the page | stays |
    | the variants of all lines are deleted | their names, above the empty cart | |
    """
    shop = new_server()
    async with build_page_opener(shop, browser, watch)(width, height) as page:
        await put_in_cart(page, FIRST)
        await put_in_cart(page, SECOND)
        notices, entries = page.get_by_test_id("cart-news"), page.get_by_test_id("cart-news-entry")
        await open_checkout(page)
        await expect(notices).to_have_count(0)
        await field(page, "first_name").fill("Ana María")
        await delete_second_size(shop)
        await open_checkout(page)
        await expect(entries).to_have_count(1)
        await expect(entries.first).to_contain_text("Ya no vendemos Trompo de madera, Grande")
        await expect(entries.first).to_contain_text("(2 unidades)")
        await expect(entries.first.get_by_role("link")).to_have_attribute("href", f"/product/{FIRST}")
        await field(page, "last_name").fill("Gómez Peña")
        sell_out(shop, SECOND)
        await page.get_by_test_id("place-order").click()  # refused, and the cart is loaded again
        await expect(entries).to_have_count(2)
        await expect(entries.nth(1)).to_contain_text("Yoyo de madera se agotó.")
        await expect(entries.nth(1)).to_be_visible()
        await expect_no_overflow(page)
        if SCREENSHOTS:
            await page.screenshot(path=Path(SCREENSHOTS) / f"cart-news-checkout-{width}.png", full_page=True)
        await entries.first.get_by_test_id("cart-news-dismiss").click()
        await expect(entries).to_have_count(1)
        assert await page.evaluate("document.activeElement !== document.body")
        await expect(field(page, "first_name")).to_have_value("Ana María")
        await expect(field(page, "last_name")).to_have_value("Gómez Peña")
        await delete_lines(shop)
        await visit(page, "/checkout")
        await expect(page.get_by_role("heading", level=1)).to_contain_text("vacío")
        await expect(entries).to_have_count(2)
        for entry, title in zip(await entries.all(), ("Trompo de madera", "Yoyo de madera"), strict=True):
            await expect(entry).to_contain_text(f"Ya no vendemos {title}")
        await expect_no_overflow(page)
