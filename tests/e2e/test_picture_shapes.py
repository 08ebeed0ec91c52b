"""Photographs of other shapes than the demo's drawings are shown undistorted wherever a toy is, and move nothing."""

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter
from playwright.async_api import Browser, Page, expect
from sqlalchemy import select

from backend.catalog.models import Picture, Product, Variant
from backend.catalog.search.index import index_products
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.service import set_stock
from backend.media.picture_store import picture_store
from backend.media.picture_widths import uploaded_at
from backend.media.uploads import PictureUploads, SentFile
from backend.shipping.models import StockLocation
from tests.e2e import shopper
from tests.e2e.conftest import STAFF, ShopServer, Watch, pages_of
from tests.e2e.office_steps import enter, paid_order
from tests.e2e.scenes import visit
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_every_page import SHIFTS

SHAPES = {"cuadrada": (1200, 1200), "alta": (900, 1200), "ancha": (1200, 900), "recortada": (1000, 1000)}
"""The last one is transparent around the toy."""
PHOTOGRAPHS = 4
SIZES = ((320, 640), (768, 1024), (1280, 800))
SCREENSHOTS = os.environ.get("SCREENSHOTS", "")
"""A folder for pictures of what is tested, to be looked at."""
DRAWN = """() => [...document.images].filter((one) => one.currentSrc.includes("/pictures/") && one.clientWidth > 0)
    .map((one) => ({
        at: one.closest("[data-testid], [class]")?.className ?? "",
        natural: one.naturalWidth / one.naturalHeight,
        box: one.clientWidth / one.clientHeight,
        fit: getComputedStyle(one).objectFit,
        isFilling: getComputedStyle(one.parentElement).overflow !== "hidden" ||
            Math.abs(one.clientHeight - one.parentElement.clientHeight) < 1,
        isLoaded: one.complete && one.naturalWidth > 0,
    }))
"""
"""The toys' pictures that are drawn, and how."""


def photograph(size: tuple[int, int], number: int, *, is_cut_out: bool) -> bytes:
    """Something like a photograph: light from one side, noise, and a ball in the middle that shows any distortion."""
    width, height = size
    light = Image.linear_gradient("L").resize(size).rotate(90 * number).resize(size)
    noise = Image.effect_noise(size, 40)
    hue = ((number * 67) % 255, 120, 200)
    bands = (Image.new("L", size, hue[0]), Image.new("L", size, hue[1]), Image.blend(light, noise, 0.2))
    backdrop = Image.merge("HSV", bands)
    image = backdrop.convert("RGB").convert("RGBA")
    toy = Image.new("L", size, 0)
    radius, middle = min(size) // 3, (width // 2, height // 2)
    box = (middle[0] - radius, middle[1] - radius, middle[0] + radius, middle[1] + radius)
    ImageDraw.Draw(toy).ellipse(box, fill=255)
    painted = Image.new("RGBA", size, ("#e4482f", "#f6b32b", "#17806d", "#2b78c5")[number % 4])
    image.paste(painted, mask=toy.filter(ImageFilter.GaussianBlur(3)))
    content = BytesIO()
    if is_cut_out:
        image.putalpha(toy)
        image.save(content, "PNG")
    else:
        image.convert("RGB").save(content, "JPEG", quality=90)
    return content.getvalue()


async def fill(shop: ShopServer) -> None:
    """One toy of each shape, the last in the largest number, with four photographs taken in as uploads."""
    settings = Settings(data_dir=shop.folder / "data")
    books = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    uploads = PictureUploads(picture_store(settings), settings.video_mb << 20)
    try:
        for place, (shape, size) in enumerate(SHAPES.items()):
            files = [
                photograph(size, number, is_cut_out=shape == "recortada") for number in range(PHOTOGRAPHS)
            ]
            stored = await uploads.keep([SentFile("foto", len(file), BytesIO(file)) for file in files])
            async with books.transaction() as session:
                toy = Product(handle=f"foto-{shape}", title=f"Foto {shape}", featured=True)
                session.add(toy)
                await session.flush()
                variant = Variant(product_id=toy.id, sku=f"FOTO-{place}", price=20_000)
                session.add(variant)
                for rank, one in enumerate(stored):
                    prepared = uploaded_at(one.url)
                    assert prepared is not None
                    session.add(
                        Picture(
                            product_id=toy.id,
                            url=prepared.url,
                            alt=f"Foto {rank + 1}",
                            rank=rank,
                            width=prepared.width,
                            height=prepared.height,
                            sources=prepared.sources_json(),
                        )
                    )
                toy.thumbnail = stored[0].url
                await session.flush()
                location = (await session.execute(select(StockLocation.id).limit(1))).scalar_one()
                await set_stock(session, variant.id, location, 5_000 + place)
                await index_products(session, [toy.id])
    finally:
        uploads.stop()
        await books.close()


async def look(page: Page, name: str) -> None:
    """Look at what is drawn on the page, in every width."""
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")  # lazy ones are fetched
        await page.evaluate("scrollTo(0, 0)")
        await page.wait_for_function(f"() => ({DRAWN})().every((one) => one.isLoaded)", timeout=PATIENCE)
        pictures = await page.evaluate(DRAWN)
        assert pictures, name
        for one in pictures:
            is_true = abs(one["natural"] / one["box"] - 1) < 0.02
            assert is_true or one["fit"] in ("cover", "contain", "scale-down"), (name, width, one)
            assert one["isFilling"], (name, width, one)  # neither cut off below nor above an empty band
        assert await page.evaluate("document.documentElement.scrollWidth") == width, (name, width)
        if SCREENSHOTS:
            await page.screenshot(path=Path(SCREENSHOTS) / f"{name}-{width}.png")


async def test_shown_undistorted_wherever_the_toy_is(
    new_server: Callable[..., ShopServer], browser: Browser
) -> None:
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])
    await fill(shop)
    opened = pages_of(shop, browser, Watch())
    async with opened(320, 640) as page:
        await page.add_init_script(SHIFTS)
        await visit(page, "/catalog?q=foto")
        await look(page, "cards")
        for shape in SHAPES:
            await visit(page, f"/product/foto-{shape}")
            await expect(page.get_by_test_id("gallery-image")).to_have_js_property("complete", True)
            shifted = await page.evaluate("window.shifts.reduce((sum, one) => sum + one, 0)")
            assert shifted < 0.01, await page.evaluate("window.moved")
            await look(page, f"product-{shape}")
        await visit(page, "/product/foto-alta")
        await page.set_viewport_size({"width": 1280, "height": 800})
        await page.get_by_test_id("gallery-image").hover()
        await expect(page.get_by_test_id("zoom-panel")).to_be_visible()
        await page.wait_for_load_state("networkidle")
        if SCREENSHOTS:
            await page.screenshot(path=Path(SCREENSHOTS) / "zoom.png")
        await page.get_by_role("button", name="Ampliar la foto").click()
        await look(page, "large")
        whole = await page.get_by_test_id("zoom-dialog").locator("img").bounding_box()
        assert whole is not None
        assert whole["height"] <= 800
        for shape in SHAPES:
            await shopper.put_in_cart(page, f"foto-{shape}")
        await visit(page, "/cart")
        await look(page, "cart")
        sold = await paid_order(shop)
        await visit(page, sold.page)
        await look(page, "order")
    async with opened(390, 844) as office:
        await enter(office, shop, "/oficina/productos?q=foto")
        await look(office, "office-products")
