"""Buying a toy through the pages, on the smallest phone and on a desktop: to the bank and back."""

import asyncio
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import ON_A_PHONE, OpenPage, ShopServer, Watch
from tests.e2e.held import Held
from tests.e2e.shopper import (
    ANA,
    BANK,
    MEDELLIN,
    PATIENCE,
    agree,
    be_ready_to_pay,
    decide,
    deliver_parcel,
    expect_no_overflow,
    expect_status,
    field,
    fill_in,
    go_to_bank,
    open_checkout,
    orders_of,
    pay_by_hand,
    payments_of,
    pick_town,
    put_in_cart,
    send_parcel,
    stock_of,
)


async def test_a_toy_is_bought(page: Page, server: ShopServer) -> None:
    toy = "yoyo-de-madera"
    stock = stock_of(server, toy)
    await put_in_cart(page, toy)
    await open_checkout(page)
    banks = page.get_by_test_id("bank-select").locator("option:not([disabled])")
    await expect(banks).not_to_have_count(0, timeout=PATIENCE)
    codes = [await bank.get_attribute("value") for bank in await banks.all()]
    assert BANK in codes
    assert "0" not in codes
    assert "" not in codes
    await fill_in(page)
    await expect_no_overflow(page)
    total = await page.get_by_test_id("place-order").inner_text()
    await go_to_bank(page)
    assert stock_of(server, toy) == stock - 1
    await decide(page, "approve")
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
    assert stock_of(server, toy) == stock - 1


@ON_A_PHONE
async def test_a_rejected_payment_gives_the_cart_back_in_one_click(page: Page, server: ShopServer) -> None:
    toy = "coca-balero"
    stock = stock_of(server, toy)
    await be_ready_to_pay(page, toy)
    await go_to_bank(page)
    await decide(page, "reject")
    await expect_status(page, "rejected")
    await expect(page.get_by_test_id("payment-state")).to_have_text("Rechazada")
    await expect_no_overflow(page)
    assert stock_of(server, toy) == stock

    await page.get_by_test_id("try-again").click()
    await expect(page).to_have_url(f"{server.url}/checkout")
    for name, text in ANA.items():
        await expect(field(page, name)).to_have_value(text, timeout=PATIENCE)
    await expect(field(page, "town")).to_have_value(MEDELLIN[1])
    await expect(page.get_by_test_id("bank-select")).to_have_value(BANK)
    await expect(page.get_by_test_id("checkout-line")).to_have_count(1)
    await expect(page.get_by_test_id("consent-data")).not_to_be_checked()  # each purchase asks anew
    await agree(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $", timeout=PATIENCE)
    await go_to_bank(page)
    await decide(page, "approve")
    await expect_status(page, "paid")
    assert stock_of(server, toy) == stock - 1


async def test_a_cancelled_payment_frees_the_stock(page_320: Page, server: ShopServer) -> None:
    toy = "bolsa-de-canicas"
    stock = stock_of(server, toy)
    await be_ready_to_pay(page_320, toy)
    await go_to_bank(page_320)
    await decide(page_320, "cancel")
    await expect_status(page_320, "canceled")
    await expect(page_320.get_by_test_id("try-again")).to_be_visible()
    assert stock_of(server, toy) == stock


async def test_a_cart_that_comes_back_leaves_what_is_in_the_new_one(
    page_1280: Page, server: ShopServer
) -> None:
    page = page_1280
    await be_ready_to_pay(page, "coca-balero")
    await go_to_bank(page)
    await decide(page, "cancel")
    await expect_status(page, "canceled")
    order = page.url
    await put_in_cart(page, "yoyo-de-madera")
    # the message may be that of the toy before: the browser knows its new cart when the answer is there
    await page.wait_for_function("() => localStorage.getItem('trompo_cart')")
    for _time in range(2):  # the second time adds nothing
        await page.goto(order)
        await page.get_by_test_id("try-again").click()
        await expect(page).to_have_url(f"{server.url}/checkout")
        await expect(page.get_by_test_id("checkout-line")).to_have_count(2, timeout=PATIENCE)
        await expect(page.locator(".buy__units")).to_have_text(["1", "1"])


async def test_an_open_page_follows_its_payment_by_itself(page_1280: Page) -> None:
    await be_ready_to_pay(page_1280, "cometa-de-agosto")
    await go_to_bank(page_1280)
    bank = page_1280.url
    await decide(page_1280, "pending")
    await expect_status(page_1280, "pending")
    await expect(page_1280.get_by_test_id("order-status")).to_contain_text(
        "Por favor verificar si el débito fue realizado en el Banco."
    )
    other_tab = await page_1280.context.new_page()
    await other_tab.goto(bank)
    await other_tab.get_by_test_id("bank-approve").click()
    await expect_status(other_tab, "paid")
    await other_tab.close()
    await page_1280.bring_to_front()
    await expect(page_1280.get_by_test_id("order-status")).to_have_attribute(
        "data-status", "paid", timeout=40_000
    )
    await expect(page_1280.get_by_test_id("payment-state")).to_have_text("Aprobada")


async def test_a_paid_order_shows_where_its_parcel_is(page_320: Page, server: ShopServer) -> None:
    await be_ready_to_pay(page_320, "yoyo-de-madera")
    await go_to_bank(page_320)
    await decide(page_320, "approve")
    await expect_status(page_320, "paid")
    number = (await page_320.get_by_test_id("order-number").inner_text()).split()[-1]
    send_parcel(server, number)
    await page_320.reload()
    parcel = page_320.get_by_test_id("parcel")
    await expect(parcel.get_by_test_id("parcel-stage")).to_have_text("En camino", timeout=PATIENCE)
    await expect(parcel.get_by_test_id("tracking-number")).to_have_text(f"TRM{number}")
    await expect(parcel).to_contain_text("Entrega estimada: martes 24 de noviembre")
    await expect(page_320.get_by_test_id("order-status")).to_contain_text("Tu pedido va en camino")
    await expect_status(page_320, "paid")
    await expect_no_overflow(page_320)
    deliver_parcel(server, number)
    await page_320.reload()
    await expect(parcel.get_by_test_id("parcel-stage")).to_have_text("Entregado", timeout=PATIENCE)
    await expect(page_320.get_by_test_id("order-status")).to_contain_text("Tu pedido fue entregado")


async def test_what_is_sent_before_it_is_paid_is_not_told_as_paid(page_320: Page, server: ShopServer) -> None:
    await be_ready_to_pay(page_320, "yoyo-de-madera")
    await go_to_bank(page_320)
    await decide(page_320, "pending")
    number = (await page_320.get_by_test_id("order-number").inner_text()).split()[-1]
    pay_by_hand(server, number)
    send_parcel(server, number)
    await page_320.reload()
    await expect_status(page_320, "authorized")
    said = page_320.get_by_test_id("order-status")
    await expect(said).to_contain_text("Tu pedido va en camino")
    await expect(said).to_contain_text("Todavía no recibimos tu pago")
    await expect_no_overflow(page_320)


@ON_A_PHONE
async def test_a_double_click_makes_one_order_and_one_payment(page: Page, server: ShopServer) -> None:
    email = "doble@example.com"
    await put_in_cart(page, "domino-de-madera")
    await open_checkout(page)
    await fill_in(page, email=email)
    payments = payments_of(server)
    await page.get_by_test_id("place-order").dblclick(delay=20)
    await expect(page.get_by_test_id("bank-approve")).to_be_visible(timeout=PATIENCE)
    await decide(page, "approve")
    await expect_status(page, "paid")
    assert orders_of(server, email) == 1
    assert payments_of(server) == payments + 1


async def _ready_in_two_tabs(page: Page, email: str, to_other_tab: Held | None = None) -> Page:
    """The checkout is filled in, in two tabs. Returns the other one, which can be made deaf to what tabs tell."""
    await put_in_cart(page, "tangram-siete-piezas")
    await open_checkout(page)
    await fill_in(page, email=email)
    other_tab = await page.context.new_page()
    if to_other_tab is not None:
        await to_other_tab.stand_before(other_tab)
    await other_tab.add_init_script(
        "addEventListener('storage', (told) => window.hearsNothing && told.stopImmediatePropagation(), true)"
    )
    await open_checkout(other_tab)
    await expect(other_tab.get_by_test_id("place-order")).to_contain_text("Pagar $", timeout=PATIENCE)
    return other_tab


async def test_a_press_in_a_tab_that_has_not_heard_of_the_order_leads_to_its_payment(
    page_1280: Page, server: ShopServer
) -> None:
    email = "dos-ventanas@example.com"
    from_server = Held("cart_state")
    other_tab = await _ready_in_two_tabs(page_1280, email, from_server)
    await other_tab.evaluate("window.hearsNothing = true")
    payments = payments_of(server)
    from_server.is_holding = True
    await go_to_bank(page_1280)
    async with asyncio.timeout(PATIENCE / 1000):
        await from_server.lose_next()
    await other_tab.bring_to_front()
    await go_to_bank(other_tab)
    assert other_tab.url == page_1280.url
    assert orders_of(server, email) == 1
    assert payments_of(server) == payments + 1


@pytest.mark.parametrize("hears_nothing", [False, True], ids=["from the other tab", "from the server alone"])
async def test_a_tab_that_hears_of_the_order_shows_the_way_to_its_payment(
    page_1280: Page, server: ShopServer, *, hears_nothing: bool
) -> None:
    email = f"otra-ventana-{hears_nothing:d}@example.com"
    other_tab = await _ready_in_two_tabs(page_1280, email)
    await other_tab.evaluate("(deaf) => (window.hearsNothing = deaf)", hears_nothing)
    payments = payments_of(server)
    await go_to_bank(page_1280)
    await other_tab.bring_to_front()
    await expect(other_tab.get_by_test_id("order-waiting")).to_be_visible(timeout=PATIENCE)
    await other_tab.get_by_test_id("go-to-bank").click()
    await expect(other_tab.get_by_test_id("bank-approve")).to_be_visible(timeout=PATIENCE)
    assert other_tab.url == page_1280.url
    assert orders_of(server, email) == 1
    assert payments_of(server) == payments + 1


@ON_A_PHONE
async def test_back_from_the_bank_leads_to_the_order_and_not_to_a_second_one(
    page: Page, server: ShopServer
) -> None:
    await be_ready_to_pay(page, "parques-de-madera")
    await go_to_bank(page)
    bank = page.url
    await page.go_back()
    await expect(page.get_by_test_id("order-waiting")).to_be_visible(timeout=PATIENCE)
    await expect(page.get_by_test_id("go-to-bank")).to_have_attribute("href", bank)
    await page.get_by_test_id("see-order").click()
    await expect_status(page, "pending")
    await page.get_by_test_id("go-to-bank").click()
    await decide(page, "approve")
    await expect_status(page, "paid")


async def test_a_whole_purchase_by_keyboard(page_1280: Page) -> None:
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
    current = page.locator(
        ".town__panel:not([data-stale])"
    )  # a later answer would take what is selected away
    await expect(current.get_by_role("option").first).to_be_visible(timeout=PATIENCE)
    await keys.press("ArrowDown")
    await expect(page.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    await keys.press("Enter")
    await expect(field(page, "dane_code")).to_have_value("11001000")
    await keys.press("Tab")
    for name in ("address", "suburb", "reference"):
        await expect(field(page, name)).to_be_focused()
        await keys.type(ANA[name])
        await keys.press("Enter")  # goes on, as on a phone
    await expect(page.get_by_test_id("shipping-option").first.locator("input")).to_be_enabled(
        timeout=PATIENCE
    )
    await page.get_by_test_id("shipping-option").first.locator("input").focus()
    await keys.press("ArrowDown")  # fetched at the store
    await expect(page.get_by_test_id("checkout-shipping")).to_have_text("Gratis", timeout=PATIENCE)
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
        await keys.press("Tab")  # the way to the text
    await keys.press("Tab")
    await expect(page.get_by_test_id("place-order")).to_be_focused()
    await keys.press("Enter")
    await expect(page.get_by_test_id("bank-approve")).to_be_visible(timeout=PATIENCE)
    await page.get_by_test_id("bank-approve").focus()
    await keys.press("Enter")
    await expect_status(page, "paid")


async def test_an_order_shows_itself_only_to_who_holds_its_link(
    page_1280: Page, open_page: OpenPage, watch: Watch
) -> None:
    watch.expect("404")
    await be_ready_to_pay(page_1280, "loteria-de-animales")
    await go_to_bank(page_1280)
    await decide(page_1280, "approve")
    await expect_status(page_1280, "paid")
    address = urlsplit(page_1280.url)
    token = address.query.partition("token=")[2].partition("&")[0]
    async with open_page(1280, 800) as stranger:
        for wrong in (address.path, f"{address.path}?token={token[:-1]}x", f"/order/order_0?token={token}"):
            await stranger.goto(wrong)
            await expect(stranger.get_by_test_id("not-found")).to_be_visible(timeout=PATIENCE)
            await expect(stranger.locator("body")).not_to_contain_text(ANA["email"])
            await expect(stranger.locator("body")).not_to_contain_text(ANA["last_name"])
        for right in (f"?token={token}", f"?token={token}?ref_payco=abc", f"?token={token}&ref_payco=abc"):
            await stranger.goto(address.path + right)
            await expect_status(stranger, "paid")


async def test_the_price_is_that_of_the_place_in_the_form(page_1280: Page) -> None:
    page = page_1280
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await expect(page.get_by_test_id("shipping-option")).to_have_count(0)
    await pick_town(page, MEDELLIN)
    price = page.get_by_test_id("shipping-option").first.locator(".card-choice__price")
    await expect(price).to_contain_text("$", timeout=PATIENCE)
    near = await price.inner_text()
    await expect(page.get_by_test_id("checkout-shipping")).to_have_text(near)
    await field(page, "town").fill("leti")
    await expect(page.get_by_test_id("shipping-option")).to_have_count(0)
    await expect(page.get_by_test_id("checkout-shipping")).not_to_contain_text("$")
    await page.get_by_test_id("town-option").filter(has_text="Leticia").click()
    await expect(price).not_to_have_text(near, timeout=PATIENCE)
    await expect(price).to_contain_text("$", timeout=PATIENCE)
    await expect(page.get_by_test_id("checkout-shipping")).to_have_text(await price.inner_text())


@ON_A_PHONE
async def test_an_empty_checkout_leads_to_the_catalogue(page: Page) -> None:
    await page.goto("/checkout")
    empty = page.get_by_test_id("empty-cart")
    await expect(empty).to_be_visible(timeout=PATIENCE)
    await expect_no_overflow(page)
    await empty.get_by_role("link").first.click()
    await expect(page.get_by_test_id("product-card").first).to_be_visible(timeout=PATIENCE)
