"""A product's page: pictures and their zoom, stock, and products that do not exist."""

import asyncio
import re
from collections.abc import Callable
from io import BytesIO

import httpx
from PIL import Image
from playwright.async_api import Browser, Locator, Page, Route, expect

from tests.e2e.conftest import ON_A_PHONE, STAFF, ShopServer, Watch, pages_of
from tests.e2e.shopper import PATIENCE, stock_of

TROMPO = "/product/trompo-de-madera"  # its pictures are called "Trompo de madera (frente)" and the like


async def test_the_magnifier_draws_a_file_with_spaces_and_parentheses(page_1280: Page) -> None:
    await page_1280.goto(TROMPO)
    panel = await _magnified(page_1280, 0.5, 0.5)
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


async def test_the_magnifier_follows_the_mouse(page_1280: Page) -> None:
    await page_1280.goto(TROMPO)
    panel = await _magnified(page_1280, 0.25, 0.75)
    await expect(panel).to_have_css("background-position", "25% 75%")


async def test_a_picture_that_is_hosted_elsewhere_is_shown_everywhere(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch
) -> None:
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])
    hosted = ["https://cdn.example/un trompo (1).jpg?v=2&w=960", "https://cdn.example/otro%20trompo.jpg"]
    async with httpx.AsyncClient(base_url=shop.url, timeout=PATIENCE / 1000) as admin:
        staff = {"email": STAFF[0], "password": STAFF[1]}
        token = (await admin.post("/auth/user/emailpass", json=staff)).json()["token"]
        images = [{"url": url} for url in hosted]
        toy = {"title": "Zumbador", "status": "published", "price": 9000, "images": images, "featured": True}
        headers = {"authorization": f"Bearer {token}"}
        (await admin.post("/admin/products", json=toy, headers=headers)).raise_for_status()
    asked: list[str] = []

    async def host(route: Route) -> None:
        asked.append(route.request.url)
        content = BytesIO()
        Image.new("RGB", (960, 960), "teal").save(content, "PNG")
        await route.fulfill(body=content.getvalue(), content_type="image/png")

    watch.expect("request to cdn.example")
    async with pages_of(shop, browser, watch)(1280, 800) as page:
        await page.route("https://cdn.example/**", host)
        await page.goto("/catalog?q=zumbador")
        await expect(page.locator(".card__image").first).to_have_js_property("naturalWidth", 960)
        await page.goto("/product/zumbador")
        await expect(page.get_by_test_id("gallery-image")).to_have_js_property("naturalWidth", 960)
        await expect(page.locator(".gallery__thumb img").nth(1)).to_have_js_property("naturalWidth", 960)
        style = await (await _magnified(page, 0.5, 0.5)).get_attribute("style")
        address = "https://cdn.example/un%20trompo%20%281%29.jpg?v=2&w=960"
        assert f'url("{address}")' in (style or "")
        assert set(asked) == {address, hosted[1]}
        document = await (await page.request.get("/product/zumbador")).text()
        assert f'"image":["{address.replace("&", chr(92) + "u0026")}","{hosted[1]}"]' in document


async def _magnified(page: Page, x: float, y: float) -> Locator:
    """The magnifier, with the mouse over the picture: 0 is its left or upper edge, 1 the other.

    The mouse moves until it shows: no script knows of a move before the page was hydrated.
    """
    panel = page.get_by_test_id("zoom-panel")
    async with asyncio.timeout(PATIENCE / 1000):
        while not await panel.count():
            box = await page.get_by_test_id("gallery-image").bounding_box()
            assert box is not None
            await page.mouse.move(box["x"] + 1, box["y"] + 1)
            await page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    return panel


async def test_a_thumbnail_shows_its_picture(page: Page) -> None:
    await page.goto(TROMPO)
    picture = page.get_by_test_id("gallery-image")
    await expect(picture).to_have_attribute("src", re.compile("frente"))
    await page.get_by_role("button", name=re.compile("^Ver la foto 2")).click()
    await expect(picture).to_have_attribute("src", re.compile("girando"))
    await expect(picture).to_be_in_viewport(ratio=0.5)


async def test_the_large_view_opens_zooms_and_closes_with_the_keyboard(page: Page) -> None:
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
    )  # its middle stays
    assert round(large["y"] + large["height"] / 2) == round(small["y"] + small["height"] / 2)
    await page.keyboard.press("Escape")
    await expect(view).to_have_count(0)
    await expect(opener).to_be_focused()


async def test_stock_is_said_in_words(page_1280: Page, server: ShopServer) -> None:
    left = stock_of(server, "loteria-de-animales")  # others may have bought some
    assert left > 1
    for handle, words in (
        ("trompo-de-madera", "Disponible, listo para despachar"),
        ("loteria-de-animales", f"Quedan {left} unidades"),
        ("cocina-de-juguete", "Agotado por ahora"),
    ):
        await server.rendered(f"/product/{handle}")  # a busy machine answers with the plain page first
        await page_1280.goto(f"/product/{handle}")
        await expect(page_1280.locator(".stock")).to_have_text(words)


@ON_A_PHONE
async def test_what_is_sold_out_cannot_be_put_into_the_cart(page: Page) -> None:
    await page.goto("/product/cocina-de-juguete")
    await expect(page.get_by_test_id("add-to-cart")).to_be_disabled()
    await expect(page.get_by_test_id("add-to-cart")).to_have_text("Agotado")


@ON_A_PHONE
async def test_an_unknown_product_says_so(page: Page, watch: Watch) -> None:
    watch.expect("404")
    await page.goto("/product/nave-espacial")
    await expect(page.get_by_test_id("not-found")).to_contain_text("Este producto no existe")
    await page.get_by_test_id("not-found").get_by_role("link", name="Ver el catálogo").click()
    await expect(page).to_have_url(re.compile("/catalog$"))


async def test_from_one_product_to_the_next(page_1280: Page) -> None:
    await page_1280.goto(TROMPO)
    other = page_1280.get_by_test_id("product-card").first
    title = await other.locator("h3").inner_text()
    await other.locator("a").click()
    await expect(page_1280.get_by_role("heading", level=1)).to_have_text(title)
    await expect(page_1280).to_have_title(re.compile(f"^{re.escape(title)} · "))
    await expect(page_1280.locator("main")).to_be_focused()
    await page_1280.go_back()
    await expect(page_1280.get_by_role("heading", level=1)).to_have_text("Trompo de madera")


@ON_A_PHONE
async def test_an_unknown_page_looks_like_the_shop(page: Page, watch: Watch) -> None:
    watch.expect("404")
    await page.goto("/naves/espaciales")
    await expect(page.get_by_test_id("not-found")).to_be_visible()
    await expect(page.get_by_test_id("search-input")).to_be_visible()
