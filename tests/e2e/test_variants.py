"""A toy in two colours and three sizes: chosen with the keyboard, linked to, bought twice in one cart."""

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
from tests.e2e.conftest import STAFF, ShopServer, Watch, pages_of
from tests.e2e.shopper import (
    PATIENCE,
    decide,
    expect_no_overflow,
    expect_status,
    fill_in,
    go_to_bank,
    open_checkout,
)

COLOURS = ["Azul", 'Rojo "vino" & <b>']
SIZES = ["Chico", "Mediano", "Grandísimo-de-una-sola-palabra-que-no-se-parte"]
MISSING = (1, 2)
STOCK = [4, 9, 1, 0, 6]
"""Of each variant that there is. The fourth is the red one in the first size."""


async def _toy(shop: ShopServer) -> list[str]:
    """Put the toy into the shop.

    Returns:
        The ids of its variants.
    """
    variants: list[dict[str, Any]] = [
        {"options": {"Color": colour, "Talla": size}, "prices": [{"amount": 10_000 + 5_000 * column}]}
        for row, colour in enumerate(COLOURS)
        for column, size in enumerate(SIZES)
        if (row, column) != MISSING
    ]
    options = [{"title": "Color", "values": COLOURS}, {"title": "Talla", "values": SIZES}]
    toy = {"title": "Carro", "status": "published", "options": options, "variants": variants}
    async with httpx.AsyncClient(base_url=shop.url, timeout=PATIENCE / 1000) as admin:
        staff = {"email": STAFF[0], "password": STAFF[1]}
        token = (await admin.post("/auth/user/emailpass", json=staff)).json()["token"]
        admin.headers["authorization"] = f"Bearer {token}"
        location = (await admin.get("/admin/stock-locations")).json()["stock_locations"][0]["id"]
        made = (await admin.post("/admin/products", json=toy)).raise_for_status().json()["product"]
        ids: list[str] = [one["id"] for one in made["variants"]]
        for variant_id, units in zip(ids, STOCK, strict=True):
            item = variant_id.replace("variant_", "iitem_")
            level = {"location_id": location, "stocked_quantity": units}
            answer = await admin.post(f"/admin/inventory-items/{item}/location-levels", json=level)
            answer.raise_for_status()
    return ids


async def test_a_shopper_chooses_and_buys_two_variants_of_one_toy(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch
) -> None:
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])
    ids = await _toy(shop)
    async with pages_of(shop, browser, watch)(320, 640) as page:
        await page.goto("/catalog?q=carro")
        await expect(page.get_by_test_id("product-card").first.locator(".price")).to_have_text(
            re.compile(r"^Desde \$\s10\.000")
        )
        await page.goto("/product/carro")
        await expect(_radio(page, 0, COLOURS[0])).to_be_checked()
        await expect(page.locator(".product__price")).to_have_text(re.compile(r"10\.000"))
        await expect_no_overflow(page)

        # sold out, then not made at all: neither can be bought
        await _radio(page, 0, COLOURS[0]).press("ArrowDown")
        await expect(_radio(page, 0, COLOURS[1])).to_be_checked()
        await expect(page).to_have_url(re.compile(f"variant={ids[3]}$"))
        await expect(page.locator(".stock")).to_have_text("Agotado por ahora")
        await expect(page.get_by_test_id("add-to-cart")).to_be_disabled()
        await page.get_by_test_id("variant-option").filter(has_text=SIZES[2]).click()
        await expect(page.locator(".stock")).to_have_text("Esta combinación no existe")
        await expect(page.get_by_test_id("add-to-cart")).to_be_disabled()

        # the last blue one of the largest size; then two of the red ones, by their own address
        await page.get_by_test_id("variant-option").filter(has_text=COLOURS[0]).click()
        await expect(page).to_have_url(re.compile(f"variant={ids[2]}$"))
        await expect(page.locator(".stock")).to_have_text("¡Último disponible!")
        await expect(page.get_by_role("button", name="Agregar una unidad")).to_be_disabled()
        await _add(page)
        document = await shop.rendered(f"/product/carro?variant={ids[4]}")
        assert re.search(r'<span class="price__now">\$\s15\.000', document)
        (canonical,) = re.findall(r'<link [^>]*rel="canonical"[^>]*>', document)
        assert re.search(r'href="[^"]*/product/carro"', canonical)
        await page.goto(f"/product/carro?variant={ids[4]}")
        await expect(_radio(page, 1, SIZES[1])).to_be_checked()
        await page.get_by_role("button", name="Agregar una unidad").click()
        await _add(page)

        names = [f"{COLOURS[0]} / {SIZES[2]}", f"{COLOURS[1]} / {SIZES[1]}"]
        await page.goto("/cart")
        await expect(page.locator(".line__variant")).to_have_text(names)
        await expect(page.get_by_test_id("cart-total")).to_have_text(re.compile(r"50\.000"))
        await expect_no_overflow(page)
        await page.get_by_test_id("cart-line").first.get_by_role("link", name="Carro").click()
        await expect(_radio(page, 1, SIZES[2])).to_be_checked()
        await open_checkout(page)
        await expect(page.locator(".buy__variant")).to_have_text(names)
        await fill_in(page)
        await go_to_bank(page)
        await decide(page, "approve")
        await expect_status(page, "paid")
        await expect(page.locator(".buy__variant")).to_have_text(names)
        await expect_no_overflow(page)


async def _review(shop: ShopServer) -> None:
    """Put more reviews of the toy into the shop's books than fit on one page."""
    books = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    try:
        async with books.transaction() as session:
            found = await session.execute(select(Product.id).where(Product.handle == "carro"))
            toy = found.scalar_one()
            for _one in range(PAGE_SIZE + 1):
                words: dict[str, Any] = {
                    "name": "Ana G.",
                    "stars": 5,
                    "text": "Aguanta.",
                    "written_at": now(),
                }
                session.add(Review(product_id=toy, state=ReviewState.SHOWN, **words))
            await count_reviews(session, toy)
    finally:
        await books.close()


async def test_what_is_chosen_stays_chosen_while_reviews_are_read(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch
) -> None:
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])
    ids = await _toy(shop)
    await _review(shop)
    async with pages_of(shop, browser, watch)(320, 640) as page:
        await page.goto("/product/carro")
        await page.get_by_test_id("product-rating").click(timeout=PATIENCE)
        await expect(page).to_have_url(re.compile("/product/carro#resenas$"))
        await page.get_by_test_id("variant-option").filter(has_text=SIZES[1]).click()
        await expect(page).to_have_url(re.compile(f"variant={ids[1]}"))
        await page.get_by_test_id("product-rating").click()
        await expect(page).to_have_url(re.compile(rf"/product/carro\?variant={ids[1]}#resenas$"))
        await expect(_radio(page, 1, SIZES[1])).to_be_checked()
        await page.get_by_role("link", name="Más antiguas").click()
        await expect(page.get_by_test_id("review")).to_have_count(1, timeout=PATIENCE)
        await expect(_radio(page, 1, SIZES[1])).to_be_checked()
        await _add(page)
        await page.goto("/cart")
        await expect(page.locator(".line__variant")).to_have_text([f"{COLOURS[0]} / {SIZES[1]}"])


def _radio(page: Page, option: int, value: str) -> Any:
    return page.locator(".option").nth(option).get_by_role("radio", name=value)


async def _add(page: Page) -> None:
    await page.get_by_test_id("add-to-cart").click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible(timeout=PATIENCE)
