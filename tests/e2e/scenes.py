"""The pages of the shop in each state that matters, for `test_every_page.py` and `tools/screenshots.py`."""

from collections.abc import Awaitable, Callable
from uuid import uuid4

from playwright.async_api import Page, expect

from tests.e2e import account_steps, shopper
from tests.e2e.shopper import TIMEOUT_MS

Scene = Callable[[Page], Awaitable[None]]


async def visit(page: Page, path: str) -> None:
    """Open the page at `path` and wait until it has finished loading."""
    await page.goto(path)
    await shopper.wait_until_hydrated(page)
    await page.wait_for_load_state("networkidle")
    await expect(page.get_by_role("heading", level=1).first).to_be_attached()


def page_at(path: str) -> Scene:
    """Return a scene that opens the page at `path`."""

    async def scene(page: Page) -> None:
        await visit(page, path)

    return scene


def search_scene(text: str, shows: str) -> Scene:
    """Return a scene that types `text` into the search of the home page."""

    async def scene(page: Page) -> None:
        await visit(page, "/")
        await page.get_by_test_id("search-input").press_sequentially(text)
        await expect(page.get_by_test_id(shows).first).to_be_visible()
        await page.wait_for_load_state("networkidle")

    return scene


async def open_menu(page: Page) -> None:
    """Open the phone menu on the home page."""
    await visit(page, "/")
    await page.get_by_role("button", name="Abrir el menú").click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def open_filters(page: Page) -> None:
    """Open the phone filters on the catalogue, with one filter chosen."""
    await visit(page, "/catalog")
    await page.get_by_test_id("open-filters").click()
    await page.get_by_test_id("filter-brand").get_by_label("La Puntada").check()
    await expect(page.get_by_role("button", name="Ver 7 juguetes")).to_be_visible()


async def open_filtered_catalog(page: Page) -> None:
    """Open the catalogue on a desktop with a filter chosen."""
    await visit(page, "/catalog")
    await page.get_by_test_id("filter-brand").get_by_label("La Puntada").check()
    await expect(page.locator(".chip").first).to_be_visible()


async def open_added_product(page: Page) -> None:
    """Open a product and add it to the cart."""
    await shopper.put_in_cart(page, "mapa-de-colombia")


async def open_drawer(page: Page) -> None:
    """Open the cart drawer on a product's page."""
    await open_added_product(page)
    await page.locator("a[href='/cart'].icon-button").click()
    await expect(page.get_by_test_id("cart-line")).to_be_visible()


async def open_estimate(page: Page) -> None:
    """Open a product's page, and estimate the shipping to Medellín in its box."""
    await visit(page, "/product/trompo-de-madera")
    box = await shopper.open_estimate(page)
    await box.get_by_role("combobox", name="Municipio").fill("medel")
    await box.get_by_test_id("town-option").first.click()
    await expect(box.get_by_test_id("estimate-way")).to_have_count(2)


async def open_large_view(page: Page) -> None:
    """Open a product's picture in the large view, enlarged."""
    await visit(page, "/product/mapa-de-colombia")
    await page.get_by_role("button", name="Ampliar la foto").click()
    await page.get_by_role("button", name="Acercar o alejar").click()


async def open_cart(page: Page) -> None:
    """Open a cart with two products."""
    await shopper.put_in_cart(page, "chiva-de-madera")
    await shopper.put_in_cart(page, "telescopio-primeras-lunas")
    await visit(page, "/cart")
    await expect(page.get_by_test_id("cart-line").first).to_be_visible()


async def open_wishlist(page: Page) -> None:
    """Open a wishlist with three products."""
    await visit(page, "/catalog")
    for number in range(3):
        await page.get_by_test_id("wishlist-toggle").nth(number).click()
    await visit(page, "/wishlist")
    await expect(page.get_by_test_id("product-card").first).to_be_visible()


async def open_filled_checkout(page: Page) -> None:
    """Open the checkout and fill in the form. Many scenes buy this product, which has a large stock."""
    await shopper.put_in_cart(page, "yoyo-de-madera")
    await shopper.open_checkout(page)
    await shopper.fill_in_checkout(page)


async def open_checkout_errors(page: Page) -> None:
    """Open the checkout and send its form empty."""
    await shopper.put_in_cart(page, "chiva-de-madera")
    await shopper.open_checkout(page)
    await page.get_by_test_id("place-order").click()
    await expect(page.locator("[aria-invalid=true]").first).to_be_visible()


async def open_bank(page: Page) -> None:
    """Open the sandbox's bank page."""
    await open_filled_checkout(page)
    await shopper.go_to_bank(page)


def order_scene(decision: str, status: str) -> Scene:
    """Return a scene that opens the order's page after the bank's decision."""

    async def scene(page: Page) -> None:
        await open_bank(page)
        await shopper.decide_at_bank(page, decision)
        await shopper.expect_status(page, status)

    return scene


async def open_waiting_order(page: Page) -> None:
    """Open the checkout of a shopper who returns from the bank without paying."""
    await open_bank(page)
    await page.go_back()
    await expect(page.get_by_test_id("order-waiting")).to_be_visible()


async def open_bank_change(page: Page) -> None:
    """Place an order that is pending at the bank, and open the question about cancelling its payment."""
    await order_scene("pending", "pending")(page)
    await page.get_by_test_id("change-bank").click(timeout=TIMEOUT_MS)
    await expect(page.get_by_test_id("change-bank-question")).to_be_visible()


async def open_registration_errors(page: Page) -> None:
    """Open the registration and send its form empty."""
    await visit(page, "/account/register")
    await page.get_by_role("button", name="Crear mi cuenta").click()
    await expect(page.locator("[aria-invalid=true]").first).to_be_visible()


async def open_account(page: Page) -> None:
    """Open the page of an account with an order and two addresses."""
    await open_new_account(page)
    await order_scene("approve", "paid")(page)
    await visit(page, "/account")
    await expect(page.get_by_test_id("account-order")).to_be_visible()
    await account_steps.add_address(page, "Calle 10 # 5-20", "Leticia, Amazonas")


async def open_new_account(page: Page) -> None:
    """Open the page of a new account."""
    await account_steps.register(page, f"{uuid4().hex}@example.com")


async def open_address_edit(page: Page) -> None:
    """Open an account with errors in one address form, and the question whether to delete another address."""
    await open_new_account(page)
    await account_steps.add_address(page, "Carrera 43A # 1-50, apto. 302", "Medellín, Antioquia")
    await account_steps.add_address(page, "Calle 10 # 5-20", "Leticia, Amazonas")
    entries = page.get_by_test_id("account-address")
    await entries.first.get_by_text("Editar").click()
    await entries.first.locator('[name="address"]').fill("x")
    await entries.first.locator('[name="town"]').fill("Macondo")
    await entries.first.get_by_role("button", name="Guardar dirección").click()
    await expect(page.locator("[aria-invalid=true]").first).to_be_visible()
    await entries.last.get_by_role("button", name="Quitar la dirección").click()


async def open_checkout_addresses(page: Page) -> None:
    """Open the checkout of a customer with two addresses."""
    await open_new_account(page)
    await account_steps.add_address(page, "Carrera 43A # 1-50, apto. 302", "Medellín, Antioquia")
    await account_steps.add_address(page, "Calle 10 # 5-20", "Leticia, Amazonas")
    await shopper.put_in_cart(page, "yoyo-de-madera")
    await shopper.open_checkout(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")


PHONE_SCENES: dict[str, Scene] = {"menu": open_menu, "filters": open_filters}

PAGE_SCENES: dict[str, Scene] = {
    "home": page_at("/"),
    "search": search_scene("tronpo", "search-result"),
    "search-ideas": search_scene("t", "popular-search"),
    "search-near": search_scene("tren nuclear", "search-near"),
    "search-help": search_scene("garantía", "search-help"),
    "search-sold-out": search_scene("cocina", "search-result"),
    "search-nothing": search_scene("submarino", "search-empty"),
    "catalog": page_at("/catalog?category=munecas-y-peluches"),
    "catalog-nothing": page_at("/catalog?q=submarino"),
    "catalog-understood": page_at("/catalog?q=regalo+barato+para+ni%C3%B1a+de+menos+de+50+mil"),
    "catalog-help": page_at("/catalog?q=cu%C3%A1nto+cuesta+el+env%C3%ADo"),
    "product": page_at("/product/chiva-de-madera"),
    "product-sold-out": page_at("/product/cocina-de-juguete"),
    "product-variants": page_at("/product/peluche-chiguiro"),
    "product-unknown": page_at("/product/nave-espacial"),
    "product-added": open_added_product,
    "product-estimate": open_estimate,
    "product-large": open_large_view,
    "drawer": open_drawer,
    "cart": open_cart,
    "cart-empty": page_at("/cart"),
    "wishlist": open_wishlist,
    "wishlist-empty": page_at("/wishlist"),
    "checkout": open_filled_checkout,
    "checkout-errors": open_checkout_errors,
    "checkout-empty": page_at("/checkout"),
    "bank": open_bank,
    "order-paid": order_scene("approve", "paid"),
    "order-rejected": order_scene("reject", "rejected"),
    "order-pending": order_scene("pending", "pending"),
    "order-waiting": open_waiting_order,
    "order-change-bank": open_bank_change,
    "order-unknown": page_at("/order/order_0?token=t"),
    "order-find": page_at("/order/find"),
    "notify": page_at("/notify?id=a&token=b"),
    "unsubscribe": page_at("/unsubscribe?said=forgotten"),
    "login": page_at("/account/login"),
    "register": page_at("/account/register"),
    "register-errors": open_registration_errors,
    "reset": page_at("/account/reset"),
    "open-account": page_at("/account/open#token=x"),
    "account": open_account,
    "account-new": open_new_account,
    "account-edit": open_address_edit,
    "checkout-addresses": open_checkout_addresses,
    "gift": page_at("/gift"),
    "pqrs": page_at("/pqrs"),
    "legal": page_at("/legal/terminos"),
    "not-found": page_at("/naves/espaciales"),
}
