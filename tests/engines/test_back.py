"""The Back button in Firefox and WebKit, with their back/forward cache on.

| the shopper goes back | outcome |
|---|---|
| to a page that was left with its connection open | WebKit restores it, Firefox loads it again |
| to a page that has an earlier cart | it shows the current cart, and adds to it |
| to a half-filled checkout | the typed values are there, and the purchase is paid once |
| from a product to a list that was sorted, extended and scrolled | the list is as long as before, at the same place |
| from the paid order | the checkout does not sell the same cart again |
"""

import pytest

from tests.e2e.conftest import ShopServer
from tests.e2e.shopper import ANA, count_orders
from tests.engines.browsers import Engine
from tests.engines.visitor import Visitor, by_id, by_name

PLUS = f'{by_id("cart-line")} button[aria-label="Agregar una unidad"]'
CARD = by_id("product-card")
PAGE_SIZE = 24
SORTED_BY, CHEAPEST = "price_asc", "$ 12.900"
"""An order of the list, and a price that only its first page shows."""
FAR_DOWN = 40
"""Position of a product that only an extended list shows."""


@pytest.mark.parametrize("engine", ["firefox"], indirect=True)
def test_back_button_restores_a_page_that_opened_no_websocket(visitor: Visitor) -> None:
    visitor.open("/robots.txt")
    visitor.mark_document()
    visitor.open("/security.txt")
    visitor.go_back()
    assert visitor.is_restored()


def test_back_button_shows_the_current_cart(visitor: Visitor, engine: Engine) -> None:
    visitor.put_in_cart("yoyo-de-madera")
    visitor.wait_for_text(by_id("cart-count"), "1")
    visitor.mark_document()
    visitor.open("/cart")
    visitor.click(PLUS)
    visitor.wait_for_text(by_id("cart-count"), "2")
    visitor.go_back()
    assert visitor.is_restored() is engine.stores_connected_pages
    visitor.wait_for_text(by_id("cart-count"), "2")
    visitor.click(by_id("add-to-cart"))
    visitor.wait_for_text(by_id("cart-count"), "3")
    visitor.find(by_id("added-notice"))
    visitor.go_forward()
    visitor.wait_for_value(by_id("quantity"), "3")
    visitor.wait_for_text(by_id("cart-count"), "3")


def test_back_button_to_the_checkout_keeps_the_form(
    visitor: Visitor, engine: Engine, server: ShopServer
) -> None:
    email = f"a-medias@{engine.name}.example"
    visitor.prepare_payment("tangram-siete-piezas", email)
    total = visitor.read_text(by_id("place-order"))
    visitor.mark_document()
    visitor.open("/cart")
    visitor.click(PLUS)
    visitor.wait_for_value(by_id("quantity"), "2")
    visitor.wait_for_text(by_id("cart-count"), "2")
    visitor.go_back()
    assert visitor.is_restored() is engine.stores_connected_pages
    for name, text in {**ANA, "email": email}.items():
        visitor.wait_for_value(by_name(name), text)
    visitor.find(f"{by_id('consent-data')}:checked")
    visitor.wait_until(
        lambda: (
            visitor.read_text(by_id("place-order")) != total
            and visitor.list_visible(by_id("place-order"), "Pagar $")
        ),
        "the total stays the same",
    )
    visitor.go_to_bank()
    visitor.decide_at_bank("approve", "paid")
    assert count_orders(server, email) == 1


def test_back_button_after_a_paid_order_creates_no_second_order(
    visitor: Visitor, engine: Engine, server: ShopServer
) -> None:
    email = f"pagado@{engine.name}.example"
    visitor.prepare_payment("domino-de-madera", email)
    visitor.go_to_bank()
    visitor.decide_at_bank("approve", "paid")
    visitor.go_back()
    visitor.find(by_id("bank-return"))
    visitor.go_back()
    visitor.find(by_id("see-order"))
    assert visitor.list_visible(by_id("place-order")) == []
    visitor.click(by_id("see-order"))
    visitor.wait_for_status("paid")
    assert count_orders(server, email) == 1


def extend_list(visitor: Visitor) -> str:
    """Sort and extend the list of all products, and scroll down. Return the selector of the product in the center."""
    visitor.open("/catalog")
    visitor.wait_for_count(CARD, PAGE_SIZE)
    visitor.choose(by_id("sort"), SORTED_BY)
    visitor.wait_for_text(CARD, CHEAPEST)
    visitor.click(by_id("show-more"))
    visitor.wait_for_count(CARD, 2 * PAGE_SIZE)
    link = visitor.list_visible(f"{CARD} a")[FAR_DOWN]
    visitor.scroll_to(link)
    return f'{CARD} a[href="{link.get_property("pathname")}"]'


def expect_list(visitor: Visitor, link: str) -> None:
    """Wait until the list is as long as before, and the product is inside the window."""
    visitor.wait_for_count(CARD, 2 * PAGE_SIZE)
    visitor.wait_for_value(by_id("sort"), SORTED_BY)
    visitor.wait_until(lambda: visitor.is_in_view(visitor.find(link)), f"{link} is outside the window")


def test_back_button_from_a_product_restores_the_list(visitor: Visitor) -> None:
    link = extend_list(visitor)
    visitor.click(link)
    visitor.find(by_id("add-to-cart"))
    visitor.driver.back()
    expect_list(visitor, link)
