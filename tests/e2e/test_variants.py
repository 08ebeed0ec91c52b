"""A product in two colours and three sizes: chosen with the keyboard, linked to, bought twice in one cart."""

import re
from collections.abc import Callable
from typing import Any

import httpx
from playwright.async_api import Browser, Page, expect
from sqlalchemy import select

from backend.catalog.models import Product
from backend.core.clock import now
from backend.core.db.database import Database
from backend.reviews.models import Review, ReviewState
from backend.reviews.moderation import count_reviews
from backend.reviews.views import PAGE_SIZE
from tests.e2e.conftest import OWNER_LOGIN, PageWatch, ShopServer, build_page_opener
from tests.e2e.shopper import (
    TIMEOUT_MS,
    decide_at_bank,
    expect_no_overflow,
    expect_status,
    fill_in_checkout,
    go_to_bank,
    open_checkout,
)

COLOURS = ["Azul", 'Rojo "vino" & <b>']
SIZES = ["Chico", "Mediano", "Grandísimo-de-una-sola-palabra-que-no-se-parte"]
MISSING_VARIANT = (1, 2)
STOCK = [4, 9, 1, 0, 6]
"""Units of each existing variant. The fourth is the red one in the first size."""


async def _create_product(shop: ShopServer) -> list[str]:
    """Create the product in the shop.

    Returns:
        The ids of its variants.
    """
    variants: list[dict[str, Any]] = [
        {"options": {"Color": colour, "Talla": size}, "prices": [{"amount": 10_000 + 5_000 * column}]}
        for row, colour in enumerate(COLOURS)
        for column, size in enumerate(SIZES)
        if (row, column) != MISSING_VARIANT
    ]
    options = [{"title": "Color", "values": COLOURS}, {"title": "Talla", "values": SIZES}]
    product = {"title": "Carro", "status": "published", "options": options, "variants": variants}
    async with httpx.AsyncClient(base_url=shop.url, timeout=TIMEOUT_MS / 1000) as admin:
        staff = {"email": OWNER_LOGIN[0], "password": OWNER_LOGIN[1]}
        token = (await admin.post("/auth/user/emailpass", json=staff)).json()["token"]
        admin.headers["authorization"] = f"Bearer {token}"
        location = (await admin.get("/admin/stock-locations")).json()["stock_locations"][0]["id"]
        created = (await admin.post("/admin/products", json=product)).raise_for_status().json()["product"]
        ids: list[str] = [variant["id"] for variant in created["variants"]]
        for variant_id, units in zip(ids, STOCK, strict=True):
            item = variant_id.replace("variant_", "iitem_")
            level = {"location_id": location, "stocked_quantity": units}
            answer = await admin.post(f"/admin/inventory-items/{item}/location-levels", json=level)
            answer.raise_for_status()
    return ids


async def test_shopper_buys_two_variants_of_one_product(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    ids = await _create_product(shop)
    async with build_page_opener(shop, browser, watch)(320, 640) as page:
        await page.goto("/catalog?q=carro")
        await expect(page.get_by_test_id("product-card").first.locator(".price")).to_have_text(
            re.compile(r"^Desde \$\s10\.000")
        )
        await page.goto("/product/carro")
        await expect(_radio(page, 0, COLOURS[0])).to_be_checked()
        await expect(page.locator(".product__price")).to_have_text(re.compile(r"10\.000"))
        await expect_no_overflow(page)

        # a sold-out variant, then one that does not exist: neither can be bought
        await _radio(page, 0, COLOURS[0]).press("ArrowDown")
        await expect(_radio(page, 0, COLOURS[1])).to_be_checked()
        await expect(page).to_have_url(re.compile(f"variant={ids[3]}$"))
        await expect(page.locator(".stock")).to_have_text("Agotado por ahora")
        await expect(page.get_by_test_id("add-to-cart")).to_be_disabled()
        await page.get_by_test_id("variant-option").filter(has_text=SIZES[2]).click()
        await expect(page.locator(".stock")).to_have_text("Esta combinación no existe")
        await expect(page.get_by_test_id("add-to-cart")).to_be_disabled()

        # the only blue one of the largest size; then two red ones, by their own address
        await page.get_by_test_id("variant-option").filter(has_text=COLOURS[0]).click()
        await expect(page).to_have_url(re.compile(f"variant={ids[2]}$"))
        await expect(page.locator(".stock")).to_have_text("¡Último disponible!")
        await expect(page.get_by_role("button", name="Agregar una unidad")).to_be_disabled()
        await _add_to_cart(page)
        document = await shop.fetch_rendered(f"/product/carro?variant={ids[4]}")
        assert re.search(r'<span class="price__now">\$\s15\.000', document)
        (canonical,) = re.findall(r'<link [^>]*rel="canonical"[^>]*>', document)
        assert re.search(r'href="[^"]*/product/carro"', canonical)
        await page.goto(f"/product/carro?variant={ids[4]}")
        await expect(_radio(page, 1, SIZES[1])).to_be_checked()
        await page.get_by_role("button", name="Agregar una unidad").click()
        await _add_to_cart(page)

        names = [f"{COLOURS[0]} / {SIZES[2]}", f"{COLOURS[1]} / {SIZES[1]}"]
        await page.goto("/cart")
        await expect(page.locator(".line__variant")).to_have_text(names)
        await expect(page.get_by_test_id("cart-total")).to_have_text(re.compile(r"50\.000"))
        await expect_no_overflow(page)
        await page.get_by_test_id("cart-line").first.get_by_role("link", name="Carro").click()
        await expect(_radio(page, 1, SIZES[2])).to_be_checked()
        await open_checkout(page)
        await expect(page.locator(".buy__variant")).to_have_text(names)
        await fill_in_checkout(page)
        await go_to_bank(page)
        await decide_at_bank(page, "approve")
        await expect_status(page, "paid")
        await expect(page.locator(".buy__variant")).to_have_text(names)
        await expect_no_overflow(page)


async def _create_reviews(shop: ShopServer) -> None:
    """Create more reviews of the product than fit on one page."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    try:
        async with database.transaction() as session:
            found = await session.execute(select(Product.id).where(Product.handle == "carro"))
            product = found.scalar_one()
            for _one in range(PAGE_SIZE + 1):
                fields: dict[str, Any] = {
                    "name": "Ana G.",
                    "stars": 5,
                    "text": "Aguanta.",
                    "written_at": now(),
                }
                session.add(Review(product_id=product, state=ReviewState.SHOWN, **fields))
            await count_reviews(session, product)
    finally:
        await database.close()


async def test_chosen_variant_stays_while_reviews_are_read(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    ids = await _create_product(shop)
    await _create_reviews(shop)
    async with build_page_opener(shop, browser, watch)(320, 640) as page:
        await page.goto("/product/carro")
        await page.get_by_test_id("product-rating").click(timeout=TIMEOUT_MS)
        await expect(page).to_have_url(re.compile("/product/carro#resenas$"))
        await page.get_by_test_id("variant-option").filter(has_text=SIZES[1]).click()
        await expect(page).to_have_url(re.compile(f"variant={ids[1]}"))
        await page.get_by_test_id("product-rating").click()
        await expect(page).to_have_url(re.compile(rf"/product/carro\?variant={ids[1]}#resenas$"))
        await expect(_radio(page, 1, SIZES[1])).to_be_checked()
        await page.get_by_role("link", name="Más antiguas").click()
        await expect(page.get_by_test_id("review")).to_have_count(1)
        await expect(_radio(page, 1, SIZES[1])).to_be_checked()
        await _add_to_cart(page)
        await page.goto("/cart")
        await expect(page.locator(".line__variant")).to_have_text([f"{COLOURS[0]} / {SIZES[1]}"])


def _radio(page: Page, option: int, value: str) -> Any:
    return page.locator(".option").nth(option).get_by_role("radio", name=value)


async def _add_to_cart(page: Page) -> None:
    await page.get_by_test_id("add-to-cart").click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
