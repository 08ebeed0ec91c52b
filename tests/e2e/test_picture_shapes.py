"""Photographs of various shapes are shown whole and undistorted wherever a product is, and shift no layout."""

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter
from playwright.async_api import Browser, Locator, Page, expect
from sqlalchemy import select

from backend.catalog.models import Category, Collection, Picture, Product, ProductCategory, Variant
from backend.catalog.search.index import index_products
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.service import set_stock
from backend.media.picture_store import open_picture_store
from backend.media.picture_widths import parse_uploaded_picture
from backend.media.uploads import PictureUploads, SentFile
from backend.shipping.models import StockLocation
from tests.e2e import shopper
from tests.e2e.conftest import OWNER_LOGIN, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office, place_paid_order
from tests.e2e.scenes import visit
from tests.e2e.shopper import TIMEOUT_MS, resize
from tests.e2e.test_every_page import RECORD_SHIFTS

SHAPES = {"cuadrada": (1200, 1200), "alta": (800, 1200), "ancha": (1200, 800), "recortada": (1000, 1000)}
"""The fourth one is transparent around the product."""
MAX_CROPPED = 0.12
"""Maximum difference between the shapes of a picture and of the frame that it fills."""
PICTURES_PER_PRODUCT = 4
SIZES = ((320, 640), (768, 1024), (1280, 800))
SCREENSHOTS = os.environ.get("SCREENSHOTS", "")
"""Folder for screenshots of the tested pages, to be checked by eye."""
DISPLAYED_PICTURES = """() => [...document.images]
    .filter((one) => one.currentSrc.includes("/pictures/") && one.clientWidth > 0)
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
"""The displayed product pictures, and their layout."""


def build_photograph(size: tuple[int, int], number: int, *, is_cut_out: bool) -> bytes:
    """Return a photograph-like picture with light from one side, noise, and a ball that shows any distortion."""
    width, height = size
    light = Image.linear_gradient("L").resize(size).rotate(90 * number).resize(size)
    noise = Image.effect_noise(size, 40)
    hue = ((number * 67) % 255, 120, 200)
    bands = (Image.new("L", size, hue[0]), Image.new("L", size, hue[1]), Image.blend(light, noise, 0.2))
    backdrop = Image.merge("HSV", bands)
    image = backdrop.convert("RGB").convert("RGBA")
    ball = Image.new("L", size, 0)
    radius, middle = min(size) // 3, (width // 2, height // 2)
    box = (middle[0] - radius, middle[1] - radius, middle[0] + radius, middle[1] + radius)
    ImageDraw.Draw(ball).ellipse(box, fill=255)
    painted = Image.new("RGBA", size, ("#e4482f", "#f6b32b", "#17806d", "#2b78c5")[number % 4])
    image.paste(painted, mask=ball.filter(ImageFilter.GaussianBlur(3)))
    content = BytesIO()
    if is_cut_out:
        image.putalpha(ball)
        image.save(content, "PNG")
    else:
        image.convert("RGB").save(content, "JPEG", quality=90)
    return content.getvalue()


async def create_products(shop: ShopServer) -> None:
    """Create one product of each shape with four uploaded photographs; the fourth product has the largest stock."""
    settings = Settings(data_dir=shop.folder / "data")
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    uploads = PictureUploads(open_picture_store(settings), settings.video_mb << 20)
    try:
        for position, (shape, size) in enumerate(SHAPES.items()):
            files = [
                build_photograph(size, number, is_cut_out=shape == "recortada")
                for number in range(PICTURES_PER_PRODUCT)
            ]
            stored = await uploads.store_unchecked(
                [SentFile("foto", len(file), BytesIO(file)) for file in files]
            )
            async with database.transaction() as session:
                product = Product(handle=f"foto-{shape}", title=f"Foto {shape}", featured=True)
                name, handle, picture_url = f"Fotos {shape}", f"fotos-{shape}", stored[0].url
                category = Category(id=f"pcat_{shape}", name=name, handle=handle, picture=picture_url)
                collection = Collection(id=f"pcol_{shape}", title=name, handle=handle, picture=picture_url)
                session.add_all((product, category, collection))
                await session.flush()
                session.add(ProductCategory(product_id=product.id, category_id=category.id))
                variant = Variant(product_id=product.id, sku=f"FOTO-{position}", price=20_000)
                session.add(variant)
                for rank, picture in enumerate(stored):
                    prepared = parse_uploaded_picture(picture.url)
                    assert prepared is not None
                    session.add(
                        Picture(
                            product_id=product.id,
                            url=prepared.url,
                            alt=f"Foto {rank + 1}",
                            rank=rank,
                            width=prepared.width,
                            height=prepared.height,
                            sources=prepared.to_sources_json(),
                        )
                    )
                product.thumbnail = stored[0].url
                await session.flush()
                location = (await session.execute(select(StockLocation.id).limit(1))).scalar_one()
                await set_stock(session, variant.id, location, 5_000 + position)
                await index_products(session, [product.id])
    finally:
        uploads.stop()
        await database.close()


async def check_pictures(page: Page, name: str) -> None:
    """Check the pictures on the page at every width."""
    for width, height in SIZES:
        await resize(page, width, height)
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")  # load lazy pictures
        await page.evaluate("scrollTo(0, 0)")
        await page.wait_for_function(
            f"() => ({DISPLAYED_PICTURES})().every((one) => one.isLoaded)", timeout=TIMEOUT_MS
        )
        pictures = await page.evaluate(DISPLAYED_PICTURES)
        assert pictures, name
        for picture in pictures:
            cropped = abs(picture["natural"] / picture["box"] - 1)
            assert cropped < 0.02 or picture["fit"] in ("cover", "contain", "scale-down"), (
                name,
                width,
                picture,
            )
            assert cropped < MAX_CROPPED or picture["fit"] != "cover", (name, width, picture)
            assert picture["isFilling"], (
                name,
                width,
                picture,
            )  # neither cut off at the bottom nor above an empty strip
        assert await page.evaluate("document.documentElement.scrollWidth") == width, (name, width)
        if SCREENSHOTS:
            await page.screenshot(path=Path(SCREENSHOTS) / f"{name}-{width}.png")


async def get_fit(picture: Locator) -> str:
    """Return how the picture is fitted into its frame."""
    fit: str = await picture.evaluate("(one) => getComputedStyle(one).objectFit")
    return fit


async def check_group_pictures(page: Page) -> None:
    """Check that tiles of categories show pictures whole, and that a picture fills the head of a collection's page."""
    await resize(page, 700, 1000)
    for shape in ("alta", "ancha"):
        await visit(page, "/")
        tile = page.locator(".tile").filter(has_text=f"Fotos {shape}").locator("img")
        assert await get_fit(tile) == "contain", shape
        await visit(page, f"/collection/fotos-{shape}")
        assert await get_fit(page.locator(".page-head__picture")) == "cover", shape


async def test_pictures_are_undistorted_on_every_page(
    new_server: Callable[..., ShopServer], browser: Browser
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    await create_products(shop)
    open_shop_page = build_page_opener(shop, browser, PageWatch())
    async with open_shop_page(320, 640) as page:
        await page.add_init_script(RECORD_SHIFTS)
        await visit(page, "/")
        await check_pictures(page, "home")
        await check_group_pictures(page)
        await visit(page, "/catalog?q=foto")
        await check_pictures(page, "cards")
        for shape in SHAPES:
            await visit(page, f"/product/foto-{shape}")
            await expect(page.get_by_test_id("gallery-image")).to_have_js_property("complete", True)
            shifted = await page.evaluate("window.shifts.reduce((sum, one) => sum + one, 0)")
            assert shifted < 0.01, await page.evaluate("window.moved")
            await check_pictures(page, f"product-{shape}")
        await visit(page, "/product/foto-alta")
        await resize(page, 1280, 800)
        await page.get_by_test_id("gallery-image").hover()
        await expect(page.get_by_test_id("zoom-panel")).to_be_visible()
        await page.wait_for_load_state("networkidle")
        if SCREENSHOTS:
            await page.screenshot(path=Path(SCREENSHOTS) / "zoom.png")
        await page.get_by_role("button", name="Ampliar la foto").click()
        await check_pictures(page, "large")
        whole = await page.get_by_test_id("zoom-dialog").locator("img").bounding_box()
        assert whole is not None
        assert whole["height"] <= 800
        for shape in SHAPES:
            await shopper.put_in_cart(page, f"foto-{shape}")
        await visit(page, "/cart")
        await check_pictures(page, "cart")
        placed_order = await place_paid_order(shop)
        await visit(page, placed_order.page)
        await check_pictures(page, "order")
    async with open_shop_page(390, 844) as office:
        await enter_office(office, shop, "/oficina/productos?q=foto")
        await check_pictures(office, "office-products")
        await visit(office, "/oficina/categorias/pcat_alta")
        await check_pictures(office, "office-category")
