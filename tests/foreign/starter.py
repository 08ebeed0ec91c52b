"""Builds the platform's official Next.js storefront and drives it through purchases in this shop.

`python -m tests.foreign.starter CLONE` opens a shop with the demo toys and a toy in sizes and colours, builds the
storefront's code against it, starts it, and buys in it with a browser: unchanged, then with the PSE step of
docs/starter-pse.md. What does not show raises; each screen is kept as a picture. See docs/api.md.
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

from tests.e2e.conftest import STAFF, ShopServer
from tests.foreign.starter_build import add_pse, build, install, running, take_code
from tests.ports import free_port
from tools.browser import launch

KEPT = Path("test-results/starter")
PATIENCE = 60_000
"""Milliseconds: the storefront draws each page when it is first asked for."""
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
"""What a shopper types, by the test id of the field."""
PAYER = {"bank": "1022", "person_type": "0", "doc_type": "CC", "doc_number": "1020304050"}
SHIPPING, PRICED = "Envío a domicilio", re.compile(r"\d")
"""The way to ship, and that the carrier has said what it costs."""
MANUAL, PSE = "Manual Payment", "PSE"


@dataclass(frozen=True)
class Storefront:
    """The storefront that is driven, and the shop behind it.

    Attributes:
        url: where it answers, with the country, without a trailing slash.
        shop: the shop that it sells from.
        handle: the toy in sizes and colours.
        pictures: where pictures of the screens are kept.
    """

    url: str
    shop: ShopServer
    handle: str
    pictures: Path


@asynccontextmanager
async def office(shop: ShopServer) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the shop's Admin API, signed in."""
    async with httpx.AsyncClient(base_url=shop.url) as client:
        asked = {"email": STAFF[0], "password": STAFF[1]}
        answer = (await client.post("/auth/user/emailpass", json=asked)).raise_for_status()
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield client


async def prepare(client: httpx.AsyncClient) -> tuple[str, str]:
    """Offer `pp_system_default` beside PSE, and put a toy in sizes and colours on sale.

    Returns:
        The shop's publishable key, and the toy's handle.
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
    place = (await get("/admin/stock-locations"))["stock_locations"][0]["id"]
    for item in (await get("/admin/inventory-items?q=CAM-"))["inventory_items"]:
        await post(f"/admin/inventory-items/{item['id']}/location-levels/{place}", {"stocked_quantity": 9})
    [key] = (await get("/admin/api-keys?type=publishable"))["api_keys"]
    return key["token"], product["handle"]


async def choose_toy(page: Page, front: Storefront) -> None:
    """Find the toy in the list, choose size and colour, and put it into the cart."""
    await page.goto(f"{front.url}/store")
    await expect(page.get_by_test_id("product-wrapper").first).to_be_visible(timeout=PATIENCE)
    await page.goto(f"{front.url}/products/{front.handle}")
    for value in (SIZE, COLOUR):
        await page.get_by_test_id("option-button").filter(has_text=value).first.click()
    button = page.get_by_test_id("add-product-button")
    await expect(button).to_have_text("Add to cart")
    await button.click()
    await expect(page.get_by_test_id("nav-cart-link").first).to_contain_text("(1)", timeout=PATIENCE)


async def go_to_payment(page: Page, front: Storefront, email: str, name: str) -> None:
    """From the cart to the step where the way to pay is chosen."""
    await page.goto(f"{front.url}/cart")
    row = page.get_by_test_id("product-row")
    await expect(row.get_by_test_id("product-title")).to_have_text(TITLE)
    await expect(row.get_by_test_id("product-variant")).to_have_text(f"Variant: {SIZE} / {COLOUR}")
    await expect_pictures(page, 1)
    await keep(page, front, f"{name}-cart")
    await page.get_by_test_id("checkout-button").click()
    await page.get_by_test_id("shipping-first-name-input").wait_for(timeout=PATIENCE)
    for field, text in ADDRESS.items():
        await page.get_by_test_id(field).fill(text)
    await page.get_by_test_id("shipping-country-select").select_option("co")
    await page.get_by_test_id("shipping-email-input").fill(email)
    await keep(page, front, f"{name}-address")
    await page.get_by_test_id("submit-address-button").click()
    option = page.get_by_test_id("delivery-option-radio").filter(has_text=SHIPPING).filter(has_text=PRICED)
    await option.click(timeout=PATIENCE)
    go_on = page.get_by_test_id("submit-delivery-option-button")
    await expect(go_on).to_be_enabled(timeout=PATIENCE)
    await keep(page, front, f"{name}-delivery")
    await go_on.click()
    await page.get_by_test_id("submit-payment-button").wait_for(timeout=PATIENCE)


async def pay_by_hand(page: Page, front: Storefront, name: str) -> None:
    """Choose the platform's manual payment and place the order."""
    await page.get_by_text(MANUAL).click()
    await page.get_by_test_id("submit-payment-button").click()
    order = page.get_by_test_id("submit-order-button")
    await expect(order).to_be_enabled(timeout=PATIENCE)
    await keep(page, front, f"{name}-review")
    await order.click()
    await page.get_by_test_id("order-complete-container").wait_for(timeout=PATIENCE)


async def expect_confirmation(page: Page, front: Storefront, email: str, name: str, paid_by: str) -> str:
    """Everything that the confirmation page has a place for is there.

    Returns:
        The order's number.
    """
    whole = page.get_by_test_id("order-complete-container")
    await expect(whole).to_be_visible(timeout=PATIENCE)
    await expect(page.get_by_test_id("order-email")).to_have_text(email)
    await expect(page.get_by_test_id("product-name")).to_have_text(TITLE)
    await expect(page.get_by_test_id("product-variant")).to_have_text(f"Variant: {SIZE} / {COLOUR}")
    await expect(page.get_by_test_id("product-quantity")).to_have_text("1")
    await expect_pictures(page, 1)
    parts = [await amount_of(page, f"cart-{part}") for part in ("subtotal", "shipping", "taxes")]
    total = await amount_of(page, "cart-total")
    assert all(parts), parts
    assert total == sum(parts) > PRICE, (parts, total)
    address = page.get_by_test_id("shipping-address-summary")
    for text in ("Ana María Gómez Peña", "Carrera 43A # 1-50", "050021, Medellín", "CO"):
        await expect(address).to_contain_text(text)
    await expect(page.get_by_test_id("shipping-contact-summary")).to_contain_text("3001234567")
    await expect(page.get_by_test_id("shipping-method-summary")).not_to_contain_text("undefined")
    await expect(page.get_by_test_id("payment-method")).to_have_text(paid_by)
    assert str(total) in digits(await page.get_by_test_id("payment-amount").inner_text())
    await keep(page, front, f"{name}-confirmed")
    return await page.get_by_test_id("order-id").inner_text()


async def amount_of(page: Page, test_id: str) -> int:
    """The pesos that a line of the totals says."""
    return int(await page.get_by_test_id(test_id).get_attribute("data-value") or 0)


def digits(text: str) -> str:
    """The figures of a text, without what stands between thousands and behind the peso."""
    return "".join(c for c in text.partition(" paid")[0].removesuffix(".00") if c.isdigit())


async def expect_pictures(page: Page, at_least: int) -> None:
    """Pictures are drawn, not only named."""
    await page.wait_for_function(
        "count => [...document.querySelectorAll('main img, [data-testid] img')]"
        ".filter(img => img.complete && img.naturalWidth > 0).length >= count",
        arg=at_least,
        timeout=PATIENCE,
    )


async def keep(page: Page, front: Storefront, name: str) -> None:
    """Keep a picture of the screen."""
    front.pictures.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=front.pictures / f"{name}.png", full_page=True)


async def look_around(page: Page, front: Storefront) -> None:
    """The pages before the cart: home, list, categories, a toy."""
    for path, name in (("", "home"), ("/store", "store"), (f"/products/{front.handle}", "product")):
        await page.goto(front.url + path)
        await expect_pictures(page, 1)
        await keep(page, front, name)
    await page.goto(front.url)
    await page.get_by_test_id("category-link").first.click()
    await page.get_by_test_id("category-page-title").wait_for(timeout=PATIENCE)
    await expect_pictures(page, 1)
    await keep(page, front, "category")


async def register(page: Page, front: Storefront, email: str) -> None:
    """Make an account."""
    await page.goto(f"{front.url}/account")
    await page.get_by_test_id("register-button").click()
    typed = {"first-name": "Eva", "last-name": "Ríos", "email": email, "phone": "3009876543"}
    for field, text in {**typed, "password": PASSWORD}.items():
        await page.get_by_test_id(f"{field}-input").fill(text)
    await page.get_by_test_id("register-button").click()
    await expect(page.get_by_test_id("welcome-message").locator("visible=true")).to_contain_text(
        "Eva", timeout=PATIENCE
    )
    await keep(page, front, "customer-account")


async def expect_orders(page: Page, front: Storefront, numbers: list[str]) -> None:
    """The account lists these orders, newest first, and shows each in detail."""
    await page.goto(f"{front.url}/account/orders")
    shown = page.get_by_test_id("order-display-id")
    await expect(shown).to_have_text(numbers, timeout=PATIENCE)
    await expect(page.get_by_test_id("item-title").first).not_to_be_empty()
    await expect_pictures(page, 1)
    await keep(page, front, "customer-orders")
    await page.get_by_test_id("order-details-link").first.click()
    details = page.get_by_test_id("order-details-container")
    await expect(details).to_be_visible(timeout=PATIENCE)
    await expect(page.get_by_test_id("product-variant")).to_have_text(f"Variant: {SIZE} / {COLOUR}")
    await keep(page, front, "customer-order-details")


async def buy_by_hand(browser: Browser, front: Storefront) -> None:
    """A guest and a customer buy with the platform's manual payment."""
    page = await visitor(browser)
    await look_around(page, front)
    await choose_toy(page, front)
    await go_to_payment(page, front, ANA, "guest")
    await pay_by_hand(page, front, "guest")
    await expect_confirmation(page, front, ANA, "guest", MANUAL)
    await page.context.close()

    page = await visitor(browser)
    await register(page, front, EVA)
    await choose_toy(page, front)
    await go_to_payment(page, front, EVA, "customer")
    await pay_by_hand(page, front, "customer")
    number = await expect_confirmation(page, front, EVA, "customer", MANUAL)
    await expect_orders(page, front, [number])
    await page.context.close()


async def buy_by_pse(browser: Browser, front: Storefront) -> None:
    """With the step of docs/starter-pse.md: a bank refuses, the same toy is bought again, and the bank approves."""
    page = await visitor(browser)
    await choose_toy(page, front)
    await go_to_payment(page, front, ANA, "pse")
    await pay_by_bank(page, front, "reject", "pse-refused")
    await expect(page.get_by_test_id("pse-outcome")).to_contain_text("did not approve", timeout=PATIENCE)
    await keep(page, front, "pse-refused")

    await page.get_by_test_id("pse-again").click()
    await page.wait_for_url("**/cart", timeout=PATIENCE)
    await go_to_payment(page, front, ANA, "pse-again")
    await pay_by_bank(page, front, "approve", "pse-approved")
    await expect_confirmation(page, front, ANA, "pse-approved", PSE)
    await page.context.close()


async def pay_by_bank(page: Page, front: Storefront, decision: str, name: str) -> None:
    """Answer what PSE asks, once wrongly, go to the bank and let it decide."""
    await page.get_by_text(PSE, exact=True).click()
    for field in ("bank", "person_type", "doc_type"):
        await page.locator(f"select[data-testid=pse-{field}]").select_option(PAYER[field])
    number = page.get_by_test_id("pse-doc_number")
    await number.fill("12")
    await page.get_by_test_id("pse-pay").click()
    await expect(page.get_by_test_id("pse-error")).to_contain_text("doc_number", timeout=PATIENCE)
    await number.fill(PAYER["doc_number"])
    await keep(page, front, f"{name}-answers")
    await page.get_by_test_id("pse-pay").click()
    await page.get_by_test_id(f"bank-{decision}").click(timeout=PATIENCE)


async def visitor(browser: Browser) -> Page:
    """A new visitor's page."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, locale="es-CO")
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    return page


async def main(clone: Path) -> None:
    """Open a shop, build the storefront's code against it, and buy in it: without the PSE step, and with it."""
    with tempfile.TemporaryDirectory(prefix="trompo-starter-") as folder:
        place, port = Path(folder) / "storefront", free_port()
        commit = await asyncio.to_thread(take_code, clone, place)
        print(f"The storefront's commit is {commit}. Installing its packages …", flush=True)
        await asyncio.to_thread(install, place)
        url = f"http://localhost:{port}"
        owner = {"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1]}
        shop = ShopServer(Path(folder), {**owner, "STORE_CORS": url, "TRUSTED_PROXIES": "127.0.0.1"})
        await asyncio.to_thread(shop.start)
        try:
            async with office(shop) as client:
                key, handle = await prepare(client)
            said = {
                "MEDUSA_BACKEND_URL": shop.url,
                "NEXT_PUBLIC_MEDUSA_PUBLISHABLE_KEY": key,
                "NEXT_PUBLIC_BASE_URL": url,
                "NEXT_PUBLIC_DEFAULT_REGION": "co",
            }
            front = Storefront(f"{url}/co", shop, handle, KEPT)
            for change, purchases in ((None, buy_by_hand), (add_pse, buy_by_pse)):
                if change:
                    change(place)
                await asyncio.to_thread(build, place, said)
                with running(place, port, said):
                    async with async_playwright() as playwright:
                        await purchases(await launch(playwright), front)
        finally:
            await asyncio.to_thread(shop.stop)
    print(f"The storefront sells; its screens are in {KEPT}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path, help="a clone of the storefront's repository, bare or not")
    asyncio.run(main(parser.parse_args().clone))
