"""What a customer does again and again: register, log in, log out, and read their mail."""

import email
import email.policy
import re
import time
from email.message import EmailMessage
from urllib.parse import urlsplit

from playwright.async_api import Page, Request, expect

from tests.e2e.conftest import ShopServer
from tests.e2e.shopper import PATIENCE, agree, field

PASSWORD = "trompos y yoyos"
NEW_PASSWORD = "cometas y canicas"


AT_LOGIN = re.compile("/account/login$")


async def register(page: Page, address: str) -> None:
    """Make an account and wait for its page."""
    await page.goto("/account")
    await expect(page).to_have_url(AT_LOGIN, timeout=PATIENCE)
    await page.get_by_role("link", name="Crea tu cuenta").click()
    await expect(page).to_have_url(re.compile("/account/register$"), timeout=PATIENCE)
    await fill_in_registration(page, address)
    await expect_home(page)


async def fill_in_registration(page: Page, address: str) -> None:
    """Say who one is on the page for it, and send that."""
    for name, text in (("first_name", "Ana María"), ("last_name", "Gómez Peña"), ("email", address)):
        await field(page, name).fill(text)
    await field(page, "password").fill(PASSWORD)
    await agree(page)
    await page.get_by_role("button", name="Crear mi cuenta").click()


async def log_in(page: Page, address: str, password: str) -> None:
    """Sign in from the page for it."""
    await page.goto("/account/login")
    await field(page, "email").fill(address)
    await field(page, "password").fill(password)
    await page.get_by_role("button", name="Entrar", exact=True).click()


async def expect_home(page: Page) -> None:
    """Wait for the account's own page."""
    await expect(page.get_by_test_id("account-hello")).to_contain_text("Ana María", timeout=PATIENCE)


async def log_out(page: Page) -> None:
    """Sign out, and wait until the shop shows its home."""
    await page.get_by_test_id("logout").click()
    await page.wait_for_url(re.compile(r"://[^/]+/$"), timeout=PATIENCE)


async def add_address(page: Page, address: str, town: str) -> None:
    """Write one more address into the book, from the account's page."""
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
    await expect(entries).to_have_count(count + 1, timeout=PATIENCE)
    await expect(form.locator('[name="address"]')).to_be_hidden()


async def expect_counts(page: Page, *, cart: int, wishes: int) -> None:
    """Wait until the header counts so many units in the cart and so many wishes."""
    await expect(page.get_by_test_id("cart-count")).to_have_text(str(cart), timeout=PATIENCE)
    await expect(page.get_by_test_id("wishlist-count")).to_have_text(str(wishes))


def sent_by(page: Page) -> list[str]:
    """Everything the page sends from now on: `<path> <what>`, and the referrer with it."""
    sent: list[str] = []

    def request(one: Request) -> None:
        path = urlsplit(one.url)
        sent.append(f"{path.path} {path.query} {one.headers.get('referer', '')} {one.post_data or ''}")

    page.on("request", request)
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(f"socket {frame!r}"))
    )
    return sent


def mails_to(shop: ShopServer, address: str, subject: str) -> list[EmailMessage]:
    """The mails that lie in the outbox for an address, oldest first."""
    found = []
    for file in sorted((shop.folder / "data" / "outbox").glob("*.eml")):
        mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        if mail["To"] == address and subject in mail["Subject"]:
            found.append(mail)
    return found


async def mail_to(page: Page, shop: ShopServer, address: str, subject: str) -> str:
    """The text of the last such mail, once there is one."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not (mails := mails_to(shop, address, subject)):
        assert time.monotonic() < deadline, "no such mail"
        await page.wait_for_timeout(100)
    text = mails[-1].get_body(("plain",))
    assert text is not None
    return str(text.get_content())
