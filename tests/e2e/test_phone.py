"""A phone leaves room for the page, and its buttons stay within reach."""

from playwright.async_api import Locator, Page, expect

from tests.e2e.conftest import PHONE_ONLY
from tests.e2e.scenes import visit
from tests.e2e.shopper import put_in_cart

# Pictures may lie below a notice: whether they do depends on whether scrolling has hidden the header.
COVERED_BUTTONS = """(notice) => {
    const box = notice.getBoundingClientRect();
    const isBelow = (one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return left < box.right && right > box.left && top < box.bottom && bottom > box.top;
    };
    return [...document.querySelectorAll("main :is(button, .button):not(.gallery *)")]
        .filter((one) => !notice.contains(one) && one.checkVisibility({ visibilityProperty: true }) && isBelow(one))
        .map((one) => one.outerHTML.slice(0, 120));
}"""


async def read_bottoms(prices: Locator) -> list[float]:
    """Return the position of the lower edge of each price, in pixels from the top of the document."""
    bottoms: list[float] = await prices.evaluate_all(
        "(all) => all.map((one) => Math.round(one.getBoundingClientRect().bottom + scrollY))"
    )
    return bottoms


@PHONE_ONLY
async def test_header_hides_while_scrolling_down_and_reappears_while_scrolling_up(page: Page) -> None:
    await visit(page, "/catalog")
    header = page.locator(".header")
    await expect(header).to_be_in_viewport()
    await page.mouse.wheel(0, 900)
    await expect(header).not_to_be_in_viewport()
    await page.mouse.wheel(0, -300)
    await expect(header).to_be_in_viewport(ratio=0.9)
    bottoms = await read_bottoms(page.locator(".results .price"))
    assert bottoms[::2] == bottoms[1::2]  # each row has two cards, with and without a rating
    footer = page.locator(".footer__column").filter(has_text="Todos los juguetes")
    link = footer.get_by_role("link", name="Encuentra un regalo")
    await expect(link).to_be_hidden()
    await footer.locator("summary").click()
    await expect(link).to_be_visible()


@PHONE_ONLY
async def test_product_is_added_from_its_card_and_paid_from_the_bar(page: Page) -> None:
    await page.emulate_media(reduced_motion="reduce")  # a notice does not slide into its place
    await visit(page, "/catalog")
    card = page.get_by_test_id("product-card").filter(has_text="Chiva de madera")
    await card.get_by_test_id("quick-add").click()
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    assert page.url.endswith("/catalog")
    with_choice = page.get_by_test_id("product-card").filter(has_text="Desde $")
    await expect(with_choice.get_by_test_id("quick-add")).to_have_count(0)
    await put_in_cart(page, "yoyo-de-madera")
    assert await page.get_by_test_id("added-notice").evaluate(COVERED_BUTTONS) == []
    await visit(page, "/cart")
    bar = page.get_by_test_id("pay-bar")
    await expect(bar).to_be_in_viewport(ratio=1)
    await expect(bar).to_contain_text("$ 155.800")
    pay = page.get_by_test_id("go-to-checkout").locator("visible=true")
    await expect(pay).to_have_count(1)
    await pay.click()
    await expect(page.locator('[name="email"]')).to_be_visible()
