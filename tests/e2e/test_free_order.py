"""A purchase with a total of 0, on a phone: the button says so, and no bank is involved."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from backend.core.db.database import Database
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import create_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.staff.rights import SHOP
from tests.e2e.conftest import PageWatch, ShopServer, build_page_opener
from tests.e2e.shopper import (
    ANA,
    MEDELLIN,
    accept_terms,
    count_payments,
    expect_no_overflow,
    expect_status,
    field,
    open_checkout,
    pick_town,
    put_in_cart,
    read_stock,
    set_payment_providers,
)

PRODUCT = "yoyo-de-madera"


async def create_full_discounts(shop: ShopServer) -> None:
    """Create promotions that take 100 % off the products and off the shipping."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    async with database.transaction() as session:
        for code, target in (("TODO", "order"), ("ENVIO", "shipping_methods")):
            method = {"type": "percentage", "value": 100, "target_type": target}
            body: dict[str, Any] = {"code": code, "type": "standard", "status": "active"}
            offer = {**body, "is_automatic": True, "application_method": method}
            await create_promotion(session, SHOP, to_create_promotion(NewPromotion.model_validate(offer)))
    await database.close()


@pytest.mark.parametrize("providers", [("gateway_pse",), ()])
async def test_order_with_total_0_is_confirmed_without_a_bank(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, providers: tuple[str, ...]
) -> None:
    shop = new_server()
    await create_full_discounts(shop)
    set_payment_providers(shop, *providers)
    stock = read_stock(shop, PRODUCT)
    async with build_page_opener(shop, browser, watch)(390, 844) as page:
        await put_in_cart(page, PRODUCT)
        await open_checkout(page)
        for name, text in ANA.items():
            if name != "doc_number":
                await field(page, name).fill(text)
        await pick_town(page, MEDELLIN)
        button = page.get_by_test_id("place-order")
        await expect(button).to_contain_text("Confirmar pedido: nada por pagar")
        await expect(page.get_by_test_id("payment-free")).to_be_visible()
        await expect(page.get_by_test_id("bank-select")).to_have_count(0)
        await expect(page.get_by_test_id("checkout-total")).to_contain_text("$ 0")
        await button.click()
        await expect(page.get_by_test_id("checkout-alert")).to_contain_text("Términos y condiciones")
        await accept_terms(page)
        await expect_no_overflow(page)
        await button.click()
        await expect_status(page, "paid")
        await expect(page.get_by_test_id("order-status")).to_contain_text("Tu pedido está confirmado")
        await expect(page.get_by_test_id("payment-state")).to_have_text("Nada por pagar")
        await expect_no_overflow(page)
    assert count_payments(shop) == 1
    assert read_stock(shop, PRODUCT) == stock - 1
