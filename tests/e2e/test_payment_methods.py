"""A purchase in a shop with a second way to pay, on a narrow phone: the shopper chooses it and sees how to pay."""

from collections.abc import Callable

from playwright.async_api import Browser, expect

from tests.e2e.conftest import PageWatch, ShopServer, build_page_opener
from tests.e2e.shopper import (
    BANK,
    expect_no_overflow,
    expect_status,
    field,
    fill_in_checkout,
    open_checkout,
    put_in_cart,
    set_payment_providers,
)
from tests.transfer_provider import FROM_BANK, NO_BANK


async def test_shopper_chooses_a_transfer_and_sees_how_to_pay(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(
        PAYMENT_PROVIDERS="pp_system_default,gateway_pse,transfer=tests.transfer_provider:Transfer"
    )
    set_payment_providers(shop, "gateway_pse", "transfer")
    async with build_page_opener(shop, browser, watch)(320, 640) as page:
        await put_in_cart(page, "yoyo-de-madera")
        await open_checkout(page)
        cards = page.get_by_test_id("payment-method")
        await expect(cards).to_have_count(2)
        await expect(cards.first.get_by_role("radio")).to_be_checked()
        await fill_in_checkout(page)
        await cards.nth(1).click()
        await expect(page.get_by_test_id("bank-select")).to_have_count(0)
        button = page.get_by_test_id("place-order")
        await expect(button).to_contain_text("Confirmar pedido por $")
        await button.click()
        await expect(page.get_by_test_id("checkout-alert")).to_contain_text("Tu banco")
        await expect(page.get_by_text(NO_BANK)).to_be_visible()
        await expect_no_overflow(page)
        await page.reload()
        await expect(cards.nth(1).get_by_role("radio")).to_be_checked()
        await cards.first.click()
        await expect(page.get_by_test_id("bank-select")).to_have_value(BANK)  # the typed values stay
        await cards.nth(1).click()
        await field(page, FROM_BANK).select_option("nu")
        await expect(button).to_contain_text("Confirmar pedido por $")
        await button.click()
        await expect_status(page, "authorized")
        await expect(page.get_by_test_id("payment-instructions")).to_contain_text("Referencia")
        await expect(page.get_by_test_id("payment-method")).to_have_text("Transferencia")
        await page.get_by_role("button", name="Pagar de otra forma").click()
        question = page.get_by_test_id("change-bank-question")
        await expect(question).to_contain_text("Si ya enviaste el dinero")
        await expect_no_overflow(page)
        await question.get_by_test_id("change-bank").click()
        await expect(page).to_have_url(f"{shop.url}/checkout")
        await expect(cards.first.get_by_role("radio")).to_be_checked()
        await expect(page.get_by_test_id("checkout-line")).to_have_count(1)
