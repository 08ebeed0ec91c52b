"""Forms that are sent by HTTP while the connection is cut.

| form | the cut | outcome |
|---|---|---|
| PQRS, return, review | before the server has it | said; what is typed stays; sent again, it is there once |
| return of some units, without a picture | the same | the same |
| the same | after the server acted, before its answer | the same |
| PQRS | the same, and the text is changed before it is sent again | two records, the last is shown |
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
from tests.e2e.conftest import ON_A_PHONE, ShopServer, Watch
from tests.e2e.office_steps import paid_order
from tests.e2e.scenes import visit
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_returns import ACCOUNT
from tests.e2e.test_reviews import arrived, jpeg

OFFLINE = "No hay conexión"
CUTS = pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])


async def count(shop: ShopServer, table: Any) -> int:
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    async with database.read() as session:
        found = int((await session.execute(select(func.count()).select_from(table))).scalar_one())
    await database.close()
    return found


def cut(is_after: bool) -> Callable[[Route], Any]:
    """Drop the connection before the server has the request, or after it has acted."""

    async def handle(route: Route) -> None:
        if is_after:
            await route.fetch()
        await route.abort("connectionreset")

    return handle


async def send_with_a_cut(page: Page, address: str, button: Locator, is_after: bool) -> None:
    await page.route(address, cut(is_after))
    await button.click()
    await expect(page.get_by_text(OFFLINE)).to_be_visible(timeout=PATIENCE)
    await page.unroute(address)


async def fill_pqrs(page: Page, email: str) -> None:
    await visit(page, "/pqrs")
    await page.get_by_label("¿Qué es?").select_option("reclamo")
    await page.get_by_label("Nombre").fill("Ana Gómez")
    await page.get_by_label("Correo electrónico").fill(email)
    await page.get_by_label("Cuéntanos").fill("El trompo llegó sin cuerda.")


@ON_A_PHONE
@CUTS
async def test_a_cut_pqrs_is_kept_and_stored_once(
    page: Page, server: ShopServer, watch: Watch, is_after: bool
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, button = await count(server, Pqrs), page.get_by_test_id("pqrs-send")
    await fill_pqrs(page, f"cut-{is_after}@example.com")
    await send_with_a_cut(page, "**/api/pqrs", button, is_after)
    assert await count(server, Pqrs) == before + is_after
    await expect(page.get_by_label("Cuéntanos")).to_have_value("El trompo llegó sin cuerda.")
    await button.click()
    await expect(page.get_by_test_id("pqrs-number")).to_be_visible(timeout=PATIENCE)
    assert await count(server, Pqrs) == before + 1


@ON_A_PHONE
async def test_a_pqrs_that_was_changed_after_a_cut_is_another(
    page: Page, server: ShopServer, watch: Watch
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, button = await count(server, Pqrs), page.get_by_test_id("pqrs-send")
    await fill_pqrs(page, "changed@example.com")
    await send_with_a_cut(page, "**/api/pqrs", button, is_after=True)
    await page.get_by_label("Cuéntanos").fill("El trompo llegó sin cuerda ni caja.")
    await button.click()
    await expect(page.get_by_text("sin cuerda ni caja.")).to_be_visible(timeout=PATIENCE)
    assert await count(server, Pqrs) == before + 2


@ON_A_PHONE
@CUTS
async def test_a_cut_return_is_kept_and_stored_once(
    page: Page, server: ShopServer, watch: Watch, is_after: bool
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, sold = await count(server, Return), await paid_order(server)
    await page.goto(sold.page)
    offer = page.get_by_test_id("offer-not_sent")
    await offer.locator("summary").click()
    for label, text in ACCOUNT.items():
        await offer.get_by_label(label).fill(text)
    await offer.get_by_label("Tipo de cuenta").select_option("savings")
    button = offer.get_by_test_id("ask-return")
    await send_with_a_cut(page, "**/api/returns?*", button, is_after)
    assert await count(server, Return) == before + is_after
    await expect(page.get_by_test_id("returns-said")).to_have_count(0)
    for label, text in ACCOUNT.items():
        await expect(offer.get_by_label(label)).to_have_value(text)
    await button.click()
    await expect(page.get_by_test_id("returns-said")).to_contain_text("Recibido", timeout=PATIENCE)
    await expect(page.get_by_test_id("return")).to_have_count(1)
    assert await count(server, Return) == before + 1


@ON_A_PHONE
@CUTS
async def test_a_cut_warranty_of_one_unit_without_a_picture_is_stored_once(
    page: Page, server: ShopServer, watch: Watch, is_after: bool
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, bought = await count(server, Return), await arrived(server, units=3)
    await page.goto(bought.order)
    form = page.get_by_test_id("offer-warranty")
    await form.locator("summary").click()
    await expect(form.locator("input[type=file]")).to_be_visible()
    await form.locator("input[type=number]").fill("1")
    await form.get_by_label("¿Qué pasa?").fill("No gira.")
    button = form.get_by_test_id("ask-return")
    await send_with_a_cut(page, "**/api/returns?*", button, is_after)
    assert await count(server, Return) == before + is_after
    await expect(form.get_by_label("¿Qué pasa?")).to_have_value("No gira.")
    await button.click()
    await expect(page.get_by_test_id("returns-said")).to_contain_text("Recibido", timeout=PATIENCE)
    await expect(page.get_by_test_id("return")).to_have_count(1)
    assert await count(server, Return) == before + 1


@ON_A_PHONE
@CUTS
async def test_a_cut_review_is_kept_with_its_picture_and_stored_once(
    page: Page, server: ShopServer, watch: Watch, is_after: bool
) -> None:
    watch.expect("net::ERR_CONNECTION_RESET")
    before, bought = await count(server, Review), await arrived(server)
    await page.goto(bought.link)
    words = page.get_by_label("Cuéntales a otras familias")
    await words.fill("Salió tal cual la foto, y aguanta.", timeout=PATIENCE)
    await page.get_by_role("radio", name="5 ★").check()
    await page.get_by_role("checkbox").check()
    chooser = page.locator("input[type=file]")
    await chooser.set_input_files(FilePayload(name="foto.jpg", mimeType="image/jpeg", buffer=jpeg()))
    button = page.get_by_test_id("review-send")
    await send_with_a_cut(page, "**/api/reviews?*", button, is_after)
    assert await count(server, Review) == before + is_after
    await expect(page.get_by_test_id("review-said")).to_have_count(0)
    await expect(words).to_have_value("Salió tal cual la foto, y aguanta.")
    assert await chooser.evaluate("input => input.files.length") == 1
    await button.click()
    await expect(page.get_by_test_id("review-said")).to_contain_text("¡Gracias!", timeout=PATIENCE)
    assert await count(server, Review) == before + 1
