"""The search and its suggestions, by mouse and keyboard, and its plain form (spec: Storefront view rules 2)."""

import asyncio
import re

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY, TIMEOUT_MS, OpenPage, PageWatch
from tests.e2e.scenes import visit

TYPE_QUICKLY = """(field, texts) => texts.forEach((text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
})"""


async def test_suggestions_start_at_the_second_letter(page: Page) -> None:
    await page.goto("/")
    field = page.get_by_test_id("search-input")
    await field.press_sequentially("p")
    hits = page.get_by_test_id("search-result")
    await expect(page.get_by_test_id("popular-search").first).to_be_visible()
    await expect(hits).to_have_count(0)
    await field.press_sequentially("e")
    await expect(hits.first).to_be_visible()
    await expect(hits.filter(has_text="Perezoso de peluche")).to_contain_text("$ 74.900")
    await expect(hits.first.locator("img")).to_have_attribute("src", re.compile(r"^/demo/.+\.webp$"))
    await field.press("Backspace")
    await expect(hits).to_have_count(0)
    await expect(page.get_by_test_id("popular-search").first).to_be_visible()


@pytest.mark.parametrize("typed", ["xilofono", "XILÓFONO", "xilofno"])
async def test_search_ignores_accents_case_and_a_typo(page_1280: Page, typed: str) -> None:
    await page_1280.goto("/")
    await page_1280.get_by_test_id("search-input").fill(typed)
    await expect(page_1280.get_by_test_id("search-result").first).to_contain_text("Xilófono arcoíris")


async def test_arrow_keys_move_through_the_suggestions(page_1280: Page) -> None:
    await page_1280.goto("/")
    field = page_1280.get_by_role("combobox")
    await field.fill("peluche")
    options = page_1280.get_by_role("option")
    await expect(options.nth(1)).to_be_visible()
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    second = options.nth(1)
    await expect(second).to_have_attribute("aria-selected", "true")
    name = await second.get_attribute("id")
    await expect(field).to_have_attribute("aria-activedescendant", str(name))
    await field.press("ArrowUp")
    await field.press("ArrowUp")
    assert await field.get_attribute("aria-activedescendant") is None
    await field.press("ArrowUp")  # wraps around to the final option: all results
    await expect(options.last).to_have_attribute("aria-selected", "true")
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    address = await options.first.get_attribute("href")
    await field.press("Enter")
    await expect(page_1280).to_have_url(re.compile(f"{re.escape(address or '')}$"))
    await expect(page_1280.get_by_test_id("search-results")).to_have_count(0)


async def test_concurrent_searches_of_two_shoppers_show_their_own_results(open_page: OpenPage) -> None:
    async def search_and_check(text: str, product: str, other_product: str) -> None:
        async with open_page(1280, 800) as page:
            await page.goto("/")
            await barrier.wait()
            await page.get_by_test_id("search-input").press_sequentially(text)
            await expect(page.get_by_test_id("search-result").first).to_contain_text(product)
            await barrier.wait()
            await expect(page.get_by_test_id("search-results")).not_to_contain_text(other_product)

    barrier = asyncio.Barrier(2)
    await asyncio.gather(
        search_and_check("xilofono", "Xilófono arcoíris", "Perezoso"),
        search_and_check("perezoso", "Perezoso de peluche", "Xilófono"),
    )


async def test_quickly_corrected_search_text_is_sent_without_its_typo(page_1280: Page) -> None:
    """Type a letter and remove it immediately: only the corrected text is sent to the server."""
    asked: asyncio.Queue[str] = asyncio.Queue()

    def note(frame: str | bytes) -> None:
        if "search_state.suggest" in str(frame):
            asked.put_nowait(str(frame))

    page_1280.on("websocket", lambda socket: socket.on("framesent", note))
    await visit(page_1280, "/")
    field = page_1280.get_by_test_id("search-input")
    await field.fill("pere")
    await expect(page_1280.get_by_test_id("search-result").first).to_contain_text("Perezoso")
    assert '"pere"' in await asked.get()
    await field.evaluate(TYPE_QUICKLY, ["perex", "pere"])
    async with asyncio.timeout(TIMEOUT_MS / 1000):
        assert '"pere"' in await asked.get()


async def test_escape_closes_the_suggestions_then_clears_the_text(page_1280: Page) -> None:
    await page_1280.goto("/")
    field = page_1280.get_by_role("combobox")
    await field.fill("oso")
    await expect(field).to_have_attribute("aria-expanded", "true")
    await field.press("Escape")
    await expect(field).to_have_attribute("aria-expanded", "false")
    await expect(field).to_have_value("oso")
    await field.press("Escape")
    await expect(field).to_have_value("")


async def test_touch_outside_closes_the_suggestions_even_if_the_field_keeps_the_focus(page_320: Page) -> None:
    await visit(page_320, "/product/trompo-de-madera")
    field = page_320.get_by_test_id("search-input")
    await field.fill("oso")
    await expect(page_320.get_by_test_id("search-result").first).to_be_visible()
    await page_320.locator("main").dispatch_event("pointerdown")
    await expect(page_320.get_by_test_id("search-results")).to_have_count(0)
    await expect(field).to_be_focused()
    await field.press_sequentially("s")
    await expect(page_320.get_by_test_id("search-result").first).to_be_visible()


async def test_number_of_suggestions_is_shown_to_screen_readers(page_1280: Page) -> None:
    await page_1280.goto("/")
    await page_1280.get_by_role("combobox").fill("volqueta")
    await expect(page_1280.locator(".search [role=status]")).to_have_text("1 sugerencia")


@PHONE_ONLY
async def test_search_without_results_shows_the_whole_catalogue(page: Page) -> None:
    await page.goto("/catalog")
    whole_shop = await page.get_by_test_id("result-count").inner_text()
    await page.goto("/")
    await page.get_by_test_id("search-input").fill("submarino nuclear")
    empty = page.get_by_test_id("search-empty")
    await expect(empty).to_contain_text("No encontramos resultados")
    await empty.get_by_role("link", name="Buscar en todo el catálogo").click()
    await expect(page).to_have_url(re.compile(r"/catalog\?q=submarino"))
    await expect(page.get_by_test_id("catalog-title")).to_have_text("No encontramos «submarino nuclear»")
    await expect(page.get_by_test_id("result-count")).to_have_text(whole_shop)
    await expect(page.get_by_test_id("search-input")).to_have_value("submarino nuclear")
    await page.goto("/catalog?q=tren+nuclear")
    await expect(page.get_by_test_id("product-card").first).to_contain_text("Tren de madera")


async def test_focusing_the_search_or_typing_one_letter_shows_ideas_without_a_request(
    page_1280: Page,
) -> None:
    sent: list[str] = []
    page_1280.on("websocket", lambda socket: socket.on("framesent", lambda data: sent.append(str(data))))
    await visit(page_1280, "/")
    await page_1280.get_by_test_id("search-input").focus()
    ideas = page_1280.get_by_test_id("popular-search")
    await expect(ideas.first).to_be_visible()
    await page_1280.keyboard.type("p")
    await expect(ideas.first).to_be_visible()
    await page_1280.keyboard.press("Escape")
    await expect(page_1280.get_by_test_id("search-results")).to_have_count(0)
    await page_1280.keyboard.type("e")
    await expect(page_1280.get_by_test_id("search-result").first).to_be_visible()
    queries = [message for message in sent if "search_state.suggest" in message]
    assert len(queries) == 1
    await page_1280.keyboard.press("Escape")
    await page_1280.keyboard.press("Escape")
    await page_1280.keyboard.press("ArrowDown")
    await ideas.first.click()
    await expect(page_1280).to_have_url(re.compile(r"/catalog\?category="))
    await expect(page_1280.get_by_test_id("product-card").first).to_be_visible()


@PHONE_ONLY
async def test_price_and_sorting_typed_as_search_words_become_removable_chips(page: Page) -> None:
    await page.goto("/")
    field = page.get_by_test_id("search-input")
    await field.fill("peluches baratos de menos de 70 mil")
    hits = page.get_by_test_id("search-result")
    await expect(hits.first).to_contain_text("Colibrí")
    await expect(hits.filter(has_text="Perezoso")).to_have_count(0)
    await field.press("Enter")
    cards = page.get_by_test_id("product-card")
    await expect(page).to_have_url(re.compile(r"q=peluches%20baratos"))
    address, dearer = page.url, cards.filter(has_text="Perezoso")
    await expect(cards.first).to_contain_text("Colibrí")
    await expect(dearer).to_have_count(0)
    await page.get_by_role("button", name="Quitar el filtro Hasta $ 70.000").click()
    await expect(dearer).to_have_count(1)
    await page.get_by_role("button", name="Quitar el filtro Menor precio").click()
    await expect(page.get_by_role("button", name="Quitar el filtro Menor precio")).to_have_count(0)
    await expect(cards.first).to_contain_text("Perezoso")
    assert page.url == address
    await page.reload()
    await expect(dearer).to_have_count(1)


@PHONE_ONLY
async def test_search_suggests_near_matches_and_answers_questions_with_a_help_page(page: Page) -> None:
    await page.goto("/")
    field = page.get_by_test_id("search-input")
    await field.fill("tren nuclear")
    await expect(page.get_by_test_id("search-empty")).to_contain_text("No encontramos resultados")
    await expect(page.get_by_test_id("search-result")).to_have_count(0)
    await expect(page.get_by_test_id("search-near").first).to_contain_text("Tren de madera")
    await field.fill("cocina")
    await expect(page.get_by_test_id("search-result").last).to_contain_text("Agotado")
    await field.fill("cuánto cuesta el envío")
    await expect(page.get_by_role("option").first).to_have_text("Envíos y entregas")
    await field.press("Enter")
    await page.locator("main").get_by_test_id("search-help").click()
    await expect(page).to_have_url(re.compile(r"/legal/envios$"))


async def test_category_and_recent_searches_are_suggested(page_1280: Page) -> None:
    await page_1280.goto("/")
    field = page_1280.get_by_test_id("search-input")
    await field.fill("peluche")
    category_link = page_1280.get_by_test_id("search-place")
    await expect(category_link.first).to_contain_text("Peluches")
    await field.press("ArrowDown")
    await field.press("Enter")
    await expect(page_1280.get_by_test_id("catalog-title")).to_have_text("Peluches")
    await field.fill("tambor")
    await field.press("Enter")
    await expect(page_1280).to_have_url(re.compile("q=tambor$"))
    await page_1280.goto("/")
    await field.click()
    recent = page_1280.get_by_test_id("recent-search")
    await expect(recent).to_have_text(["tambor", "peluche"])
    await field.press("ArrowDown")
    await expect(recent.first).to_have_attribute("aria-selected", "true")
    await page_1280.get_by_role("button", name="Borrar las últimas búsquedas").click()
    await expect(recent).to_have_count(0)
    await expect(page_1280.get_by_test_id("popular-search").first).to_be_visible()
    assert await page_1280.evaluate("localStorage.getItem('trompo_searches')") == "[]"


@PHONE_ONLY
async def test_long_search_text_is_cut_with_a_message(page: Page) -> None:
    await page.goto("/")
    await page.get_by_test_id("search-input").fill("tambor " * 42)
    panel = page.get_by_test_id("search-results")
    await expect(panel).to_contain_text("hasta 80 letras")
    await expect(page.get_by_test_id("search-result").first).to_contain_text("Tambor alegre")
    await page.goto(f"/catalog?q={'tambor+' * 42}")
    await expect(page.get_by_test_id("product-card").first).to_contain_text("Tambor alegre")
    await expect(page.locator(".page-lead")).to_contain_text("hasta 80 letras")


@PHONE_ONLY
async def test_long_word_stays_inside_the_search_panel(page: Page) -> None:
    await page.goto("/")
    await page.get_by_test_id("search-input").fill("z" * 50)
    await expect(page.get_by_test_id("search-empty")).to_be_visible()
    panel = page.locator(".search__panel")
    assert await panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth")


async def test_enter_in_the_search_field_shows_all_results(page_1280: Page) -> None:
    await page_1280.goto("/")
    field = page_1280.get_by_test_id("search-input")
    await field.fill("madera")
    await field.press("Enter")
    await expect(page_1280).to_have_url(re.compile(r"/catalog\?q=madera$"))
    await expect(page_1280.get_by_test_id("catalog-title")).to_have_text("Resultados para «madera»")


@PHONE_ONLY
async def test_catalogue_page_opens_with_a_very_long_query(page: Page, watch: PageWatch) -> None:
    watch.expect("404")  # there is no such category
    for query in ("q=" + "juguete%20" * 40, "category=" + "x" * 300, "page=" + "9" * 300):
        await visit(page, f"/catalog?{query}")
        await expect(page.get_by_test_id("catalog-title")).to_be_visible()
        await expect(page.locator("[aria-busy=true]")).to_have_count(0)
