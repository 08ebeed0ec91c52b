"""What can go wrong at the checkout is said beside the field, in Spanish, and nothing that was typed is lost."""

import json
import re
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import ON_A_PHONE, WIDTHS, OpenPage, ShopServer, Watch, pages_of
from tests.e2e.held import Held, Swallowed
from tests.e2e.shopper import (
    ANA,
    LETICIA,
    MEDELLIN,
    PATIENCE,
    agree,
    be_ready_to_pay,
    change_price,
    decide,
    expect_bank_within_reach,
    expect_no_overflow,
    expect_status,
    field,
    go_to_bank,
    offer_payments,
    open_checkout,
    payments_of,
    pick_town,
    put_in_cart,
    reach_bank,
    sell_out,
    ship_nothing,
)

BAD = {
    "email": ("ana@", "Revisa el correo: debe verse como nombre@dominio.com."),
    "first_name": ("Ana2", "Usa solo letras."),
    "last_name": ("Gómez!", "Usa solo letras."),
    "phone": ("12345", "El celular debe tener 10 dígitos, como 300 123 4567."),
    "address": ("Cra 7", "Escribe al menos 8 caracteres."),
    "suburb": ("x", "Escribe al menos 2 caracteres."),
    "reference": ("la puerta verde al lado de la tienda", "Usa máximo 25 caracteres."),
    "doc_number": ("12", "La cédula debe tener entre 5 y 15 dígitos."),
}
"""By field: what is typed, and what is said of it."""
MISSING = {
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


async def expect_problem(page: Page, name: str, text: str) -> None:
    """The field is marked, and says why right beside it."""
    marked = field(page, name)
    await expect(marked).to_have_attribute("aria-invalid", "true", timeout=PATIENCE)
    await expect(marked).to_have_accessible_description(re.compile(re.escape(text)))
    box = page.locator(".field").filter(has=marked).locator(".field__problem")
    await expect(box).to_have_text(text)
    await expect(box).to_be_visible()


async def test_an_empty_form_says_what_is_missing_at_every_field(page: Page, server: ShopServer) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    payments = payments_of(server)
    await page.get_by_test_id("place-order").click()
    for name, text in MISSING.items():
        await expect_problem(page, name, text)
    await expect(field(page, "email")).to_be_focused()
    await expect(field(page, "reference")).not_to_have_attribute("aria-invalid", "true")
    links = page.get_by_test_id("checkout-alert").get_by_role("link")
    await expect(links).to_have_count(len(MISSING))
    await expect_no_overflow(page)
    await links.filter(has_text="Banco").click()
    await expect(page.get_by_test_id("bank-select")).to_be_focused()
    assert payments_of(server) == payments


async def type_badly(page: Page) -> None:
    """Something wrong into every field; each says so as soon as it is left."""
    for name, (typed, text) in BAD.items():
        await field(page, name).fill(typed)
        await field(page, name).blur()
        await expect_problem(page, name, text)
    await field(page, "town").fill("Medellín")  # written, but not picked
    await field(page, "town").blur()
    await expect_problem(page, "town", MISSING["town"])


async def expect_told(page: Page) -> None:
    """All that was typed badly is there, and told beside its field."""
    for name, (typed, text) in BAD.items():
        await expect(field(page, name)).to_have_value(typed, timeout=PATIENCE)
        await expect_problem(page, name, text)
    await expect(field(page, "town")).to_have_value("Medellín")
    await expect(field(page, "dane_code")).to_have_value("")


@ON_A_PHONE
async def test_bad_input_is_told_beside_its_field_and_never_lost(page: Page) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await type_badly(page)
    await expect_no_overflow(page)
    await page.get_by_test_id("place-order").click()
    await expect(field(page, "email")).to_be_focused()
    await expect_told(page)
    await page.reload()
    await expect_told(page)


async def test_a_reload_in_the_middle_of_a_word_loses_nothing(page_320: Page) -> None:
    await put_in_cart(page_320, "yoyo-de-madera")
    await open_checkout(page_320)
    await field(page_320, "address").press_sequentially("Calle 10 # 4")
    await page_320.reload()
    await expect(field(page_320, "address")).to_have_value("Calle 10 # 4", timeout=PATIENCE)


@pytest.mark.parametrize(
    ("person", "doc_type", "number", "text"),
    [
        ("0", "CE", "123456789", "La cédula de extranjería debe tener entre 4 y 8 dígitos."),
        ("0", "PPN", "A-1", "El pasaporte debe tener entre 4 y 12 letras o números."),
        ("1", "NIT", "12", "El NIT debe tener entre 7 y 10 dígitos."),
        ("1", "NIT", "900123456-1", "Revisa el NIT: su dígito de verificación no corresponde."),
    ],
)
async def test_each_document_has_its_rule(
    page_1280: Page, person: str, doc_type: str, number: str, text: str
) -> None:
    await put_in_cart(page_1280, "yoyo-de-madera")
    await open_checkout(page_1280)
    await page_1280.locator(f'[name="person_type"][value="{person}"]').check()
    await field(page_1280, "doc_type").select_option(doc_type)
    await field(page_1280, "doc_number").fill(number)
    await field(page_1280, "doc_number").blur()
    await expect_problem(page_1280, "doc_number", text)


async def test_a_company_pays_with_its_nit_and_nothing_else(page_1280: Page) -> None:
    await put_in_cart(page_1280, "yoyo-de-madera")
    await open_checkout(page_1280)
    await page_1280.locator('[name="person_type"][value="1"]').check()
    kinds = field(page_1280, "doc_type").locator("option")
    await expect(kinds).to_have_text(["NIT"])
    await page_1280.locator('[name="person_type"][value="0"]').check()
    await expect(kinds.filter(has_text="NIT")).to_have_count(0)
    await expect(field(page_1280, "doc_type")).to_have_value("CC")


async def test_a_region_without_pse_says_so_before_anything_is_typed(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch
) -> None:
    shop = new_server()
    offer_payments(shop, "pp_system_default")
    async with pages_of(shop, browser, watch)(*WIDTHS["320"]) as page:
        await put_in_cart(page, "yoyo-de-madera")
        await open_checkout(page)
        unavailable = page.get_by_test_id("payment-unavailable")
        await expect(unavailable).to_contain_text("no podemos recibir pagos en línea", timeout=PATIENCE)
        await expect(page.get_by_test_id("bank-select")).to_have_count(0)
        await expect(page.get_by_test_id("place-order")).to_have_count(0)
        await expect_no_overflow(page)
        offer_payments(shop, "gateway_pse")
        await page.reload()
        await expect(page.get_by_test_id("bank-select")).to_be_visible(timeout=PATIENCE)
        await expect(unavailable).to_have_count(0)


async def test_a_way_to_ship_that_is_no_more_is_not_shown_with_its_price(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch
) -> None:
    shop = new_server()
    async with pages_of(shop, browser, watch)(*WIDTHS["320"]) as page:
        await put_in_cart(page, "yoyo-de-madera")
        await open_checkout(page)
        await pick_town(page, MEDELLIN)
        await expect(page.get_by_test_id("shipping-option").first.locator("input")).to_be_enabled(
            timeout=PATIENCE
        )
        ship_nothing(shop)
        await field(page, "address").fill(ANA["address"])
        await field(page, "address").blur()  # the ways are asked for once more
        await expect(page.get_by_text("Por ahora no tenemos envíos")).to_be_visible(timeout=PATIENCE)
        await expect(page.get_by_test_id("shipping-option")).to_have_count(0)
        await expect(page.locator(".shipping__bone")).to_have_count(0)


async def test_a_municipality_nobody_knows_is_said_to_be_unknown(page_320: Page) -> None:
    await put_in_cart(page_320, "yoyo-de-madera")
    await open_checkout(page_320)
    await field(page_320, "town").fill("zzzz")
    await expect(page_320.locator(".town__none")).to_be_visible(timeout=PATIENCE)
    await field(page_320, "town").press("Escape")
    await expect(page_320.locator(".town__none")).to_be_hidden()
    await expect_no_overflow(page_320)


@ON_A_PHONE
async def test_a_total_that_changed_asks_again(page: Page, server: ShopServer) -> None:
    toy = "bloques-de-madera"
    await be_ready_to_pay(page, toy)
    before = await page.get_by_test_id("place-order").inner_text()
    change_price(server, toy, 61_320)
    payments = payments_of(server)
    await page.get_by_test_id("place-order").click()
    alert = page.get_by_test_id("checkout-alert")
    await expect(alert).to_contain_text("El total cambió", timeout=PATIENCE)
    await expect(alert).to_be_focused()
    await expect_no_overflow(page)
    assert payments_of(server) == payments
    button = page.get_by_test_id("place-order")
    await expect(button).to_contain_text("Pagar $", timeout=PATIENCE)
    assert await button.inner_text() != before
    await go_to_bank(page)


@pytest_asyncio.fixture(loop_scope="session")
async def elsewhere(page_1280: Page, open_page: OpenPage) -> AsyncIterator[Page]:
    """The page is ready to pay, and its cart is open on another device, of which no tab is told."""
    await be_ready_to_pay(page_1280, "yoyo-de-madera")
    cart_id = await page_1280.evaluate("localStorage.getItem('trompo_cart')")
    async with open_page(1280, 800) as elsewhere:
        await elsewhere.add_init_script(f"localStorage.setItem('trompo_cart', {json.dumps(cart_id)})")
        await elsewhere.goto("/cart")
        await expect(elsewhere.get_by_test_id("cart-line")).to_have_count(1, timeout=PATIENCE)
        yield elsewhere


async def test_a_cart_changed_elsewhere_is_priced_again_and_bought(
    page_1280: Page, elsewhere: Page, server: ShopServer
) -> None:
    button, total = page_1280.get_by_test_id("place-order"), elsewhere.get_by_test_id("cart-total")
    before, subtotal = await button.inner_text(), await total.inner_text()
    await elsewhere.get_by_role("button", name="Agregar una unidad").click()
    await expect(total).not_to_have_text(subtotal, timeout=PATIENCE)
    await expect(button).to_have_text(before)
    payments = payments_of(server)
    await button.click()
    alert = page_1280.get_by_test_id("checkout-alert")
    await expect(alert).to_contain_text("El total cambió", timeout=PATIENCE)
    found = re.search(r"ahora es (\$\s[\d.]+\d)", await alert.inner_text())
    assert found is not None
    now = found[1]
    assert now not in before
    # the shipping is priced once more behind the answer, and stands for nothing meanwhile
    await expect(page_1280.get_by_test_id("checkout-total")).to_have_text(now, timeout=PATIENCE)
    await expect(button).to_contain_text(f"Pagar {now}", timeout=PATIENCE)
    await expect(page_1280.get_by_test_id("checkout-shipping")).to_contain_text("$", timeout=PATIENCE)
    assert payments_of(server) == payments
    await go_to_bank(page_1280)


async def test_a_cart_emptied_elsewhere_is_no_purchase(page_1280: Page, elsewhere: Page) -> None:
    await elsewhere.get_by_test_id("remove-line").click()
    await expect(elsewhere.get_by_test_id("empty-cart")).to_be_visible(timeout=PATIENCE)
    await page_1280.get_by_test_id("place-order").click()
    await expect(page_1280.get_by_test_id("empty-cart")).to_be_visible(timeout=PATIENCE)


async def test_the_open_form_follows_what_another_tab_does_to_the_cart(page_1280: Page) -> None:
    await be_ready_to_pay(page_1280, "yoyo-de-madera")
    button = page_1280.get_by_test_id("place-order")
    before = await button.inner_text()
    other_tab = await page_1280.context.new_page()
    await other_tab.goto("/cart")
    await other_tab.get_by_role("button", name="Agregar una unidad").click(timeout=PATIENCE)
    await expect(page_1280.locator(".buy__units")).to_have_text("2", timeout=PATIENCE)
    await expect(button).to_contain_text("Pagar $", timeout=PATIENCE)
    assert await button.inner_text() != before
    await expect(page_1280.get_by_test_id("checkout-shipping")).to_contain_text("$")
    await expect(field(page_1280, "email")).to_have_value(ANA["email"])
    await other_tab.get_by_test_id("remove-line").click()
    await expect(page_1280.get_by_test_id("empty-cart")).to_be_visible(timeout=PATIENCE)
    await other_tab.close()


async def test_what_sold_out_meanwhile_is_named(page_320: Page, server: ShopServer) -> None:
    toy = "rana-mini"
    await be_ready_to_pay(page_320, toy)
    sell_out(server, toy)
    payments = payments_of(server)
    await page_320.get_by_test_id("place-order").click()
    alert = page_320.get_by_test_id("checkout-alert")
    await expect(alert).to_contain_text("se agotó", timeout=PATIENCE)
    await expect_no_overflow(page_320)
    assert payments_of(server) == payments
    await alert.get_by_role("link").click()
    await expect(page_320.get_by_test_id("cart-line")).to_contain_text("Se agotó", timeout=PATIENCE)


@pytest_asyncio.fixture(loop_scope="session")
async def prices(page_1280: Page) -> Held:
    """The form is filled in and priced; from now on prices are held back."""
    prices = Held('"status":"ready"')
    await prices.stand_before(page_1280)
    await be_ready_to_pay(page_1280, "yoyo-de-madera")
    prices.is_holding = True
    return prices


async def test_a_press_while_the_same_is_priced_once_more_is_kept(page_1280: Page, prices: Held) -> None:
    button = page_1280.get_by_test_id("place-order")
    await field(page_1280, "address").fill("Carrera 43A # 1-52")
    await field(page_1280, "suburb").focus()
    await expect(button).to_have_text("Calculando el envío…", timeout=PATIENCE)
    await button.click(force=True)
    prices.release()
    await expect(page_1280.get_by_test_id("bank-approve")).to_be_visible(timeout=PATIENCE)


async def test_a_press_while_another_place_is_priced_agrees_to_nothing(page_1280: Page, prices: Held) -> None:
    button = page_1280.get_by_test_id("place-order")
    price = await button.text_content()
    await pick_town(page_1280, LETICIA)
    await expect(button).to_have_text("Calculando el envío…", timeout=PATIENCE)
    await button.click(force=True)
    prices.release()
    await expect(button).to_contain_text("Pagar $", timeout=PATIENCE)
    assert await button.text_content() != price


@pytest.mark.parametrize("was_refused", [False, True])
async def test_a_press_while_the_server_is_away_is_kept(
    page_1280: Page, server: ShopServer, watch: Watch, was_refused: bool
) -> None:
    """Also when another press was answered before: that the new connection knows of no answer is none to this one."""
    watch.expect("WebSocket connection")
    await be_ready_to_pay(page_1280, "yoyo-de-madera")
    if was_refused:
        await field(page_1280, "suburb").fill("")
        await page_1280.get_by_test_id("place-order").click()
        await expect(page_1280.get_by_test_id("checkout-alert")).to_be_visible(timeout=PATIENCE)
        await field(page_1280, "suburb").fill(ANA["suburb"])
    server.stop()
    await page_1280.get_by_test_id("place-order").click()
    server.start()
    await expect_bank_within_reach(page_1280)


async def test_a_server_that_restarts_does_not_stand_in_the_way(
    page_1280: Page, server: ShopServer, watch: Watch
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
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $", timeout=40_000)
    await expect(field(page, "doc_number")).to_be_focused()
    for name in ("email", "first_name", "last_name", "phone", "address", "suburb", "doc_number"):
        await expect(field(page, name)).to_have_value(ANA[name])
    await page.get_by_test_id("bank-select").select_option("1022")
    await agree(page)
    await page.get_by_test_id("place-order").click()
    await reach_bank(page)
    await decide(page, "approve")
    await expect_status(page, "paid")


async def test_a_press_that_dies_with_its_connection_is_sent_again(page_320: Page, watch: Watch) -> None:
    watch.expect("WebSocket connection")
    press = Swallowed("checkout_state.place")
    await press.stand_before(page_320)
    await be_ready_to_pay(page_320, "yoyo-de-madera")
    await page_320.get_by_test_id("place-order").click()
    await expect(page_320.get_by_test_id("bank-approve")).to_be_visible(timeout=PATIENCE)
    assert press.count == 0
