"""Forms that are sent by HTTP while the connection is cut.

| form | the cut | outcome |
|---|---|---|
| PQRS, return, review | before the server has the form | an error; the input stays; it is stored once |
| return of some units, without a picture | the same | the same |
| the same | after the server acted, before its answer | the same |
| PQRS | the same, and the text is changed before it is sent again | two records; the second is shown |
| PQRS | none, and the browser restores the page after its answer has opened | the button works again |
"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import FilePayload, Locator, Page, Route, expect
from sqlalchemy import func, select

from backend.core.db.database import Database
from backend.pqrs.models import Pqrs
from backend.returns.models import Return
from backend.reviews.models import Review
from tests.e2e.conftest import PHONE_ONLY, PageWatch, ShopServer
from tests.e2e.office_steps import place_paid_order
from tests.e2e.scenes import visit
from tests.e2e.shopper import TIMEOUT_MS
from tests.e2e.test_returns import ACCOUNT
from tests.e2e.test_reviews import build_jpeg, deliver_order

OFFLINE = "No hay conexión"
CUTS = pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])


async def count_rows(shop: ShopServer, table: Any) -> int:
    """Return the number of rows of a table."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    async with database.read() as session:
        found = int((await session.execute(select(func.count()).select_from(table))).scalar_one())
    await database.close()
    return found


def build_cut_handler(is_after: bool) -> Callable[[Route], Any]:
    """Return a handler that drops the connection before the server has the request, or after it has acted."""

    async def handle(route: Route) -> None:
        if is_after:
            await route.fetch()
        await route.abort("connectionreset")

    return handle


async def send_over_cut_connection(page: Page, address: str, button: Locator, is_after: bool) -> None:
    """Send a form over a connection that is cut, and expect the error message."""
    await page.route(address, build_cut_handler(is_after))
    await button.click()
    await expect(page.get_by_text(OFFLINE)).to_be_visible()
    await page.unroute(address)


async def fill_pqrs(page: Page, email: str) -> None:
    """Open the PQRS form and fill it in."""
    await visit(page, "/pqrs")
    await page.get_by_label("¿Qué es?").select_option("reclamo")
    await page.get_by_label("Nombre").fill("Ana Gómez")
    await page.get_by_label("Correo electrónico").fill(email)
    await page.get_by_label("Cuéntanos").fill("El trompo llegó sin cuerda.")


@PHONE_ONLY
@CUTS
async def test_pqrs_form_sent_over_a_cut_connection_keeps_its_input_and_is_stored_once(
    page: Page, server: ShopServer, watch: PageWatch, is_after: bool
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, button = await count_rows(server, Pqrs), page.get_by_test_id("pqrs-send")
    await fill_pqrs(page, f"cut-{is_after}@example.com")
    await send_over_cut_connection(page, "**/api/pqrs", button, is_after)
    assert await count_rows(server, Pqrs) == before + is_after
    await expect(page.get_by_label("Cuéntanos")).to_have_value("El trompo llegó sin cuerda.")
    await button.click()
    await expect(page.get_by_test_id("pqrs-number")).to_be_visible()
    assert await count_rows(server, Pqrs) == before + 1


@PHONE_ONLY
async def test_pqrs_form_changed_after_a_cut_connection_is_stored_separately(
    page: Page, server: ShopServer, watch: PageWatch
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, button = await count_rows(server, Pqrs), page.get_by_test_id("pqrs-send")
    await fill_pqrs(page, "changed@example.com")
    await send_over_cut_connection(page, "**/api/pqrs", button, is_after=True)
    await page.get_by_label("Cuéntanos").fill("El trompo llegó sin cuerda ni caja.")
    await button.click()
    await expect(page.get_by_text("sin cuerda ni caja.")).to_be_visible()
    assert await count_rows(server, Pqrs) == before + 2


@PHONE_ONLY
async def test_submit_button_works_again_after_the_back_button_restores_the_form(page: Page) -> None:
    await fill_pqrs(page, "restored@example.com")

    async def stay(route: Route) -> None:
        await route.fulfill(status=204)

    await page.route("**/pqrs/*", stay)  # the page that the answer opens
    button = page.get_by_test_id("pqrs-send")
    async with page.expect_response("**/pqrs/*", timeout=TIMEOUT_MS):
        await button.click()
    await expect(button).to_have_attribute("aria-busy", "true")
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    await expect(button).not_to_have_attribute("aria-busy", "true")
    await page.unroute_all(behavior="wait")
    await button.click()
    await expect(page.get_by_test_id("pqrs-number")).to_be_visible()


@PHONE_ONLY
@CUTS
async def test_return_form_sent_over_a_cut_connection_keeps_its_input_and_is_stored_once(
    page: Page, server: ShopServer, watch: PageWatch, is_after: bool
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, placed_order = await count_rows(server, Return), await place_paid_order(server)
    await page.goto(placed_order.page)
    offer = page.get_by_test_id("offer-not_sent")
    await offer.locator("summary").click()
    for label, text in ACCOUNT.items():
        await offer.get_by_label(label).fill(text)
    await offer.get_by_label("Tipo de cuenta").select_option("savings")
    button = offer.get_by_test_id("ask-return")
    await send_over_cut_connection(page, "**/api/returns?*", button, is_after)
    assert await count_rows(server, Return) == before + is_after
    await expect(page.get_by_test_id("returns-said")).to_have_count(0)
    for label, text in ACCOUNT.items():
        await expect(offer.get_by_label(label)).to_have_value(text)
    await button.click()
    await expect(page.get_by_test_id("returns-said")).to_contain_text("Recibido")
    await expect(page.get_by_test_id("return")).to_have_count(1)
    assert await count_rows(server, Return) == before + 1


@PHONE_ONLY
@CUTS
async def test_warranty_form_sent_over_a_cut_connection_is_stored_once(
    page: Page, server: ShopServer, watch: PageWatch, is_after: bool
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, delivered = await count_rows(server, Return), await deliver_order(server, units=3)
    await page.goto(delivered.order_path)
    form = page.get_by_test_id("offer-warranty")
    await form.locator("summary").click()
    await expect(form.locator("input[type=file]")).to_be_visible()
    await form.locator("input[type=number]").fill("1")
    await form.get_by_label("¿Qué pasa?").fill("No gira.")
    button = form.get_by_test_id("ask-return")
    await send_over_cut_connection(page, "**/api/returns?*", button, is_after)
    assert await count_rows(server, Return) == before + is_after
    await expect(form.get_by_label("¿Qué pasa?")).to_have_value("No gira.")
    await button.click()
    await expect(page.get_by_test_id("returns-said")).to_contain_text("Recibido")
    await expect(page.get_by_test_id("return")).to_have_count(1)
    assert await count_rows(server, Return) == before + 1


@PHONE_ONLY
@CUTS
async def test_review_sent_over_a_cut_connection_keeps_its_picture_and_is_stored_once(
    page: Page, server: ShopServer, watch: PageWatch, is_after: bool
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, delivered = await count_rows(server, Review), await deliver_order(server)
    await page.goto(delivered.review_link)
    text_field = page.get_by_label("Cuéntales a otras familias")
    await text_field.fill("Salió tal cual la foto, y aguanta.", timeout=TIMEOUT_MS)
    await page.get_by_role("radio", name="5 ★").check()
    await page.get_by_role("checkbox").check()
    chooser = page.locator("input[type=file]")
    await chooser.set_input_files(FilePayload(name="foto.jpg", mimeType="image/jpeg", buffer=build_jpeg()))
    button = page.get_by_test_id("review-send")
    await send_over_cut_connection(page, "**/api/reviews?*", button, is_after)
    assert await count_rows(server, Review) == before + is_after
    await expect(page.get_by_test_id("review-said")).to_have_count(0)
    await expect(text_field).to_have_value("Salió tal cual la foto, y aguanta.")
    assert await chooser.evaluate("input => input.files.length") == 1
    await button.click()
    await expect(page.get_by_test_id("review-said")).to_contain_text("¡Gracias!")
    assert await count_rows(server, Review) == before + 1
