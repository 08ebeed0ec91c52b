"""Steps of a customer in the browser: register, log in, log out, and read their mail."""

import email
import email.policy
import re
import time
from email.message import EmailMessage
from urllib.parse import urlsplit

from playwright.async_api import Page, Request, expect

from tests.e2e.conftest import ShopServer
from tests.e2e.shopper import TIMEOUT_MS, accept_terms, field

PASSWORD = "trompos y yoyos"
NEW_PASSWORD = "cometas y canicas"


LOGIN_URL = re.compile("/account/login$")


async def register(page: Page, address: str) -> None:
    """Create an account and wait for its page."""
    await page.goto("/account")
    await expect(page).to_have_url(LOGIN_URL)
    await page.get_by_role("link", name="Crea tu cuenta").click()
    await expect(page).to_have_url(re.compile("/account/register$"))
    await submit_registration(page, address)
    await expect_account_page(page)


async def submit_registration(page: Page, address: str) -> None:
    """Fill in the registration form and send it."""
    for name, text in (("first_name", "Ana María"), ("last_name", "Gómez Peña"), ("email", address)):
        await field(page, name).fill(text)
    await field(page, "password").fill(PASSWORD)
    await accept_terms(page)
    await page.get_by_role("button", name="Crear mi cuenta").click()


async def log_in(page: Page, address: str, password: str) -> None:
    """Log in on the login page."""
    await page.goto("/account/login")
    await field(page, "email").fill(address)
    await field(page, "password").fill(password)
    await page.get_by_role("button", name="Entrar", exact=True).click()


async def expect_account_page(page: Page) -> None:
    """Wait for the account's own page."""
    await expect(page.get_by_test_id("account-hello")).to_contain_text("Ana María")


async def log_out(page: Page) -> None:
    """Log out, and wait until the shop shows its home page."""
    await page.get_by_test_id("logout").click()
    await page.wait_for_url(re.compile(r"://[^/]+/$"), timeout=TIMEOUT_MS)


async def add_address(page: Page, address: str, town: str) -> None:
    """Add an address to the address book on the account's page."""
    book, entries = (
        page.locator("section", has=page.locator("#direcciones")),
        page.get_by_test_id("account-address"),
    )
    count = await entries.count()
    await book.get_by_text("Agregar una dirección").click()
    form = book.locator("details", has=page.get_by_text("Agregar una dirección"))
    texts = {"phone": "300 123 4567", "town": town, "address": address, "suburb": "Centro"}
    for name, text in texts.items():
        await form.locator(f'[name="{name}"]').fill(text)
    await form.get_by_role("button", name="Guardar dirección").click()
    await expect(entries).to_have_count(count + 1)
    await expect(form.locator('[name="address"]')).to_be_hidden()


async def expect_counts(page: Page, *, cart: int, wishes: int) -> None:
    """Wait until the header shows these numbers: units in the cart, and products in the wishlist."""
    await expect(page.get_by_test_id("cart-count")).to_have_text(str(cart))
    await expect(page.get_by_test_id("wishlist-count")).to_have_text(str(wishes))


def record_sent(page: Page) -> list[str]:
    """Return a list that gets everything that the page sends from now on, each as a text.

    A request has its path, query, referrer and body; the other texts are websocket frames.
    """
    sent: list[str] = []

    def record(request: Request) -> None:
        path = urlsplit(request.url)
        sent.append(
            f"{path.path} {path.query} {request.headers.get('referer', '')} {request.post_data or ''}"
        )

    page.on("request", record)
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(f"socket {frame!r}"))
    )
    return sent


def list_mails(shop: ShopServer, address: str, subject: str) -> list[EmailMessage]:
    """Return the mails to `address` in the outbox with `subject` in their subject, oldest first."""
    found = []
    for file in sorted((shop.folder / "data" / "outbox").glob("*.eml")):
        mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        if mail["To"] == address and subject in mail["Subject"]:
            found.append(mail)
    return found


async def wait_for_mail(page: Page, shop: ShopServer, address: str, subject: str) -> str:
    """Wait for a mail to `address` with `subject` in its subject. Return the text of the newest one."""
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while not (mails := list_mails(shop, address, subject)):
        assert time.monotonic() < deadline, "no such mail"
        await page.wait_for_timeout(100)
    text = mails[-1].get_body(("plain",))
    assert text is not None
    return str(text.get_content())
