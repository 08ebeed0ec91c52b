"""Every page of the shop in every state worth looking at, for `test_every_page.py` and `tools/screenshots.py`."""

from collections.abc import Awaitable, Callable
from uuid import uuid4

from playwright.async_api import Page, expect

from tests.e2e import account_steps, shopper
from tests.e2e.shopper import PATIENCE

Scene = Callable[[Page], Awaitable[None]]


async def visit(page: Page, path: str) -> None:
    """Open the page at `path` and wait until it has come to rest."""
    await page.goto(path)
    await page.wait_for_function("() => window.__reflex")
    await page.wait_for_load_state("networkidle")
    await expect(page.get_by_role("heading", level=1).first).to_be_attached()


def at(path: str) -> Scene:
    """The page at `path`, as it comes."""

    async def scene(page: Page) -> None:
        await visit(page, path)

    return scene


def search(text: str, shows: str) -> Scene:
    """The home page with `text` typed into the search."""

    async def scene(page: Page) -> None:
        await visit(page, "/")
        await page.get_by_test_id("search-input").press_sequentially(text)
        await expect(page.get_by_test_id(shows).first).to_be_visible(timeout=PATIENCE)
        await page.wait_for_load_state("networkidle")

    return scene


async def menu(page: Page) -> None:
    """The menu of phones, over the home page."""
    await visit(page, "/")
    await page.get_by_role("button", name="Abrir el menú").click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def filters(page: Page) -> None:
    """The filters of phones, over the catalogue, with one chosen."""
    await visit(page, "/catalog")
    await page.get_by_test_id("open-filters").click()
    await page.get_by_test_id("filter-brand").get_by_label("La Puntada").check()
    await expect(page.get_by_role("button", name="Ver 7 juguetes")).to_be_visible()


async def narrowed(page: Page) -> None:
    """The catalogue with a filter chosen beside it."""
    await visit(page, "/catalog")
    await page.get_by_test_id("filter-brand").get_by_label("La Puntada").check()
    await expect(page.locator(".chip").first).to_be_visible()


async def added(page: Page) -> None:
    """A product that was just put into the cart."""
    await shopper.put_in_cart(page, "mapa-de-colombia")


async def drawer(page: Page) -> None:
    """The cart beside the page."""
    await added(page)
    await page.locator("a[href='/cart'].icon-button").click()
    await expect(page.get_by_test_id("cart-line")).to_be_visible()


async def large_view(page: Page) -> None:
    """A product's picture over the whole page, enlarged."""
    await visit(page, "/product/mapa-de-colombia")
    await page.get_by_role("button", name="Ampliar la foto").click()
    await page.get_by_role("button", name="Acercar o alejar").click()


async def cart(page: Page) -> None:
    """A cart with two toys."""
    await shopper.put_in_cart(page, "chiva-de-madera")
    await shopper.put_in_cart(page, "telescopio-primeras-lunas")
    await visit(page, "/cart")
    await expect(page.get_by_test_id("cart-line").first).to_be_visible(timeout=PATIENCE)


async def wishlist(page: Page) -> None:
    """Three toys that were saved."""
    await visit(page, "/catalog")
    for number in range(3):
        await page.get_by_test_id("wishlist-toggle").nth(number).click()
    await visit(page, "/wishlist")
    await expect(page.get_by_test_id("product-card").first).to_be_visible(timeout=PATIENCE)


async def checkout(page: Page) -> None:
    """The form of the checkout, filled in, with a toy of which there are plenty: many scenes buy it."""
    await shopper.put_in_cart(page, "yoyo-de-madera")
    await shopper.open_checkout(page)
    await shopper.fill_in(page)


async def checkout_errors(page: Page) -> None:
    """The form of the checkout, sent empty."""
    await shopper.put_in_cart(page, "chiva-de-madera")
    await shopper.open_checkout(page)
    await page.get_by_test_id("place-order").click()
    await expect(page.locator("[aria-invalid=true]").first).to_be_visible(timeout=PATIENCE)


async def bank(page: Page) -> None:
    """The bank's page of the sandbox."""
    await checkout(page)
    await shopper.go_to_bank(page)


def order(decision: str, status: str) -> Scene:
    """The order's page after the bank's decision."""

    async def scene(page: Page) -> None:
        await bank(page)
        await shopper.decide(page, decision)
        await shopper.expect_status(page, status)

    return scene


async def order_waiting(page: Page) -> None:
    """The checkout of a shopper who comes back from the bank without having paid."""
    await bank(page)
    await page.go_back()
    await expect(page.get_by_test_id("order-waiting")).to_be_visible(timeout=PATIENCE)


async def change_bank(page: Page) -> None:
    """The question whether the payment at the bank is to be let go of."""
    await order("pending", "pending")(page)
    await page.get_by_test_id("change-bank").click(timeout=PATIENCE)
    await expect(page.get_by_test_id("change-bank-question")).to_be_visible()


async def register_errors(page: Page) -> None:
    """The form for a new account, sent empty."""
    await visit(page, "/account/register")
    await page.get_by_role("button", name="Crear mi cuenta").click()
    await expect(page.locator("[aria-invalid=true]").first).to_be_visible(timeout=PATIENCE)


async def account(page: Page) -> None:
    """The page of an account with an order and two addresses."""
    await account_new(page)
    await order("approve", "paid")(page)
    await visit(page, "/account")
    await expect(page.get_by_test_id("account-order")).to_be_visible(timeout=PATIENCE)
    await account_steps.add_address(page, "Calle 10 # 5-20", "Leticia, Amazonas")


async def account_new(page: Page) -> None:
    """The page of a new account."""
    await account_steps.register(page, f"{uuid4().hex}@example.com")


async def account_edit(page: Page) -> None:
    """An address that is being changed, with mistakes, and another one that is about to go."""
    await account_new(page)
    await account_steps.add_address(page, "Carrera 43A # 1-50, apto. 302", "Medellín, Antioquia")
    await account_steps.add_address(page, "Calle 10 # 5-20", "Leticia, Amazonas")
    entries = page.get_by_test_id("account-address")
    await entries.first.get_by_text("Editar").click()
    await entries.first.locator('[name="address"]').fill("x")
    await entries.first.locator('[name="town"]').fill("Macondo")
    await entries.first.get_by_role("button", name="Guardar dirección").click()
    await expect(page.locator("[aria-invalid=true]").first).to_be_visible(timeout=PATIENCE)
    await entries.last.get_by_role("button", name="Quitar la dirección").click()


async def checkout_addresses(page: Page) -> None:
    """The checkout of a customer with two addresses."""
    await account_new(page)
    await account_steps.add_address(page, "Carrera 43A # 1-50, apto. 302", "Medellín, Antioquia")
    await account_steps.add_address(page, "Calle 10 # 5-20", "Leticia, Amazonas")
    await shopper.put_in_cart(page, "yoyo-de-madera")
    await shopper.open_checkout(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $", timeout=PATIENCE)


ON_PHONES: dict[str, Scene] = {"menu": menu, "filters": filters}

EVERYWHERE: dict[str, Scene] = {
    "home": at("/"),
    "search": search("tronpo", "search-result"),
    "search-nothing": search("submarino", "search-empty"),
    "catalog": at("/catalog?category=munecas-y-peluches"),
    "catalog-nothing": at("/catalog?q=submarino"),
    "product": at("/product/chiva-de-madera"),
    "product-sold-out": at("/product/cocina-de-juguete"),
    "product-unknown": at("/product/nave-espacial"),
    "product-added": added,
    "product-large": large_view,
    "drawer": drawer,
    "cart": cart,
    "cart-empty": at("/cart"),
    "wishlist": wishlist,
    "wishlist-empty": at("/wishlist"),
    "checkout": checkout,
    "checkout-errors": checkout_errors,
    "checkout-empty": at("/checkout"),
    "bank": bank,
    "order-paid": order("approve", "paid"),
    "order-rejected": order("reject", "rejected"),
    "order-pending": order("pending", "pending"),
    "order-waiting": order_waiting,
    "order-change-bank": change_bank,
    "order-unknown": at("/order/order_0?token=t"),
    "order-find": at("/order/find"),
    "notify": at("/notify?id=a&token=b"),
    "unsubscribe": at("/unsubscribe?said=forgotten"),
    "login": at("/account/login"),
    "register": at("/account/register"),
    "register-errors": register_errors,
    "reset": at("/account/reset"),
    "account": account,
    "account-new": account_new,
    "account-edit": account_edit,
    "checkout-addresses": checkout_addresses,
    "pqrs": at("/pqrs"),
    "legal": at("/legal/terminos"),
    "not-found": at("/naves/espaciales"),
}
