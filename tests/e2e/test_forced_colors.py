"""Chosen values are visible with forced colours, in which backgrounds and shadows disappear.

Each test compares the chosen element with one that is not chosen: its lines and colours, and those of its marks.
"""

from playwright.async_api import Locator, Page, expect

from tests.e2e.scenes import open_filled_checkout, visit

LOOK = """(one) => [null, "::before", "::after"].map((part) => {
    const style = getComputedStyle(one, part);
    const line = ["border", "outline"].flatMap((kind) =>
        style[`${kind}Style`] === "none" ? [] : [style[`${kind}Width`], style[`${kind}Color`]]);
    return [...line, style.backgroundColor, style.color].join(" ");
}).join(" | ")"""
"""The lines and colours of an element and of its marks."""


async def expect_visible_choice(chosen: Locator, other: Locator) -> None:
    """Check that the chosen element looks different from the other one."""
    await expect(chosen).to_be_visible()
    await expect(other).to_be_visible()
    await expect(chosen).not_to_have_css("border-top-style", "none")
    assert await chosen.evaluate(LOOK) != await other.evaluate(LOOK)


async def test_choices_of_a_product_are_visible_with_forced_colors(page_1280: Page) -> None:
    page = page_1280
    await page.emulate_media(forced_colors="active", reduced_motion="reduce")
    await visit(page, "/product/peluche-chiguiro")
    choices = page.get_by_test_id("variant-option")
    await expect_visible_choice(
        choices.filter(has=page.locator("input:checked")).first,
        choices.filter(has=page.locator("input:not(:checked)")).first,
    )
    await visit(page, "/product/chiva-de-madera")
    thumbs = page.locator(".gallery__thumb")
    await expect_visible_choice(thumbs.nth(0), thumbs.nth(1))


async def test_answers_filters_and_slides_are_visible_with_forced_colors(page_1280: Page) -> None:
    page = page_1280
    await page.emulate_media(forced_colors="active", reduced_motion="reduce")
    await visit(page, "/gift?age=3-5")
    await expect_visible_choice(
        page.locator(".pill[aria-current]").first, page.locator(".pill:not([aria-current])").first
    )
    await visit(page, "/catalog")
    ticks = page.get_by_test_id("filter-brand").locator("input")
    await ticks.first.check()
    assert await ticks.first.evaluate(LOOK) != await ticks.nth(1).evaluate(LOOK)
    await visit(page, "/")
    dots = page.locator(".banner__dot")
    assert await dots.and_(page.locator("[aria-current]")).evaluate(LOOK) != await dots.and_(
        page.locator(":not([aria-current])")
    ).first.evaluate(LOOK)


async def test_choices_of_the_checkout_are_visible_with_forced_colors(page_1280: Page) -> None:
    page = page_1280
    await page.emulate_media(forced_colors="active", reduced_motion="reduce")
    await open_filled_checkout(page)
    options = page.get_by_test_id("shipping-option")
    await expect_visible_choice(
        options.filter(has=page.locator("input:checked")).first,
        options.filter(has=page.locator("input:not(:checked)")).first,
    )
