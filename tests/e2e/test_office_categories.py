"""Categorías in the browser: created, filled, dragged, renamed and hidden on a phone; its former address works."""

from collections.abc import Callable

from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import OWNER_LOGIN, PageWatch, ShopServer, build_page_opener
from tests.e2e.held import HeldMessages
from tests.e2e.office_steps import enter_office, visit
from tests.e2e.shopper import expect_no_overflow, wait_until_hydrated
from tests.e2e.test_restart import wait_for_reconnection

PHONE = (390, 844)
CATEGORIES = "/oficina/categorias"
LONG = "Libros y revistas con un nombre muy largo para una pantalla de teléfono"


async def drag_before(page: Page, name: str, target: str) -> None:
    """Drag the row of a category above another row."""
    rows = page.get_by_test_id("category-row")
    grip = rows.filter(has_text=name).locator("[data-grip]")
    await rows.filter(has_text=target).scroll_into_view_if_needed()
    start, end = await grip.bounding_box(), await rows.filter(has_text=target).bounding_box()
    assert start
    assert end
    await page.mouse.move(start["x"] + 8, start["y"] + 8)
    await page.mouse.down()
    await page.mouse.move(end["x"] + 20, end["y"] + 6, steps=5)
    await page.mouse.up()


async def store_other_product(page: Page, shop: ShopServer, handle: str) -> None:
    """Add a product over the API to the category that the page shows, and let the page reconnect."""
    headers = {"origin": shop.url}
    found = await page.request.get(f"/admin/products?handle={handle}", headers=headers)
    (product,) = (await found.json())["products"]
    address = f"/admin/product-categories/{page.url.rpartition('/')[2]}/products"
    answer = await page.request.post(address, data={"add": [product["id"]]}, headers=headers)
    assert answer.ok, await answer.text()
    async with wait_for_reconnection(page):
        await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


async def test_category_is_created_filled_dragged_and_renamed_on_a_phone(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page = build_page_opener(shop, browser, watch)
    watch.expect("404")
    answers = HeldMessages('"announcement_rx_state_"', in_order=True)
    async with open_shop_page(*PHONE) as page, open_shop_page(*PHONE) as shopper:
        await answers.intercept(page)
        await enter_office(page, shop, CATEGORIES)
        rows = page.get_by_test_id("category-row")
        count = await rows.count()
        await page.get_by_label("Categoría nueva").fill(LONG)
        await page.get_by_test_id("category-new").click()
        await expect(rows).to_have_count(count + 1)
        await expect(rows.last).to_contain_text(LONG)
        await expect_no_overflow(page)
        await drag_before(page, LONG, "Aire libre")
        await expect(page.get_by_test_id("told")).to_contain_text("Moviste")
        await expect(rows.nth(count - 1)).to_contain_text(LONG)
        await expect(rows.last).to_contain_text("Aire libre")
        await rows.filter(has_text=LONG).get_by_role("link").click()

        await page.get_by_test_id("picker-open").click()
        await page.get_by_test_id("picker-search").fill("trompo")
        await expect(page.get_by_test_id("picker-row").first).to_contain_text("rompo")
        await page.get_by_test_id("picker-row").first.click()
        await page.get_by_test_id("picker-search").fill("TRO-MUS-039")
        await page.get_by_test_id("picker-search").press("Enter")
        await expect(page.get_by_test_id("picked")).to_have_count(2)
        await page.get_by_label("Nombre", exact=True).fill("Libros")
        await page.get_by_text("Dirección en la tienda").click()
        await page.get_by_label("Dirección", exact=True).fill("libros")
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("told")).to_contain_text("Guardada")
        await expect_no_overflow(page)

        former = "libros-y-revistas-con-un-nombre-muy-largo-para-una-pantalla-de-telefono"
        await shopper.goto(f"/catalog?category={former}")
        await shopper.wait_for_url("**/catalog?category=libros")
        await wait_until_hydrated(shopper)
        await expect(shopper.get_by_test_id("product-card")).to_have_count(2)

        # products that are being chosen stay, although another staff member stores others
        picked = page.get_by_test_id("picked")
        await page.get_by_test_id("picker-search").fill("yoyo")
        await page.get_by_test_id("picker-row").filter(has_text="Yoyo de madera").click()
        await expect(picked).to_have_count(3)
        await store_other_product(page, shop, "lazo-para-saltar")
        await expect(picked.filter(has_text="Yoyo de madera")).to_have_count(1)
        await page.get_by_role("button", name="Descartar").click()
        await expect(picked.filter(has_text="Yoyo de madera")).to_have_count(0)
        await expect(picked.filter(has_text="Lazo")).to_have_count(1)

        # so do products that are chosen or removed while the form is being saved
        await page.get_by_test_id("picker-row").filter(has_text="Yoyo de madera").click()
        answers.is_holding = True
        await page.get_by_test_id("save").click()
        await answers.wait_until_held()
        await picked.filter(has_text="Lazo").get_by_role("button").click()
        answers.release()
        await expect(page.get_by_test_id("save")).to_be_enabled()
        await expect(picked.filter(has_text="Lazo")).to_have_count(0)
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("save")).to_be_hidden()
        await page.reload()
        await expect(picked.filter(has_text="Yoyo de madera")).to_have_count(1)
        await expect(picked.filter(has_text="Lazo")).to_have_count(0)
        await visit(page, CATEGORIES)
        await rows.filter(has_text="Libros").get_by_role("button", name="Ocultar").click()
        await expect(rows.filter(has_text="Libros")).to_contain_text("no se ve")
        answer = await shopper.goto("/catalog?category=libros")
        assert answer
        assert answer.status == 404
