"""Purchases in Firefox and WebKit: search, product, cart, checkout, bank and order.

| fault | outcome |
|---|---|
| a script or an input does not work in an engine | the purchase is not paid, or the shop's log has the exception |
| the shopper goes back from the bank and forward again | one order, one payment; the restored page shows the order |
| the bank refuses the payment | the second attempt has the typed values, and is paid |
"""

import pytest

from tests.e2e.conftest import ShopServer
from tests.e2e.shopper import ANA, BANK, MEDELLIN, count_orders, count_payments, read_stock
from tests.engines.browsers import Engine
from tests.engines.visitor import Visitor, by_id, by_name

BOTH_WINDOWS = pytest.mark.parametrize("visitor", ["phone", "desktop"], indirect=True)
PLUS = f'{by_id("cart-line")} button[aria-label="Agregar una unidad"]'


@BOTH_WINDOWS
def test_product_is_found_and_bought(visitor: Visitor, server: ShopServer) -> None:
    handle = "peluche-chiguiro"
    stock = read_stock(server, handle)
    visitor.open("/")
    visitor.find(by_id("search-input")).send_keys("chig")
    visitor.click(by_id("search-result"), "Chigüiro")
    visitor.wait_for_address(f"/product/{handle}")
    visitor.click(by_id("variant-option"), "Gris")
    visitor.wait_for_address("variant=")
    visitor.click(by_id("add-to-cart"))
    visitor.find(by_id("added-notice"))

    visitor.open("/cart")
    visitor.wait_for_text(".line__variant", "Pequeño / Gris")
    price = visitor.read_text(by_id("cart-total"))
    visitor.click(PLUS)
    visitor.wait_for_value(by_id("quantity"), "2")
    visitor.wait_for_text(by_id("cart-count"), "2")
    visitor.wait_until(lambda: visitor.read_text(by_id("cart-total")) != price, "the total stays the same")
    visitor.require_no_overflow()
    visitor.click(by_id("go-to-checkout"))

    visitor.find(by_name("email"))
    visitor.fill_in_checkout("ana@example.com")
    visitor.wait_for_text(by_id("shipping-option"), "$")
    total = visitor.read_text(by_id("place-order"))
    visitor.require_no_overflow()
    visitor.go_to_bank()
    assert read_stock(server, handle) == stock - 2
    visitor.decide_at_bank("approve", "paid")
    for _time in range(2):
        visitor.wait_for_text(by_id("payment-state"), "Aprobada")
        visitor.wait_for_text(by_id("cart-count"), "0")
        assert visitor.read_text(by_id("order-total")) in total
        visitor.require_no_overflow()
        visitor.reload()
        visitor.wait_for_status("paid")
    assert read_stock(server, handle) == stock - 2


def test_back_button_at_the_bank_creates_no_second_order(
    visitor: Visitor, engine: Engine, server: ShopServer
) -> None:
    email, payments = f"atras@{engine.name}.example", count_payments(server)
    visitor.prepare_payment("parques-de-madera", email)
    bank = visitor.go_to_bank()
    visitor.go_back()
    visitor.find(by_id("order-waiting"))
    assert visitor.find(by_id("go-to-bank")).get_property("href") == bank
    assert visitor.list_visible(by_id("place-order")) == []
    visitor.go_forward()
    visitor.find(by_id("bank-approve"))
    visitor.go_back()
    visitor.click(by_id("go-to-bank"))
    visitor.decide_at_bank("approve", "paid")
    assert count_orders(server, email) == 1
    assert count_payments(server) == payments + 1


def test_refused_payment_is_tried_again(visitor: Visitor, engine: Engine, server: ShopServer) -> None:
    email, product = f"otra-vez@{engine.name}.example", "coca-balero"
    stock = read_stock(server, product)
    visitor.prepare_payment(product, email)
    visitor.go_to_bank()
    visitor.decide_at_bank("reject", "rejected")
    visitor.wait_for_text(by_id("payment-state"), "Rechazada")
    assert read_stock(server, product) == stock
    visitor.click(by_id("try-again"))
    for name, text in {**ANA, "email": email, "town": MEDELLIN[1]}.items():
        visitor.wait_for_value(by_name(name), text)
    visitor.wait_for_value(by_id("bank-select"), BANK)
    assert visitor.list_visible(f"{by_id('consent-data')}:checked") == []
    visitor.accept_terms()
    visitor.go_to_bank()
    visitor.decide_at_bank("approve", "paid")
    assert read_stock(server, product) == stock - 1
