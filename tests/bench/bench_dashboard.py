"""The office's tasks on the platform's official dashboard: `python -m tests.bench.bench_dashboard`.

The dashboard works on this shop's Admin API, with a window of 1400 px, for which it is made. Taps and seconds are
counted as for the office (`office_tasks.py`). Compare them with `bench_office.py` and `bench_office_selling.py` on the
same machine in the same hour.
"""

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Locator, ViewportSize, async_playwright

from tests.bench.office_tasks import TIMEOUT_MS, PhoneUser
from tests.e2e.conftest import OWNER_LOGIN, ShopServer
from tests.e2e.office_steps import PlacedOrder, place_paid_order
from tests.foreign.dashboard import build_dashboard, serve_dashboard
from tests.gateway_kit import serve_app
from tools.browser import launch

WINDOW = ViewportSize(width=1400, height=1000)
Task = Callable[[PhoneUser], Awaitable[Locator]]


async def log_in(user: PhoneUser) -> Locator:
    """Log in with address and password."""
    await user.page.goto("/app/login")
    await user.fill_field(user.page.get_by_placeholder("Email"), OWNER_LOGIN[0])
    await user.fill_field(user.page.get_by_placeholder("Password"), OWNER_LOGIN[1])
    await user.tap(user.page.get_by_role("button", name="Continue"))
    return user.page.get_by_role("heading", name="Orders")


def check_payment(sold: PlacedOrder) -> Task:
    """Return the task to find an order by its number and see if it is paid."""

    async def task(user: PhoneUser) -> Locator:
        await user.page.goto("/app/orders")
        await user.fill_field(user.page.get_by_placeholder("Search"), str(sold.number))
        await user.tap(user.page.get_by_role("row").filter(has_text=str(sold.number)).first)
        return user.page.get_by_text("Captured").first

    return task


def edit_order(sold: PlacedOrder) -> Task:
    """Return the task to add a product to a paid order."""

    async def task(user: PhoneUser) -> Locator:
        await user.page.goto(f"/app/orders/{sold.id}")
        await user.tap(menu_of(user, "Summary"))
        await user.tap(user.page.get_by_role("menuitem", name="Edit order"))
        await user.tap(user.page.get_by_role("button", name="Add items"))
        chooser = user.page.get_by_role("dialog").last
        await user.fill_field(chooser.get_by_placeholder("Search"), "patico")
        await user.tap(chooser.get_by_role("row").filter(has_text="Patico").get_by_role("checkbox"))
        await user.tap(user.page.get_by_role("button", name="Save").last)
        await user.tap(user.page.get_by_role("button", name="Confirm Edit"))
        await user.tap(user.page.get_by_role("button", name="Continue"))
        await user.tap(user.page.get_by_role("button", name=re.compile("Confirm|Force")).last)
        return user.page.get_by_text("Order edit confirmed").first

    return task


def pack_and_ship(sold: PlacedOrder) -> Task:
    """Return the task to fulfil an order and mark it as shipped."""

    async def task(user: PhoneUser) -> Locator:
        await user.page.goto(f"/app/orders/{sold.id}")
        await user.tap(menu_of(user, "Unfulfilled Items"))
        await user.tap(user.page.get_by_role("menuitem", name="Fulfill items"))
        await user.tap(user.page.get_by_role("button", name="Create Fulfillment"))
        await user.tap(user.page.get_by_role("button", name="Mark as shipped"))
        await user.tap(user.page.get_by_role("button", name="Save"))
        return user.page.get_by_text("Shipped", exact=True).first

    return task


def menu_of(user: PhoneUser, heading: str) -> Locator:
    """Return the button that opens the menu of the section with this heading."""
    return user.page.get_by_role("heading", name=heading).locator("xpath=..").get_by_role("button").last


async def main() -> None:
    """Build and serve the dashboard, and do the tasks."""
    pages = await asyncio.to_thread(build_dashboard)
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder))
        async with serve_dashboard(shop, pages) as app, serve_app(app) as url:
            owner = {"ADMIN_EMAIL": OWNER_LOGIN[0], "ADMIN_PASSWORD": OWNER_LOGIN[1]}
            shop.environment = {**owner, "ADMIN_CORS": url, "AUTH_CORS": url}
            await asyncio.to_thread(shop.start)
            try:
                async with async_playwright() as playwright:
                    page = await (await launch(playwright)).new_page(
                        base_url=url, viewport=WINDOW, locale="en-US"
                    )
                    page.set_default_timeout(TIMEOUT_MS)
                    await do_tasks(PhoneUser(page, shop, None))
            finally:
                await asyncio.to_thread(shop.stop)


async def do_tasks(user: PhoneUser) -> None:
    """Do the tasks in the same order as the benchmarks of the office."""
    await user.measure_task("log in", log_in)
    sold = await place_paid_order(user.shop)
    await user.measure_task("is it paid", check_payment(sold))
    await user.measure_task("edit a paid order", edit_order(await place_paid_order(user.shop)))
    await user.measure_task("pack and ship", pack_and_ship(sold))


if __name__ == "__main__":
    asyncio.run(main())
