"""The shipping of a paid order is changed on a phone after its invoice was issued."""

import re
import time
from collections.abc import Sequence

from playwright.async_api import Browser, Page, expect
from sqlalchemy import select

from backend.core.config.modules import INVOICE_FILE
from backend.core.money import format_cop
from backend.invoices.models import Invoice
from backend.invoices.states import InvoiceKind, InvoiceState
from backend.office_settings.invoicing import save_invoicing
from backend.staff.rights import COMMAND_LINE
from tests.backend.invoices.desk import RANGE
from tests.checkout_steps import add_own_delivery
from tests.e2e.conftest import TIMEOUT_MS, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office, open_database, place_paid_order, visit
from tests.e2e.shopper import expect_no_overflow

DELIVERY = 8_000


async def wait_for_issued(page: Page, shop: ShopServer, count: int) -> Sequence[Invoice]:
    """Wait until this many invoices and credit notes are issued. Return them, oldest first."""
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while True:
        async with open_database(shop) as database, database.read() as session:
            query = select(Invoice).where(Invoice.state == InvoiceState.ISSUED).order_by(Invoice.created_at)
            found = (await session.execute(query)).scalars().all()
        if len(found) == count:
            return found
        assert time.monotonic() < deadline, f"{len(found)} documents are issued"
        await page.wait_for_timeout(100)


async def test_shipping_of_a_paid_order_is_changed_after_its_invoice(
    private_server: ShopServer, browser: Browser, watch: PageWatch
) -> None:
    shop = private_server
    async with open_database(shop) as database:
        await add_own_delivery(database, DELIVERY)
        async with database.transaction() as session:
            await save_invoicing(session, COMMAND_LINE, {**RANGE, "provider": INVOICE_FILE})
    sold = await place_paid_order(shop)
    async with build_page_opener(shop, browser, watch)(390, 844) as page:
        (first,) = await wait_for_issued(page, shop, 1)
        await enter_office(page, shop, f"/oficina/pedidos/{sold.id}")
        await page.get_by_test_id("order-edit").click()
        before = page.get_by_test_id("edit-shipping")
        await expect(before).to_be_visible()
        await page.get_by_test_id("edit-shipping-change").click()
        await page.get_by_role("button", name=re.compile("Domicilio")).click()
        await expect(page.get_by_test_id("edit-shipping")).to_contain_text("Domicilio")
        await expect(page.get_by_test_id("edit-line")).to_have_count(1)
        await expect(page.get_by_test_id("edit-difference")).to_be_visible()
        await expect_no_overflow(page)
        await page.locator('[name="reason"]').fill("Vive cerca")
        await page.get_by_test_id("save").click()
        await expect(page).to_have_url(re.compile(f"/oficina/pedidos/{sold.id}$"))
        await expect(page.get_by_test_id("order-events")).to_contain_text("Domicilio")
        await expect(page.get_by_test_id("order-edit-difference")).to_be_visible()
        await expect_no_overflow(page)
        documents = await wait_for_issued(page, shop, 3)
        (note,) = [one for one in documents if one.kind == InvoiceKind.CREDIT_NOTE]
        (second,) = [one for one in documents if one.kind == InvoiceKind.INVOICE and one.id != first.id]
        assert (note.corrects_id, note.amount) == (first.id, first.amount)
        difference = page.get_by_test_id("order-edit-difference")
        await expect(difference).to_contain_text(format_cop(abs(second.amount - first.amount)))
        await visit(page, "/oficina/facturas?estado=emitidas")
        await expect(page.get_by_test_id("invoice-row")).to_have_count(3)
        await expect_no_overflow(page)
