"""The page of a payment link: the sale, what changed, and the button that opens the checkout with its cart."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from sqlalchemy import update

from backend.app import Shop
from backend.catalog.models import Variant
from backend.draft_orders.drafts import add_units, open_current_draft
from backend.draft_orders.links import create_link, withdraw
from backend.inventory.models import InventoryLevel
from backend.staff.rights import COMMAND_LINE
from storefront.documents.app import document_headers
from storefront.meta import PRIVATE
from storefront.pages.page_loader import PageParams
from storefront.pages.pay import PayPage, PayState, load
from storefront.state.cart import CartState, forget_cart, use_linked_cart
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product


@pytest.fixture
async def link(shop: Shop, defaults: Defaults) -> tuple[str, str, str]:
    """Create a payment link for two tops; return its path, the cart's id and the draft's id."""
    async with shop.database.transaction() as session:
        variant = await add_product(session, defaults, "trompo", stock=2, price=40_000)
        draft = await open_current_draft(session, COMMAND_LINE)
        await add_units(session, COMMAND_LINE, draft.id, variant, 2)
        created = await create_link(session, COMMAND_LINE, shop.settings, draft.id)
    return "/pay/" + created.url.rpartition("/")[2], draft.cart_id, draft.id


async def test_payment_link_page_shows_the_sale_without_personal_data(
    shop: Shop, link: tuple[str, str, str]
) -> None:
    data = await load(PageParams.from_url(link[0]))
    (line,) = data.content.lines
    assert (line.title, line.quantity, data.content.total_label) == ("Trompo", 2, cop("$ 80.000"))
    assert (data.content.was_label, data.content.has_problem, data.meta.robots) == ("", False, PRIVATE)


async def test_payment_link_page_says_that_price_and_stock_changed(
    shop: Shop, link: tuple[str, str, str]
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).values(price=45_000))
        await session.execute(update(InventoryLevel).values(stocked=1))
    content = (await load(PageParams.from_url(link[0]))).content
    assert (content.total_label, content.was_label, content.has_problem) == (
        cop("$ 90.000"),
        cop("$ 80.000"),
        True,
    )


async def test_unknown_payment_link_is_not_found(shop: Shop, link: tuple[str, str, str]) -> None:
    data = await load(PageParams.from_url("/pay/x"))
    assert (data.content, data.meta.status) == (PayPage("x"), 404)


async def test_payment_link_replaces_the_browsers_cart_and_keeps_the_former_cart_id(
    shop: Shop, link: tuple[str, str, str], shopper: Callable[[], rx.State]
) -> None:
    root = shopper()
    root.router = RouterData.from_router_data({"headers": {}, "pathname": link[0], "asPath": link[0]})
    page: Any = await root.get_state(PayState)
    cart: Any = await root.get_state(CartState)
    cart.cart_id = "cart_own"
    token = link[0].rpartition("/")[2]
    for _time in range(2):
        assert await PayState.event_handlers["open_checkout"].fn(page, token) is not None
    assert (cart.cart_id, cart.kept_cart_id, cart.cart.count) == (link[1], "cart_own", 2)


async def test_shoppers_own_cart_is_restored_after_two_payment_links(
    shop: Shop, shopper: Callable[[], rx.State]
) -> None:
    cart: Any = await shopper().get_state(CartState)
    cart.cart_id = "cart_own"
    for cart_id in ("cart_first_link", "cart_second_link"):
        use_linked_cart(cart, cart_id)
    forget_cart(cart)
    assert (cart.cart_id, cart.kept_cart_id) == ("cart_own", "")


async def test_withdrawn_payment_link_opens_no_checkout(
    shop: Shop, link: tuple[str, str, str], shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        await withdraw(session, COMMAND_LINE, link[2])
    root = shopper()
    root.router = RouterData.from_router_data({"headers": {}, "pathname": link[0], "asPath": link[0]})
    page: Any = await root.get_state(PayState)
    cart: Any = await root.get_state(CartState)
    assert await PayState.event_handlers["open_checkout"].fn(page, link[0].rpartition("/")[2]) is None
    assert ("retiró" in page.content.reason, cart.cart_id) == (True, "")


def test_document_of_a_link_sends_no_referrer() -> None:
    headers = document_headers("", PRIVATE)
    assert (headers["referrer-policy"], headers["x-robots-tag"]) == ("no-referrer", "noindex,nofollow")
