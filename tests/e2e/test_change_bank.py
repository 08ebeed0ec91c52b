"""Change of the bank: the payment is cancelled, the cart returns, and another bank takes the money."""

import re

from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY, ShopServer
from tests.e2e.held import HeldMessages
from tests.e2e.shopper import (
    ANA,
    MEDELLIN,
    TIMEOUT_MS,
    accept_terms,
    decide_at_bank,
    expect_no_overflow,
    expect_status,
    field,
    go_to_bank,
    list_attention_kinds,
    prepare_payment,
    read_stock,
)

OTHER_BANK = "1007"


async def return_from_bank(page: Page) -> str:
    """Go back from the bank to the page of the order, which is pending. Return the bank's address."""
    bank = page.url
    await page.go_back()
    await page.get_by_test_id("see-order").click(timeout=TIMEOUT_MS)
    await expect_status(page, "pending")
    return bank


async def change_bank(page: Page) -> None:
    """Cancel the payment: the first click shows the question, the second confirms it."""
    await page.get_by_test_id("change-bank").click(timeout=TIMEOUT_MS)
    question = page.get_by_test_id("change-bank-question")
    await expect(question).to_be_focused()
    await expect(question).to_contain_text("Si ya aprobaste el pago en tu banco, no canceles")
    await expect_no_overflow(page)
    await question.get_by_test_id("change-bank").click()


async def expect_filled_form(page: Page) -> None:
    """Check that the checkout has the earlier input and no bank is chosen."""
    for name, text in ANA.items():
        await expect(field(page, name)).to_have_value(text)
    await expect(field(page, "town")).to_have_value(MEDELLIN[1])
    await expect(page.get_by_test_id("bank-select")).to_have_value("")
    await expect(page.get_by_test_id("checkout-line")).to_have_count(1)


async def pay_at_another_bank(page: Page) -> None:
    """Choose another bank and go there."""
    await page.get_by_test_id("bank-select").select_option(OTHER_BANK)
    await accept_terms(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")
    await go_to_bank(page)


@PHONE_ONLY
async def test_payment_can_be_moved_to_another_bank(page: Page, server: ShopServer) -> None:
    product = "rompecabezas-paramo"
    stock = read_stock(server, product)
    await prepare_payment(page, product)
    await go_to_bank(page)
    await return_from_bank(page)
    await change_bank(page)
    await expect(page).to_have_url(f"{server.url}/checkout")
    await expect_filled_form(page)
    assert read_stock(server, product) == stock
    await pay_at_another_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    assert read_stock(server, product) == stock - 1


async def test_second_approval_of_a_purchase_raises_attention(page_1280: Page, server: ShopServer) -> None:
    page, before = page_1280, list_attention_kinds(server).count("paid_twice")
    await prepare_payment(page, "coca-balero")
    await go_to_bank(page)
    first_bank = await return_from_bank(page)
    first_order = page.url
    await change_bank(page)
    await expect_filled_form(page)
    await pay_at_another_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    await page.goto(first_bank)
    await decide_at_bank(page, "approve")
    await expect(page).to_have_url(re.compile(re.escape(first_order)))
    await expect_status(page, "review")
    assert list_attention_kinds(server).count("paid_twice") == before + 1


async def test_dialog_about_a_change_of_bank_works_by_keyboard(page_320: Page) -> None:
    page, keys = page_320, page_320.keyboard
    await prepare_payment(page, "yoyo-de-madera")
    await go_to_bank(page)
    await return_from_bank(page)
    button = page.get_by_test_id("change-bank")
    await button.focus()
    await keys.press("Enter")
    question = page.get_by_test_id("change-bank-question")
    await expect(question).to_be_focused()
    await keys.press("Escape")
    await expect(question).to_have_count(0)
    await expect(button).to_be_focused()
    await keys.press("Enter")
    await keys.press("Tab")
    await expect(question.get_by_test_id("change-bank")).to_be_focused()
    for pressed in (question.get_by_test_id("change-bank"), question.get_by_test_id("keep-waiting")):
        box = await pressed.bounding_box()
        assert box is not None
        assert box["height"] >= 44
    await keys.press("Enter")
    await expect_filled_form(page)


@PHONE_ONLY
async def test_shopper_can_choose_another_bank_after_going_back_from_the_bank(page: Page) -> None:
    await prepare_payment(page, "parques-de-madera")
    await go_to_bank(page)
    await page.go_back()
    await expect(page.get_by_test_id("order-waiting")).to_be_visible()
    await change_bank(page)
    await expect_filled_form(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")


async def test_payment_cancelled_or_retried_in_three_tabs_restores_one_cart(
    page_1280: Page, server: ShopServer
) -> None:
    """Cancel in one tab, try again in the second, and cancel in a third, which still shows the payment."""
    page = page_1280
    await prepare_payment(page, "domino-de-madera")
    await go_to_bank(page)
    await return_from_bank(page)
    order, refreshes = page.url, HeldMessages("order_state.refresh", is_from_page=True)
    isolated, informed = [await page.context.new_page() for _ in range(2)]
    await refreshes.intercept(isolated)
    for tab in (isolated, informed):
        await tab.goto(order)
        await expect_status(tab, "pending")
    refreshes.is_holding = True
    await change_bank(page)
    await expect_filled_form(page)
    await informed.bring_to_front()
    await expect_status(informed, "closed")
    await informed.get_by_test_id("try-again").click()
    await isolated.bring_to_front()
    await change_bank(isolated)
    for tab in (informed, isolated):
        await expect(tab).to_have_url(f"{server.url}/checkout")
        await expect(tab.get_by_test_id("checkout-line")).to_have_count(1)
        await expect(tab.locator(".buy__units")).to_have_text(["1"])
