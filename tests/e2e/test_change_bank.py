"""Back from the wrong bank: the payment is let go of, the cart comes back, and another bank takes the money."""

import re

from playwright.async_api import Page, expect

from tests.e2e.conftest import ON_A_PHONE, ShopServer
from tests.e2e.held import Held
from tests.e2e.shopper import (
    ANA,
    MEDELLIN,
    PATIENCE,
    agree,
    attention_of,
    be_ready_to_pay,
    decide,
    expect_no_overflow,
    expect_status,
    field,
    go_to_bank,
    stock_of,
)

OTHER_BANK = "1007"


async def leave_the_bank(page: Page) -> str:
    """Open the order's page while its payment waits at the bank. Gives the bank's address."""
    bank = page.url
    await page.go_back()
    await page.get_by_test_id("see-order").click(timeout=PATIENCE)
    await expect_status(page, "pending")
    return bank


async def change_bank(page: Page) -> None:
    """Let go of the payment: the first press asks, the second one does it."""
    await page.get_by_test_id("change-bank").click(timeout=PATIENCE)
    question = page.get_by_test_id("change-bank-question")
    await expect(question).to_be_focused()
    await expect(question).to_contain_text("Si ya aprobaste el pago en tu banco, no canceles")
    await expect_no_overflow(page)
    await question.get_by_test_id("change-bank").click()


async def expect_the_form(page: Page) -> None:
    """Everything that was typed is there, and a bank is to be chosen."""
    for name, text in ANA.items():
        await expect(field(page, name)).to_have_value(text, timeout=PATIENCE)
    await expect(field(page, "town")).to_have_value(MEDELLIN[1])
    await expect(page.get_by_test_id("bank-select")).to_have_value("")
    await expect(page.get_by_test_id("checkout-line")).to_have_count(1)


async def pay_at_another_bank(page: Page) -> None:
    """Choose it and go there."""
    await page.get_by_test_id("bank-select").select_option(OTHER_BANK)
    await agree(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $", timeout=PATIENCE)
    await go_to_bank(page)


@ON_A_PHONE
async def test_another_bank_takes_the_money(page: Page, server: ShopServer) -> None:
    toy = "rompecabezas-paramo"
    stock = stock_of(server, toy)
    await be_ready_to_pay(page, toy)
    await go_to_bank(page)
    await leave_the_bank(page)
    await change_bank(page)
    await expect(page).to_have_url(f"{server.url}/checkout", timeout=PATIENCE)
    await expect_the_form(page)
    assert stock_of(server, toy) == stock
    await pay_at_another_bank(page)
    await decide(page, "approve")
    await expect_status(page, "paid")
    assert stock_of(server, toy) == stock - 1


async def test_a_first_payment_that_is_approved_afterwards_waits_for_a_person(
    page_1280: Page, server: ShopServer
) -> None:
    page, before = page_1280, attention_of(server).count("paid_twice")
    await be_ready_to_pay(page, "coca-balero")
    await go_to_bank(page)
    first_bank = await leave_the_bank(page)
    first_order = page.url
    await change_bank(page)
    await expect_the_form(page)
    await pay_at_another_bank(page)
    await decide(page, "approve")
    await expect_status(page, "paid")
    await page.goto(first_bank)
    await decide(page, "approve")
    await expect(page).to_have_url(re.compile(re.escape(first_order)))
    await expect_status(page, "review")
    assert attention_of(server).count("paid_twice") == before + 1


async def test_the_question_is_answered_by_keyboard_and_can_be_left(page_320: Page) -> None:
    page, keys = page_320, page_320.keyboard
    await be_ready_to_pay(page, "yoyo-de-madera")
    await go_to_bank(page)
    await leave_the_bank(page)
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
    await expect_the_form(page)


@ON_A_PHONE
async def test_back_from_the_bank_leads_to_the_form_with_another_bank_to_choose(page: Page) -> None:
    await be_ready_to_pay(page, "parques-de-madera")
    await go_to_bank(page)
    await page.go_back()
    await expect(page.get_by_test_id("order-waiting")).to_be_visible(timeout=PATIENCE)
    await change_bank(page)
    await expect_the_form(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $", timeout=PATIENCE)


async def test_letting_go_in_three_tabs_brings_one_cart(page_1280: Page, server: ShopServer) -> None:
    """One tab lets go, one has not heard of it and lets go as well, one has heard and takes the cart back."""
    page = page_1280
    await be_ready_to_pay(page, "domino-de-madera")
    await go_to_bank(page)
    await leave_the_bank(page)
    order, questions = page.url, Held("order_state.refresh", is_from_page=True)
    unaware, aware = [await page.context.new_page() for _ in range(2)]
    await questions.stand_before(unaware)
    for tab in (unaware, aware):
        await tab.goto(order)
        await expect_status(tab, "pending")
    questions.is_holding = True
    await change_bank(page)
    await expect_the_form(page)
    await aware.bring_to_front()
    await expect_status(aware, "closed")
    await aware.get_by_test_id("try-again").click()
    await unaware.bring_to_front()
    await change_bank(unaware)
    for tab in (aware, unaware):
        await expect(tab).to_have_url(f"{server.url}/checkout", timeout=PATIENCE)
        await expect(tab.get_by_test_id("checkout-line")).to_have_count(1, timeout=PATIENCE)
        await expect(tab.locator(".buy__units")).to_have_text(["1"])
