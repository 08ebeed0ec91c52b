"""The search and its suggestions, by mouse and keyboard, and the plain form below (spec: Storefront view rules 2)."""

import asyncio
import re

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import ON_A_PHONE, OpenPage, Watch
from tests.e2e.scenes import visit


async def test_suggestions_begin_with_the_second_letter(page: Page) -> None:
    await page.goto("/")
    field = page.get_by_test_id("search-input")
    await field.press_sequentially("p")
    await expect(page.get_by_test_id("search-results")).to_have_count(0)
    await field.press_sequentially("e")
    hits = page.get_by_test_id("search-result")
    await expect(hits.first).to_be_visible()
    await expect(hits.filter(has_text="Perezoso de peluche")).to_contain_text("$ 74.900")
    await expect(hits.first.locator("img")).to_have_attribute("src", re.compile(r"^/demo/.+\.webp$"))
    await field.press("Backspace")
    await expect(page.get_by_test_id("search-results")).to_have_count(0)


@pytest.mark.parametrize("typed", ["xilofono", "XILÓFONO", "xilofno"])
async def test_accents_case_and_a_slip_do_not_matter(page_1280: Page, typed: str) -> None:
    await page_1280.goto("/")
    await page_1280.get_by_test_id("search-input").fill(typed)
    await expect(page_1280.get_by_test_id("search-result").first).to_contain_text("Xilófono arcoíris")


async def test_the_keyboard_goes_through_the_suggestions(page_1280: Page) -> None:
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
    await field.press("ArrowUp")  # round to the last: all results
    await expect(options.last).to_have_attribute("aria-selected", "true")
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    address = await options.first.get_attribute("href")
    await field.press("Enter")
    await expect(page_1280).to_have_url(re.compile(f"{re.escape(address or '')}$"))
    await expect(page_1280.get_by_test_id("search-results")).to_have_count(0)


async def test_two_shoppers_who_search_at_once_see_their_own(open_page: OpenPage) -> None:
    async def searched(text: str, toy: str, not_theirs: str) -> None:
        async with open_page(1280, 800) as page:
            await page.goto("/")
            await together.wait()
            await page.get_by_test_id("search-input").press_sequentially(text)
            await expect(page.get_by_test_id("search-result").first).to_contain_text(toy)
            await together.wait()
            await expect(page.get_by_test_id("search-results")).not_to_contain_text(not_theirs)

    together = asyncio.Barrier(2)
    await asyncio.gather(
        searched("xilofono", "Xilófono arcoíris", "Perezoso"),
        searched("perezoso", "Perezoso de peluche", "Xilófono"),
    )


async def test_escape_closes_then_clears(page_1280: Page) -> None:
    await page_1280.goto("/")
    field = page_1280.get_by_role("combobox")
    await field.fill("oso")
    await expect(field).to_have_attribute("aria-expanded", "true")
    await field.press("Escape")
    await expect(field).to_have_attribute("aria-expanded", "false")
    await expect(field).to_have_value("oso")
    await field.press("Escape")
    await expect(field).to_have_value("")


async def test_the_number_of_suggestions_is_announced(page_1280: Page) -> None:
    await page_1280.goto("/")
    await page_1280.get_by_role("combobox").fill("volqueta")
    await expect(page_1280.locator(".search [role=status]")).to_have_text("1 sugerencia")


@ON_A_PHONE
async def test_nothing_found_leads_to_the_whole_catalogue(page: Page) -> None:
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


async def test_a_category_and_the_last_searches_are_suggested(page_1280: Page) -> None:
    await page_1280.goto("/")
    field = page_1280.get_by_test_id("search-input")
    await field.fill("peluche")
    place = page_1280.get_by_test_id("search-place")
    await expect(place.first).to_contain_text("Peluches")
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
    await expect(page_1280.get_by_test_id("search-results")).to_have_count(0)
    await field.click()
    assert await page_1280.evaluate("localStorage.getItem('trompo_searches')") == "[]"


@ON_A_PHONE
async def test_a_long_text_is_cut_with_a_word_about_it(page: Page) -> None:
    await page.goto("/")
    await page.get_by_test_id("search-input").fill("tambor " * 42)
    panel = page.get_by_test_id("search-results")
    await expect(panel).to_contain_text("hasta 80 letras")
    await expect(page.get_by_test_id("search-result").first).to_contain_text("Tambor alegre")
    await page.goto(f"/catalog?q={'tambor+' * 42}")
    await expect(page.get_by_test_id("product-card").first).to_contain_text("Tambor alegre")
    await expect(page.locator(".page-lead")).to_contain_text("hasta 80 letras")


@ON_A_PHONE
async def test_a_word_without_an_end_stays_in_the_panel(page: Page) -> None:
    await page.goto("/")
    await page.get_by_test_id("search-input").fill("z" * 50)
    await expect(page.get_by_test_id("search-empty")).to_be_visible()
    panel = page.locator(".search__panel")
    assert await panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth")


async def test_enter_asks_for_every_result(page_1280: Page) -> None:
    await page_1280.goto("/")
    field = page_1280.get_by_test_id("search-input")
    await field.fill("madera")
    await field.press("Enter")
    await expect(page_1280).to_have_url(re.compile(r"/catalog\?q=madera$"))
    await expect(page_1280.get_by_test_id("catalog-title")).to_have_text("Resultados para «madera»")


@ON_A_PHONE
@pytest.mark.parametrize("asked", ["q=" + "juguete%20" * 40, "category=" + "x" * 300, "page=" + "9" * 300])
async def test_the_list_of_an_absurdly_long_address_is_there(page: Page, watch: Watch, asked: str) -> None:
    watch.expect("404")  # there is no such category
    await visit(page, f"/catalog?{asked}")
    await expect(page.get_by_test_id("catalog-title")).to_be_visible()
    await expect(page.locator("[aria-busy=true]")).to_have_count(0)
