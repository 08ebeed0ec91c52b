"""Accounts in a browser, on the smallest phone and on a desktop: from registration to a new password."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.async_api import Page, Route, expect

from backend.core.error_texts import FAILURE
from tests.e2e.account_steps import (
    LOGIN_URL,
    NEW_PASSWORD,
    PASSWORD,
    add_address,
    expect_account_page,
    expect_counts,
    log_in,
    log_out,
    record_sent,
    register,
    submit_registration,
    wait_for_mail,
)
from tests.e2e.conftest import PHONE_ONLY, OpenPage, PageWatch, ShopServer
from tests.e2e.shopper import (
    BANK,
    TIMEOUT_MS,
    decide_at_bank,
    expect_no_overflow,
    expect_status,
    field,
    fill_in_checkout,
    go_to_bank,
    open_checkout,
    put_in_cart,
    wait_until_hydrated,
)


@pytest.fixture(scope="module")
def server(
    production_build: None, demo_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ShopServer]:
    """Start a shop for these tests alone: registrations are limited by client, and all browsers here are one client."""
    shop = ShopServer(tmp_path_factory.mktemp("accounts-shop"), template_data=demo_data, may_fork=True)
    shop.start()
    yield shop
    shop.stop()


@PHONE_ONLY
async def test_customer_registers_buys_and_sees_the_order(page: Page, server: ShopServer) -> None:
    address = "compra@example.com"
    await put_in_cart(page, "yoyo-de-madera")
    await register(page, address)
    await expect_no_overflow(page)
    assert await page.evaluate("document.cookie.includes('trompo_session')") is False
    await open_checkout(page)  # the guest's cart is still there
    await expect(field(page, "email")).to_have_value(address)
    await expect(field(page, "first_name")).to_have_value("Ana María")
    await fill_in_checkout(page, email=address)
    await page.get_by_test_id("keep-payer").check()
    await go_to_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    number = (await page.get_by_test_id("order-number").inner_text()).split()[-1]
    await page.goto("/account")
    order = page.get_by_test_id("account-order")
    await expect(order).to_have_count(1)
    await expect(order).to_contain_text(number)
    await expect(order).to_contain_text("Pagado")
    await expect(page.get_by_test_id("account-address")).to_contain_text("Carrera 43A # 1-50")
    await expect_no_overflow(page)
    await expect(order.locator("img")).to_have_count(1)
    await order.get_by_test_id("buy-again").dblclick()
    await expect(page.get_by_test_id("cart-line")).to_contain_text("Yoyo de madera")
    await page.reload()
    await expect(page.get_by_test_id("cart-line").get_by_test_id("quantity")).to_have_value("1")
    await page.goto("/account")
    await order.get_by_role("link").first.click()
    await expect_status(page, "paid")
    assert "/order/" in await wait_for_mail(page, server, address, "Recibimos tu pedido")
    assert "confirmó el pago" in await wait_for_mail(page, server, address, "quedó confirmado")
    # for the second order, the address book fills the form
    await open_checkout(page)
    await expect(field(page, "address")).to_have_value("Carrera 43A # 1-50, apto. 302")
    await expect(field(page, "town")).to_have_value("Medellín, Antioquia")
    # and the payer's data, stored at the customer's request, fills in the payer
    await expect(field(page, "doc_number")).to_have_value("1020304050")
    await expect(page.get_by_test_id("bank-select")).to_have_value(BANK)
    await expect(page.get_by_test_id("payer-known")).to_be_visible()
    await expect(page.get_by_test_id("keep-payer")).not_to_be_checked()
    await expect_no_overflow(page)
    await page.goto("/account")
    await expect(page.get_by_test_id("account-payer")).to_have_text("Cédula de ciudadanía ···050")
    await page.get_by_test_id("forget-payer").click()
    await expect(page.get_by_test_id("account-payer")).to_have_count(0)


@PHONE_ONLY
async def test_customer_logs_out_logs_in_and_resets_the_password(
    page: Page, server: ShopServer, watch: PageWatch
) -> None:
    watch.expect("401")
    watch.expect("400")
    address = f"clave{page.viewport_size['width']}@example.com"  # type: ignore[index]
    await register(page, address)
    await log_out(page)
    await page.goto("/account")
    await expect(page).to_have_url(re.compile("/account/login$"))
    await log_in(page, address, "no es esta")
    await expect(page.locator(".account-form__said")).to_contain_text("no coinciden")
    await log_in(page, address, PASSWORD)
    await expect_account_page(page)
    await log_out(page)
    await page.goto("/account/reset")
    await expect(page).to_have_title("Cambia tu contraseña · Trompo")
    await field(page, "email").fill(address)
    await page.get_by_role("button", name="Enviarme el enlace").click()
    await expect(page.locator(".account-form__said")).to_contain_text("Si hay una cuenta")
    await expect_no_overflow(page)
    text = await wait_for_mail(page, server, address, "Cambia tu contraseña")
    link = re.search(r"/account/reset#token=(\S+)", text)
    assert link is not None
    await page.goto("/")
    sent_messages = record_sent(page)
    await page.goto(link.group())
    await expect(field(page, "password")).to_be_visible()
    assert page.url.endswith("/account/reset")  # the token is removed from the address immediately
    stored_state = (
        "JSON.stringify([{...localStorage}, {...sessionStorage}, history.state, document.referrer])"
    )
    assert link[1] not in await page.evaluate(stored_state)
    await field(page, "password").fill(NEW_PASSWORD)
    await page.get_by_role("button", name="Guardar y entrar").click()
    await expect_account_page(page)
    assert [message.split()[0] for message in sent_messages if link[1] in message] == ["/auth/account/reset"]
    assert link[1] not in server.log
    await log_out(page)
    await page.goto(link.group())
    await field(page, "password").fill("otra clave más")
    await page.get_by_role("button", name="Guardar y entrar").click()
    await expect(page.locator(".account-form__said")).to_contain_text("ya se usó")
    await expect_no_overflow(page)
    await page.get_by_role("button", name="Pedir otro enlace").click()
    await expect(page.get_by_role("button", name="Enviarme el enlace")).to_be_visible()
    await log_in(page, address, NEW_PASSWORD)
    await expect_account_page(page)


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (502, "text/html", "<h1>Bad Gateway</h1>"),
        (503, "application/json", '{"type": "unavailable", "message": "The database does not answer"}'),
    ],
)
async def test_account_forms_show_proxy_errors_in_the_shops_words(
    page_320: Page, watch: PageWatch, status: int, kind: str, body: str
) -> None:
    watch.expect(str(status))
    await register(page_320, f"falla{status}@example.com")

    async def fail(route: Route) -> None:
        await route.fulfill(status=status, content_type=kind, body=body)

    await page_320.route("**/auth/account/*", fail)
    await page_320.get_by_test_id("logout").click()
    await expect(page_320.get_by_test_id("lost-press")).to_be_visible()
    await page_320.get_by_role("button", name="Cambiar contraseña").click()
    await expect(page_320.locator(".account-form__said")).to_have_text(FAILURE)


@PHONE_ONLY
async def test_new_password_and_logout_everywhere_end_other_sessions(
    page: Page, open_page: OpenPage, watch: PageWatch
) -> None:
    watch.expect("400")
    watch.expect("401")
    address = f"equipos{page.viewport_size['width']}@example.com"  # type: ignore[index]
    await register(page, address)
    async with open_page(1280, 800) as other:
        await log_in(other, address, PASSWORD)
        await expect_account_page(other)
        await field(page, "new_password").fill(NEW_PASSWORD)
        await field(page, "password").fill("no es esta")
        await page.get_by_role("button", name="Cambiar contraseña").click()
        await expect(page.get_by_text("Esta no es tu contraseña actual.")).to_be_visible()
        await expect(field(page, "new_password")).to_have_value(NEW_PASSWORD)
        await expect_no_overflow(page)
        await field(page, "password").fill(PASSWORD)
        await page.get_by_role("button", name="Cambiar contraseña").click()
        await expect(field(page, "new_password")).to_have_value("")
        await expect_account_page(page)
        await other.goto("/account")
        await expect(other).to_have_url(LOGIN_URL)
        await log_in(other, address, PASSWORD)
        await expect(other.get_by_text("no coinciden")).to_be_visible()
        await log_in(other, address, NEW_PASSWORD)
        await expect_account_page(other)
        await page.get_by_test_id("logout-everywhere").click()
        await page.wait_for_url(re.compile(r"://[^/]+/$"), timeout=TIMEOUT_MS)
        await other.goto("/account")
        await expect(other).to_have_url(LOGIN_URL)


@PHONE_ONLY
async def test_registration_errors_are_shown_next_to_their_fields(page: Page, watch: PageWatch) -> None:
    watch.expect("400")
    await page.goto("/account/register")
    await expect(field(page, "email")).to_be_visible()
    await field(page, "email").fill("ana@")
    await page.get_by_role("button", name="Crear mi cuenta").click()
    await expect(field(page, "email")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("Revisa el correo")).to_be_visible()
    await expect(page.get_by_text("Escribe tu nombre.")).to_be_visible()
    await expect(field(page, "first_name")).to_be_focused()
    await expect_no_overflow(page)


@PHONE_ONLY
async def test_registration_returns_to_the_checkout(page: Page) -> None:
    address = f"depaso{page.viewport_size['width']}@example.com"  # type: ignore[index]
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    await page.get_by_role("link", name="Entra y no escribas todo otra vez").click()
    await page.get_by_role(
        "link", name="Olvidé mi contraseña"
    ).click()  # visiting other pages does not lose the way back
    await page.get_by_role("link", name="Volver a entrar").click()
    await page.get_by_role("link", name="Crea tu cuenta").click()
    await page.get_by_role("link", name="Entra", exact=True).click()
    await page.get_by_role("link", name="Crea tu cuenta").click()
    await submit_registration(page, address)
    await expect(page).to_have_url(re.compile("/checkout$"))
    await expect(field(page, "email")).to_have_value(address)


async def test_login_does_not_redirect_to_another_site(page_1280: Page) -> None:
    link = page_1280.get_by_role("link", name="Crea tu cuenta")
    await page_1280.goto("/account/login?next=%2Fcheckout")
    await expect(link).to_have_attribute("href", "/account/register?next=%2Fcheckout")
    for target in ("https://other.example/", "//other.example", "/\\other.example", "http://"):
        await page_1280.goto(f"/account/login?next={quote(target, safe='')}")
        await wait_until_hydrated(page_1280)
        await expect(link).to_have_attribute("href", "/account/register")


async def test_customer_changes_profile_and_address_book(page: Page) -> None:
    address = f"libreta{page.viewport_size['width']}@example.com"  # type: ignore[index]
    await register(page, address)
    profile = page.locator("section", has=page.locator("#datos"))
    await profile.locator('[name="first_name"]').fill("Ana María Inés")
    await profile.get_by_role("button", name="Guardar mis datos").click()
    await expect(page.get_by_test_id("account-hello")).to_contain_text("Inés")
    book = page.locator("section", has=page.locator("#direcciones"))
    await book.get_by_text("Agregar una dirección").click()
    await book.get_by_role("button", name="Guardar dirección").click()
    await expect(book.get_by_text("Escribe el barrio")).to_be_visible()
    if page.viewport_size["width"] == 1280:  # type: ignore[index]
        boxes = [await book.locator(f'[name="{name}"]').bounding_box() for name in ("suburb", "reference")]
        assert (
            len({box["y"] for box in boxes if box}) == 1
        )  # aligned, although only one of them has a problem
    for name, text in (
        ("phone", "300 123 4567"),
        ("town", "Cali, Antioquia"),
        ("address", "Calle 10 # 5-20"),
        ("suburb", "Centro"),
    ):
        await book.locator(f'[name="{name}"]').fill(text)
    await book.get_by_role("button", name="Guardar dirección").click()
    await expect(book.get_by_text("Elige tu municipio")).to_be_visible()
    await expect(book.locator('[name="address"]')).to_have_value("Calle 10 # 5-20")  # nothing is lost
    await book.locator('[name="town"]').fill("Cali, Valle del Cauca")
    await book.get_by_role("button", name="Guardar dirección").click()
    entries = page.get_by_test_id("account-address")
    await expect(entries).to_contain_text("Calle 10 # 5-20")
    await expect(entries).to_contain_text("Es la de tus envíos")
    await expect_no_overflow(page)


@PHONE_ONLY
async def test_saved_addresses_are_changed_and_one_becomes_the_default(page: Page) -> None:
    await register(page, f"casas{page.viewport_size['width']}@example.com")  # type: ignore[index]
    await add_address(page, "Calle 10 # 5-20", "Cali, Valle del Cauca")
    await add_address(page, "Carrera 7 # 71-21", "Medellín, Antioquia")
    entries = page.get_by_test_id("account-address")
    cali, bogota = entries.filter(has_text="Calle 10"), entries.filter(has_text="Carrera 7")
    await expect(cali).to_contain_text("Es la de tus envíos")
    await bogota.get_by_role("button", name="Usar para mis envíos").click()
    await expect(bogota).to_contain_text("Es la de tus envíos")
    await expect(entries.first).to_contain_text("Carrera 7")

    await cali.get_by_text("Editar").click()
    await cali.locator('[name="address"]').fill("x")
    await cali.locator('[name="suburb"]').fill("San Antonio")
    await cali.get_by_role("button", name="Guardar dirección").click()
    await expect(cali.locator('[name="address"]')).to_have_attribute("aria-invalid", "true")
    await expect(cali.locator('[name="address"]')).to_be_focused()
    await expect(cali.get_by_text("Escribe al menos 8 caracteres.")).to_be_visible()
    await expect(cali.locator('[name="suburb"]')).to_have_value("San Antonio")
    await expect_no_overflow(page)
    await cali.locator('[name="address"]').fill("Calle 10 # 5-99")
    await cali.get_by_role("button", name="Guardar dirección").click()
    await expect(cali.get_by_role("button", name="Guardar dirección")).to_be_hidden()
    await expect(cali).to_contain_text("Calle 10 # 5-99")
    await expect(cali).to_contain_text("San Antonio")
    await expect(entries).to_have_count(2)

    remove = bogota.get_by_role("button", name="Quitar la dirección")
    await remove.click()
    await bogota.get_by_role("button", name="Dejarla").click()
    await expect(remove).to_be_focused()
    await remove.click()
    await bogota.get_by_role("button", name="Quitarla").click()
    await expect(entries).to_have_count(1)
    await expect(entries).to_contain_text("Es la de tus envíos")  # the remaining address is the default now


@PHONE_ONLY
async def test_checkout_offers_the_saved_addresses(page: Page) -> None:
    await register(page, f"destinos{page.viewport_size['width']}@example.com")  # type: ignore[index]
    await add_address(page, "Calle 10 # 5-20", "Leticia, Amazonas")
    await add_address(page, "Carrera 7 # 71-21", "Medellín, Antioquia")
    await put_in_cart(page, "yoyo-de-madera")
    await open_checkout(page)
    addresses, price = page.get_by_test_id("saved-address"), page.get_by_test_id("shipping-option").first
    await expect(addresses).to_have_count(2)
    await expect(addresses.filter(has_text="Calle 10").get_by_role("radio")).to_be_checked()
    await expect(field(page, "town")).to_have_value("Leticia, Amazonas")
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")
    far = await price.locator(".card-choice__price").inner_text()
    await addresses.filter(has_text="Carrera 7").click()
    await expect(field(page, "address")).to_have_value("Carrera 7 # 71-21")
    await expect(price.locator(".card-choice__price")).not_to_have_text(far)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")
    await expect_no_overflow(page)
    await page.get_by_test_id("other-address").click()
    await expect(field(page, "address")).to_have_value("")
    await expect(field(page, "town")).to_have_value("")
    await addresses.filter(has_text="Calle 10").click()
    await expect(field(page, "town")).to_have_value("Leticia, Amazonas")
    await expect(price.locator(".card-choice__price")).to_have_text(far)
    await page.reload()
    await expect(addresses.filter(has_text="Calle 10").get_by_role("radio")).to_be_checked()


@PHONE_ONLY
async def test_cart_and_wishlist_are_kept_at_login(page: Page, open_page: OpenPage) -> None:
    address = f"carritos{page.viewport_size['width']}@example.com"  # type: ignore[index]
    await put_in_cart(page, "yoyo-de-madera")
    await page.get_by_test_id("wishlist-toggle").first.click()
    await register(page, address)
    await expect_counts(page, cart=1, wishes=1)
    await log_out(page)
    await expect_counts(page, cart=0, wishes=1)  # the cart belongs to the account; the wish was a guest's
    async with open_page(1280, 800) as phone:
        await put_in_cart(phone, "yoyo-de-madera")
        await put_in_cart(phone, "chiva-de-madera")
        await phone.get_by_test_id("wishlist-toggle").first.click()
        await log_in(phone, address, PASSWORD)
        await expect_account_page(phone)
        await expect_counts(phone, cart=3, wishes=2)  # of both devices
        await phone.goto("/product/yoyo-de-madera")
        await phone.get_by_test_id("wishlist-toggle").first.click()  # removes it from the account
        await expect_counts(phone, cart=3, wishes=1)
        await phone.reload()
        await expect_counts(phone, cart=3, wishes=1)
        await phone.goto("/account")
        await log_out(phone)
        await expect_counts(phone, cart=0, wishes=1)
    await expect_counts(page, cart=0, wishes=1)
    await log_in(page, address, PASSWORD)
    await expect_account_page(page)
    await expect_counts(page, cart=3, wishes=1)
    await page.goto("/wishlist")
    await expect(page.get_by_test_id("product-card")).to_contain_text("Chiva de madera")
    await page.goto("/account")
    await log_out(page)
    await expect_counts(page, cart=0, wishes=0)  # the account's products do not stay in the browser


async def test_logout_in_one_tab_logs_out_all_tabs(page_1280: Page) -> None:
    address = "pestanas@example.com"
    await register(page_1280, address)
    await put_in_cart(page_1280, "yoyo-de-madera")
    account, checkout, entering = [await page_1280.context.new_page() for _ in range(3)]
    await account.goto("/account")
    await expect_account_page(account)
    await open_checkout(checkout)
    await expect(field(checkout, "email")).to_have_value(address)
    await page_1280.goto("/account")
    await expect_account_page(page_1280)
    await log_out(page_1280)
    await expect(account).to_have_url(LOGIN_URL)
    await expect(account.get_by_text(address)).to_have_count(0)
    await expect(checkout.get_by_test_id("empty-cart")).to_be_visible()
    await expect(field(checkout, "email")).to_have_count(0)
    await log_in(entering, address, PASSWORD)  # a login in one tab logs in all tabs
    await expect_account_page(account)
    await expect(field(checkout, "email")).to_have_value(address)


async def test_next_user_of_a_tab_receives_no_data_of_the_previous_user(page_1280: Page) -> None:
    address, sent = "anterior@example.com", list[str]()
    await register(page_1280, address)
    page_1280.on(
        "websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(str(frame)))
    )
    await page_1280.goto("/account")
    await expect_account_page(page_1280)
    assert address in "".join(sent)
    sent.clear()
    await log_out(page_1280)
    await page_1280.goto("/account")
    await expect(page_1280).to_have_url(LOGIN_URL)
    assert "account_state" in "".join(sent)
    assert address not in "".join(sent)


async def test_form_that_does_not_change_the_session_does_not_reload_other_tabs(page_1280: Page) -> None:
    other = await page_1280.context.new_page()
    await other.goto("/pqrs")
    await other.evaluate("window.isTheSame = true")
    await page_1280.goto("/pqrs")
    await field(page_1280, "kind").select_option("queja")
    for name, text in (("name", "Ana"), ("email", "queja@example.com"), ("text", "Nadie contesta.")):
        await field(page_1280, name).fill(text)
    await page_1280.get_by_test_id("pqrs-send").click()
    await expect(page_1280.get_by_test_id("pqrs-number")).to_be_visible()
    assert await page_1280.evaluate("localStorage.getItem('trompo_account')") is None  # no tab was notified
    assert await other.evaluate("window.isTheSame")


async def test_tab_that_is_loading_during_a_login_in_another_tab_reloads_once(page_320: Page) -> None:
    """Store another tab's login, dated an hour ahead of this page's clock, before the page's scripts run."""
    await page_320.add_init_script("""
        sessionStorage.loads = Number(sessionStorage.loads ?? 0) + 1;
        if (sessionStorage.loads === "1") localStorage.trompo_account = Date.now() + 3_600_000;
    """)
    await page_320.goto("/account/login", wait_until="commit")
    await page_320.wait_for_function("() => sessionStorage.loads === '2'")
    for loads, path in (("3", "/account/register"), ("4", "/account/login")):
        await page_320.goto(path)
        await expect(page_320.get_by_test_id("cart-count")).to_be_attached()
        assert await page_320.evaluate("sessionStorage.loads") == loads


async def test_page_that_the_back_button_restores_shows_the_current_session(page_320: Page) -> None:
    restore = "dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))"
    await page_320.goto("/pqrs")
    await page_320.evaluate("window.isOld = true")
    await page_320.evaluate(restore)
    assert await page_320.evaluate("window.isOld")  # the session is the same
    await page_320.evaluate("localStorage.trompo_account = Date.now()")
    await page_320.evaluate(restore)
    await page_320.wait_for_function("() => !window.isOld && !window.pageIsHydrated")


async def test_guest_order_is_not_shown_to_a_new_account_with_its_email(
    page_1280: Page, open_page: OpenPage
) -> None:
    address = "invitada@example.com"
    await put_in_cart(page_1280, "yoyo-de-madera")
    await open_checkout(page_1280)
    await fill_in_checkout(page_1280, email=address)
    await go_to_bank(page_1280)
    await decide_at_bank(page_1280, "approve")
    async with open_page(1280, 800) as stranger:
        await register(stranger, address)
        await expect(stranger.get_by_text("Aquí verás lo que compres")).to_be_visible()
        await expect(stranger.get_by_test_id("account-order")).to_have_count(0)
