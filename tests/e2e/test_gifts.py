"""A gift, from the cart to the order: its wrapping, and its message."""

from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY
from tests.e2e.shopper import (
    decide_at_bank,
    expect_no_overflow,
    expect_status,
    field,
    fill_in_checkout,
    go_to_bank,
    open_checkout,
    put_in_cart,
)

LONG_MESSAGE = "Feliz cumpleaños, Ana 🎈\n" * 20
MESSAGE = "Feliz cumpleaños, <b>Ana</b> 🎈\nTus abuelos"


@PHONE_ONLY
async def test_gift_message_is_kept_until_it_is_short_enough(page: Page) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await page.goto("/cart")
    await page.get_by_test_id("add-wrapping").click()
    lines = page.get_by_test_id("cart-line").locator("visible=true")
    await expect(lines).to_have_count(2)
    await expect(lines.nth(1)).to_contain_text("Envoltura de regalo")
    await expect(lines.nth(1).get_by_role("link")).to_have_count(0)
    await expect(page.get_by_test_id("add-wrapping")).to_have_count(0)
    await expect(page.get_by_test_id("cart-subtotal")).to_have_text("$ 22.800")
    await expect_no_overflow(page)

    await open_checkout(page)
    await fill_in_checkout(page, gift_message=LONG_MESSAGE)
    await page.get_by_test_id("place-order").click()
    message = field(page, "gift_message")
    await expect(message).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("Usa máximo 300 caracteres.")).to_be_visible()
    await page.reload()
    await expect(message).to_have_value(LONG_MESSAGE)
    await expect_no_overflow(page)

    await message.fill(MESSAGE)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")
    await go_to_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    await expect(page.get_by_test_id("gift-message")).to_have_text(MESSAGE)
    await expect(page.get_by_test_id("order-line").filter(has_text="Envoltura")).to_contain_text("$ 5.900")
    await expect_no_overflow(page)
