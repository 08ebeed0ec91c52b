"""Signing in with Google, in a browser, against a real OpenID provider on this machine."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zlib import crc32

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.e2e.account_steps import AT_LOGIN, PASSWORD, expect_home, log_in, log_out, register
from tests.e2e.conftest import ON_A_PHONE, WIDTHS, ShopServer, Watch, pages_of
from tests.e2e.held import Held
from tests.e2e.shopper import PATIENCE, agree, expect_no_overflow, field, open_checkout, put_in_cart
from tests.gateway_kit import served
from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider

AT_HOME = re.compile("/account$")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def provider() -> AsyncIterator[OpenIdProvider]:
    """Google's part, on a socket."""
    provider = OpenIdProvider("")
    async with served(provider.app()) as url:
        provider.issuer = url
        yield provider


@pytest.fixture(scope="module")
def google_shop(
    production_build: None,
    demo_data: Path,
    provider: OpenIdProvider,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ShopServer]:
    """A shop whose settings name the provider. Its pages are those of every shop."""
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
    watch: Watch,
) -> AsyncIterator[Page]:
    """A page of that shop on the smallest phone, whose person at Google is new."""
    provider.person |= {
        "sub": request.node.name,
        "email": f"ana{crc32(request.node.name.encode())}@example.com",
        "email_verified": True,
    }
    async with pages_of(google_shop, browser, watch)(*WIDTHS["320"]) as page:
        yield page


async def enter_by_google(page: Page) -> None:
    """From the page for signing in, to the provider and back."""
    await page.goto("/account/login")
    await expect_no_overflow(page)
    await page.get_by_test_id("google").click()


async def agree_to_an_account(page: Page) -> None:
    """Tick what is asked of whoever comes for the first time; without, nothing is made."""
    await expect(page.get_by_test_id("consent-data")).not_to_be_checked(timeout=PATIENCE)
    await agree(page)
    await page.get_by_role("button", name="Crear mi cuenta").click()


@ON_A_PHONE
async def test_without_settings_there_is_no_button(page: Page) -> None:
    for path in ("/account/login", "/account/register"):
        await page.goto(path)
        await expect(field(page, "email")).to_be_visible(timeout=PATIENCE)
        await expect(page.get_by_test_id("google")).to_have_count(0)
    assert (await page.request.get("/auth/google")).status == 404


async def test_the_document_says_whether_there_is_a_button(google_page: Page, page: Page) -> None:
    """So nothing moves when the page comes alive."""
    for path in ("/account/login", "/account/register"):
        assert '"has_google":true' in await (await google_page.request.get(path)).text()
        assert '"has_google":false' in await (await page.request.get(path)).text()


async def test_a_new_person_and_the_same_one_again(google_page: Page, provider: OpenIdProvider) -> None:
    page = google_page
    await put_in_cart(page, "yoyo-de-madera")
    await page.get_by_test_id("wishlist-toggle").first.click()
    await enter_by_google(page)
    await agree_to_an_account(page)
    await expect(page).to_have_url(AT_HOME, timeout=PATIENCE)
    await expect_home(page)
    await expect(page.get_by_test_id("account-email")).to_have_text(provider.person["email"])
    await expect(page.get_by_test_id("cart-count")).to_have_text("1", timeout=PATIENCE)
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await expect_no_overflow(page)
    assert await page.evaluate("document.cookie") == ""
    await log_out(page)
    await expect(page.get_by_test_id("cart-count")).to_have_text("0", timeout=PATIENCE)
    await enter_by_google(page)
    await expect_home(page)
    await expect(page.get_by_test_id("account-email")).to_have_text(provider.person["email"])
    await expect(page.get_by_test_id("cart-count")).to_have_text("1", timeout=PATIENCE)


async def test_who_came_by_google_may_choose_a_password(google_page: Page, provider: OpenIdProvider) -> None:
    page = google_page
    await enter_by_google(page)
    await agree_to_an_account(page)
    await expect_home(page)
    await expect(page.get_by_text("Entras con Google.")).to_be_visible()
    await expect(field(page, "password")).to_have_count(0)
    await field(page, "new_password").fill(PASSWORD)
    await page.get_by_role("button", name="Cambiar contraseña").click()
    await expect(field(page, "password")).to_be_visible(timeout=PATIENCE)  # from now on it is asked for
    await log_out(page)
    await log_in(page, provider.person["email"], PASSWORD)
    await expect_home(page)


async def test_an_account_that_is_there_is_joined_after_its_owner_proves_it(
    google_page: Page, provider: OpenIdProvider, watch: Watch
) -> None:
    watch.expect("401")
    page, address = google_page, provider.person["email"]
    await register(page, address)
    await log_out(page)
    await enter_by_google(page)
    await expect(page.get_by_text("Ya hay una cuenta con el correo de tu cuenta de Google")).to_be_visible(
        timeout=PATIENCE
    )
    await expect_no_overflow(page)
    await field(page, "email").fill(address)
    await field(page, "password").fill("no es esta")
    await page.get_by_role("button", name="Entrar", exact=True).click()
    await expect(page.get_by_text("no coinciden")).to_be_visible(timeout=PATIENCE)
    await field(page, "password").fill(PASSWORD)
    await page.get_by_role("button", name="Entrar", exact=True).click()
    await expect_home(page)
    await log_out(page)
    await enter_by_google(page)  # from now on, Google is enough
    await expect_home(page)


async def test_nothing_moves_away_under_a_finger(google_page: Page) -> None:
    """That there is Google's button, a page that was reached from another one learns last: it stands over the form."""
    news = Held('"has_google":true')
    await news.stand_before(google_page)
    news.is_holding = True
    await google_page.goto("/account")
    await expect(google_page.get_by_role("heading", name="Entra a tu cuenta")).to_be_visible(timeout=PATIENCE)
    link = google_page.get_by_role("link", name="Crea tu cuenta")
    await expect(link).to_have_count(0)
    news.release()
    await expect(link).to_be_visible(timeout=PATIENCE)
    await expect(google_page.get_by_test_id("google")).to_be_visible()


async def test_an_address_that_google_did_not_verify_opens_nothing(
    google_page: Page, provider: OpenIdProvider
) -> None:
    provider.person["email_verified"] = False
    await enter_by_google(google_page)
    await expect(google_page.get_by_text("Google no ha confirmado tu correo")).to_be_visible(timeout=PATIENCE)
    await google_page.goto("/account")
    await expect(google_page).to_have_url(AT_LOGIN, timeout=PATIENCE)


async def test_from_the_checkout_and_back_to_it(google_page: Page, provider: OpenIdProvider) -> None:
    await put_in_cart(google_page, "yoyo-de-madera")
    await open_checkout(google_page)
    await google_page.get_by_role("link", name="Entra y no escribas todo otra vez").click()
    await google_page.get_by_test_id("google").click()
    await agree_to_an_account(google_page)
    await expect(google_page).to_have_url(re.compile("/checkout$"), timeout=PATIENCE)
    await expect(field(google_page, "email")).to_have_value(provider.person["email"], timeout=PATIENCE)


async def test_other_tabs_hear_of_it(google_page: Page) -> None:
    other = await google_page.context.new_page()
    await other.goto("/account")
    await expect(other).to_have_url(AT_LOGIN, timeout=PATIENCE)
    await enter_by_google(google_page)
    await agree_to_an_account(google_page)
    await expect_home(google_page)
    await expect_home(other)
