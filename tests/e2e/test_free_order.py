"""A purchase whose total is 0, through the pages of a phone: the button says so, and no bank is asked."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from backend.core.db.database import Database
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import create_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.staff.rights import SHOP
from tests.e2e.conftest import ShopServer, Watch, pages_of
from tests.e2e.shopper import (
    ANA,
    MEDELLIN,
    PATIENCE,
    agree,
    expect_no_overflow,
    expect_status,
    field,
    offer_payments,
    open_checkout,
    payments_of,
    pick_town,
    put_in_cart,
    stock_of,
)

TOY = "yoyo-de-madera"


async def give_everything_away(shop: ShopServer) -> None:
    """Create promotions that take 100 % off the toys and off the shipping."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    async with database.transaction() as session:
        for code, target in (("TODO", "order"), ("ENVIO", "shipping_methods")):
            method = {"type": "percentage", "value": 100, "target_type": target}
            body: dict[str, Any] = {"code": code, "type": "standard", "status": "active"}
            offer = {**body, "is_automatic": True, "application_method": method}
            await create_promotion(session, SHOP, to_create_promotion(NewPromotion.model_validate(offer)))
    await database.close()


@pytest.mark.parametrize("providers", [("gateway_pse",), ()])
async def test_an_order_of_0_is_confirmed_without_a_bank(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch, providers: tuple[str, ...]
) -> None:
    shop = new_server()
    await give_everything_away(shop)
    offer_payments(shop, *providers)
    stock = stock_of(shop, TOY)
    async with pages_of(shop, browser, watch)(390, 844) as page:
        await put_in_cart(page, TOY)
        await open_checkout(page)
        for name, text in ANA.items():
            if name != "doc_number":
                await field(page, name).fill(text)
        await pick_town(page, MEDELLIN)
        button = page.get_by_test_id("place-order")
        await expect(button).to_contain_text("Confirmar pedido: nada por pagar", timeout=PATIENCE)
        await expect(page.get_by_test_id("payment-free")).to_be_visible()
        await expect(page.get_by_test_id("bank-select")).to_have_count(0)
        await expect(page.get_by_test_id("checkout-total")).to_contain_text("$ 0")
        await button.click()
        await expect(page.get_by_test_id("checkout-alert")).to_contain_text("Términos y condiciones")
        await agree(page)
        await expect_no_overflow(page)
        await button.click()
        await expect_status(page, "paid")
        await expect(page.get_by_test_id("order-status")).to_contain_text("Tu pedido está confirmado")
        await expect(page.get_by_test_id("payment-state")).to_have_text("Nada por pagar")
        await expect_no_overflow(page)
    assert payments_of(shop) == 1
    assert stock_of(shop, TOY) == stock - 1
