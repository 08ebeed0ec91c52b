"""A product's page: pictures and their zoom, stock, and unknown products."""

import asyncio
import re
from collections.abc import Callable
from io import BytesIO

import httpx
from PIL import Image
from playwright.async_api import Browser, Locator, Page, Route, expect

from backend.media.picture_widths import WIDTHS
from storefront.components.gallery import THUMBNAIL_SIZES
from tests.e2e.chromium import close_within_limit
from tests.e2e.conftest import OWNER_LOGIN, PHONE_ONLY, PageWatch, ShopServer, build_page_opener
from tests.e2e.shopper import TIMEOUT_MS

TROMPO = "/product/trompo-de-madera"  # its pictures have names like "Trompo de madera (frente)"


async def test_magnifier_shows_a_file_with_spaces_and_parentheses(page_1280: Page) -> None:
    await page_1280.goto(TROMPO)
    panel = await _open_magnifier(page_1280, 0.5, 0.5)
    await expect(panel).to_be_visible()
    style = await panel.get_attribute("style")
    assert style is not None
    found = re.search(r'background-image: url\("([^"]+)"\)', style)
    assert found is not None  # quoted
    answer = await page_1280.request.get(found[1])
    assert answer.status == 200
    assert answer.headers["content-type"] == "image/webp"
    assert "Trompo%20de%20madera%20%28frente%29" in found[1]
    await page_1280.mouse.move(5, 5)
    await expect(panel).to_have_count(0)


async def test_magnifier_follows_the_mouse(page_1280: Page) -> None:
    await page_1280.goto(TROMPO)
    panel = await _open_magnifier(page_1280, 0.25, 0.75)
    await expect(panel).to_have_css("background-position", "25% 75%")


async def test_externally_hosted_picture_is_shown_on_every_page_of_the_shop(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    hosted = ["https://cdn.example/un trompo (1).jpg?v=2&w=960", "https://cdn.example/otro%20trompo.jpg"]
    async with httpx.AsyncClient(base_url=shop.url, timeout=TIMEOUT_MS / 1000) as admin:
        staff = {"email": OWNER_LOGIN[0], "password": OWNER_LOGIN[1]}
        token = (await admin.post("/auth/user/emailpass", json=staff)).json()["token"]
        images = [{"url": url} for url in hosted]
        product = {
            "title": "Zumbador",
            "status": "published",
            "price": 9000,
            "images": images,
            "featured": True,
        }
        headers = {"authorization": f"Bearer {token}"}
        (await admin.post("/admin/products", json=product, headers=headers)).raise_for_status()
    requested_urls: list[str] = []

    async def host(route: Route) -> None:
        requested_urls.append(route.request.url)
        content = BytesIO()
        Image.new("RGB", (960, 960), "teal").save(content, "PNG")
        await route.fulfill(body=content.getvalue(), content_type="image/png")

    watch.expect("request to cdn.example")
    async with build_page_opener(shop, browser, watch)(1280, 800) as page:
        await page.route("https://cdn.example/**", host)
        await page.goto("/catalog?q=zumbador")
        await expect(page.locator(".card__image").first).to_have_js_property("naturalWidth", 960)
        await page.goto("/product/zumbador")
        await expect(page.get_by_test_id("gallery-image")).to_have_js_property("naturalWidth", 960)
        await expect(page.locator(".gallery__thumb img").nth(1)).to_have_js_property("naturalWidth", 960)
        style = await (await _open_magnifier(page, 0.5, 0.5)).get_attribute("style")
        address = "https://cdn.example/un%20trompo%20%281%29.jpg?v=2&w=960"
        assert f'url("{address}")' in (style or "")
        assert set(requested_urls) == {address, hosted[1]}
        document = await (await page.request.get("/product/zumbador")).text()
        assert f'"image":["{address.replace("&", chr(92) + "u0026")}","{hosted[1]}"]' in document


async def _open_magnifier(page: Page, x: float, y: float) -> Locator:
    """Move the mouse over the picture until the magnifier is shown. Return the magnifier.

    `x` and `y` are positions in the picture: 0 is the left or upper edge, 1 the opposite one. The mouse moves
    repeatedly, because no script notices a move before the page is hydrated.
    """
    panel = page.get_by_test_id("zoom-panel")
    async with asyncio.timeout(TIMEOUT_MS / 1000):
        while not await panel.count():
            box = await page.get_by_test_id("gallery-image").bounding_box()
            assert box is not None
            await page.mouse.move(box["x"] + 1, box["y"] + 1)
            await page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    return panel


async def test_click_on_a_thumbnail_shows_its_picture(page: Page) -> None:
    await page.goto(TROMPO)
    picture = page.get_by_test_id("gallery-image")
    await expect(picture).to_have_attribute("src", re.compile("frente"))
    await page.get_by_role("button", name=re.compile("^Ver la foto 2")).click()
    await expect(picture).to_have_attribute("src", re.compile("girando"))
    await expect(picture).to_be_in_viewport(ratio=0.5)


async def test_large_view_opens_zooms_and_closes_by_keyboard(page: Page) -> None:
    await page.goto(TROMPO)
    opener = page.get_by_role("button", name="Ampliar la foto")
    await opener.press("Enter")
    view = page.get_by_test_id("zoom-dialog")
    nearer = view.get_by_role("button", name="Acercar o alejar")
    small = await nearer.bounding_box()
    await nearer.press("Enter")
    await expect(nearer).to_have_attribute("aria-pressed", "true")
    large = await nearer.bounding_box()
    assert small is not None
    assert large is not None
    assert round(large["width"] / small["width"], 1) == 2
    assert round(large["x"] + large["width"] / 2) == round(
        small["x"] + small["width"] / 2
    )  # the centre does not move
    assert round(large["y"] + large["height"] / 2) == round(small["y"] + small["height"] / 2)
    await page.keyboard.press("Escape")
    await expect(view).to_have_count(0)
    await expect(opener).to_be_focused()


@PHONE_ONLY
async def test_unknown_product_shows_a_message(page: Page, watch: PageWatch) -> None:
    watch.expect("404")
    await page.goto("/product/nave-espacial")
    await expect(page.get_by_test_id("not-found")).to_contain_text("Este producto no existe")
    await page.get_by_test_id("not-found").get_by_role("link", name="Ver el catálogo").click()
    await expect(page).to_have_url(re.compile("/catalog$"))


async def test_link_to_another_product_opens_its_page(page_1280: Page) -> None:
    await page_1280.goto(TROMPO)
    other = page_1280.get_by_test_id("product-card").first
    title = await other.locator("h3").inner_text()
    await other.locator("a").click()
    await expect(page_1280.get_by_role("heading", level=1)).to_have_text(title)
    await expect(page_1280).to_have_title(re.compile(f"^{re.escape(title)} · "))
    await expect(page_1280.locator("main")).to_be_focused()
    await page_1280.go_back()
    await expect(page_1280.get_by_role("heading", level=1)).to_have_text("Trompo de madera")


@PHONE_ONLY
async def test_page_of_an_unknown_url_has_the_shops_layout(page: Page, watch: PageWatch) -> None:
    watch.expect("404")
    await page.goto("/naves/espaciales")
    await expect(page.get_by_test_id("not-found")).to_be_visible()
    await expect(page.get_by_test_id("search-input")).to_be_visible()


async def test_gallery_picture_is_no_larger_than_shown(browser: Browser, server: ShopServer) -> None:
    """Compare the requested file with the smallest one that fills the displayed width at the screen's density."""
    for window_width in (320, 390, 768, 1280, 1920):
        for density in (1, 2):
            context = await browser.new_context(
                base_url=server.url,
                viewport={"width": window_width, "height": 900},
                device_scale_factor=density,
                service_workers="block",
            )
            page = await context.new_page()
            await page.goto(TROMPO)
            picture = page.get_by_test_id("gallery-image")
            await expect(picture).to_have_js_property("complete", value=True)
            shown, file = await picture.evaluate("(one) => [one.clientWidth, one.currentSrc]")
            needed = next((width for width in WIDTHS if width >= shown * density), WIDTHS[-1])
            assert file.endswith(f"-{needed}.webp"), (window_width, density)
            thumbnail = page.locator(".gallery__thumb img").last
            assert await thumbnail.evaluate("(one) => `${one.clientWidth}px`") == THUMBNAIL_SIZES
            await expect(thumbnail).to_have_js_property("complete", value=True)
            assert "-160.webp" in await thumbnail.evaluate("(one) => one.currentSrc"), (window_width, density)
            await close_within_limit(context)
