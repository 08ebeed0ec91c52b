"""Drives the platform's official dashboard, as it is on npm, against this shop's Admin API.

`python -m tests.foreign.dashboard` installs and builds it as the platform does, serves it beside the API of a shop with
the demo toys, and works in it with a browser: see docs/api.md. A screen that breaks, and a request that is refused,
unless `DECIDED` names it, raises; each screen is kept as a picture.
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

from tests.e2e.conftest import STAFF, ShopServer
from tests.foreign.starter import office
from tests.gateway_kit import served
from tests.node_packages import NODE_FOLDER, environment, install, installed
from tests.store_steps import bought
from tools.browser import launch

PACKAGES = Path(__file__).parent / "platform_dashboard"
KEPT = Path("test-results/dashboard")
PATIENCE = 60_000
SECONDS_TO_BUILD = 900
OF_NO_MATTER = ("Failed to load resource", "DialogTitle", "aria-describedby", "cdn.jsdelivr.net")
"""Of the console: what the browser says of each refusal, the dashboard's own warnings, flags from a server outside."""
BROKEN = re.compile("An error occurred|unexpected error|went wrong", re.IGNORECASE)
DECIDED = (
    "/admin/layouts/",  # arrangements of the dashboard's own screens
    "/admin/claims",
    "/admin/exchanges",
    "/admin/plugins",  # there are none
    "/admin/workflows-executions",
    "/auth/mfa/",  # the second factor is set up in the office
    "/cloud/auth",  # the platform's own hosting
)
"""Requests that the shop refuses by decision: docs/api.md, `Every method of the SDK`."""
MADE = "Trompo del tablero"
SKU_CELL, PRICE_CELL, UNITS_CELL = "0:2", "0:6", "1:2"
"""In the table of a new product's variants, and in that of its stock: row and column."""
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
    """What went wrong in the browser: refused requests and errors of the dashboard's code."""

    problems: list[str] = field(default_factory=list)

    def over(self, page: Page) -> None:
        """Watch `page` from now on."""
        page.on("response", self._response)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))

    def _response(self, response: Response) -> None:
        path = urlsplit(response.url).path
        if response.status >= httpx.codes.BAD_REQUEST and not path.startswith(DECIDED):
            sent = response.request.post_data or ""
            self.problems.append(f"{response.status} {response.request.method} {response.url} {sent[:500]}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(text in message.text for text in OF_NO_MATTER):
            self.problems.append(f"console: {message.text[:500]}")


@dataclass(frozen=True)
class Dashboard:
    """The dashboard in a browser.

    Attributes:
        page: where it is open.
        url: where it is served, without a trailing slash.
        watch: what went wrong so far.
    """

    page: Page
    url: str
    watch: Watch

    async def open(self, path: str) -> None:
        """Go to a screen and wait until it has asked for everything."""
        await self.page.goto(f"{self.url}/app{path}")
        await self.page.wait_for_load_state("networkidle")

    async def open_until(self, wanted: Locator, opening: Callable[[], Awaitable[None]]) -> None:
        """Open a screen again and again until it has what a job makes.

        Raises:
            TimeoutError: it has none.
        """
        async with asyncio.timeout(PATIENCE / 1000):
            while not await wanted.count():
                await opening()

    async def check(self, name: str) -> None:
        """Keep a picture of the screen, and see that nothing went wrong on the way here."""
        await self.page.wait_for_load_state("networkidle")
        await self.page.screenshot(path=KEPT / f"{name}.png", full_page=True)
        broken = BROKEN.search(await self.page.locator("body").inner_text())
        assert not broken, f"{name} says {broken and broken[0]}"
        assert not self.watch.problems, "\n".join([name, *self.watch.problems])

    async def press(self, text: str) -> None:
        """Press the button that is on top: dialogs lie on each other."""
        await self.page.locator("button:visible", has_text=text).last.click()

    async def write(self, cell: str, text: str) -> None:
        """Write into a cell of the table, by its row and column: `0:2`."""
        await self.page.locator(f"[role=grid]:visible [data-container-id='{cell}']").last.dblclick()
        await self.page.keyboard.type(text)
        await self.page.keyboard.press("Enter")

    async def save(self, text: str, screen: str) -> None:
        """Press the button, and wait for the screen that comes then."""
        await self.press(text)
        await self.page.wait_for_url(f"**/app{screen}", timeout=PATIENCE)


async def sign_in(board: Dashboard) -> None:
    """By the form, which opens a session."""
    await board.open("/login")
    await board.page.get_by_placeholder("Email").fill(STAFF[0])
    await board.page.get_by_placeholder("Password").fill(STAFF[1])
    board.watch.problems.clear()  # before that it asked who is signed in
    await board.save("Continue", "/orders*")
    board.watch.problems.clear()  # it asks once more while it signs in
    await board.check("orders")


async def look_around(board: Dashboard) -> None:
    """Every screen opens."""
    for screen in SCREENS:
        await board.open(screen)
        await board.check(screen.strip("/").replace("/", "-"))


async def work_on_products(board: Dashboard, product: dict[str, Any]) -> None:
    """See one, change it, and save its tags, prices, stock and variant as they are."""
    page, at = board.page, f"/products/{product['id']}"
    await board.open(at)
    await board.check("product")
    await board.open(f"{at}/edit")
    await page.locator("[name=subtitle]:visible").fill("Para bailar")
    await board.save("Save", at)
    await expect(page.get_by_text("Para bailar").first).to_be_visible(timeout=PATIENCE)
    await board.check("product-edited")
    variant = f"{at}/variants/{product['variants'][0]['id']}"
    for screen, after in (("organization", at), ("prices", at), ("stock", at)):
        await board.open(f"{at}/{screen}")
        await board.save("Save", after)
        await board.check(f"product-{screen}")
    await board.open(f"{variant}/edit")
    await board.save("Save", f"{variant}/")
    await board.check("variant")


async def make_a_product(board: Dashboard, shop: ShopServer) -> None:
    """Make one in the form as it opens, change it, put units into stock, and find it in the shop."""
    page = board.page
    await board.open("/products/create")
    await page.locator("[name=title]:visible").last.fill(MADE)
    await board.press("Continue")
    await board.press("Continue")
    await board.write(SKU_CELL, "TABLERO-1")
    await board.write(PRICE_CELL, "32000")
    await board.check("product-form")
    await board.save("Publish", "/products/prod_*")
    await board.check("product-made")
    at = f"/products/{urlsplit(page.url).path.rpartition('/')[2]}"
    await board.open(f"{at}/edit")
    await page.locator("[name=description]:visible").fill("Hecho desde el tablero")
    await board.save("Save", at)
    await board.open(f"{at}/stock")
    await board.write(UNITS_CELL, "7")
    await board.save("Save", at)
    await board.check("product-made-in-stock")
    shopper = await page.context.new_page()
    await shopper.goto(f"{shop.url}/catalog?q={MADE}")
    card = shopper.get_by_test_id("product-card").filter(has_text=MADE)
    await card.get_by_role("link").first.click()
    await expect(shopper.get_by_text("Hecho desde el tablero").first).to_be_visible(timeout=PATIENCE)
    await expect(shopper.get_by_test_id("add-to-cart").first).to_be_enabled(timeout=PATIENCE)
    await shopper.screenshot(path=KEPT / "product-made-in-the-shop.png")
    await shopper.close()


async def take_and_bring_a_table(board: Dashboard, folder: Path) -> None:
    """Export the made product by the dashboard's button, change its title in the table, and import that."""
    page = board.page
    await board.open(f"/products/export?p_q={quote(MADE)}")
    await board.check("products-export")
    await board.save("Export", "/products*")
    await expect(page.get_by_text("We are processing your export").first).to_be_visible(timeout=PATIENCE)
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
    assert text.count(MADE) == 1, text
    await asyncio.to_thread(table.write_text, text.replace(MADE, f"{MADE} II"), "utf-8")
    await board.open("/products/import")
    await page.locator("input[type=file]").last.set_input_files(table)
    await expect(page.get_by_text("Products will be updated")).to_be_visible(timeout=PATIENCE)
    await board.check("products-import")
    await board.save("Import", "/products")
    await expect(page.get_by_text("We are processing your import").first).to_be_visible(timeout=PATIENCE)
    found = f"/products?q={quote(MADE)}"
    await board.open_until(page.get_by_text(f"{MADE} II"), lambda: board.open(found))
    await board.check("products-imported")


async def work_on_orders(board: Dashboard, order_id: str) -> None:
    """See one, capture its payment, fulfil it and ship it."""
    page, at = board.page, f"/orders/{order_id}"
    await board.open(at)
    await expect(page.get_by_text("Awaiting fulfillment")).to_be_visible(timeout=PATIENCE)
    await board.check("order")
    await board.press("Capture")
    await board.press("Confirm")
    await expect(page.get_by_text("Captured").first).to_be_visible(timeout=PATIENCE)
    await board.check("order-captured")
    await board.open(f"{at}/fulfillment?requires_shipping=true")
    await board.check("order-to-fulfil")
    await board.save("Create Fulfillment", at)
    await board.press("Mark as shipped")
    await board.save("Save", at)
    await expect(page.get_by_text("Shipped", exact=True).first).to_be_visible(timeout=PATIENCE)
    await board.check("order-shipped")


async def work_on_others(board: Dashboard, client: httpx.AsyncClient) -> None:
    """One of each of the rest."""
    for path, name in (("customers", "customers"), ("inventory-items", "inventory")):
        answer = (await client.get(f"/admin/{path}?limit=1")).raise_for_status().json()
        [one] = next(part for part in answer.values() if isinstance(part, list))
        await board.open(f"/{name}/{one['id']}")
        await board.check(f"{name}-one")


def built() -> Path:
    """The built dashboard: installed and built when it is not there yet."""
    install(PACKAGES)
    place = installed(PACKAGES)
    built_at = place / "built"
    if not (built_at / "index.html").exists():
        print("Building the dashboard …", flush=True)
        subprocess.run(
            [NODE_FOLDER / "node", PACKAGES / "build.cjs"],
            cwd=place,
            env=environment(OUT=str(built_at)),
            check=True,
            timeout=SECONDS_TO_BUILD,
        )
    return built_at


@asynccontextmanager
async def beside(shop: ShopServer, pages: Path) -> AsyncIterator[ASGIApp]:
    """The dashboard under `/app`, and whatever else is asked for from the shop: one origin for both."""
    async with httpx.AsyncClient(timeout=60) as client:

        async def page(request: Request) -> Answer:
            return FileResponse(_file(pages, request.path_params["path"]))

        async def passed_on(request: Request) -> Answer:
            answer = await client.request(
                request.method,
                f"{shop.url}{request.url.path}?{request.url.query}".rstrip("?"),
                headers=[pair for pair in request.headers.raw if pair[0] != b"host"],
                content=await request.body(),
            )
            response = Answer(answer.content, answer.status_code)
            left_out = {b"content-length", b"content-encoding", b"transfer-encoding"}
            response.raw_headers += [pair for pair in answer.headers.raw if pair[0].lower() not in left_out]
            return response

        methods = ["GET", "POST", "DELETE", "PUT", "PATCH"]
        yield Starlette(
            routes=[
                Mount("/app", routes=[Route("/{path:path}", page)]),
                Route("/{path:path}", passed_on, methods=methods),
            ]
        )


def _file(pages: Path, path: str) -> Path:
    """The file at this path, or the page that all screens are in."""
    asked = (pages / path).resolve()
    return asked if asked.is_file() and asked.is_relative_to(pages.resolve()) else pages / "index.html"


async def main() -> None:
    """Build, serve, and work in it."""
    pages = await asyncio.to_thread(built)
    await asyncio.to_thread(KEPT.mkdir, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="trompo-dashboard-") as folder:
        shop = ShopServer(Path(folder))
        async with beside(shop, pages) as app, served(app) as url:
            owner = {"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1]}
            shop.environment = {**owner, "ADMIN_CORS": url, "AUTH_CORS": url}
            await asyncio.to_thread(shop.start)
            try:
                await work(shop, url, Path(folder))
            finally:
                await asyncio.to_thread(shop.stop)


async def work(shop: ShopServer, url: str, folder: Path) -> None:
    """Sell a toy, and do everything."""
    async with office(shop) as client, async_playwright() as playwright:
        product, order_id = await sell(shop, client)
        browser = await launch(playwright)
        context = await browser.new_context(viewport={"width": 1400, "height": 1000}, locale="en-US")
        board = Dashboard(await context.new_page(), url, Watch())
        board.page.set_default_timeout(PATIENCE)
        board.watch.over(board.page)
        steps: tuple[Callable[[], Awaitable[None]], ...] = (
            lambda: sign_in(board),
            lambda: look_around(board),
            lambda: work_on_products(board, product),
            lambda: make_a_product(board, shop),
            lambda: take_and_bring_a_table(board, folder),
            lambda: work_on_orders(board, order_id),
            lambda: work_on_others(board, client),
        )
        for step in steps:
            await step()
        await browser.close()
    print(f"The dashboard works; its screens are in {KEPT}.")


async def sell(shop: ShopServer, client: httpx.AsyncClient) -> tuple[dict[str, Any], str]:
    """Let a guest order a toy by `pp_system_default`, sent by the carrier.

    Returns:
        The toy, and the order's id.
    """
    region = (await client.get("/admin/regions")).raise_for_status().json()["regions"][0]["id"]
    ways = {"payment_providers": ["gateway_pse", "pp_system_default"]}
    (await client.post(f"/admin/regions/{region}", json=ways)).raise_for_status()
    [key] = (await client.get("/admin/api-keys?type=publishable")).raise_for_status().json()["api_keys"]
    [product] = (await client.get("/admin/products?limit=1")).raise_for_status().json()["products"]
    async with httpx.AsyncClient(
        base_url=shop.url, headers={"x-publishable-api-key": key["token"]}, timeout=60
    ) as store:
        order = await bought(store, product["variants"][0]["id"], price_type="calculated")
    return product, order["id"]


if __name__ == "__main__":
    asyncio.run(main())
