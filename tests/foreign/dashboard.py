"""Test of the platform's official dashboard, as published on npm, against this shop's Admin API.

`python -m tests.foreign.dashboard` installs and builds it as the platform does, serves it together with the API of
a shop with the demo products, and uses it in a browser: see docs/api.md. A broken screen or a refused request,
unless listed in `REFUSED_PATHS`, raises an error; a screenshot of each screen is stored.
"""

import asyncio
import re
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from playwright.async_api import ConsoleMessage, Locator, Page, Response, async_playwright, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.responses import Response as Answer
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from tests.e2e.conftest import OWNER_LOGIN, ShopServer
from tests.foreign.starter import open_admin_client
from tests.gateway_kit import serve_app
from tests.node_packages import NODE_FOLDER, find_packages, install_packages, node_environment
from tests.store_steps import complete_purchase
from tools.browser import launch

PACKAGES = Path(__file__).parent / "platform_dashboard"
SCREENSHOTS = Path("test-results/dashboard")
TIMEOUT_MS = 60_000
BUILD_TIMEOUT_S = 900
IGNORED_MESSAGES = ("Failed to load resource", "DialogTitle", "aria-describedby", "cdn.jsdelivr.net")
"""Ignored console messages: refused requests, the dashboard's own warnings, flags from another server."""
ERROR_TEXT = re.compile("An error occurred|unexpected error|went wrong", re.IGNORECASE)
REFUSED_PATHS = (
    "/admin/layouts/",  # layouts of the dashboard's own screens
    "/admin/claims",
    "/admin/exchanges",
    "/admin/plugins",  # no plugins exist
    "/admin/workflows-executions",
    "/auth/mfa/",  # the second factor is set up in the office
    "/cloud/auth",  # the platform's own hosting
)
"""Requests that the shop refuses by decision: docs/api.md, `Every method of the SDK`."""
TITLE = "Trompo del tablero"
SKU_CELL, PRICE_CELL, UNITS_CELL = "0:2", "0:6", "1:2"
"""Row and column in the table of a new product's variants, and in the table of its stock."""
SCREENS = (
    *("/orders", "/products", "/customers", "/customer-groups", "/promotions", "/campaigns", "/price-lists"),
    *("/inventory", "/reservations", "/collections", "/categories", "/settings/store", "/settings/users"),
    *("/settings/regions", "/settings/tax-regions", "/settings/return-reasons", "/settings/refund-reasons"),
    *("/settings/sales-channels", "/settings/product-types", "/settings/product-tags"),
    *("/settings/product-options", "/settings/locations", "/settings/publishable-api-keys"),
    *("/settings/secret-api-keys", "/settings/profile"),
)


@dataclass
class Watch:
    """Problems in the browser: refused requests and errors of the dashboard's code."""

    problems: list[str] = field(default_factory=list)

    def attach(self, page: Page) -> None:
        """Watch `page` from now on."""
        page.on("response", self._response)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))

    def _response(self, response: Response) -> None:
        path = urlsplit(response.url).path
        if response.status >= httpx.codes.BAD_REQUEST and not path.startswith(REFUSED_PATHS):
            sent = response.request.post_data or ""
            self.problems.append(f"{response.status} {response.request.method} {response.url} {sent[:500]}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(text in message.text for text in IGNORED_MESSAGES):
            self.problems.append(f"console: {message.text[:500]}")


@dataclass(frozen=True)
class Dashboard:
    """The dashboard in a browser.

    Attributes:
        page: the browser's page.
        url: the dashboard's address, without a trailing slash.
        watch: the problems so far.
    """

    page: Page
    url: str
    watch: Watch

    async def open(self, path: str) -> None:
        """Open a screen and wait until all its requests have finished."""
        await self.page.goto(f"{self.url}/app{path}")
        await self.page.wait_for_load_state("networkidle")

    async def open_until(self, result: Locator, open_screen: Callable[[], Awaitable[None]]) -> None:
        """Reopen a screen until a job's result is visible.

        Raises:
            TimeoutError: it does not appear.
        """
        async with asyncio.timeout(TIMEOUT_MS / 1000):
            while not await result.count():
                await open_screen()

    async def check(self, name: str) -> None:
        """Store a screenshot of the screen, and check that there was no problem so far."""
        await self.page.wait_for_load_state("networkidle")
        await self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
        error = ERROR_TEXT.search(await self.page.locator("body").inner_text())
        assert not error, f"{name} displays {error and error[0]}"
        assert not self.watch.problems, "\n".join([name, *self.watch.problems])

    async def press(self, text: str) -> None:
        """Click the topmost button with this text: dialogs can cover each other."""
        await self.page.locator("button:visible", has_text=text).last.click()

    async def write(self, cell: str, text: str) -> None:
        """Write into a cell of the table, given as row and column: `0:2`."""
        await self.page.locator(f"[role=grid]:visible [data-container-id='{cell}']").last.dblclick()
        await self.page.keyboard.type(text)
        await self.page.keyboard.press("Enter")

    async def save(self, text: str, screen: str) -> None:
        """Click the button, and wait for the next screen."""
        await self.press(text)
        await self.page.wait_for_url(f"**/app{screen}", timeout=TIMEOUT_MS)


async def sign_in(board: Dashboard) -> None:
    """Sign in with the form, which opens a session."""
    await board.open("/login")
    await board.page.get_by_placeholder("Email").fill(OWNER_LOGIN[0])
    await board.page.get_by_placeholder("Password").fill(OWNER_LOGIN[1])
    board.watch.problems.clear()  # before, it requested the signed-in user
    await board.save("Continue", "/orders*")
    board.watch.problems.clear()  # it requests the user again while it signs in
    await board.check("orders")


async def look_around(board: Dashboard) -> None:
    """Open every screen."""
    for screen in SCREENS:
        await board.open(screen)
        await board.check(screen.strip("/").replace("/", "-"))


async def edit_product(board: Dashboard, product: dict[str, Any]) -> None:
    """Open a product, change it, and save its tags, prices, stock and variant unchanged."""
    page, path = board.page, f"/products/{product['id']}"
    await board.open(path)
    await board.check("product")
    await board.open(f"{path}/edit")
    await page.locator("[name=subtitle]:visible").fill("Para bailar")
    await board.save("Save", path)
    await expect(page.get_by_text("Para bailar").first).to_be_visible(timeout=TIMEOUT_MS)
    await board.check("product-edited")
    variant = f"{path}/variants/{product['variants'][0]['id']}"
    for screen, after in (("organization", path), ("prices", path), ("stock", path)):
        await board.open(f"{path}/{screen}")
        await board.save("Save", after)
        await board.check(f"product-{screen}")
    await board.open(f"{variant}/edit")
    await board.save("Save", f"{variant}/")
    await board.check("variant")


async def create_product(board: Dashboard, shop: ShopServer) -> None:
    """Create a product with the form, change it, add stock, and find it in the shop."""
    page = board.page
    await board.open("/products/create")
    await page.locator("[name=title]:visible").last.fill(TITLE)
    await board.press("Continue")
    await board.press("Continue")
    await board.write(SKU_CELL, "TABLERO-1")
    await board.write(PRICE_CELL, "32000")
    await board.check("product-form")
    await board.save("Publish", "/products/prod_*")
    await board.check("product-made")
    path = f"/products/{urlsplit(page.url).path.rpartition('/')[2]}"
    await board.open(f"{path}/edit")
    await page.locator("[name=description]:visible").fill("Hecho desde el tablero")
    await board.save("Save", path)
    await board.open(f"{path}/stock")
    await board.write(UNITS_CELL, "7")
    await board.save("Save", path)
    await board.check("product-made-in-stock")
    shopper = await page.context.new_page()
    await shopper.goto(f"{shop.url}/catalog?q={TITLE}")
    card = shopper.get_by_test_id("product-card").filter(has_text=TITLE)
    await card.get_by_role("link").first.click()
    await expect(shopper.get_by_text("Hecho desde el tablero").first).to_be_visible(timeout=TIMEOUT_MS)
    await expect(shopper.get_by_test_id("add-to-cart").first).to_be_enabled(timeout=TIMEOUT_MS)
    await shopper.screenshot(path=SCREENSHOTS / "product-made-in-the-shop.png")
    await shopper.close()


async def export_and_import_products(board: Dashboard, folder: Path) -> None:
    """Export the created product with the dashboard's button, change its title in the file, and import it."""
    page = board.page
    await board.open(f"/products/export?p_q={quote(TITLE)}")
    await board.check("products-export")
    await board.save("Export", "/products*")
    await expect(page.get_by_text("We are processing your export").first).to_be_visible(timeout=TIMEOUT_MS)
    await board.check("products-exporting")
    link = page.locator("a[download]")

    async def open_the_feed() -> None:
        await board.open("/products")
        await page.keyboard.press("Control+n")
        await expect(page.get_by_role("heading", name="Notifications")).to_be_visible()
        await page.wait_for_load_state("networkidle")

    await board.open_until(link, open_the_feed)
    async with page.expect_download() as waiting:
        await link.first.click()
    download = await waiting.value
    await board.check("notifications")
    table = folder / "products.csv"
    await download.save_as(table)
    text = await asyncio.to_thread(table.read_text, "utf-8")
    assert text.count(TITLE) == 1, text
    await asyncio.to_thread(table.write_text, text.replace(TITLE, f"{TITLE} II"), "utf-8")
    await board.open("/products/import")
    await page.locator("input[type=file]").last.set_input_files(table)
    await expect(page.get_by_text("Products will be updated")).to_be_visible(timeout=TIMEOUT_MS)
    await board.check("products-import")
    await board.save("Import", "/products")
    await expect(page.get_by_text("We are processing your import").first).to_be_visible(timeout=TIMEOUT_MS)
    found = f"/products?q={quote(TITLE)}"
    await board.open_until(page.get_by_text(f"{TITLE} II"), lambda: board.open(found))
    await board.check("products-imported")


async def fulfil_order(board: Dashboard, order_id: str) -> None:
    """Open an order, capture its payment, fulfil it and ship it."""
    page, path = board.page, f"/orders/{order_id}"
    await board.open(path)
    await expect(page.get_by_text("Awaiting fulfillment")).to_be_visible(timeout=TIMEOUT_MS)
    await board.check("order")
    await board.press("Capture")
    await board.press("Confirm")
    await expect(page.get_by_text("Captured").first).to_be_visible(timeout=TIMEOUT_MS)
    await board.check("order-captured")
    await board.open(f"{path}/fulfillment?requires_shipping=true")
    await board.check("order-to-fulfil")
    await board.save("Create Fulfillment", path)
    await board.press("Mark as shipped")
    await board.save("Save", path)
    await expect(page.get_by_text("Shipped", exact=True).first).to_be_visible(timeout=TIMEOUT_MS)
    await board.check("order-shipped")


async def open_other_kinds(board: Dashboard, client: httpx.AsyncClient) -> None:
    """Open the screens of one customer and of one inventory item."""
    for path, name in (("customers", "customers"), ("inventory-items", "inventory")):
        answer = (await client.get(f"/admin/{path}?limit=1")).raise_for_status().json()
        [item] = next(part for part in answer.values() if isinstance(part, list))
        await board.open(f"/{name}/{item['id']}")
        await board.check(f"{name}-one")


def build_dashboard() -> Path:
    """Return the folder of the built dashboard; install and build it if it does not exist."""
    install_packages(PACKAGES)
    folder = find_packages(PACKAGES)
    output_folder = folder / "built"
    if not (output_folder / "index.html").exists():
        print("Building the dashboard …", flush=True)
        subprocess.run(
            [NODE_FOLDER / "node", PACKAGES / "build.cjs"],
            cwd=folder,
            env=node_environment(OUT=str(output_folder)),
            check=True,
            timeout=BUILD_TIMEOUT_S,
        )
    return output_folder


@asynccontextmanager
async def serve_dashboard(shop: ShopServer, pages: Path) -> AsyncIterator[ASGIApp]:
    """Serve the dashboard under `/app` and pass all other requests to the shop: one origin for both."""
    async with httpx.AsyncClient(timeout=60) as client:

        async def page(request: Request) -> Answer:
            return FileResponse(_file(pages, request.path_params["path"]))

        async def forward(request: Request) -> Answer:
            answer = await client.request(
                request.method,
                f"{shop.url}{request.url.path}?{request.url.query}".rstrip("?"),
                headers=[pair for pair in request.headers.raw if pair[0] != b"host"],
                content=await request.body(),
            )
            response = Answer(answer.content, answer.status_code)
            dropped_headers = {b"content-length", b"content-encoding", b"transfer-encoding"}
            response.raw_headers += [
                pair for pair in answer.headers.raw if pair[0].lower() not in dropped_headers
            ]
            return response

        methods = ["GET", "POST", "DELETE", "PUT", "PATCH"]
        yield Starlette(
            routes=[
                Mount("/app", routes=[Route("/{path:path}", page)]),
                Route("/{path:path}", forward, methods=methods),
            ]
        )


def _file(pages: Path, path: str) -> Path:
    """Return the file at this path, or the page that contains all screens."""
    file = (pages / path).resolve()
    return file if file.is_file() and file.is_relative_to(pages.resolve()) else pages / "index.html"


async def main() -> None:
    """Build the dashboard, serve it, and use it."""
    pages = await asyncio.to_thread(build_dashboard)
    await asyncio.to_thread(SCREENSHOTS.mkdir, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="trompo-dashboard-") as folder:
        shop = ShopServer(Path(folder))
        async with serve_dashboard(shop, pages) as app, serve_app(app) as url:
            owner = {"ADMIN_EMAIL": OWNER_LOGIN[0], "ADMIN_PASSWORD": OWNER_LOGIN[1]}
            shop.environment = {**owner, "ADMIN_CORS": url, "AUTH_CORS": url}
            await asyncio.to_thread(shop.start)
            try:
                await run_steps(shop, url, Path(folder))
            finally:
                await asyncio.to_thread(shop.stop)


async def run_steps(shop: ShopServer, url: str, folder: Path) -> None:
    """Order a product in the shop, and run all steps in the dashboard."""
    async with open_admin_client(shop) as client, async_playwright() as playwright:
        product, order_id = await place_order(shop, client)
        browser = await launch(playwright)
        context = await browser.new_context(viewport={"width": 1400, "height": 1000}, locale="en-US")
        board = Dashboard(await context.new_page(), url, Watch())
        board.page.set_default_timeout(TIMEOUT_MS)
        board.watch.attach(board.page)
        steps: tuple[Callable[[], Awaitable[None]], ...] = (
            lambda: sign_in(board),
            lambda: look_around(board),
            lambda: edit_product(board, product),
            lambda: create_product(board, shop),
            lambda: export_and_import_products(board, folder),
            lambda: fulfil_order(board, order_id),
            lambda: open_other_kinds(board, client),
        )
        for step in steps:
            await step()
        await browser.close()
    print(f"The dashboard works; its screens are in {SCREENSHOTS}.")


async def place_order(shop: ShopServer, client: httpx.AsyncClient) -> tuple[dict[str, Any], str]:
    """Order a product as a guest, paid by `pp_system_default` and shipped by the carrier.

    Returns:
        The product, and the order's id.
    """
    region = (await client.get("/admin/regions")).raise_for_status().json()["regions"][0]["id"]
    providers = {"payment_providers": ["gateway_pse", "pp_system_default"]}
    (await client.post(f"/admin/regions/{region}", json=providers)).raise_for_status()
    [key] = (await client.get("/admin/api-keys?type=publishable")).raise_for_status().json()["api_keys"]
    [product] = (await client.get("/admin/products?limit=1")).raise_for_status().json()["products"]
    async with httpx.AsyncClient(
        base_url=shop.url, headers={"x-publishable-api-key": key["token"]}, timeout=60
    ) as store:
        order = await complete_purchase(store, product["variants"][0]["id"], price_type="calculated")
    return product, order["id"]


if __name__ == "__main__":
    asyncio.run(main())
