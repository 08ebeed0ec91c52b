"""Errors of the checkout are shown next to the field, in Spanish, and no typed text is lost."""

import json
import re
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.e2e.chromium import close_within_limit
from tests.e2e.conftest import PHONE_ONLY, WIDTHS, OpenPage, PageWatch, ShopServer, build_page_opener
from tests.e2e.held import HeldMessages, LostMessages
from tests.e2e.shopper import (
    ANA,
    LETICIA,
    MEDELLIN,
    TIMEOUT_MS,
    accept_terms,
    change_price,
    count_orders,
    count_payments,
    decide_at_bank,
    delete_shipping_options,
    expect_bank_or_link,
    expect_no_overflow,
    expect_status,
    field,
    fill_in_checkout,
    go_to_bank,
    open_checkout,
    pick_town,
    prepare_payment,
    put_in_cart,
    reach_bank,
    sell_out,
    set_payment_providers,
)

WRONG_INPUT = {
    "email": ("ana@", "Revisa el correo: debe verse como nombre@dominio.com."),
    "first_name": ("Ana2", "Usa solo letras."),
    "last_name": ("Gómez!", "Usa solo letras."),
    "phone": ("12345", "El celular debe tener 10 dígitos, como 300 123 4567."),
    "address": ("Cra 7", "Escribe al menos 8 caracteres."),
    "suburb": ("x", "Escribe al menos 2 caracteres."),
    "reference": ("la puerta verde al lado de la tienda", "Usa máximo 25 caracteres."),
    "doc_number": ("12", "La cédula debe tener entre 5 y 15 dígitos."),
}
"""By field: wrong input, and its error message."""
MISSING_MESSAGES = {
    "email": "Escribe tu correo electrónico.",
    "first_name": "Escribe tu nombre.",
    "last_name": "Escribe tu apellido.",
    "phone": "Escribe tu celular.",
    "town": "Elige tu municipio de la lista.",
    "address": "Escribe la dirección de entrega.",
    "suburb": "Escribe el barrio.",
    "doc_number": "Escribe el número de documento.",
    "bank": "Elige tu banco.",
    "consent_data": "Marca esta casilla para autorizar el tratamiento de tus datos.",
    "consent_terms": "Marca esta casilla para aceptar los términos y condiciones.",
}


@pytest.fixture(scope="module")
def server(private_server: ShopServer) -> ShopServer:
    """Return a shop that only these tests use, because they change its products."""
    return private_server


async def expect_problem(page: Page, name: str, text: str) -> None:
    """Check that the field is marked, with its error message right next to it."""
    marked = field(page, name)
    await expect(marked).to_have_attribute("aria-invalid", "true")
    await expect(marked).to_have_accessible_description(re.compile(re.escape(text)))
    box = page.locator(".field").filter(has=marked).locator(".field__problem")
    await expect(box).to_have_text(text)
    await expect(box).to_be_visible()


async def test_empty_form_shows_an_error_at_every_field(page: Page, server: ShopServer) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    payments = count_payments(server)
    await page.get_by_test_id("place-order").click()
    for name, text in MISSING_MESSAGES.items():
        await expect_problem(page, name, text)
    await expect(field(page, "email")).to_be_focused()
    await expect(field(page, "reference")).not_to_have_attribute("aria-invalid", "true")
    links = page.get_by_test_id("checkout-alert").get_by_role("link")
    await expect(links).to_have_count(len(MISSING_MESSAGES))
    await expect_no_overflow(page)
    await links.filter(has_text="Banco").click()
    await expect(page.get_by_test_id("bank-select")).to_be_focused()
    assert count_payments(server) == payments


async def type_wrong_input(page: Page) -> None:
    """Type wrong input into every field; each shows its error message when it loses the focus."""
    for name, (typed, text) in WRONG_INPUT.items():
        await field(page, name).fill(typed)
        await field(page, name).blur()
        await expect_problem(page, name, text)
    await field(page, "town").fill("Medellín")  # written, but not picked
    await field(page, "town").blur()
    await expect_problem(page, "town", MISSING_MESSAGES["town"])


async def expect_error_messages(page: Page) -> None:
    """Check that all wrong input is still there, with its error messages."""
    for name, (typed, text) in WRONG_INPUT.items():
        await expect(field(page, name)).to_have_value(typed)
        await expect_problem(page, name, text)
    await expect(field(page, "town")).to_have_value("Medellín")
    await expect(field(page, "dane_code")).to_have_value("")


@PHONE_ONLY
async def test_wrong_input_is_reported_at_its_field_and_not_lost(page: Page) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await type_wrong_input(page)
    await expect_no_overflow(page)
    await page.get_by_test_id("place-order").click()
    await expect(field(page, "email")).to_be_focused()
    await expect_error_messages(page)
    await page.reload()
    await expect_error_messages(page)


async def test_reload_while_typing_keeps_the_text(page_320: Page) -> None:
    await put_in_cart(page_320, "yoyo-de-madera")
    await open_checkout(page_320)
    await field(page_320, "address").press_sequentially("Calle 10 # 4")
    await page_320.reload()
    await expect(field(page_320, "address")).to_have_value("Calle 10 # 4")


@pytest.mark.parametrize(
    ("person", "doc_type", "number", "text"),
    [
        ("0", "CE", "123456789", "La cédula de extranjería debe tener entre 4 y 8 dígitos."),
        ("0", "PPN", "A-1", "El pasaporte debe tener entre 4 y 12 letras o números."),
        ("1", "NIT", "12", "El NIT debe tener entre 7 y 10 dígitos."),
        ("1", "NIT", "900123456-1", "Revisa el NIT: su dígito de verificación no corresponde."),
    ],
)
async def test_number_of_each_document_type_is_checked_by_its_own_rule(
    page_1280: Page, person: str, doc_type: str, number: str, text: str
) -> None:
    await put_in_cart(page_1280, "yoyo-de-madera")
    await open_checkout(page_1280)
    await page_1280.get_by_test_id("company-buys").set_checked(person == "1")
    if person == "0":
        await field(page_1280, "doc_type").select_option(doc_type)
    await field(page_1280, "doc_number").fill(number)
    await field(page_1280, "doc_number").blur()
    await expect_problem(page_1280, "doc_number", text)


async def test_company_can_choose_only_nit_as_its_document_type(page_1280: Page) -> None:
    await put_in_cart(page_1280, "yoyo-de-madera")
    await open_checkout(page_1280)
    kinds = field(page_1280, "doc_type").locator("option")
    await page_1280.get_by_test_id("company-buys").check()
    await expect(page_1280.get_by_label("NIT", exact=True)).to_be_visible()
    await expect(kinds).to_have_count(0)
    await page_1280.get_by_test_id("company-buys").uncheck()
    await expect(kinds.filter(has_text="Cédula de ciudadanía")).to_have_count(1)
    await expect(kinds.filter(has_text="NIT")).to_have_count(0)
    await expect(field(page_1280, "doc_type")).to_have_value("CC")


async def test_region_without_pse_shows_a_message(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server()
    set_payment_providers(shop, "pp_system_default")
    async with build_page_opener(shop, browser, watch)(*WIDTHS["320"]) as page:
        await put_in_cart(page, "yoyo-de-madera")
        await open_checkout(page)
        unavailable = page.get_by_test_id("payment-unavailable")
        await expect(unavailable).to_contain_text("no podemos recibir pagos en línea")
        await expect(page.get_by_test_id("bank-select")).to_have_count(0)
        await expect(page.get_by_test_id("place-order")).to_have_count(0)
        await expect_no_overflow(page)
        set_payment_providers(shop, "gateway_pse")
        await page.reload()
        await expect(page.get_by_test_id("bank-select")).to_be_visible()
        await expect(unavailable).to_have_count(0)


async def test_deleted_shipping_option_is_not_shown(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server()
    async with build_page_opener(shop, browser, watch)(*WIDTHS["320"]) as page:
        await put_in_cart(page, "yoyo-de-madera")
        await open_checkout(page)
        await pick_town(page, MEDELLIN)
        await expect(page.get_by_test_id("shipping-option").first.locator("input")).to_be_enabled()
        delete_shipping_options(shop)
        await field(page, "address").fill(ANA["address"])
        await field(page, "address").blur()  # the shipping options are loaded again
        await expect(page.get_by_text("Por ahora no tenemos envíos")).to_be_visible()
        await expect(page.get_by_test_id("shipping-option")).to_have_count(0)
        await expect(page.locator(".shipping__bone")).to_have_count(0)


async def test_unknown_municipality_shows_a_message(page_320: Page) -> None:
    await put_in_cart(page_320, "yoyo-de-madera")
    await open_checkout(page_320)
    await field(page_320, "town").fill("zzzz")
    await expect(page_320.locator(".town__none")).to_be_visible()
    await field(page_320, "town").press("Escape")
    await expect(page_320.locator(".town__none")).to_be_hidden()
    await expect_no_overflow(page_320)


@PHONE_ONLY
async def test_changed_total_must_be_confirmed(page: Page, server: ShopServer) -> None:
    product = "bloques-de-madera"
    await prepare_payment(page, product)
    before = str(await page.get_by_test_id("place-order").text_content())
    change_price(server, product, 61_320)
    payments = count_payments(server)
    await page.get_by_test_id("place-order").click()
    alert = page.get_by_test_id("checkout-alert")
    await expect(alert).to_contain_text("El total cambió")
    await expect(alert).to_be_focused()
    await expect_no_overflow(page)
    assert count_payments(server) == payments
    button = page.get_by_test_id("place-order")
    await expect(button).not_to_have_text(before)
    text = re.sub(r"\s", " ", str(await alert.text_content()))
    final = re.search(r"ahora es (\$ [\d.]+\d)\.", text)
    assert final is not None, text
    await expect(button).to_have_text(
        f"Pagar {final[1]} con PSE"
    )  # shipping of the cheaper product costs less
    await go_to_bank(page)


@pytest_asyncio.fixture(loop_scope="session")
async def elsewhere(page_1280: Page, open_page: OpenPage) -> AsyncIterator[Page]:
    """Fill in the checkout, and yield a page with its cart in another browser.

    The browsers share no storage, so the checkout's tab does not notice changes in that page.
    """
    await prepare_payment(page_1280, "yoyo-de-madera")
    cart_id = await page_1280.evaluate("localStorage.getItem('trompo_cart')")
    async with open_page(1280, 800) as elsewhere:
        await elsewhere.add_init_script(f"localStorage.setItem('trompo_cart', {json.dumps(cart_id)})")
        await elsewhere.goto("/cart")
        await expect(elsewhere.get_by_test_id("cart-line")).to_have_count(1)
        yield elsewhere


async def test_cart_changed_in_another_tab_is_priced_again_and_bought(
    page_1280: Page, elsewhere: Page, server: ShopServer
) -> None:
    button, total = page_1280.get_by_test_id("place-order"), elsewhere.get_by_test_id("cart-total")
    before, subtotal = await button.inner_text(), await total.inner_text()
    await elsewhere.get_by_role("button", name="Agregar una unidad").click()
    await expect(total).not_to_have_text(subtotal)
    await expect(button).to_have_text(before)
    payments = count_payments(server)
    await button.click()
    alert = page_1280.get_by_test_id("checkout-alert")
    await expect(alert).to_contain_text("El total cambió")
    found = re.search(r"ahora es (\$\s[\d.]+\d)", await alert.inner_text())
    assert found is not None
    now = found[1]
    assert now not in before
    await expect(page_1280.get_by_test_id("checkout-total")).to_have_text(now)
    await expect(button).to_contain_text(f"Pagar {now}")
    await expect(page_1280.get_by_test_id("checkout-shipping")).to_contain_text("$")
    assert count_payments(server) == payments
    await go_to_bank(page_1280)


async def test_cart_emptied_in_another_tab_cannot_be_bought(page_1280: Page, elsewhere: Page) -> None:
    await elsewhere.get_by_test_id("remove-line").click()
    await expect(elsewhere.get_by_test_id("empty-cart")).to_be_visible()
    await page_1280.get_by_test_id("place-order").click()
    await expect(page_1280.get_by_test_id("empty-cart")).to_be_visible()


async def test_open_checkout_shows_cart_changes_made_in_another_tab(page_1280: Page) -> None:
    await prepare_payment(page_1280, "yoyo-de-madera")
    button = page_1280.get_by_test_id("place-order")
    before = str(await button.text_content())
    other_tab = await page_1280.context.new_page()
    await other_tab.goto("/cart")
    await other_tab.get_by_role("button", name="Agregar una unidad").click(timeout=TIMEOUT_MS)
    await expect(page_1280.locator(".buy__units")).to_have_text("2")
    await expect(button).not_to_have_text(before)
    await expect(button).to_contain_text("Pagar $")
    await expect(page_1280.get_by_test_id("checkout-shipping")).to_contain_text("$")
    await expect(field(page_1280, "email")).to_have_value(ANA["email"])
    await other_tab.get_by_test_id("remove-line").click()
    await expect(page_1280.get_by_test_id("empty-cart")).to_be_visible()
    await close_within_limit(other_tab)


async def test_checkout_names_a_product_that_sold_out(page_320: Page, server: ShopServer) -> None:
    product = "rana-mini"
    await prepare_payment(page_320, product)
    sell_out(server, product)
    payments = count_payments(server)
    await page_320.get_by_test_id("place-order").click()
    alert = page_320.get_by_test_id("checkout-alert")
    await expect(alert).to_contain_text("se agotó")
    await expect_no_overflow(page_320)
    assert count_payments(server) == payments
    await alert.get_by_role("link").click()
    await expect(page_320.get_by_test_id("cart-line")).to_contain_text("Se agotó")


@pytest_asyncio.fixture(loop_scope="session")
async def prices(page_1280: Page) -> HeldMessages:
    """Fill in the checkout, and hold back the shipping prices that the server sends from now on."""
    prices = HeldMessages('"status":"ready"')
    await prices.intercept(page_1280)
    await prepare_payment(page_1280, "yoyo-de-madera")
    prices.is_holding = True
    return prices


async def test_payment_click_while_shipping_is_priced_again_still_pays(
    page_1280: Page, prices: HeldMessages
) -> None:
    button = page_1280.get_by_test_id("place-order")
    await field(page_1280, "address").fill("Carrera 43A # 1-52")
    await field(page_1280, "suburb").focus()
    await expect(button).to_have_text("Calculando el envío…")
    await button.click(force=True)
    prices.release()
    await expect(page_1280.get_by_test_id("bank-approve")).to_be_visible()


async def test_payment_click_while_the_price_changes_does_not_pay(
    page_1280: Page, prices: HeldMessages
) -> None:
    button = page_1280.get_by_test_id("place-order")
    price = str(await button.text_content())
    await pick_town(page_1280, LETICIA)
    await expect(button).to_have_text("Calculando el envío…")
    await button.click(force=True)
    prices.release()
    await expect(button).to_contain_text("Pagar $")
    await expect(button).not_to_have_text(price)


@pytest.mark.parametrize("was_refused", [False, True])
async def test_payment_click_during_a_server_restart_still_pays(
    page_1280: Page, server: ShopServer, watch: PageWatch, was_refused: bool
) -> None:
    """Click while the server is stopped. With `was_refused`, an earlier click was refused before."""
    watch.expect("WebSocket connection")
    await prepare_payment(page_1280, "yoyo-de-madera")
    if was_refused:
        await field(page_1280, "suburb").fill("")
        await page_1280.get_by_test_id("place-order").click()
        await expect(page_1280.get_by_test_id("checkout-alert")).to_be_visible()
        await field(page_1280, "suburb").fill(ANA["suburb"])
    server.stop()
    await page_1280.get_by_test_id("place-order").click()
    server.start()
    await expect_bank_or_link(page_1280)


async def test_checkout_continues_after_a_server_restart(
    page_1280: Page, server: ShopServer, watch: PageWatch
) -> None:
    watch.expect("WebSocket connection")
    page = page_1280
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await pick_town(page, MEDELLIN)
    for name in ("email", "first_name"):
        await field(page, name).fill(ANA[name])
    server.stop()
    for name in ("last_name", "phone", "address", "suburb", "doc_number"):
        await field(page, name).fill(ANA[name])
    await expect(field(page, "doc_number")).to_be_focused()
    server.start()
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")
    await expect(field(page, "doc_number")).to_be_focused()
    for name in ("email", "first_name", "last_name", "phone", "address", "suburb", "doc_number"):
        await expect(field(page, name)).to_have_value(ANA[name])
    await page.get_by_test_id("bank-select").select_option("1022")
    await accept_terms(page)
    await page.get_by_test_id("place-order").click()
    await reach_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")


async def test_place_order_click_lost_with_its_connection_is_sent_again(
    page_320: Page, watch: PageWatch
) -> None:
    watch.expect("WebSocket connection")
    press = LostMessages("checkout_state.place_order")
    await press.intercept(page_320)
    await prepare_payment(page_320, "yoyo-de-madera")
    await page_320.get_by_test_id("place-order").click()
    await expect(page_320.get_by_test_id("bank-approve")).to_be_visible()
    assert press.count == 0


async def test_duplicated_tab_places_the_same_order_once(page_1280: Page, server: ShopServer) -> None:
    """Duplicate the tab while its payment click waits: both tabs send it, and both show the same order."""
    page, email = page_1280, "doble@example.com"
    presses = HeldMessages("checkout_state.place_order", is_from_page=True)
    await presses.intercept(page)
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await fill_in_checkout(page, email=email)
    payments = count_payments(server)
    presses.is_holding = True
    await page.get_by_test_id("place-order").click()
    await presses.wait_until_held()
    stored = await page.evaluate("JSON.stringify({...sessionStorage})")
    duplicate = await page.context.new_page()
    await duplicate.add_init_script(
        f"if (!sessionStorage.length) Object.assign(sessionStorage, {json.dumps(json.loads(stored))})"
    )
    await open_checkout(duplicate)
    await expect(field(duplicate, "email")).to_have_value(email)
    await expect(duplicate.get_by_test_id("place-order")).to_contain_text("Pagar $")
    await accept_terms(duplicate)
    await duplicate.get_by_test_id("place-order").click()
    presses.release()
    await reach_bank(page)
    await reach_bank(duplicate)
    assert page.url == duplicate.url  # of the same payment
    assert (count_orders(server, email), count_payments(server)) == (1, payments + 1)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    await duplicate.goto("/checkout")
    await expect(duplicate.get_by_test_id("empty-cart")).to_be_visible()
