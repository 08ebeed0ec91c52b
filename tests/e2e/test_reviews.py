"""A review in the browser: written by a mail's link, moderated in the office, shown on the product's page."""

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
from tests.e2e.office_steps import enter_office, place_paid_order
from tests.e2e.shopper import TIMEOUT_MS, resize
from tests.e2e.test_every_page import RULES, VIOLATIONS
from tests.node_packages import find_packages

LOCATION = select(StockLocation.id).limit(1)
WRITTEN = "Salió <b>tal cual</b> la foto, y aguanta."


def build_jpeg() -> bytes:
    """Return a JPEG picture."""
    content = BytesIO()
    Image.new("RGB", (300, 400), "#2b78c5").save(content, "JPEG")
    return content.getvalue()


@dataclass(frozen=True)
class DeliveredOrder:
    """A delivered order: the paths of its page, of its review form and of its product's page."""

    order_path: str
    review_link: str
    product_path: str


async def deliver_order(shop: ShopServer, units: int = 1) -> DeliveredOrder:
    """Order units of a product as a guest, and mark all as delivered."""
    placed_order = await place_paid_order(shop, units)
    settings = Settings(data_dir=shop.folder / "data")
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    try:
        async with database.transaction() as session:
            line = (
                await session.execute(select(OrderLine).where(OrderLine.order_id == placed_order.id))
            ).scalar_one()
            line.fulfilled = units
            session.add(
                Fulfillment(
                    order_id=placed_order.id,
                    reference=f"{placed_order.number}-1",
                    location_id=(await session.execute(LOCATION)).scalar_one(),
                    provider_id="manual_manual",
                    state="created",
                    items=[{"line_item_id": line.id, "quantity": units}],
                    delivered_at=now(),
                )
            )
            done = update(Order).where(Order.id == placed_order.id).values(fulfillment_status="delivered")
            await session.execute(done)
    finally:
        await database.close()
    page = f"/order/{placed_order.id}?token={ORDER_LINK.token(settings.signing_key, placed_order.id)}"
    return DeliveredOrder(page, review_path(settings.signing_key, line.id), f"/product/{line.product_handle}")


async def check_layout(page: Page, name: str) -> None:
    """Check the page on a phone and on a desktop: no overflow, no violation of the accessibility rules."""
    package = find_packages(Path(__file__).parent / "axe")
    await page.evaluate((package / "node_modules/axe-core/axe.min.js").read_text("utf-8"))
    for width in (*WIDTHS.values(), (768, 1024)):
        await resize(page, *width)
        assert await page.evaluate("document.documentElement.scrollWidth") == width[0]
        violations: list[Any] = await page.evaluate(VIOLATIONS, RULES)
        assert [(violation["id"], violation["nodes"][0]["target"]) for violation in violations] == [], (
            name,
            width,
        )


async def test_review_is_written_moderated_and_shown(open_page: OpenPage, server: ShopServer) -> None:
    delivered = await deliver_order(server)
    async with (
        open_page(*WIDTHS["320"]) as customer,
        open_page(390, 844) as office,
        open_page(1280, 800) as shopper,
    ):
        await shopper.goto(delivered.product_path)
        await expect(shopper.get_by_test_id("reviews")).to_have_count(0)
        await customer.goto(delivered.order_path)
        opinion = customer.get_by_role("link", name="Opinar")
        await expect(opinion).to_have_attribute("href", delivered.review_link)
        await check_layout(customer, "order")
        await opinion.click()
        await customer.get_by_test_id("review-send").click(
            timeout=TIMEOUT_MS
        )  # nothing is sent without a rating and a text
        await expect(customer.get_by_test_id("review-said")).to_have_count(0)
        await customer.get_by_role("radio").first.focus()
        for _times in range(3):
            await customer.keyboard.press("ArrowRight")
        await expect(customer.get_by_role("radio", name="4 ★")).to_be_checked()
        await customer.get_by_label("Cuéntales a otras familias").fill(WRITTEN)
        picture = FilePayload(name="foto.jpg", mimeType="image/jpeg", buffer=build_jpeg())
        await customer.locator("input[type=file]").set_input_files(picture)
        await customer.get_by_role("checkbox").check()
        await customer.get_by_test_id("review-send").click()
        await expect(customer.get_by_test_id("review-said")).to_contain_text("Gracias")
        await expect(customer.get_by_label("Cuéntales a otras familias")).to_have_value(WRITTEN)
        await check_layout(customer, "form")

        await enter_office(office, server, "/oficina/resenas")
        waiting = office.locator("[data-testid=review-row][data-state=waiting]")
        row = waiting.filter(has_text=WRITTEN)  # other tests of this shop leave reviews, too
        await row.locator("summary").click()
        await expect(row).to_contain_text(WRITTEN)
        await check_layout(office, "office")
        await row.get_by_test_id("review-show").click()
        await expect(row).to_have_count(0)

        review = shopper.get_by_test_id("review").filter(has_text=WRITTEN)
        await expect(review).to_contain_text(WRITTEN)  # without a reload
        await expect(review.locator("img")).to_have_js_property("complete", True)
        await expect(shopper.get_by_test_id("product-rating")).to_be_visible()
        await check_layout(shopper, "product")
        await customer.reload()
        await expect(customer.get_by_role("link", name="Ver las reseñas")).to_be_visible()
        await expect(customer.locator("form.account-form")).to_have_count(0)
        await customer.goto(delivered.order_path)
        await expect(customer.get_by_test_id("order-line")).to_be_visible()
        await expect(customer.get_by_test_id("review-link")).to_have_count(0)  # once is enough


async def test_review_form_does_not_keep_the_text_of_another_product(
    page_320: Page, server: ShopServer
) -> None:
    first, second = await deliver_order(server), await deliver_order(server)
    await page_320.goto(first.review_link)
    text_field = page_320.get_by_label("Cuéntales a otras familias")
    await text_field.fill(WRITTEN, timeout=TIMEOUT_MS)
    await page_320.get_by_role("radio", name="2 ★").check()
    lead_on = "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')) }"
    await page_320.evaluate(
        lead_on, second.review_link
    )  # as a link of the shop does: without loading another document
    form = page_320.locator("form.account-form")
    line = second.review_link.partition("?")[0].rpartition("/")[2]
    await expect(form).to_have_attribute("action", re.compile(line))
    await expect(text_field).to_have_value("")
    await expect(form.locator("input[type=radio]:checked")).to_have_count(0)
