"""A gift, from the cart to the order: its wrapping, its message, and its recipient, who does not pay."""

from playwright.async_api import Page, expect

from tests.e2e.account_steps import add_address, register
from tests.e2e.conftest import PHONE_ONLY, ShopServer
from tests.e2e.shopper import (
    decide_at_bank,
    expect_no_overflow,
    expect_status,
    field,
    fill_in_checkout,
    go_to_bank,
    open_checkout,
    put_in_cart,
    read_bank_request,
)

LONG_MESSAGE = "Feliz cumpleaños, Ana 🎈\n" * 20
MESSAGE = "Feliz cumpleaños, <b>Ana</b> 🎈\nTus abuelos"


@PHONE_ONLY
async def test_too_long_gift_message_stays_in_its_field_until_it_is_shortened(page: Page) -> None:
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
    await expect(page.get_by_test_id("gift-recipient")).to_be_checked()  # because of the wrapping
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


RECIPIENT = {
    "recipient_first_name": "Rosa",
    "recipient_last_name": "Quiñónez (tía)",
    "recipient_phone": "0057 312 000 1122",
}


async def expect_recipient(page: Page, **names: str) -> None:
    """Check that the gift is ticked, and its fields have these values."""
    await expect(page.get_by_test_id("gift-recipient")).to_be_checked()
    for name, text in names.items():
        await expect(field(page, name)).to_have_value(text)


async def test_gift_order_shows_its_payer_apart_from_the_recipient(page: Page, server: ShopServer) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    tick, name = page.get_by_test_id("gift-recipient"), field(page, "recipient_first_name")
    await expect(tick).not_to_be_checked()
    await expect(name).to_have_count(0)
    await tick.check()
    await expect(name).to_be_visible()
    await expect_no_overflow(page)
    await fill_in_checkout(page)
    await page.get_by_test_id("place-order").click()
    await expect(name).to_have_attribute("aria-invalid", "true")
    await expect(name).to_be_focused()
    for field_name, text in {**RECIPIENT, "gift_message": MESSAGE}.items():
        await field(page, field_name).fill(text)
    await tick.uncheck()  # what was typed comes back
    await expect(name).to_have_count(0)
    await tick.check()
    await page.reload()
    await expect_recipient(page, **RECIPIENT, gift_message=MESSAGE)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")
    await go_to_bank(page)
    sent = read_bank_request(server)
    assert (sent["nombres"], sent["apellidos"], sent["celular"]) == ("Ana María", "Gómez Peña", "3001234567")
    assert sent["documento"] == "1020304050"
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    await expect(page.get_by_test_id("order-recipient")).to_have_text("Rosa Quiñónez (tía)")
    await expect(page.get_by_test_id("order-payer")).to_have_text("Ana María Gómez Peña")
    await expect(page.get_by_test_id("order-payer-email")).to_have_text("ana@example.com")
    await expect(page.locator(".order__address")).not_to_contain_text("@")
    await expect(page.get_by_test_id("gift-message")).to_have_text(MESSAGE)
    await expect_no_overflow(page)


async def test_company_buys_with_its_name_and_nit(page: Page, server: ShopServer) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await fill_in_checkout(page)
    await page.get_by_test_id("company-buys").check()
    await expect(field(page, "doc_type")).to_have_count(0)
    await field(page, "company_name").fill("Jardín Los Trompos S.A.S.")
    await field(page, "doc_number").fill("NIT 890.903.938—7")
    await page.get_by_test_id("place-order").click()
    await expect(page.get_by_text("Revisa el NIT: su dígito de verificación no corresponde.")).to_be_visible()
    await expect_no_overflow(page)
    await field(page, "doc_number").fill("NIT 890.903.938—8")
    await go_to_bank(page)
    sent = read_bank_request(server)
    assert (sent["tipo_persona"], sent["tipo_doc"], sent["documento"]) == ("1", "NIT", "890903938")
    assert sent["nombres"] == "Jardín Los Trompos S.A.S."
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    await expect(page.get_by_test_id("order-recipient")).to_have_text("Ana María Gómez Peña")
    await expect(page.get_by_test_id("order-payer")).to_have_text("Jardín Los Trompos S.A.S.")


@PHONE_ONLY
async def test_choosing_a_saved_address_of_another_person_fills_in_the_gift_recipient(page: Page) -> None:
    await register(page, f"tias{page.viewport_size['width']}@example.com")  # type: ignore[index]
    await add_address(page, "Calle 10 # 5-20", "Leticia, Amazonas")
    await add_address(page, "Carrera 7 # 71-21", "Medellín, Antioquia")
    entry = page.get_by_test_id("account-address").filter(has_text="Carrera 7")
    await entry.get_by_text("Editar").click()
    await entry.locator('[name="first_name"]').fill("Rosa")
    await entry.locator('[name="phone"]').fill("3120001122")
    await entry.get_by_role("button", name="Guardar dirección").click()
    await expect(entry).to_contain_text("Rosa")
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await expect(page.get_by_test_id("gift-recipient")).not_to_be_checked()
    addresses = page.get_by_test_id("saved-address")
    await addresses.filter(has_text="Carrera 7").click()
    await expect_recipient(
        page, recipient_first_name="Rosa", recipient_phone="3120001122", first_name="Ana María"
    )
    await addresses.filter(has_text="Calle 10").click()
    await expect(page.get_by_test_id("gift-recipient")).not_to_be_checked()
    await expect(field(page, "first_name")).to_have_value("Ana María")


@PHONE_ONLY
async def test_checkout_fields_show_their_limits_and_suggest_a_corrected_email_domain(page: Page) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    counter = page.get_by_test_id("count-address")
    await expect(counter).to_have_text("0/50")
    await field(page, "address").fill("Carrera 43A # 1-50")
    await expect(counter).to_have_text("18/50")
    await field(page, "address").fill("x" * 51)
    await expect(counter).to_have_attribute("data-over", "true")
    await expect(page.get_by_test_id("count-reference")).to_have_text("0/25")
    await field(page, "email").fill("ana@gmial.com")
    await field(page, "email").blur()
    await page.get_by_test_id("email-suggestion").click()
    await expect(field(page, "email")).to_have_value("ana@gmail.com")
    await expect(page.get_by_test_id("email-suggestion")).to_have_count(0)
    await expect_no_overflow(page)
