"""Test of the platform's official Next.js storefront: it is built and used for purchases in this shop.

`python -m tests.foreign.starter CLONE` opens a shop with the demo products and a product in sizes and colours,
builds the storefront against it, starts it, and buys in it with a browser: unchanged, then with the PSE step of
docs/starter-pse.md. A missing element raises an error; a screenshot of each screen is stored. See docs/api.md.
"""

import argparse
import asyncio
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.e2e.conftest import OWNER_LOGIN, ShopServer
from tests.foreign.starter_build import add_pse, build, install, run_storefront, take_code
from tests.ports import find_free_port
from tools.browser import launch

SCREENSHOTS = Path("test-results/starter")
TIMEOUT_MS = 60_000
"""Milliseconds: the storefront renders each page at its first request."""
ANA, EVA = "ana@example.com", "eva@example.com"
PASSWORD = "una clave muy larga"
TITLE, SIZE, COLOUR = "Camiseta del trompo", "8 años", "Rojo"
PRICE = 42_000
ADDRESS = {
    "shipping-first-name-input": "Ana María",
    "shipping-last-name-input": "Gómez Peña",
    "shipping-address-input": "Carrera 43A # 1-50, apto. 302",
    "shipping-postal-code-input": "050021",
    "shipping-city-input": "Medellín",
    "shipping-province-input": "Antioquia",
    "shipping-phone-input": "3001234567",
}
"""The shopper's input, by the test id of the field."""
PAYER = {"bank": "1022", "person_type": "0", "doc_type": "CC", "doc_number": "1020304050"}
SHIPPING, PRICED = "Envío a domicilio", re.compile(r"\d")
"""The shipping option's name, and a pattern for its price."""
MANUAL, PSE = "Manual Payment", "PSE"


@dataclass(frozen=True)
class Storefront:
    """The tested storefront, and the shop behind it.

    Attributes:
        url: its address, with the country, without a trailing slash.
        shop: the shop that it sells from.
        handle: the product in sizes and colours.
        pictures: the folder for screenshots.
    """

    url: str
    shop: ShopServer
    handle: str
    pictures: Path


@asynccontextmanager
async def open_admin_client(shop: ShopServer) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a signed-in client of the shop's Admin API."""
    async with httpx.AsyncClient(base_url=shop.url) as client:
        credentials = {"email": OWNER_LOGIN[0], "password": OWNER_LOGIN[1]}
        answer = (await client.post("/auth/user/emailpass", json=credentials)).raise_for_status()
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield client


async def prepare(client: httpx.AsyncClient) -> tuple[str, str]:
    """Offer `pp_system_default` in addition to PSE, and publish a product in sizes and colours.

    Returns:
        The shop's publishable key, and the product's handle.
    """

    async def post(path: str, body: object) -> Any:
        return (await client.post(path, json=body)).raise_for_status().json()

    async def get(path: str) -> Any:
        return (await client.get(path)).raise_for_status().json()

    region = (await get("/admin/regions"))["regions"][0]["id"]
    await post(f"/admin/regions/{region}", {"payment_providers": ["gateway_pse", "pp_system_default"]})
    picture = (await get("/admin/products?limit=1"))["products"][0]["thumbnail"]
    options = {"Talla": ["6 años", SIZE], "Color": ["Azul", COLOUR]}
    product = (
        await post(
            "/admin/products",
            {
                "title": TITLE,
                "status": "published",
                "images": [{"url": picture}],
                "options": [{"title": title, "values": values} for title, values in options.items()],
                "variants": [
                    {
                        "title": f"{size} / {colour}",
                        "sku": f"CAM-{size[0]}-{colour[0]}",
                        "options": {"Talla": size, "Color": colour},
                        "prices": [{"currency_code": "cop", "amount": PRICE}],
                    }
                    for size in options["Talla"]
                    for colour in options["Color"]
                ],
            },
        )
    )["product"]
    location_id = (await get("/admin/stock-locations"))["stock_locations"][0]["id"]
    for item in (await get("/admin/inventory-items?q=CAM-"))["inventory_items"]:
        await post(
            f"/admin/inventory-items/{item['id']}/location-levels/{location_id}", {"stocked_quantity": 9}
        )
    [key] = (await get("/admin/api-keys?type=publishable"))["api_keys"]
    return key["token"], product["handle"]


async def add_product_to_cart(page: Page, storefront: Storefront) -> None:
    """Find the product in the list, choose size and colour, and add it to the cart."""
    await page.goto(f"{storefront.url}/store")
    await expect(page.get_by_test_id("product-wrapper").first).to_be_visible(timeout=TIMEOUT_MS)
    await page.goto(f"{storefront.url}/products/{storefront.handle}")
    for value in (SIZE, COLOUR):
        await page.get_by_test_id("option-button").filter(has_text=value).first.click()
    button = page.get_by_test_id("add-product-button")
    await expect(button).to_have_text("Add to cart")
    await button.click()
    await expect(page.get_by_test_id("nav-cart-link").first).to_contain_text("(1)", timeout=TIMEOUT_MS)


async def go_to_payment(page: Page, storefront: Storefront, email: str, name: str) -> None:
    """Go from the cart to the payment step."""
    await page.goto(f"{storefront.url}/cart")
    row = page.get_by_test_id("product-row")
    await expect(row.get_by_test_id("product-title")).to_have_text(TITLE)
    await expect(row.get_by_test_id("product-variant")).to_have_text(f"Variant: {SIZE} / {COLOUR}")
    await expect_pictures(page, 1)
    await store_screenshot(page, storefront, f"{name}-cart")
    await page.get_by_test_id("checkout-button").click()
    await page.get_by_test_id("shipping-first-name-input").wait_for(timeout=TIMEOUT_MS)
    for field, text in ADDRESS.items():
        await page.get_by_test_id(field).fill(text)
    await page.get_by_test_id("shipping-country-select").select_option("co")
    await page.get_by_test_id("shipping-email-input").fill(email)
    await store_screenshot(page, storefront, f"{name}-address")
    await page.get_by_test_id("submit-address-button").click()
    option = page.get_by_test_id("delivery-option-radio").filter(has_text=SHIPPING).filter(has_text=PRICED)
    await option.click(timeout=TIMEOUT_MS)
    continue_button = page.get_by_test_id("submit-delivery-option-button")
    await expect(continue_button).to_be_enabled(timeout=TIMEOUT_MS)
    await store_screenshot(page, storefront, f"{name}-delivery")
    await continue_button.click()
    await page.get_by_test_id("submit-payment-button").wait_for(timeout=TIMEOUT_MS)


async def pay_manually(page: Page, storefront: Storefront, name: str) -> None:
    """Choose the platform's manual payment and place the order."""
    await page.get_by_text(MANUAL).click()
    await page.get_by_test_id("submit-payment-button").click()
    order_button = page.get_by_test_id("submit-order-button")
    await expect(order_button).to_be_enabled(timeout=TIMEOUT_MS)
    await store_screenshot(page, storefront, f"{name}-review")
    await order_button.click()
    await page.get_by_test_id("order-complete-container").wait_for(timeout=TIMEOUT_MS)


async def expect_confirmation(page: Page, storefront: Storefront, email: str, name: str, paid_by: str) -> str:
    """Check that the confirmation page fills all its fields.

    Returns:
        The order's number.
    """
    confirmation = page.get_by_test_id("order-complete-container")
    await expect(confirmation).to_be_visible(timeout=TIMEOUT_MS)
    await expect(page.get_by_test_id("order-email")).to_have_text(email)
    await expect(page.get_by_test_id("product-name")).to_have_text(TITLE)
    await expect(page.get_by_test_id("product-variant")).to_have_text(f"Variant: {SIZE} / {COLOUR}")
    await expect(page.get_by_test_id("product-quantity")).to_have_text("1")
    await expect_pictures(page, 1)
    parts = [await read_amount(page, f"cart-{part}") for part in ("subtotal", "shipping", "taxes")]
    total = await read_amount(page, "cart-total")
    assert all(parts), parts
    assert total == sum(parts) > PRICE, (parts, total)
    address = page.get_by_test_id("shipping-address-summary")
    for text in ("Ana María Gómez Peña", "Carrera 43A # 1-50", "050021, Medellín", "CO"):
        await expect(address).to_contain_text(text)
    await expect(page.get_by_test_id("shipping-contact-summary")).to_contain_text("3001234567")
    await expect(page.get_by_test_id("shipping-method-summary")).not_to_contain_text("undefined")
    await expect(page.get_by_test_id("payment-method")).to_have_text(paid_by)
    assert str(total) in extract_digits(await page.get_by_test_id("payment-amount").inner_text())
    await store_screenshot(page, storefront, f"{name}-confirmed")
    return await page.get_by_test_id("order-id").inner_text()


async def read_amount(page: Page, test_id: str) -> int:
    """Return the amount in pesos of the line with this test id."""
    return int(await page.get_by_test_id(test_id).get_attribute("data-value") or 0)


def extract_digits(text: str) -> str:
    """Return the digits of an amount, without `.00` and without the text from ` paid` on."""
    return "".join(c for c in text.partition(" paid")[0].removesuffix(".00") if c.isdigit())


async def expect_pictures(page: Page, min_count: int) -> None:
    """Wait until pictures are rendered, not only referenced."""
    await page.wait_for_function(
        "count => [...document.querySelectorAll('main img, [data-testid] img')]"
        ".filter(img => img.complete && img.naturalWidth > 0).length >= count",
        arg=min_count,
        timeout=TIMEOUT_MS,
    )


async def store_screenshot(page: Page, storefront: Storefront, name: str) -> None:
    """Store a screenshot."""
    storefront.pictures.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=storefront.pictures / f"{name}.png", full_page=True)


async def look_around(page: Page, storefront: Storefront) -> None:
    """Open the pages before the cart: home, list, category, product."""
    for path, name in (("", "home"), ("/store", "store"), (f"/products/{storefront.handle}", "product")):
        await page.goto(storefront.url + path)
        await expect_pictures(page, 1)
        await store_screenshot(page, storefront, name)
    await page.goto(storefront.url)
    await page.get_by_test_id("category-link").first.click()
    await page.get_by_test_id("category-page-title").wait_for(timeout=TIMEOUT_MS)
    await expect_pictures(page, 1)
    await store_screenshot(page, storefront, "category")


async def register(page: Page, storefront: Storefront, email: str) -> None:
    """Create an account."""
    await page.goto(f"{storefront.url}/account")
    await page.get_by_test_id("register-button").click()
    form = {"first-name": "Eva", "last-name": "Ríos", "email": email, "phone": "3009876543"}
    for field, text in {**form, "password": PASSWORD}.items():
        await page.get_by_test_id(f"{field}-input").fill(text)
    await page.get_by_test_id("register-button").click()
    await expect(page.get_by_test_id("welcome-message").locator("visible=true")).to_contain_text(
        "Eva", timeout=TIMEOUT_MS
    )
    await store_screenshot(page, storefront, "customer-account")


async def expect_orders(page: Page, storefront: Storefront, numbers: list[str]) -> None:
    """Check that the account lists these orders, newest first, and shows the details of the first."""
    await page.goto(f"{storefront.url}/account/orders")
    order_numbers = page.get_by_test_id("order-display-id")
    await expect(order_numbers).to_have_text(numbers, timeout=TIMEOUT_MS)
    await expect(page.get_by_test_id("item-title").first).not_to_be_empty()
    await expect_pictures(page, 1)
    await store_screenshot(page, storefront, "customer-orders")
    await page.get_by_test_id("order-details-link").first.click()
    details = page.get_by_test_id("order-details-container")
    await expect(details).to_be_visible(timeout=TIMEOUT_MS)
    await expect(page.get_by_test_id("product-variant")).to_have_text(f"Variant: {SIZE} / {COLOUR}")
    await store_screenshot(page, storefront, "customer-order-details")


async def buy_with_manual_payment(browser: Browser, storefront: Storefront) -> None:
    """Buy as a guest and as a customer with the platform's manual payment."""
    page = await open_page(browser)
    await look_around(page, storefront)
    await add_product_to_cart(page, storefront)
    await go_to_payment(page, storefront, ANA, "guest")
    await pay_manually(page, storefront, "guest")
    await expect_confirmation(page, storefront, ANA, "guest", MANUAL)
    await page.context.close()

    page = await open_page(browser)
    await register(page, storefront, EVA)
    await add_product_to_cart(page, storefront)
    await go_to_payment(page, storefront, EVA, "customer")
    await pay_manually(page, storefront, "customer")
    number = await expect_confirmation(page, storefront, EVA, "customer", MANUAL)
    await expect_orders(page, storefront, [number])
    await page.context.close()


async def buy_with_pse(browser: Browser, storefront: Storefront) -> None:
    """Buy with the PSE step of docs/starter-pse.md: the bank rejects one payment and approves the next."""
    page = await open_page(browser)
    await add_product_to_cart(page, storefront)
    await go_to_payment(page, storefront, ANA, "pse")
    await pay_at_bank(page, storefront, "reject", "pse-refused")
    await expect(page.get_by_test_id("pse-outcome")).to_contain_text("did not approve", timeout=TIMEOUT_MS)
    await store_screenshot(page, storefront, "pse-refused")

    await page.get_by_test_id("pse-again").click()
    await page.wait_for_url("**/cart", timeout=TIMEOUT_MS)
    await go_to_payment(page, storefront, ANA, "pse-again")
    await pay_at_bank(page, storefront, "approve", "pse-approved")
    await expect_confirmation(page, storefront, ANA, "pse-approved", PSE)
    await page.context.close()


async def pay_at_bank(page: Page, storefront: Storefront, decision: str, name: str) -> None:
    """Fill in the PSE fields, first wrongly, go to the bank and decide there."""
    await page.get_by_text(PSE, exact=True).click()
    for field in ("bank", "person_type", "doc_type"):
        await page.locator(f"select[data-testid=pse-{field}]").select_option(PAYER[field])
    number = page.get_by_test_id("pse-doc_number")
    await number.fill("12")
    await page.get_by_test_id("pse-pay").click()
    await expect(page.get_by_test_id("pse-error")).to_contain_text("doc_number", timeout=TIMEOUT_MS)
    await number.fill(PAYER["doc_number"])
    await store_screenshot(page, storefront, f"{name}-answers")
    await page.get_by_test_id("pse-pay").click()
    await page.get_by_test_id(f"bank-{decision}").click(timeout=TIMEOUT_MS)


async def open_page(browser: Browser) -> Page:
    """Open a page as a new visitor."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, locale="es-CO")
    page = await context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    return page


async def main(clone: Path) -> None:
    """Open a shop, build the storefront against it, and buy in it: without the PSE step, and with it."""
    with tempfile.TemporaryDirectory(prefix="trompo-starter-") as folder:
        place, port = Path(folder) / "storefront", find_free_port()
        commit = await asyncio.to_thread(take_code, clone, place)
        print(f"The storefront's commit is {commit}. Installing its packages …", flush=True)
        await asyncio.to_thread(install, place)
        url = f"http://localhost:{port}"
        owner = {"ADMIN_EMAIL": OWNER_LOGIN[0], "ADMIN_PASSWORD": OWNER_LOGIN[1]}
        shop = ShopServer(Path(folder), {**owner, "STORE_CORS": url, "TRUSTED_PROXIES": "127.0.0.1"})
        await asyncio.to_thread(shop.start)
        try:
            async with open_admin_client(shop) as client:
                key, handle = await prepare(client)
            settings = {
                "MEDUSA_BACKEND_URL": shop.url,
                "NEXT_PUBLIC_MEDUSA_PUBLISHABLE_KEY": key,
                "NEXT_PUBLIC_BASE_URL": url,
                "NEXT_PUBLIC_DEFAULT_REGION": "co",
            }
            storefront = Storefront(f"{url}/co", shop, handle, SCREENSHOTS)
            for change, purchases in ((None, buy_with_manual_payment), (add_pse, buy_with_pse)):
                if change:
                    change(place)
                await asyncio.to_thread(build, place, settings)
                with run_storefront(place, port, settings):
                    async with async_playwright() as playwright:
                        await purchases(await launch(playwright), storefront)
        finally:
            await asyncio.to_thread(shop.stop)
    print(f"The storefront sells; its screens are in {SCREENSHOTS}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path, help="a clone of the storefront's repository, bare or not")
    asyncio.run(main(parser.parse_args().clone))
