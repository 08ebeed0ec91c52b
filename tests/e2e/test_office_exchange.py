"""An exchange at the counter, on a telephone: one product comes back, another goes out, and cash settles the rest."""

import re

from playwright.async_api import expect
from sqlalchemy import select

from backend.catalog.models import Product, Variant
from backend.core.config.settings import Settings
from backend.draft_orders.counter_sale import ReceivedMoney, sell
from backend.draft_orders.drafts import add_units, open_current_draft
from backend.payment.manual_methods import ManualMethod
from backend.staff.rights import Actor, Role
from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.office_steps import enter_office, open_database
from tests.e2e.shopper import expect_no_overflow

SELLER = Actor("staff_seller", Role.SHOP)
OLD, NEW = "yoyo-de-madera", "coca-balero"


async def sell_at_counter(server: ShopServer) -> tuple[str, int, str, int]:
    """Sell the product to exchange, in cash.

    Returns:
        The order's id and price, and the new product's SKU and price.
    """
    async with open_database(server) as database, database.transaction() as session:
        found = {}
        for handle in (OLD, NEW):
            query = select(Variant).join(Product, Product.id == Variant.product_id)
            found[handle] = (
                await session.execute(query.where(Product.handle == handle).limit(1))
            ).scalar_one()
        draft = await open_current_draft(session, SELLER)
        await add_units(session, SELLER, draft.id, found[OLD].id)
        received = ReceivedMoney(found[OLD].price, ManualMethod.CASH)
        order = await sell(session, SELLER, Settings(), draft.id, received=received)
        return order.id, found[OLD].price, found[NEW].sku or "", found[NEW].price


async def test_product_is_exchanged_at_the_counter(open_page: OpenPage, server: ShopServer) -> None:
    order_id, old_price, sku, new_price = await sell_at_counter(server)
    async with open_page(390, 844) as page:
        await enter_office(page, server, f"/oficina/pedidos/{order_id}")
        await page.get_by_test_id("order-exchange").click()
        await (
            page.get_by_test_id("exchange-inbound").get_by_role("button", name=re.compile("Agregar")).click()
        )
        await expect(page.get_by_test_id("exchange-inbound").locator(".o-sell__count")).to_have_text("1")
        await page.get_by_test_id("exchange-search").fill(sku)
        await page.get_by_test_id("exchange-search").press("Enter")
        await expect(page.get_by_test_id("exchange-outbound")).to_have_count(1)
        difference = page.get_by_test_id("exchange-difference")
        await expect(difference).to_contain_text("paga" if new_price > old_price else "devuelves")
        await expect_no_overflow(page)
        form = page.get_by_test_id("exchange-settle")
        await form.locator('[name="method"]').select_option("cash")
        await form.get_by_test_id("save").click()
        await expect(page).not_to_have_url(re.compile("cambio"))
        await expect(page.get_by_text(re.compile("Cambio del pedido"))).to_be_visible()
        await expect(page.get_by_test_id("order-events")).to_contain_text("pagó con lo que devolvió")
