"""A review in the browser: written by a mail's link with a picture, read in the office, and live on the toy's page."""

import re
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.async_api import FilePayload, Page, expect
from sqlalchemy import select, update

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.reviews.tokens import review_path
from backend.shipping.models import StockLocation
from tests.e2e.conftest import WIDTHS, OpenPage, ShopServer
from tests.e2e.office_steps import enter, paid_order
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_every_page import RULES, VIOLATIONS
from tests.node_packages import installed

LOCATION = select(StockLocation.id).limit(1)
WRITTEN = "Salió <b>tal cual</b> la foto, y aguanta."


def jpeg() -> bytes:
    content = BytesIO()
    Image.new("RGB", (300, 400), "#2b78c5").save(content, "JPEG")
    return content.getvalue()


@dataclass(frozen=True)
class Arrived:
    """An order that has arrived: the path of its page, of its review's link and of its toy's page."""

    order: str
    link: str
    toy: str


async def arrived(shop: ShopServer, units: int = 1) -> Arrived:
    """Order units of a toy as a guest; all have arrived."""
    sold = await paid_order(shop, units)
    settings = Settings(data_dir=shop.folder / "data")
    books = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    try:
        async with books.transaction() as session:
            line = (
                await session.execute(select(OrderLine).where(OrderLine.order_id == sold.id))
            ).scalar_one()
            line.fulfilled = units
            session.add(
                Fulfillment(
                    order_id=sold.id,
                    reference=f"{sold.number}-1",
                    location_id=(await session.execute(LOCATION)).scalar_one(),
                    provider_id="manual_manual",
                    state="created",
                    items=[{"line_item_id": line.id, "quantity": units}],
                    delivered_at=now(),
                )
            )
            done = update(Order).where(Order.id == sold.id).values(fulfillment_status="delivered")
            await session.execute(done)
    finally:
        await books.close()
    page = f"/order/{sold.id}?token={ORDER_LINK.token(settings.signing_key, sold.id)}"
    return Arrived(page, review_path(settings.signing_key, line.id), f"/product/{line.product_handle}")


async def well_formed(page: Page, place: str) -> None:
    """Nothing sticks out, and nobody is shut out, on a phone and on a desktop."""
    package = installed(Path(__file__).parent / "axe")
    await page.evaluate((package / "node_modules/axe-core/axe.min.js").read_text("utf-8"))
    for width in (*WIDTHS.values(), (768, 1024)):
        await page.set_viewport_size({"width": width[0], "height": width[1]})
        assert await page.evaluate("document.documentElement.scrollWidth") == width[0]
        found: list[Any] = await page.evaluate(VIOLATIONS, RULES)
        assert [(one["id"], one["nodes"][0]["target"]) for one in found] == [], (place, width)


async def test_written_read_and_shown(open_page: OpenPage, server: ShopServer) -> None:
    bought = await arrived(server)
    async with (
        open_page(*WIDTHS["320"]) as buyer,
        open_page(390, 844) as office,
        open_page(1280, 800) as shopper,
    ):
        await shopper.goto(bought.toy)
        await expect(shopper.get_by_test_id("reviews")).to_have_count(0)
        await buyer.goto(bought.order)
        opinion = buyer.get_by_role("link", name="Opinar")
        await expect(opinion).to_have_attribute("href", bought.link, timeout=PATIENCE)
        await well_formed(buyer, "order")
        await opinion.click()
        await buyer.get_by_test_id("review-send").click(
            timeout=PATIENCE
        )  # nothing is sent without stars and text
        await expect(buyer.get_by_test_id("review-said")).to_have_count(0)
        await buyer.get_by_role("radio").first.focus()
        for _times in range(3):
            await buyer.keyboard.press("ArrowRight")
        await expect(buyer.get_by_role("radio", name="4 ★")).to_be_checked()
        await buyer.get_by_label("Cuéntales a otras familias").fill(WRITTEN)
        picture = FilePayload(name="foto.jpg", mimeType="image/jpeg", buffer=jpeg())
        await buyer.locator("input[type=file]").set_input_files(picture)
        await buyer.get_by_role("checkbox").check()
        await buyer.get_by_test_id("review-send").click()
        await expect(buyer.get_by_test_id("review-said")).to_contain_text("Gracias", timeout=PATIENCE)
        await expect(buyer.get_by_label("Cuéntales a otras familias")).to_have_value(WRITTEN)
        await well_formed(buyer, "form")

        await enter(office, server, "/oficina/resenas")
        row = office.locator("[data-testid=review-row][data-state=waiting]")
        await row.locator("summary").click()
        await expect(row).to_contain_text(WRITTEN)
        await well_formed(office, "office")
        await row.get_by_test_id("review-show").click()
        await expect(row).to_have_count(0, timeout=PATIENCE)

        review = shopper.get_by_test_id("review").first
        await expect(review).to_contain_text(WRITTEN, timeout=PATIENCE)  # by itself
        await expect(review.locator("img")).to_have_js_property("complete", True)
        await expect(shopper.get_by_test_id("product-rating")).to_be_visible()
        await well_formed(shopper, "product")
        await buyer.reload()
        await expect(buyer.get_by_role("link", name="Ver las reseñas")).to_be_visible(timeout=PATIENCE)
        await expect(buyer.locator("form.account-form")).to_have_count(0)
        await buyer.goto(bought.order)
        await expect(buyer.get_by_test_id("order-line")).to_be_visible(timeout=PATIENCE)
        await expect(buyer.get_by_test_id("review-link")).to_have_count(0)  # once is enough


async def test_what_was_typed_for_one_toy_is_not_in_the_form_of_another(
    page_320: Page, server: ShopServer
) -> None:
    first, second = await arrived(server), await arrived(server)
    await page_320.goto(first.link)
    words = page_320.get_by_label("Cuéntales a otras familias")
    await words.fill(WRITTEN, timeout=PATIENCE)
    await page_320.get_by_role("radio", name="2 ★").check()
    lead_on = "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')) }"
    await page_320.evaluate(lead_on, second.link)  # as a link of the shop does: without another document
    form = page_320.locator("form.account-form")
    line = second.link.partition("?")[0].rpartition("/")[2]
    await expect(form).to_have_attribute("action", re.compile(line), timeout=PATIENCE)
    await expect(words).to_have_value("")
    await expect(form.locator("input[type=radio]:checked")).to_have_count(0)
