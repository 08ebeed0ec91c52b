"""The home page's banner and badges (spec: Storefront view rules 1)."""

import re

from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY
from tests.e2e.shopper import resize

ARCOIRIS = "Arcoíris de madera"
RECORD_OBSERVERS = """
    window.told = [];
    const Watcher = window.IntersectionObserver;
    window.IntersectionObserver = class extends Watcher {
        constructor(seen, options) {
            super((entries) => { window.told.push(() => seen(entries)); seen(entries); }, options);
        }
    };
"""
REOPEN = """async (opener) => {
    const dialog = document.querySelector("dialog[open]");
    const isClosed = new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    dialog.querySelector("[data-closes]").click();
    while (dialog.open) await null;
    opener.click();
    await isClosed;
    await new Promise((resolve) => setTimeout(resolve));
    return dialog.open;
}"""
"""Close the open dialog, and open it again before the browser reports that it was closed."""
NOTIFY_OBSERVERS_AGAIN = "() => { window.told.forEach((tell) => tell()); return window.told.length; }"


async def test_banner_shows_featured_products_in_stock(page: Page) -> None:
    await page.goto("/")
    slides = page.get_by_test_id("banner").get_by_test_id("banner-slide")
    await expect(slides).to_have_count(7)
    titles = await slides.locator("h2").all_text_contents()
    assert "Trompo de madera" in titles
    assert "Cocina de juguete" not in titles  # featured, but sold out


async def test_slide_has_picture_name_price_and_link(page_1280: Page) -> None:
    await page_1280.goto("/")
    slide = page_1280.get_by_test_id("banner-slide").filter(has_text=ARCOIRIS)
    picture = slide.locator("img")
    await expect(picture).to_have_attribute(
        "src", "/demo/Arco%C3%ADris%20de%20madera%20%28frente%29-960.webp"
    )
    await expect(picture).to_have_attribute("srcset", re.compile(r"-320\.webp 320w, .*-640\.webp 640w"))
    await expect(slide).to_contain_text("$ 112.900")
    await expect(slide.locator("a", has_text=ARCOIRIS)).to_have_attribute(
        "href", "/product/arcoiris-de-madera"
    )


async def test_badge_on_a_product_card_shows_the_discount(page_1280: Page) -> None:
    await page_1280.goto("/")
    slides = page_1280.get_by_test_id("banner-slide")
    saving = slides.filter(has_text=ARCOIRIS).get_by_test_id("discount-badge")
    await expect(saving).to_have_text("16% OFF")  # 112.900 instead of 134.900
    full = slides.filter(has_text="Trompo de madera")
    await expect(full).to_contain_text("$ 18.900")
    await expect(full.get_by_test_id("discount-badge")).to_have_count(0)


@PHONE_ONLY
async def test_click_on_a_banner_dot_shows_its_slide(page: Page) -> None:
    await page.goto("/")
    await expect(page.locator(".slide__button").first).to_be_in_viewport(ratio=1)
    third = page.get_by_test_id("banner-slide").nth(2)
    await expect(third).not_to_be_in_viewport()
    dot = page.get_by_role("button", name="Ver el destacado 3")
    await dot.click()
    await expect(third).to_be_in_viewport(ratio=0.9)
    await expect(dot).to_have_attribute("aria-current", "true")


@PHONE_ONLY
async def test_banner_marks_the_shown_slide_after_the_window_grew_and_shrank(page: Page) -> None:
    await page.emulate_media(reduced_motion="reduce")
    await page.goto("/")
    first = page.get_by_role("button", name="Ver el destacado 1")
    await expect(first).to_have_attribute("aria-current", "true")
    await page.screenshot(full_page=True)  # the window is as high as the page meanwhile
    await expect(page.get_by_test_id("banner-slide").first).to_be_in_viewport(ratio=0.9)
    await expect(first).to_have_attribute("aria-current", "true")


async def test_banner_pauses_on_hover_and_by_its_button(page_1280: Page) -> None:
    await page_1280.goto("/")
    banner = page_1280.get_by_test_id("banner")
    await expect(banner).to_have_attribute("data-playing", "true")
    await banner.hover()
    await expect(banner).not_to_have_attribute("data-playing", "true")
    await page_1280.mouse.move(640, 790)
    await expect(banner).to_have_attribute("data-playing", "true")
    await page_1280.get_by_role("button", name="Pausar el carrusel").click()
    await page_1280.mouse.move(640, 790)
    await expect(page_1280.get_by_role("button", name="Reanudar el carrusel")).to_be_visible()
    await expect(banner).not_to_have_attribute("data-playing", "true")


async def test_banner_does_not_move_with_reduced_motion(page_1280: Page) -> None:
    await page_1280.emulate_media(reduced_motion="reduce")
    await page_1280.goto("/")
    await expect(page_1280.get_by_role("button", name="Reanudar el carrusel")).to_be_visible()
    await expect(page_1280.get_by_test_id("banner")).not_to_have_attribute("data-playing", "true")


async def test_slide_observer_that_reports_after_leaving_the_page_is_ignored(page_1280: Page) -> None:
    await page_1280.add_init_script(RECORD_OBSERVERS)
    await page_1280.goto("/")
    await expect(page_1280.get_by_role("button", name="Ver el destacado 1")).to_have_attribute(
        "aria-current", "true"
    )
    await page_1280.get_by_role("contentinfo").get_by_role("link", name="Términos y condiciones").click()
    await expect(page_1280.get_by_test_id("banner")).to_have_count(0)
    assert await page_1280.evaluate(NOTIFY_OBSERVERS_AGAIN)


async def test_header_has_two_rows_below_1024_px_and_one_above(page_1280: Page) -> None:
    await page_1280.goto("/")
    for width, rows in ((320, 2), (768, 2), (1023, 2), (1024, 1), (1280, 1)):
        await resize(page_1280, width, 800)
        search = await page_1280.get_by_test_id("search-input").bounding_box()
        cart = await page_1280.locator("a[href='/cart']").first.bounding_box()
        logo = await page_1280.locator(".logo").bounding_box()
        assert search is not None
        assert cart is not None
        assert logo is not None
        assert abs(cart["y"] - logo["y"]) < 12, width
        below = search["y"] >= cart["y"] + cart["height"] - 1
        assert below is (rows == 2), width
        if rows == 2:
            assert search["width"] > width * 0.85


async def test_age_tiles_form_one_row_of_equal_widths(page_1280: Page) -> None:
    await page_1280.goto("/")
    tiles = page_1280.locator(".ages > *")
    await expect(tiles).to_have_count(5)
    for width in (768, 1024, 1280):
        await resize(page_1280, width, 800)
        boxes = [box for tile in await tiles.all() if (box := await tile.bounding_box())]
        assert len({box["y"] for box in boxes}) == 1, width
        widths = [box["width"] for box in boxes]
        assert max(widths) - min(widths) < 1, width


async def test_department_links_open_their_category(page_1280: Page) -> None:
    await page_1280.goto("/")
    await page_1280.get_by_role("navigation", name="Departamentos").get_by_role("link", name="Música").click()
    await expect(page_1280).to_have_url(re.compile(r"/catalog\?category=musica$"))
    await expect(page_1280.get_by_role("heading", level=1)).to_have_text("Música")


async def test_menu_traps_the_focus_and_returns_it(page_320: Page) -> None:
    await page_320.goto("/")
    opener = page_320.get_by_role("button", name="Abrir el menú")
    await opener.click()
    menu = page_320.get_by_role("dialog", name="Menú")
    await expect(menu.get_by_role("link", name="Peluches", exact=True)).to_be_visible()
    for _ in range(30):  # more often than there are elements to focus
        await page_320.keyboard.press("Tab")
        outside = "!document.activeElement.closest('dialog') && document.activeElement !== document.body"
        assert not await page_320.evaluate(outside)
    await page_320.keyboard.press("Escape")
    await expect(menu).not_to_be_visible()
    await expect(opener).to_be_focused()


async def test_menu_opened_again_right_after_closing_stays_open(page_320: Page) -> None:
    await page_320.goto("/")
    opener = page_320.get_by_role("button", name="Abrir el menú")
    await opener.click()
    await expect(page_320.get_by_role("dialog", name="Menú")).to_be_visible()
    assert await opener.evaluate(REOPEN)


async def test_menu_closes_after_its_link_is_followed(page_320: Page) -> None:
    await page_320.goto("/")
    await page_320.get_by_role("button", name="Abrir el menú").click()
    await page_320.get_by_role("dialog").get_by_role("link", name="Títeres").click()
    await expect(page_320.get_by_role("heading", level=1)).to_have_text("Títeres")
    await expect(page_320.get_by_role("dialog")).not_to_be_visible()
