"""Accounts in a browser, on the smallest phone and on a desktop: from registering to a new password."""

import re

from playwright.async_api import Page, expect

from tests.e2e.account_steps import (
    NEW_PASSWORD,
    PASSWORD,
    expect_home,
    log_in,
    log_out,
    mail_to,
    register,
)
from tests.e2e.conftest import OpenPage, ShopServer, Watch
from tests.e2e.shopper import (
    BANK,
    PATIENCE,
    decide,
    expect_no_overflow,
    expect_status,
    field,
    fill_in,
    go_to_bank,
    open_checkout,
    put_in_cart,
)


async def test_register_buy_and_see_the_order(page: Page, server: ShopServer) -> None:
    address = f"compra{page.viewport_size['width']}@example.com"  # type: ignore[index]
    await put_in_cart(page, "yoyo-de-madera")
    await register(page, address)
    await expect_no_overflow(page)
    assert await page.evaluate("document.cookie.includes('trompo_session')") is False
    await open_checkout(page)  # the guest's cart is still there
    await expect(field(page, "email")).to_have_value(address)
    await expect(field(page, "first_name")).to_have_value("Ana María")
    await fill_in(page, email=address)
    await go_to_bank(page)
    await decide(page, "approve")
    await expect_status(page, "paid")
    number = (await page.get_by_test_id("order-number").inner_text()).split()[-1]
    await page.goto("/account")
    order = page.get_by_test_id("account-order")
    await expect(order).to_have_count(1, timeout=PATIENCE)
    await expect(order).to_contain_text(number)
    await expect(order).to_contain_text("Pagado")
    await expect(page.get_by_test_id("account-address")).to_contain_text("Carrera 43A # 1-50")
    await expect_no_overflow(page)
    await order.get_by_role("link").first.click()
    await expect_status(page, "paid")
    assert "/order/" in await mail_to(page, server, address, "Recibimos tu pedido")
    assert "confirmó el pago" in await mail_to(page, server, address, "quedó confirmado")
    await put_in_cart(page, "yoyo-de-madera")  # the second time, the address book fills the form
    await open_checkout(page)
    await expect(field(page, "address")).to_have_value("Carrera 43A # 1-50, apto. 302")
    await expect(field(page, "town")).to_have_value("Medellín, Antioquia")
    await page.get_by_test_id("bank-select").select_option(BANK)


async def test_log_out_log_in_and_reset_the_password(page: Page, server: ShopServer, watch: Watch) -> None:
    watch.expect("401")
    watch.expect("400")
    address = f"clave{page.viewport_size['width']}@example.com"  # type: ignore[index]
    await register(page, address)
    await log_out(page)
    await page.goto("/account")
    await expect(page).to_have_url(re.compile("/account/login$"), timeout=PATIENCE)
    await log_in(page, address, "no es esta")
    await expect(page.locator(".account-form__said")).to_contain_text("no coinciden")
    await log_in(page, address, PASSWORD)
    await expect_home(page)
    await log_out(page)
    await page.goto("/account/reset")
    await field(page, "email").fill(address)
    await page.get_by_role("button", name="Enviarme el enlace").click()
    await expect(page.locator(".account-form__said")).to_contain_text("Si hay una cuenta", timeout=PATIENCE)
    await expect_no_overflow(page)
    text = await mail_to(page, server, address, "Cambia tu contraseña")
    link = re.search(r"/account/reset#token=\S+", text)
    assert link is not None
    await page.goto("/")
    await page.goto(link.group())
    await field(page, "password").fill(NEW_PASSWORD)
    await page.get_by_role("button", name="Guardar y entrar").click()
    await expect_home(page)
    await log_out(page)
    await page.goto(link.group())
    await field(page, "password").fill("otra clave más")
    await page.get_by_role("button", name="Guardar y entrar").click()
    await expect(page.locator(".account-form__said")).to_contain_text("ya se usó", timeout=PATIENCE)
    await log_in(page, address, NEW_PASSWORD)
    await expect_home(page)


async def test_problems_stand_beside_their_fields(page: Page, watch: Watch) -> None:
    watch.expect("400")
    await page.goto("/account/register")
    await expect(field(page, "email")).to_be_visible(timeout=PATIENCE)
    await field(page, "email").fill("ana@")
    await page.get_by_role("button", name="Crear mi cuenta").click()
    await expect(field(page, "email")).to_have_attribute("aria-invalid", "true", timeout=PATIENCE)
    await expect(page.get_by_text("Revisa el correo")).to_be_visible()
    await expect(page.get_by_text("Escribe tu nombre.")).to_be_visible()
    await expect(field(page, "first_name")).to_be_focused()
    await expect_no_overflow(page)


async def test_profile_and_address_book(page: Page) -> None:
    address = f"libreta{page.viewport_size['width']}@example.com"  # type: ignore[index]
    await register(page, address)
    profile = page.locator("section", has=page.locator("#datos"))
    await profile.locator('[name="first_name"]').fill("Ana María Inés")
    await profile.get_by_role("button", name="Guardar mis datos").click()
    await expect(page.get_by_test_id("account-hello")).to_contain_text("Inés", timeout=PATIENCE)
    book = page.locator("section", has=page.locator("#direcciones"))
    await book.get_by_text("Agregar una dirección").click()
    for name, text in (
        ("phone", "300 123 4567"),
        ("town", "Cali, Valle"),
        ("address", "Calle 10 # 5-20"),
        ("suburb", "Centro"),
    ):
        await book.locator(f'[name="{name}"]').fill(text)
    await book.get_by_role("button", name="Guardar dirección").click()
    await expect(book.get_by_text("Elige tu municipio")).to_be_visible(timeout=PATIENCE)
    await book.locator('[name="town"]').fill("Cali, Valle del Cauca")
    await book.get_by_role("button", name="Guardar dirección").click()
    await expect(page.get_by_test_id("account-address")).to_contain_text("Calle 10 # 5-20", timeout=PATIENCE)
    await expect_no_overflow(page)
    await page.get_by_test_id("account-address").get_by_role("button", name="Quitar la dirección").click()
    await expect(page.get_by_test_id("account-address")).to_have_count(0, timeout=PATIENCE)


async def test_signing_out_in_one_tab_signs_out_all(page_1280: Page) -> None:
    await register(page_1280, "pestanas@example.com")
    other = await page_1280.context.new_page()
    await other.goto("/account")
    await expect_home(other)
    await log_out(page_1280)
    await expect(other).to_have_url(re.compile("/account/login$"), timeout=PATIENCE)


async def test_a_guests_order_is_not_shown_to_who_registers_its_address(
    page_1280: Page, open_page: OpenPage
) -> None:
    address = "invitada@example.com"
    await put_in_cart(page_1280, "yoyo-de-madera")
    await open_checkout(page_1280)
    await fill_in(page_1280, email=address)
    await go_to_bank(page_1280)
    await decide(page_1280, "approve")
    async with open_page(1280, 800) as stranger:
        await register(stranger, address)
        await expect(stranger.get_by_text("Aquí verás lo que compres")).to_be_visible()
        await expect(stranger.get_by_test_id("account-order")).to_have_count(0)
