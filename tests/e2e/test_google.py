"""Login with Google, in a browser, against a real OpenID provider on this machine."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zlib import crc32

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.e2e.account_steps import LOGIN_URL, PASSWORD, expect_account_page, log_in, log_out, register
from tests.e2e.conftest import PHONE_ONLY, WIDTHS, PageWatch, ShopServer, build_page_opener
from tests.e2e.held import HeldMessages
from tests.e2e.shopper import accept_terms, expect_no_overflow, field, open_checkout, put_in_cart
from tests.gateway_kit import serve_app
from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider

ACCOUNT_URL = re.compile("/account$")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def provider() -> AsyncIterator[OpenIdProvider]:
    """Serve an OpenID provider in place of Google."""
    provider = OpenIdProvider("")
    async with serve_app(provider.app()) as url:
        provider.issuer = url
        yield provider


@pytest.fixture(scope="module")
def google_shop(
    production_build: None,
    demo_data: Path,
    provider: OpenIdProvider,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ShopServer]:
    """Start a shop with the provider in its settings."""
    shop = ShopServer(
        tmp_path_factory.mktemp("google-shop"),
        {
            "GOOGLE_CLIENT_ID": CLIENT_ID,
            "GOOGLE_CLIENT_SECRET": CLIENT_SECRET,
            "GOOGLE_ISSUER": provider.issuer,
        },
        demo_data,
        may_fork=True,
    )
    shop.start()
    yield shop
    shop.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def google_page(
    request: pytest.FixtureRequest,
    google_shop: ShopServer,
    provider: OpenIdProvider,
    browser: Browser,
    watch: PageWatch,
) -> AsyncIterator[Page]:
    """Open a page of `google_shop` on the smallest phone. The provider then signs in a new user."""
    provider.person |= {
        "sub": request.node.name,
        "email": f"ana{crc32(request.node.name.encode())}@example.com",
        "email_verified": True,
    }
    async with build_page_opener(google_shop, browser, watch)(*WIDTHS["320"]) as page:
        yield page


async def log_in_with_google(page: Page) -> None:
    """Click Google's button on the login page, which leads to the provider and back."""
    await page.goto("/account/login")
    await expect_no_overflow(page)
    await page.get_by_test_id("google").click()


async def accept_new_account(page: Page) -> None:
    """Accept the terms that a first login requires; without them, no account is created."""
    await expect(page.get_by_test_id("consent-data")).not_to_be_checked()
    await accept_terms(page)
    await page.get_by_role("button", name="Crear mi cuenta").click()


@PHONE_ONLY
async def test_google_button_is_hidden_without_settings(page: Page) -> None:
    for path in ("/account/login", "/account/register"):
        await page.goto(path)
        await expect(field(page, "email")).to_be_visible()
        await expect(page.get_by_test_id("google")).to_have_count(0)
    assert (await page.request.get("/auth/google")).status == 404


async def test_document_states_if_google_login_is_available(google_page: Page, page: Page) -> None:
    """Check the document, because a button added later would move the page."""
    for path in ("/account/login", "/account/register"):
        assert '"has_google":true' in await (await google_page.request.get(path)).text()
        assert '"has_google":false' in await (await page.request.get(path)).text()


async def test_google_creates_an_account_once_and_then_logs_in(
    google_page: Page, provider: OpenIdProvider
) -> None:
    page = google_page
    await put_in_cart(page, "yoyo-de-madera")
    await page.get_by_test_id("wishlist-toggle").first.click()
    await log_in_with_google(page)
    await accept_new_account(page)
    await expect(page).to_have_url(ACCOUNT_URL)
    await expect_account_page(page)
    await expect(page.get_by_test_id("account-email")).to_have_text(provider.person["email"])
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await expect_no_overflow(page)
    assert await page.evaluate("document.cookie") == ""
    await log_out(page)
    await expect(page.get_by_test_id("cart-count")).to_have_text("0")
    await log_in_with_google(page)
    await expect_account_page(page)
    await expect(page.get_by_test_id("account-email")).to_have_text(provider.person["email"])
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")


async def test_google_customer_can_set_a_password(google_page: Page, provider: OpenIdProvider) -> None:
    page = google_page
    await log_in_with_google(page)
    await accept_new_account(page)
    await expect_account_page(page)
    await expect(page.get_by_text("Entras con Google.")).to_be_visible()
    await expect(field(page, "password")).to_have_count(0)
    await field(page, "new_password").fill(PASSWORD)
    await page.get_by_role("button", name="Cambiar contraseña").click()
    await expect(field(page, "password")).to_be_visible()  # from now on it is required
    await log_out(page)
    await log_in(page, provider.person["email"], PASSWORD)
    await expect_account_page(page)


async def test_existing_account_is_linked_after_the_password(
    google_page: Page, provider: OpenIdProvider, watch: PageWatch
) -> None:
    watch.expect("401")
    page, address = google_page, provider.person["email"]
    await register(page, address)
    await log_out(page)
    await log_in_with_google(page)
    await expect(page.get_by_text("Ya hay una cuenta con el correo de tu cuenta de Google")).to_be_visible()
    await expect_no_overflow(page)
    await field(page, "email").fill(address)
    await field(page, "password").fill("no es esta")
    await page.get_by_role("button", name="Entrar", exact=True).click()
    await expect(page.get_by_text("no coinciden")).to_be_visible()
    await field(page, "password").fill(PASSWORD)
    await page.get_by_role("button", name="Entrar", exact=True).click()
    await expect_account_page(page)
    await log_out(page)
    await log_in_with_google(page)  # from now on, Google is enough
    await expect_account_page(page)


async def test_sign_in_form_is_shown_only_together_with_the_google_button(google_page: Page) -> None:
    """Hold back the message that enables Google's button: the form below it must not appear before the button."""
    messages = HeldMessages('"has_google":true')
    await messages.intercept(google_page)
    messages.is_holding = True
    await google_page.goto("/account")
    await expect(google_page.get_by_role("heading", name="Entra a tu cuenta")).to_be_visible()
    link = google_page.get_by_role("link", name="Crea tu cuenta")
    await expect(link).to_have_count(0)
    messages.release()
    await expect(link).to_be_visible()
    await expect(google_page.get_by_test_id("google")).to_be_visible()


async def test_unverified_google_email_is_rejected(google_page: Page, provider: OpenIdProvider) -> None:
    provider.person["email_verified"] = False
    await log_in_with_google(google_page)
    await expect(google_page.get_by_text("Google no ha confirmado tu correo")).to_be_visible()
    await google_page.goto("/account")
    await expect(google_page).to_have_url(LOGIN_URL)


async def test_google_login_returns_to_the_checkout(google_page: Page, provider: OpenIdProvider) -> None:
    await put_in_cart(google_page, "yoyo-de-madera")
    await open_checkout(google_page)
    await google_page.get_by_role("link", name="Entra y no escribas todo otra vez").click()
    await google_page.get_by_test_id("google").click()
    await accept_new_account(google_page)
    await expect(google_page).to_have_url(re.compile("/checkout$"))
    await expect(field(google_page, "email")).to_have_value(provider.person["email"])


async def test_google_login_logs_in_other_tabs(google_page: Page) -> None:
    other = await google_page.context.new_page()
    await other.goto("/account")
    await expect(other).to_have_url(LOGIN_URL)
    await log_in_with_google(google_page)
    await accept_new_account(google_page)
    await expect_account_page(google_page)
    await expect_account_page(other)
