"""Purchases in the browser, on the smallest phone and on a desktop: to the bank and back."""

import asyncio
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect

from tests.e2e.chromium import close_within_limit
from tests.e2e.conftest import PHONE_ONLY, OpenPage, PageWatch, ShopServer
from tests.e2e.held import HeldMessages
from tests.e2e.shopper import (
    ANA,
    BANK,
    MEDELLIN,
    TIMEOUT_MS,
    accept_terms,
    authorize_payment,
    count_orders,
    count_payments,
    decide_at_bank,
    deliver_parcel,
    expect_no_overflow,
    expect_status,
    field,
    fill_in_checkout,
    go_to_bank,
    open_checkout,
    pick_town,
    prepare_payment,
    put_in_cart,
    read_stock,
    send_parcel,
)


async def test_product_is_bought(page: Page, server: ShopServer) -> None:
    product = "yoyo-de-madera"
    stock = read_stock(server, product)
    await put_in_cart(page, product)
    await open_checkout(page)
    banks = page.get_by_test_id("bank-select").locator("option:not([disabled])")
    await expect(banks).not_to_have_count(0)
    codes = [await bank.get_attribute("value") for bank in await banks.all()]
    assert BANK in codes
    assert "0" not in codes
    assert "" not in codes
    await fill_in_checkout(page)
    await expect_no_overflow(page)
    total = await page.get_by_test_id("place-order").inner_text()
    await go_to_bank(page)
    assert read_stock(server, product) == stock - 1
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    await expect(page.get_by_test_id("payment-state")).to_have_text("Aprobada")
    for fact in (
        "Empresa",
        "NIT",
        "Banco",
        "CUS",
        "Referencia",
        "Fecha y hora",
        "Valor",
        "Moneda",
        "Descripción",
    ):
        await expect(page.get_by_test_id("payment-facts")).to_contain_text(fact)
    assert await page.get_by_test_id("order-total").inner_text() in total
    await expect(page.get_by_test_id("order-line")).to_have_count(1)
    await expect(page.get_by_test_id("cart-count").first).to_have_text("0")
    await expect_no_overflow(page)
    assert read_stock(server, product) == stock - 1


@PHONE_ONLY
async def test_rejected_payment_restores_the_cart_in_one_click(page: Page, server: ShopServer) -> None:
    product = "coca-balero"
    stock = read_stock(server, product)
    await prepare_payment(page, product)
    await go_to_bank(page)
    await decide_at_bank(page, "reject")
    await expect_status(page, "rejected")
    await expect(page.get_by_test_id("payment-state")).to_have_text("Rechazada")
    await expect_no_overflow(page)
    assert read_stock(server, product) == stock

    await page.get_by_test_id("try-again").click()
    await expect(page).to_have_url(f"{server.url}/checkout")
    for name, text in ANA.items():
        await expect(field(page, name)).to_have_value(text)
    await expect(field(page, "town")).to_have_value(MEDELLIN[1])
    await expect(page.get_by_test_id("bank-select")).to_have_value(BANK)
    await expect(page.get_by_test_id("checkout-line")).to_have_count(1)
    await expect(page.get_by_test_id("consent-data")).not_to_be_checked()  # each purchase asks again
    await accept_terms(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")
    await go_to_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    assert read_stock(server, product) == stock - 1


async def test_cancelled_payment_releases_the_stock(page_320: Page, server: ShopServer) -> None:
    product = "bolsa-de-canicas"
    stock = read_stock(server, product)
    await prepare_payment(page_320, product)
    await go_to_bank(page_320)
    await decide_at_bank(page_320, "cancel")
    await expect_status(page_320, "canceled")
    await expect(page_320.get_by_test_id("try-again")).to_be_visible()
    assert read_stock(server, product) == stock


async def test_restoring_a_cart_adds_its_lines_to_the_shoppers_new_cart(
    page_1280: Page, server: ShopServer
) -> None:
    page = page_1280
    await prepare_payment(page, "coca-balero")
    await go_to_bank(page)
    await decide_at_bank(page, "cancel")
    await expect_status(page, "canceled")
    order = page.url
    await put_in_cart(page, "yoyo-de-madera")
    # the message may be about the previous product: the browser knows its new cart once the answer arrives
    await page.wait_for_function("() => localStorage.getItem('trompo_cart')")
    for _time in range(2):  # the second round adds nothing
        await page.goto(order)
        await page.get_by_test_id("try-again").click()
        await expect(page).to_have_url(f"{server.url}/checkout")
        await expect(page.get_by_test_id("checkout-line")).to_have_count(2)
        await expect(page.locator(".buy__units")).to_have_text(["1", "1"])


async def test_open_order_page_shows_changes_of_its_payment(page_1280: Page) -> None:
    await prepare_payment(page_1280, "cometa-de-agosto")
    await go_to_bank(page_1280)
    bank = page_1280.url
    await decide_at_bank(page_1280, "pending")
    await expect_status(page_1280, "pending")
    await expect(page_1280.get_by_test_id("order-status")).to_contain_text(
        "Por favor verificar si el débito fue realizado en el Banco."
    )
    other_tab = await page_1280.context.new_page()
    await other_tab.goto(bank)
    await other_tab.get_by_test_id("bank-approve").click()
    await expect_status(other_tab, "paid")
    await close_within_limit(other_tab)
    await page_1280.bring_to_front()
    await expect(page_1280.get_by_test_id("order-status")).to_have_attribute("data-status", "paid")
    await expect(page_1280.get_by_test_id("payment-state")).to_have_text("Aprobada")


async def test_page_of_a_paid_order_shows_the_tracking_of_its_parcel(
    page_320: Page, server: ShopServer
) -> None:
    await prepare_payment(page_320, "yoyo-de-madera")
    await go_to_bank(page_320)
    await decide_at_bank(page_320, "approve")
    await expect_status(page_320, "paid")
    number = (await page_320.get_by_test_id("order-number").inner_text()).split()[-1]
    send_parcel(server, number)
    await page_320.reload()
    parcel = page_320.get_by_test_id("parcel")
    await expect(parcel.get_by_test_id("parcel-stage")).to_have_text("En camino")
    await expect(parcel.get_by_test_id("tracking-number")).to_have_text(f"TRM{number}")
    await expect(parcel).to_contain_text("Entrega estimada: martes 24 de noviembre")
    await expect(page_320.get_by_test_id("order-status")).to_contain_text("Tu pedido va en camino")
    await expect_status(page_320, "paid")
    await expect_no_overflow(page_320)
    deliver_parcel(server, number)
    await page_320.reload()
    await expect(parcel.get_by_test_id("parcel-stage")).to_have_text("Entregado")
    await expect(page_320.get_by_test_id("order-status")).to_contain_text("Tu pedido fue entregado")


async def test_unpaid_shipped_order_is_not_shown_as_paid(page_320: Page, server: ShopServer) -> None:
    await prepare_payment(page_320, "yoyo-de-madera")
    await go_to_bank(page_320)
    await decide_at_bank(page_320, "pending")
    number = (await page_320.get_by_test_id("order-number").inner_text()).split()[-1]
    authorize_payment(server, number)
    send_parcel(server, number)
    await page_320.reload()
    await expect_status(page_320, "authorized")
    status = page_320.get_by_test_id("order-status")
    await expect(status).to_contain_text("Tu pedido va en camino")
    await expect(status).to_contain_text("Todavía no recibimos tu pago")
    await expect_no_overflow(page_320)


@PHONE_ONLY
async def test_double_click_creates_one_order_and_one_payment(page: Page, server: ShopServer) -> None:
    email = "doble@example.com"
    await put_in_cart(page, "domino-de-madera")
    await open_checkout(page)
    await fill_in_checkout(page, email=email)
    payments = count_payments(server)
    await page.get_by_test_id("place-order").dblclick(delay=20)
    await expect(page.get_by_test_id("bank-approve")).to_be_visible()
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    assert count_orders(server, email) == 1
    assert count_payments(server) == payments + 1


async def _fill_in_two_tabs(page: Page, email: str, to_other_tab: HeldMessages | None = None) -> Page:
    """Fill in the checkout, open it in a second tab too, and return the second tab.

    While its `window.isIsolated` is true, the second tab ignores changes of the browser's storage.
    """
    await put_in_cart(page, "tangram-siete-piezas")
    await open_checkout(page)
    await fill_in_checkout(page, email=email)
    other_tab = await page.context.new_page()
    if to_other_tab is not None:
        await to_other_tab.intercept(other_tab)
    await other_tab.add_init_script(
        "addEventListener('storage', (event) => window.isIsolated && event.stopImmediatePropagation(), true)"
    )
    await open_checkout(other_tab)
    await expect(other_tab.get_by_test_id("place-order")).to_contain_text("Pagar $")
    return other_tab


async def test_payment_click_in_an_outdated_tab_opens_the_existing_payment(
    page_1280: Page, server: ShopServer
) -> None:
    email = "dos-ventanas@example.com"
    from_server = HeldMessages("cart_state")
    other_tab = await _fill_in_two_tabs(page_1280, email, from_server)
    await other_tab.evaluate("window.isIsolated = true")
    payments = count_payments(server)
    from_server.is_holding = True
    await go_to_bank(page_1280)
    async with asyncio.timeout(TIMEOUT_MS / 1000):
        await from_server.discard_next()
    await other_tab.bring_to_front()
    await go_to_bank(other_tab)
    assert other_tab.url == page_1280.url
    assert count_orders(server, email) == 1
    assert count_payments(server) == payments + 1


@pytest.mark.parametrize("is_isolated", [False, True], ids=["from the other tab", "from the server alone"])
async def test_tab_links_to_the_payment_started_in_another_tab(
    page_1280: Page, server: ShopServer, *, is_isolated: bool
) -> None:
    email = f"otra-ventana-{is_isolated:d}@example.com"
    other_tab = await _fill_in_two_tabs(page_1280, email)
    await other_tab.evaluate("(isIsolated) => (window.isIsolated = isIsolated)", is_isolated)
    payments = count_payments(server)
    await go_to_bank(page_1280)
    await other_tab.bring_to_front()
    await expect(other_tab.get_by_test_id("order-waiting")).to_be_visible()
    await other_tab.get_by_test_id("go-to-bank").click()
    await expect(other_tab.get_by_test_id("bank-approve")).to_be_visible()
    assert other_tab.url == page_1280.url
    assert count_orders(server, email) == 1
    assert count_payments(server) == payments + 1


@PHONE_ONLY
async def test_back_button_at_the_bank_leads_to_the_existing_order(page: Page, server: ShopServer) -> None:
    await prepare_payment(page, "parques-de-madera")
    await go_to_bank(page)
    bank = page.url
    await page.go_back()
    await expect(page.get_by_test_id("order-waiting")).to_be_visible()
    await expect(page.get_by_test_id("go-to-bank")).to_have_attribute("href", bank)
    await page.get_by_test_id("see-order").click()
    await expect_status(page, "pending")
    await page.get_by_test_id("go-to-bank").click()
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")


async def test_purchase_works_by_keyboard(page_1280: Page) -> None:
    page = page_1280
    await put_in_cart(page, "trompo-de-madera")
    await open_checkout(page)
    keys = page.keyboard
    await field(page, "email").focus()
    for name in ("email", "first_name", "last_name", "phone"):
        await expect(field(page, name)).to_be_focused()
        await keys.type(ANA[name])
        await keys.press("Tab")
    await expect(field(page, "town")).to_be_focused()
    await keys.type("bogota")
    current = page.locator(".town__panel:not([data-stale])")  # a later answer would remove the selection
    await expect(current.get_by_role("option").first).to_be_visible()
    await keys.press("ArrowDown")
    await expect(page.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    await keys.press("Enter")
    await expect(field(page, "dane_code")).to_have_value("11001000")
    await keys.press("Tab")
    for name in ("address", "suburb", "reference"):
        await expect(field(page, name)).to_be_focused()
        await keys.type(ANA[name])
        await keys.press("Enter")  # moves to the next field, as on a phone
    await expect(page.get_by_test_id("shipping-option").first.locator("input")).to_be_enabled()
    await page.get_by_test_id("shipping-option").first.locator("input").focus()
    await keys.press("ArrowDown")  # pickup at the store
    await expect(page.get_by_test_id("checkout-shipping")).to_have_text("Gratis")
    await keys.press("Tab")
    await expect(field(page, "person_type").first).to_be_focused()
    await keys.press("Tab")
    await expect(field(page, "doc_type")).to_be_focused()
    await keys.press("Tab")
    await keys.type(ANA["doc_number"])
    await keys.press("Tab")
    await expect(page.get_by_test_id("bank-select")).to_be_focused()
    await keys.type("bancolombia")
    await expect(page.get_by_test_id("bank-select")).not_to_have_value("")
    for box in ("consent-data", "consent-terms"):
        await keys.press("Tab")
        await expect(page.get_by_test_id(box)).to_be_focused()
        await keys.press("Space")
        await expect(page.get_by_test_id(box)).to_be_checked()
        await keys.press("Tab")  # the link to the text
    await keys.press("Tab")
    await expect(page.get_by_test_id("place-order")).to_be_focused()
    await keys.press("Enter")
    await expect(page.get_by_test_id("bank-approve")).to_be_visible()
    await page.get_by_test_id("bank-approve").focus()
    await keys.press("Enter")
    await expect_status(page, "paid")


async def test_order_is_shown_only_with_its_link(
    page_1280: Page, open_page: OpenPage, watch: PageWatch
) -> None:
    watch.expect("404")
    await prepare_payment(page_1280, "loteria-de-animales")
    await go_to_bank(page_1280)
    await decide_at_bank(page_1280, "approve")
    await expect_status(page_1280, "paid")
    address = urlsplit(page_1280.url)
    token = address.query.partition("token=")[2].partition("&")[0]
    async with open_page(1280, 800) as stranger:
        for wrong in (address.path, f"{address.path}?token={token[:-1]}x", f"/order/order_0?token={token}"):
            await stranger.goto(wrong)
            await expect(stranger.get_by_test_id("not-found")).to_be_visible()
            await expect(stranger.locator("body")).not_to_contain_text(ANA["email"])
            await expect(stranger.locator("body")).not_to_contain_text(ANA["last_name"])
        for right in (f"?token={token}", f"?token={token}?ref_payco=abc", f"?token={token}&ref_payco=abc"):
            await stranger.goto(address.path + right)
            await expect_status(stranger, "paid")


async def test_shipping_price_changes_with_the_municipality_in_the_form(page_1280: Page) -> None:
    page = page_1280
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await expect(page.get_by_test_id("shipping-option")).to_have_count(0)
    await pick_town(page, MEDELLIN)
    price = page.get_by_test_id("shipping-option").first.locator(".card-choice__price")
    await expect(price).to_contain_text("$")
    near = await price.inner_text()
    await expect(page.get_by_test_id("checkout-shipping")).to_have_text(near)
    await field(page, "town").fill("leti")
    await expect(page.get_by_test_id("shipping-option")).to_have_count(0)
    await expect(page.get_by_test_id("checkout-shipping")).not_to_contain_text("$")
    await page.get_by_test_id("town-option").filter(has_text="Leticia").click()
    await expect(price).not_to_have_text(near)
    await expect(price).to_contain_text("$")
    await expect(page.get_by_test_id("checkout-shipping")).to_have_text(await price.inner_text())


@PHONE_ONLY
async def test_empty_checkout_links_to_the_catalogue(page: Page) -> None:
    await page.goto("/checkout")
    empty = page.get_by_test_id("empty-cart")
    await expect(empty).to_be_visible()
    await expect_no_overflow(page)
    await empty.get_by_role("link").first.click()
    await expect(page.get_by_test_id("product-card").first).to_be_visible()
